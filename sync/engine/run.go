package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pull"
	"github.com/locsync/locsync/sync/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/trigger"
	"github.com/locsync/locsync/sync/watch"
	"go.uber.org/zap"
)

// PushSoon and PullSoon ring for a project's next pass, or for all projects' when the name is empty. They never block,
// and report whether there is such a project.
func (e *Engine) PushSoon(name, reason string) bool {
	return e.soon(name, reason, func(p *project) trigger.Signal {
		p.far.Store(true) // the caller may know of more than the watcher
		return p.signals.push
	})
}

// PullSoon is PushSoon for pulls.
func (e *Engine) PullSoon(name, reason string) bool {
	return e.soon(name, reason, func(p *project) trigger.Signal { return p.signals.pull })
}

func (e *Engine) soon(name, reason string, which func(*project) trigger.Signal) bool {
	projects, err := e.pick(name)
	if err != nil {
		return false
	}
	for _, p := range projects {
		p.branch.Log.Debug("woken", zap.String("by", reason))
		which(p).Send()
	}
	return true
}

// SyncSoon rings for a push and a pull.
func (e *Engine) SyncSoon(name, reason string) bool {
	return e.PushSoon(name, reason) && e.PullSoon(name, reason)
}

// PullByID rings for the projects with one of these identifiers at the service: what a notification names. However
// often it is called, pulls are kept apart (see notices).
func (e *Engine) PullByID(ids []string, reason string) int {
	return e.pullNotified(reason, func(p *project) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(p.branch.Project.ID, id) })
	})
}

// PullAny is PullByID for a notification that does not tell which project it is about.
func (e *Engine) PullAny(reason string) int {
	return e.pullNotified(reason, func(*project) bool { return true })
}

func (e *Engine) pullNotified(reason string, concerned func(*project) bool) int {
	n := 0
	for _, p := range e.projects {
		if p.branch.Project.Pull.Enabled && concerned(p) {
			p.branch.Log.Debug("woken", zap.String("by", reason))
			p.signals.pullNotice.Send()
			n++
		}
	}
	return n
}

// Run pushes once, pushes after every change and pulls on schedule, for each project in a loop of its own, until ctx
// ends. A pass under way then is given up at its next wait; what it began is stored and taken up again.
func (e *Engine) Run(ctx context.Context) error { return e.RunReloading(ctx, nil) }

// RunReloading is Run, where an engine that comes from reloads replaces the one before (see Reconfigured):
// the loops of projects that it does not have end, and those of its new ones begin.
func (e *Engine) RunReloading(ctx context.Context, reloads <-chan *Engine) error {
	r := running{stop: make(map[*project]context.CancelFunc)}
	for {
		r.become(ctx, e)
		select {
		case e = <-reloads:
		case <-ctx.Done():
			r.all.Wait()
			return nil
		}
	}
}

// longestSleep is the longest that a loop sleeps: a clock that jumped or a machine that slept is noticed after that.
const longestSleep = 30 * time.Second

// loop owns the schedule of one project's passes.
func (p *project) loop(ctx context.Context) {
	beat := p.engine.Beats.Try(fmt.Sprintf("project %q", p.branch.Project.Name), p.proven.Load)
	defer beat.End()
	ctx = beats(ctx, beat)
	l := looping{project: p, pushRetry: newBackoff(), pullRetry: newBackoff()}
	p.far.Store(true)
	p.signals.push.Send()
	l.start()
	p.prove(ctx)
	for ctx.Err() == nil {
		sleep := l.sleep()
		beat.Expect(sleep)
		timer := time.NewTimer(sleep)
		select {
		case <-ctx.Done():
		case <-p.signals.push:
			l.push(ctx)
		case <-p.signals.pull:
			l.pull(ctx)
		case <-p.signals.pushNotice: // the tick that is due then does it
			l.pushNotices.Heard(l.project.branch.Now())
		case <-p.signals.pullNotice:
			l.pullNotices.Heard(l.project.branch.Now())
		case <-timer.C:
			l.tick(ctx)
		}
		timer.Stop()
	}
}

// looping is the loop's own memory; only its goroutine touches it.
type looping struct {
	project   *project
	due       time.Time // of the next scheduled pull; zero when there is none
	pushRetry *backoff
	pullRetry *backoff
	leftOut   []report.Problem // of the last push

	pushNotices, pullNotices trigger.Notices
}

// start works out the first pull: now when a scheduled time was missed since the last one, else the next scheduled
// time.
func (l *looping) start() {
	if !l.project.branch.Project.Pull.Enabled || l.project.branch.Project.Pull.Schedule.IsZero() {
		return
	}
	now := l.project.branch.Now()
	l.plan(now)
	last, ok, err := ledger.Times.Get(l.project.branch.Ledger, l.project.branch.StateName(), ledger.TimeSchedule)
	if err != nil {
		l.project.branch.Log.Error("read when the last pull was", zap.Error(err))
	}
	if ok && !l.project.branch.Project.Pull.Schedule.Next(last).After(now) {
		l.project.branch.Log.Info("a scheduled pull was missed while locsync did not run; pulling now",
			zap.Time("last", last))
		l.project.signals.pull.Send()
	}
	if !ok { // the schedule begins now
		l.project.began(now)
	}
}

func (p *project) began(at time.Time) {
	if err := ledger.Times.Put(p.branch.Ledger, p.branch.StateName(), ledger.TimeSchedule, at.UTC()); err != nil {
		p.branch.Log.Error("remember when the pull began", zap.Error(err))
	}
}

func (l *looping) plan(after time.Time) {
	l.due = l.project.branch.Project.Pull.Schedule.Next(after)
	defer l.project.engine.changes.Send()
	if l.due.IsZero() {
		l.project.next.Store(nil)
		return
	}
	due := l.due // the status keeps it, on other goroutines
	l.project.next.Store(&due)
}

// sleep is how long nothing is due; short enough to notice a clock that was set.
func (l *looping) sleep() time.Duration {
	now := l.project.branch.Now()
	wait := longestSleep
	for _, at := range []time.Time{l.due, l.pushRetry.at, l.pullRetry.at, l.pushNotices.Due, l.pullNotices.Due} {
		if !at.IsZero() {
			wait = min(wait, max(at.Sub(now), 0))
		}
	}
	return wait
}

func (l *looping) tick(ctx context.Context) {
	now := l.project.branch.Now()
	if !l.project.isReady() {
		l.project.prove(ctx)
	}
	if l.pushRetry.due(now) || l.pushNotices.IsDue(now) {
		l.push(ctx)
	}
	if !l.due.IsZero() && !now.Before(l.due) || l.pullRetry.due(now) || l.pullNotices.IsDue(now) {
		l.pull(ctx)
	}
}

func (l *looping) push(ctx context.Context) {
	began := l.project.branch.Now()
	l.pushNotices.Begins()
	reports, err := l.project.push(service.As(ctx, service.Changes), push.Options{Near: !l.project.far.Swap(false)})
	if err != nil {
		l.project.far.Store(true)
	}
	var leftOut []report.Problem
	for _, result := range reports {
		for _, p := range result.Problems {
			if !slices.Contains(l.leftOut, p) { // said once, not at every save
				l.project.branch.Log.Warn("left out of the push", zap.Stringer("problem", p))
			}
		}
		leftOut = append(leftOut, result.Problems...)
		l.tell(result.Finished)
		if result.Requests > 0 {
			l.project.branch.Log.Info("pushed",
				l.where(result.Base, zap.Int("keys", result.Keys), zap.Int("requests", result.Requests),
					zap.Int("files", len(result.Files)))...)
		}
	}
	l.leftOut = leftOut
	l.after(ctx, "push", err, l.pushRetry)
	l.pushNotices.Ended(l.project.branch.Now().Sub(began), l.project.branch.Now())
}

func (l *looping) pull(ctx context.Context) {
	began := l.project.branch.Now()
	l.pullNotices.Begins()
	reports, err := l.project.pull(service.As(ctx, service.Scheduled), pull.Options{})
	unsent := false
	for _, result := range reports {
		for _, p := range result.Problems {
			l.project.branch.Log.Warn("left out of the pull", zap.Stringer("problem", p))
		}
		l.tell(result.Finished)
		if result.Commit != "" {
			l.project.branch.Log.Info("pulled",
				l.where(result.Base, zap.Int("keys", result.Keys), zap.String("commit", result.Commit),
					zap.String("branch", result.Branch), zap.Bool("pushed", result.Pushed))...)
		}
		unsent = unsent || result.Unsent
	}
	if !l.project.branch.Project.Pull.Schedule.IsZero() {
		l.plan(l.project.branch.Now())
	}
	if unsent {
		l.project.far.Store(true)
		l.project.signals.push.Send()
	}
	l.after(ctx, "pull", err, l.pullRetry)
	l.pullNotices.Ended(l.project.branch.Now().Sub(began), l.project.branch.Now())
}

// tell logs branches that are gone.
func (l *looping) tell(finished []report.FinishedLine) {
	for _, f := range finished {
		l.project.branch.Log.Info("a branch is gone; its translations are not used any more",
			zap.String("base", f.Base), zap.String("branch", f.Branch), zap.Strings("collections", f.Collections))
	}
}

// where adds the branch to what is logged, where there are several.
func (l *looping) where(base string, fields ...zap.Field) []zap.Field {
	if base == "" {
		return fields
	}
	return append(fields, zap.String("base", base))
}

// after logs how a pass ended, once, and plans its repetition when it may work later.
func (l *looping) after(ctx context.Context, passOf string, err error, retry *backoff) {
	l.project.proven.Store(true)
	if ctx.Err() == nil {
		l.project.statusNow(ctx)
		l.project.engine.changes.Send() // LastStatus is another
	}
	switch urgent := soonest(err); {
	case err == nil:
		retry.reset()
		if !l.project.isReady() {
			l.project.prove(ctx) // the service is there again
		}
	case ctx.Err() != nil:
		l.project.branch.Log.Info(passOf + " interrupted; it is taken up again at the next start")
	case errors.Is(urgent, gitops.ErrBusy):
		retry.soon(l.project.branch.Now())
		l.project.branch.Log.Info(passOf+" waits for git", zap.Error(err), zap.Time("again", retry.at))
	case Permanent(urgent):
		retry.slow(l.project.branch.Now())
		l.project.branch.Log.Error(passOf+" does not work until something is changed", zap.Error(err),
			zap.Time("again", retry.at))
	case errors.Is(urgent, gitops.ErrRefused): // new content or a new tip is sent by the pull that brings it
		retry.slow(l.project.branch.Now())
		l.project.branch.Log.Error(passOf+": the remote refuses the commit, which is kept and offered again", zap.Error(err),
			zap.Time("again", retry.at))
	default:
		retry.failed(l.project.branch.Now(), urgent)
		l.project.branch.Log.Error(passOf+" was not finished", zap.Error(err), zap.Time("again", retry.at))
	}
}

// soonest is of the failures of a pass's lines, or its only failure, the one that a repetition may end first: a branch
// that waits for a person keeps no other one waiting.
func soonest(err error) error {
	lines, several := err.(interface{ Unwrap() []error })
	if !several {
		return err
	}
	for _, line := range lines.Unwrap() {
		if !Permanent(line) && !errors.Is(line, gitops.ErrRefused) {
			return line
		}
	}
	return err
}

// Permanent reports whether an error stays until the configuration, the credentials or the repository change.
func Permanent(err error) bool {
	var usage *failure.UsageError
	var newer *ledger.NewerError
	return errors.As(err, &usage) || errors.As(err, &newer) || errors.Is(err, service.ErrAuth) ||
		errors.Is(err, service.ErrRefused) && !errors.Is(err, service.ErrExportFailed)
}

// backoff says when a pass that failed is tried again.
type backoff struct {
	at   time.Time
	wait time.Duration
}

const (
	retryFirst = 5 * time.Second
	retryMost  = time.Minute
	retrySlow  = 10 * time.Minute
)

func newBackoff() *backoff { return &backoff{} }

func (b *backoff) reset() { *b = backoff{} }

func (b *backoff) due(now time.Time) bool { return !b.at.IsZero() && !now.Before(b.at) }

func (b *backoff) soon(now time.Time) { b.at = now.Add(time.Second) }

func (b *backoff) slow(now time.Time) { b.at = now.Add(retrySlow) }

// failed waits longer each time that a repetition failed. A pass that something else woke before the repetition was
// due does not put that off; and where the service or the git server says how long to wait, or the client lets nothing
// through until then, that counts.
func (b *backoff) failed(now time.Time, err error) {
	if now.Before(b.at) {
		return
	}
	b.wait = min(max(2*b.wait, retryFirst), retryMost)
	b.at = now.Add(b.wait)
	if e, ok := errors.AsType[*service.Error](err); ok && e.RetryAfter > 0 {
		b.at = now.Add(e.RetryAfter)
	}
}

// watch rings for a push whenever what pushes read settles after a change: the working tree, or a branch.
// Where nothing can be watched, the rescan rings.
func (p *project) watch(ctx context.Context) {
	if !p.branch.Project.Push.Enabled {
		return
	}
	beat := p.engine.Beats.Try(fmt.Sprintf("the watcher of project %q", p.branch.Project.Name), p.proven.Load)
	defer beat.End()
	ctx = beats(ctx, beat)
	for ctx.Err() == nil {
		if p.branch.Project.Cloned() {
			p.far.Store(true) // nothing happens here; the remote is asked
		} else if err := p.watchOnce(ctx); err != nil && ctx.Err() == nil {
			p.branch.Log.Warn("the repository cannot be watched now; changes are seen at the rescan", zap.Error(err))
		}
		beat.Expect(p.branch.Config.Daemon.Rescan)
		select {
		case <-ctx.Done():
		case <-time.After(p.branch.Config.Daemon.Rescan):
			p.signals.push.Send()
		}
	}
}

// watchOnce watches until ctx ends or watching fails.
func (p *project) watchOnce(ctx context.Context) error {
	repo, err := p.openWith(ctx, "")
	if err != nil {
		return err
	}
	facts := repo.Facts()
	if err := repo.Close(); err != nil {
		return err
	}
	d := p.branch.Config.Daemon
	o := watch.Options{Root: facts.WorkTree, GitDir: facts.GitDir, CommonDir: facts.CommonDir, Debounce: d.Debounce,
		MaxDelay: d.MaxDelay, Rescan: d.Rescan,
		Alive: heartbeat.From(ctx).Expect, Warn: func(message string) { p.branch.Log.Warn(message) }}
	if p.branch.Project.Push.Source == config.Worktree {
		o.Patterns = p.branch.Project.WatchPatterns()
	}
	w, err := watch.New(o)
	if err != nil {
		return err
	}
	p.watcher.Store(w)
	defer p.watcher.Store(nil)
	return w.Run(ctx, p.signals.push.Send)
}
