// Package engine says when passes are made and for which branches: it has the loops of all projects with their
// triggers, schedules, locks and retries, opens the repository of a pass, and tells the status.
//
// Its law: passes of one project never overlap, and triggers carry no data: whatever starts a pass, it reads
// everything again. A pass that failed is repeated when it may work; what one project meets keeps no other one from
// its passes.
//
// It decides nothing about texts. What a pass does is in packages push and pull; which errors stay until something is
// changed is in Permanent.
package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pull"
	"github.com/locsync/locsync/sync/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/trigger"
	"github.com/locsync/locsync/sync/watch"
	"go.uber.org/zap"
)

// Parts are what an Engine works with. It closes none of them.
type Parts struct {
	Config  *config.Config
	Service *service.Client
	State   ledger.Store
	Log     *zap.Logger
	Now     func() time.Time // time.Now when nil
	Clones  string           // the folder for clones of repositories that are elsewhere; "" where there are none
	// Progress, when not nil, is told what is going on, from several goroutines. It must not block.
	Progress func(report.Doing)
	// Beats, when not nil, has the heartbeats of what moves while Run runs, and of every pass.
	Beats *heartbeat.Set
	// Using, when not nil, is told that Service is about to be called, by a loop, a pass or a check, and done when it is
	// not any more, from several goroutines.
	Using func() (done func())
	// Claim, when not nil, is asked before every pass for the sole use of a repository that is on this machine, whose
	// common git folder it gets, from several goroutines. An error keeps the pass from being made.
	Claim func(ctx context.Context, p *config.Project, commonDir string) error
	// Passed, when not nil, is told of every pass that ended, dry runs left out, from several goroutines.
	Passed func(pass.Passed)
	// GitDone, when not nil, is told what was asked of git remotes and of every commit (see gitops.Options.Done), from
	// several goroutines.
	GitDone func(op, outcome string, took time.Duration)
	// Patience is how long a status waits for the files of a repository before it tells the last one; 10 s when 0.
	Patience time.Duration

	// ProbeFrom is from how many texts on a pull asks what changed before it asks for everything; probeFrom when 0.
	ProbeFrom int
}

// Engine runs the passes of all projects of a configuration. Its methods may be called from any goroutine; passes of
// one project never overlap.
type Engine struct {
	Parts
	projects []*project
	process
	// by the names of projects, also of those that earlier configurations had: who makes a pass
	locks    map[string]*passLock
	contacts map[string]*contact // by repositories, also of earlier configurations, where they have not answered yet
}

// project is one project's passes; or, in a project whose branches are translated beside each other, those for one
// branch (see lines.go).
type project struct {
	engine *Engine
	*common
	branch *pass.Branch
}

// common is what the lines of a project share. mu is held for a whole pass.
type common struct {
	signals signals
	mu      *passLock
	sound   time.Time // until when a clone is not checked again, because it was seen to be whole

	contact *contact    // of Run with the repository
	proven  atomic.Bool // a pass of the loop has come to an end

	statuses statuses
	glances  glances
	doing    atomic.Pointer[report.Doing] // nil when no pass runs
	next     atomic.Pointer[time.Time]    // the next scheduled pull, while Run runs
	// far: the next push of the loop looks at the branch as its remote has it, whatever the files here say
	far atomic.Bool

	readiness atomic.Pointer[readiness]
	watcher   atomic.Pointer[watch.Watcher] // while Run runs and the repository is watched
	origin    origin
	born      time.Time // when this process began with it
}

// signals wake a project's loop. The notices are rung from outside, any number of times.
type signals struct{ push, pull, pushNotice, pullNotice trigger.Signal }

func newSignals() signals {
	return signals{push: trigger.NewSignal(), pull: trigger.NewSignal(),
		pushNotice: trigger.NewSignal(), pullNotice: trigger.NewSignal()}
}

// statuses are the last status of a project, and the last one that could tell everything.
type statuses struct {
	last, whole atomic.Pointer[report.ProjectStatus]
}

// glances lets one glance at a project's files through at a time.
type glances struct {
	slot  chan struct{}             // full while a glance is under way
	began atomic.Pointer[time.Time] // when that was; nil while there is none
}

// New makes an engine. Nothing is opened or called yet.
func New(parts Parts) *Engine {
	return process{run: uuid.NewString(), ended: new(atomic.Int64), changes: new(trigger.Changes)}.engine(parts.filled())
}

// probeFrom is how many texts an export has that is worth a probe (see Parts.ProbeFrom).
const probeFrom = 20_000

// filled is parts with the defaults in place.
func (parts Parts) filled() Parts {
	if parts.Now == nil {
		parts.Now = time.Now
	}
	parts.ProbeFrom = cmp.Or(parts.ProbeFrom, probeFrom)
	if parts.Patience == 0 {
		parts.Patience = glancePatience
	}
	return parts
}

// process is what the engines of one process share.
type process struct {
	run     string        // names it in what is stored
	ended   *atomic.Int64 // passes
	changes *trigger.Changes
}

func (shared process) engine(parts Parts) *Engine {
	e := &Engine{Parts: parts, process: shared, locks: make(map[string]*passLock), contacts: make(map[string]*contact)}
	for i := range parts.Config.Projects {
		cfg := &parts.Config.Projects[i]
		lock := newPassLock()
		e.locks[cfg.Name] = lock
		p := &project{engine: e, common: &common{mu: lock,
			signals: newSignals(), born: parts.Now(), contact: e.contactWith(parts.Config.Resolve(cfg.Repository)),
			glances: glances{slot: make(chan struct{}, 1)}}}
		p.branch = &pass.Branch{Config: parts.Config, Project: cfg, Service: parts.Service, Ledger: parts.State,
			Log: parts.Log.With(zap.String("project", cfg.Name)),
			Now: func() time.Time { return e.Now() }, Run: shared.run, ProbeFrom: parts.ProbeFrom, GitBusy: new(trigger.Busy),
			OnDoing: p.doingNow, OnPassed: p.passEnded}
		e.projects = append(e.projects, p)
	}
	return e
}

// using says that the service is needed, until done is called.
func (e *Engine) using() (done func()) {
	if e.Using == nil {
		return func() {}
	}
	return e.Using()
}

// pick returns the projects that a pass is for: one by name, or all.
func (e *Engine) pick(name string) ([]*project, error) {
	if name == "" {
		return e.projects, nil
	}
	for _, p := range e.projects {
		if p.branch.Project.Name == name {
			return []*project{p}, nil
		}
	}
	return nil, &failure.UsageError{Err: e.Config.NoProject(name)}
}

// Push sends what changed. One project's failure does not keep the others from being pushed; the errors come back
// joined, and each in its project's part of the report.
func (e *Engine) Push(ctx context.Context, o push.Options) (report.PushReport, error) {
	all, err := pushAll(ctx, e, o)
	result := report.PushReport{DryRun: o.DryRun, Projects: []report.ProjectPush{}}
	for _, p := range all {
		result.Projects = append(result.Projects, p.ProjectPush)
	}
	return result, err
}

func pushAll(ctx context.Context, e *Engine, o push.Options) (all []push.Report, err error) {
	projects, err := e.pick(o.Project)
	if err == nil {
		o, err = decision(o, projects)
	}
	if err != nil {
		return nil, err
	}
	ctx = service.As(ctx, service.Asked)
	var errs []error
	for _, p := range projects {
		reports, err := p.push(ctx, o)
		errs = append(errs, err)
		all = append(all, reports...)
	}
	nameUndecidable(o, all)
	return all, errors.Join(errs...)
}

// Pull brings translations back.
func (e *Engine) Pull(ctx context.Context, o pull.Options) (report.PullReport, error) {
	all, err := pullAll(ctx, e, o)
	result := report.PullReport{DryRun: o.DryRun, Projects: []report.ProjectPull{}}
	for _, p := range all {
		result.Projects = append(result.Projects, p.ProjectPull)
	}
	return result, err
}

func pullAll(ctx context.Context, e *Engine, o pull.Options) (all []pull.Report, err error) {
	projects, err := e.pick(o.Project)
	if err != nil {
		return nil, err
	}
	ctx = service.As(ctx, service.Asked)
	var errs []error
	for _, p := range projects {
		reports, err := p.pull(ctx, o)
		errs = append(errs, err)
		all = append(all, reports...)
	}
	return all, errors.Join(errs...)
}

// Sync is a push and then a pull, which tells nothing that the push has told.
func (e *Engine) Sync(ctx context.Context, sent push.Options, got pull.Options) (report.SyncReport, error) {
	if sent.Translations && got.AcceptService {
		return report.SyncReport{}, &failure.UsageError{Err: errors.New("where the two sides never agreed on a text, " +
			"--translations decides for the repository " +
			"and --accept-service for the service; use one of them")}
	}
	sent.Yields = got.AcceptService
	all, err := pushAll(ctx, e, sent)
	got.Told = make(map[string]map[string]pass.Conflict)
	result := report.SyncReport{Push: report.PushReport{DryRun: sent.DryRun, Projects: []report.ProjectPush{}}}
	for _, p := range all {
		got.Told[ledger.TargetID(p.Name, p.Base)] = p.Open
		result.Push.Projects = append(result.Push.Projects, p.ProjectPush)
	}
	var perr error
	result.Pull, perr = e.Pull(ctx, got)
	return result, errors.Join(err, perr)
}

// open is the project with its repository open for one pass. The project itself never has one: others read it
// meanwhile.
func (p *project) open(ctx context.Context) (*project, error) {
	repo, err := p.opened(ctx)
	if err != nil {
		return nil, err
	}
	return p.with(p.branch.Project, repo), nil
}

// opened is the project's repository as passes use it. Without the remote of the default name it is used as it is; any
// other name that is missing is a mistake.
func (p *project) opened(ctx context.Context) (*gitops.Repo, error) {
	repo, err := p.openWith(ctx, p.branch.Project.Pull.Remote)
	if err == nil && p.branch.Project.Pull.Remote == "origin" && !repo.HasRemote("origin") {
		if err = repo.Close(); err == nil {
			repo, err = p.openWith(ctx, "")
		}
	}
	if err != nil || p.engine.Claim == nil || p.branch.Project.Cloned() {
		return repo, err
	}
	if err := p.engine.Claim(ctx, p.branch.Project, repo.Facts().CommonDir); err != nil {
		return nil, errors.Join(&failure.UsageError{Err: err}, repo.Close())
	}
	return repo, nil
}

// openWith opens the repository; "" keeps everything local.
func (p *project) openWith(ctx context.Context, remote string) (*gitops.Repo, error) {
	o := gitops.Options{Remote: remote, Now: p.branch.Now, Trust: p.branch.Project.TrustOwner, Done: p.engine.GitDone,
		Alive: heartbeat.From(ctx).Beat,
		Signing: gitops.Signing{Never: p.branch.Project.Pull.Sign == "never",
			KeyFile: p.branch.Config.Resolve(p.branch.Project.Pull.SigningKeyFile)}}
	switch {
	case p.branch.Project.Cloned() && remote == "":
		return p.peekClone(ctx)
	case p.branch.Project.Cloned():
		return p.openClone(ctx, o)
	}
	if err := p.contact.answered(ctx); err != nil {
		return nil, err
	}
	repo, err := gitops.Open(ctx, p.repository(), o)
	if errors.Is(err, gitops.ErrGit) {
		return nil, &failure.UsageError{Err: err}
	}
	if errors.Is(err, gitops.ErrNotRepo) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, gitops.ErrOwner) ||
		errors.Is(err, gitops.ErrUnsupported) {
		err = &failure.UsageError{Err: p.branch.Project.Blame("repository", err)}
	}
	if err == nil && remote != "" && remote != "origin" && !repo.HasRemote(remote) {
		err = &failure.UsageError{Err: p.branch.Project.Problem("pull.remote",
			"no remote is called %q; git -C %s remote add %s ADDRESS, or name another one here", remote, p.repository(), remote)}
		return nil, errors.Join(err, repo.Close())
	}
	return repo, err
}

// openToLook opens the repository to read what is there and what was seen last at its remote, without asking that.
func (p *project) openToLook(ctx context.Context) (*gitops.Repo, error) {
	if !p.branch.Project.Cloned() {
		if repo, err := p.openWith(ctx, p.branch.Project.Pull.Remote); err == nil {
			return repo, nil
		}
	}
	return p.openWith(ctx, "")
}

func (p *project) close() {
	if err := p.branch.Repo.Close(); err != nil {
		p.branch.Log.Warn("close the repository", zap.Error(err))
	}
}

func (p *project) doingNow(d report.Doing) {
	p.common.doing.Store(&d)
	p.engine.changes.Send()
	if p.engine.Progress != nil {
		p.engine.Progress(d)
	}
}

// tellNow tells of something that happens outside of the end of a pass.
func (p *project) tellNow(e report.Event) {
	if p.branch.Ledger != nil { // else a check, which remembers nothing
		p.branch.Events().Tell(e)
		p.engine.changes.Send()
	}
}

func (p *project) passEnded(passed pass.Passed) {
	if p.engine.Passed != nil {
		p.engine.Passed(passed)
	}
	p.engine.ended.Add(1)
	p.engine.changes.Send()
}
