package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/pass/trigger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"go.uber.org/zap"
)

// longestSleep is the longest that a loop sleeps: a clock that jumped or a machine that slept is noticed after that.
const longestSleep = 30 * time.Second

// loop owns the schedule of one project's passes. proof gives back the slot in which the project is seen to work.
func (p *project) loop(ctx context.Context, proof func()) {
	beat := p.Beats.Try(fmt.Sprintf("project %q", p.branch.Project.Name), p.proven.Load)
	defer beat.End()
	ctx = beats(ctx, beat)
	l := schedule{project: p}
	p.far.Store(true)
	p.signals[wake{Push, false}].Send()
	l.start()
	p.prove(ctx)
	proof()
	first := p.order.firstPush(ctx, beat)
	defer first()
	for ctx.Err() == nil {
		sleep := l.sleep(beat)
		beat.Expect(sleep)
		timer := time.NewTimer(sleep)
		select {
		case <-ctx.Done():
		case <-p.signals[wake{Push, false}]:
			_ = l.push(ctx) // it is logged, and made again
		case <-p.signals[wake{Pull, false}]:
			_ = l.pull(ctx)
		case l.scheduled() <- struct{}{}:
			done := p.order.pulls.kept()
			_ = l.pull(ctx)
			done()
		case <-p.saved:
			l.saves.Heard(p.branch.Now())
		case <-p.signals[wake{Push, true}]: // the tick that is due then does it
			l.pushes.notices.Heard(l.project.branch.Now())
		case <-p.signals[wake{Pull, true}]:
			l.pulls.notices.Heard(l.project.branch.Now())
		case <-timer.C:
			l.tick(ctx)
		}
		timer.Stop()
		first()
	}
	select {
	case <-p.saved:
		l.saves.Heard(p.branch.Now())
	default:
	}
	if due := l.saves.Due(p.branch.Project.Pull.Settle); !due.IsZero() { // it ends with what was saved committed
		last, end := context.WithTimeout(context.WithoutCancel(ctx), lastPull)
		defer end()
		_ = l.pull(last)
	}
}

// lastPull is how long the pull at the end of a loop may take; what it does not reach, the next start does.
const lastPull = 5 * time.Second

// schedule is the loop's own memory; only its goroutine touches it.
type schedule struct {
	project       *project
	due           time.Time        // of the next scheduled pull; zero when there is none
	saves         trigger.Settling // translations that were saved since the last pull
	pushes, pulls lane
	leftOut       []report.Problem // of the last push
}

// lane is when pushes, or pulls, are made besides.
type lane struct {
	retry   backoff
	notices trigger.Notices
}

// begin says that a pass begins. end, that it ended: why is logged, once, and its repetition planned.
func (of *lane) begin(ctx context.Context, l *schedule, passOf string) (end func(error)) {
	began := l.project.branch.Now()
	of.notices.Begins()
	return func(err error) {
		l.after(ctx, passOf, err, &of.retry)
		of.notices.Ended(l.project.branch.Now().Sub(began), l.project.branch.Now())
	}
}

func (of *lane) isDue(now time.Time) bool { return of.retry.due(now) || of.notices.IsDue(now) }

// start works out the first pull: now when a scheduled time was missed since the last one, else the next scheduled
// time.
func (l *schedule) start() {
	if !l.project.branch.Project.Pull.Enabled || l.project.branch.Project.Pull.Schedule.IsZero() {
		return
	}
	now := l.project.branch.Now()
	l.plan(now)
	last, ok, err := ledger.Times.Get(l.project.branch.Ledger, l.project.branch.StateName(), ledger.TimeSchedule)
	if err != nil {
		l.project.branch.Log.Error("cannot read when the last pull was", zap.Error(err))
	}
	if ok && !l.project.branch.Project.Pull.Schedule.Next(last).After(now) {
		l.project.branch.Log.Info("a scheduled pull was missed while locsync did not run; pulling now",
			zap.Time("last", last))
		l.due = now
	}
	if !ok { // the schedule begins now
		l.project.began(now)
	}
}

func (l *schedule) plan(after time.Time) {
	due := l.project.branch.Project.Pull.Schedule.Next(after)
	if l.due = due; due.IsZero() {
		l.project.view.next.Store(nil)
	} else {
		l.project.view.next.Store(&due) // the status keeps it, on other goroutines
	}
	l.project.changes.Send()
}

// isDue reports whether a scheduled pull is due.
func (l *schedule) isDue(now time.Time) bool { return !l.due.IsZero() && !now.Before(l.due) }

// scheduled are the slots that a scheduled pull waits for, when one is due: meanwhile the loop goes on.
func (l *schedule) scheduled() chan<- struct{} {
	if !l.isDue(l.project.branch.Now()) {
		return nil
	}
	return l.project.order.pulls.taken
}

// sleep is how long nothing is due; short enough to notice a clock that was set.
func (l *schedule) sleep(beat *heartbeat.Part) time.Duration {
	now := l.project.branch.Now()
	wait := beat.Next(longestSleep)
	a, b := &l.pushes, &l.pulls
	saves := l.saves.Due(l.project.branch.Project.Pull.Settle)
	for _, at := range []time.Time{saves, a.retry.at, a.notices.Due, b.retry.at, b.notices.Due} {
		if !at.IsZero() {
			wait = min(wait, max(at.Sub(now), 0))
		}
	}
	if !l.due.IsZero() && !l.isDue(now) { // what is due waits for a slot
		wait = min(wait, l.due.Sub(now))
	}
	return wait
}

func (l *schedule) tick(ctx context.Context) {
	now := l.project.branch.Now()
	if !l.project.isReady() {
		l.project.prove(ctx)
	}
	if l.pushes.isDue(now) {
		_ = l.push(ctx)
	}
	saved := l.saves.Due(l.project.branch.Project.Pull.Settle)
	if !saved.IsZero() && !now.Before(saved) || l.pulls.isDue(now) {
		_ = l.pull(ctx)
	}
}

func (l *schedule) push(ctx context.Context) error {
	end := l.pushes.begin(ctx, l, "push")
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
			l.project.branch.Log.Info("pushed", zap.Int("keys", result.Keys), zap.Int("requests", result.Requests),
				zap.Int("files", len(result.Files)), where(result.Base))
		}
	}
	l.leftOut = leftOut
	end(err)
	return err
}

func (l *schedule) pull(ctx context.Context) error {
	l.saves = trigger.Settling{}
	end := l.pulls.begin(ctx, l, "pull")
	reports, err := l.project.pull(service.As(ctx, service.Scheduled), pull.Options{})
	unsent := false
	for _, result := range reports {
		for _, p := range result.Problems {
			said := "left out of the pull"
			if p.Code == report.CodeQuestion {
				said = "a translator asks the developers"
			}
			l.project.branch.Log.Warn(said, zap.Stringer("problem", p))
		}
		l.tell(result.Finished)
		if result.Commit != "" {
			l.project.branch.Log.Info("pulled", zap.Int("keys", result.Keys), zap.String("commit", result.Commit),
				zap.String("branch", result.Branch), zap.Bool("pushed", result.Pushed), where(result.Base))
		}
		unsent = unsent || result.Unsent
	}
	if !l.project.branch.Project.Pull.Schedule.IsZero() {
		l.plan(l.project.branch.Now())
	}
	if unsent {
		l.project.far.Store(true)
		l.project.ask(ledger.PassPush, false)
	}
	end(err)
	return err
}

// tell logs branches that are gone.
func (l *schedule) tell(finished []report.FinishedLine) {
	for _, f := range finished {
		l.project.branch.Log.Info("a branch is gone; its translations are not used any more",
			zap.String("base", f.Base), zap.String("branch", f.Branch), zap.Strings("collections", f.Collections))
	}
}

// where is the branch in what is logged, where there are several.
func where(base string) zap.Field {
	if base == "" {
		return zap.Skip()
	}
	return zap.String("base", base)
}

// after logs how a pass ended, once, and plans its repetition when it may work later.
func (l *schedule) after(ctx context.Context, passOf string, err error, retry *backoff) {
	l.project.proven.Store(true)
	shared := l.project.Cluster != nil // then the pass has published the status
	defer func() {
		l.project.view.retry.Store(l.nextAttempt())
		if ctx.Err() == nil && !shared {
			l.project.view.now(ctx)
			l.project.changes.Send() // LastStatus is another
		}
	}()
	said := zap.Skip()
	if err != nil {
		said = zap.String("error", failure.Text(err))
	}
	switch urgent := soonest(err); {
	case err == nil:
		retry.reset()
		if !shared && !l.project.isReady() {
			l.project.prove(ctx) // the service is there again
		}
	case errors.As(err, new(*ledger.LeaseError)):
		l.project.branch.Log.Info(passOf+" is left to another process", zap.Error(err))
	case ctx.Err() != nil:
		l.project.branch.Log.Info(passOf + " interrupted; it is taken up again at the next start")
	case errors.Is(urgent, gitops.ErrBusy):
		retry.soon(l.project.branch.Now())
		l.project.branch.Log.Info(passOf+" waits for git", said, zap.Time("again", retry.at))
	case Permanent(urgent):
		retry.slow(l.project.branch.Now())
		l.project.branch.Log.Error(passOf+" failed and needs a change", said,
			zap.Time("again", retry.at))
	case errors.Is(urgent, gitops.ErrRefused): // new content or a new tip is sent by the pull that brings it
		retry.slow(l.project.branch.Now())
		l.project.branch.Log.Error(passOf+": the remote refuses the commit, which is kept and offered again", said,
			zap.Time("again", retry.at))
	default:
		retry.failed(l.project.branch.Now(), urgent)
		l.project.branch.Log.Error(passOf+" failed, trying again", said, zap.Time("again", retry.at))
	}
}

// nextAttempt is when the first of the passes that failed is repeated; nil where none is to be.
func (l *schedule) nextAttempt() *time.Time {
	var next *time.Time
	for _, retry := range []backoff{l.pushes.retry, l.pulls.retry} {
		if at := retry.at; !at.IsZero() && (next == nil || at.Before(*next)) {
			next = &at
		}
	}
	return next
}
