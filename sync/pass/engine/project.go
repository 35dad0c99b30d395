package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/branches"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/repository"
	"github.com/locsync/locsync/sync/pass/trigger"
	"github.com/locsync/locsync/sync/report"
	"go.uber.org/zap"
)

// project is one project's passes.
type project struct {
	*host
	state      ledger.Store // what branch keeps track of
	branch     *pass.Branch // of the whole project; for those that are translated beside each other, see package branches
	repository *repository.Repository
	signals    map[wake]trigger.Signal
	saved      trigger.Signal // a person has saved a translation
	mu         *passLock      // held for a whole pass
	view       *view

	proven atomic.Bool // a pass of the loop has come to an end
	// far: the next push of the loop looks at the branch as its remote has it, whatever the files here say
	far       atomic.Bool
	readiness atomic.Pointer[readiness]
	leftOut   []report.Problem // of the last push for a cluster; of the pass that has the lock
}

// wake is what wakes a project's loop: for a pass of it. Notices are rung from outside, any number of times.
type wake struct {
	pass   string
	notice bool
}

// readiness is what is known of a project's working: nothing once everything was seen to work, else everything that
// was not.
type readiness struct{ why []error }

func newProject(h *host, cfg *config.Project, lock *passLock, contacts repository.Contacts) *project {
	p := &project{host: h, mu: lock, state: h.State, saved: trigger.NewSignal(),
		signals: map[wake]trigger.Signal{{Push, false}: trigger.NewSignal(), {Push, true}: trigger.NewSignal(),
			{Pull, false}: trigger.NewSignal(), {Pull, true}: trigger.NewSignal()}}
	p.readiness.Store(&readiness{[]error{errNotChecked}})
	if h.Cluster != nil {
		p.state = h.Cluster.Ledger(cfg.Name)
	}
	p.branch = &pass.Branch{Config: h.Config, Project: cfg, Service: h.Service, Ledger: memory.Track(p.state),
		Log: h.Log.With(zap.String("project", cfg.Name)),
		Now: func() time.Time { return h.Now() }, Run: h.run, ProbeFrom: h.ProbeFrom, GitBusy: new(trigger.Busy),
		OnDoing: p.doingNow, OnPassed: p.passEnded}
	p.repository = repository.New(p.branch, contacts.With(h.Config.Resolve(cfg.Repository)),
		repository.Options{Clones: h.Clones, Claim: h.Claim, Done: h.Meter.GitDone, Tell: p.tellNow})
	p.view = &view{host: h, branch: p.branch, repository: p.repository, slot: make(chan struct{}, 1), born: h.Now()}
	return p
}

func (p *project) doingNow(d report.Doing) {
	p.view.doing.Store(&d)
	p.changes.Send()
	if p.Progress != nil {
		p.Progress(d)
	}
}

// tellNow tells of something that happens outside of the end of a pass.
func (p *project) tellNow(e report.Event) {
	if p.branch.Ledger != nil { // else a check, which remembers nothing
		p.branch.Events().Tell(e)
		p.changes.Send()
	}
}

func (p *project) passEnded(passed pass.Passed) {
	if p.Meter.Passed != nil {
		p.Meter.Passed(passed)
	}
	p.ended.Add(1)
	p.changes.Send()
}

// finished is said at the end of a pass.
func (p *project) finished() {
	p.view.doing.Store(nil)
	p.changes.Send()
}

// began remembers when the last pull began.
func (p *project) began(at time.Time) {
	if err := ledger.Times.Put(p.branch.Ledger, p.branch.StateName(), ledger.TimeSchedule, at.UTC()); err != nil {
		p.branch.Log.Error("cannot record when the pull began", zap.Error(err))
	}
}

// lock begins a pass; done ends it (see passLock).
func (p *project) lock(ctx context.Context, passOf string) (_ context.Context, done func(), err error) {
	ends := []func(){p.Using()}
	done = func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}
	ctx, unlock, err := p.mu.begin(ctx, func() *heartbeat.Part {
		return p.Beats.Try(fmt.Sprintf("the %s of project %q that a command asked for", passOf, p.branch.Project.Name),
			p.proven.Load)
	})
	if err == nil {
		ends = append(ends, unlock)
	}
	if err == nil && p.Cluster != nil {
		var release func()
		if ctx, release, err = p.Cluster.Hold(ctx, p.branch.Project.Name, passOf); err == nil {
			ends = append(ends, release, func() { p.publish(ctx) })
		}
	}
	if err != nil {
		done()
		return ctx, nil, err
	}
	return ctx, done, nil
}

// publish lets the other processes see the project as it is after a pass, which still has its right.
func (p *project) publish(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	seen := ledger.Publication{At: p.branch.Now().UTC(), Status: p.view.now(ctx)}
	if err := ledger.Published.Put(p.branch.Ledger, p.branch.ProjectName(), "", seen); err != nil {
		p.branch.Log.Error("publish the status", zap.Error(err))
	}
}

// ask wakes the loop of a project, or has the cluster make a pass of it.
func (p *project) ask(passOf string, notice bool) {
	if p.Cluster != nil {
		p.Cluster.Ask(p.branch.Project.Name, passOf, notice)
		return
	}
	p.signals[wake{passOf, notice}].Send()
}

// files are those that pushes are for: source files, and translated ones, whether they are there or not. They are as
// they were seen last, which waits for nothing, or as they are now. insists is for translations where none are pushed.
func (p *project) files(ctx context.Context, now, insists bool) ([]string, error) {
	open := p.repository.With
	if now {
		held, done, err := p.lock(ctx, ledger.PassPush)
		if err != nil {
			return nil, err
		}
		defer done()
		ctx = held
		open = func(ctx context.Context, _ string) (*gitops.Repo, error) { return p.repository.Open(ctx) }
	}
	repo, err := open(ctx, "")
	if err != nil {
		return nil, err
	}
	defer p.repository.Close(repo)
	line, fsys, err := branches.Tree(ctx, p.branch, repo, now)
	if err != nil {
		return nil, err
	}
	translations := line.Project.Push.Translations || insists
	if tip, err := repo.Seen(line.Project.Pull.Branch, line.Project.Pull.Base); err == nil {
		return inspect.Files(line.Project, translations, fsys, tip)
	}
	return inspect.Files(line.Project, translations, fsys)
}
