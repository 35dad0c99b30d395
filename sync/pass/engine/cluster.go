package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// Wanted are the passes that a cluster has to make, and when the first one of each is due.
func Wanted(e *Engine, now time.Time) []WantedPass {
	var all []WantedPass
	for _, p := range e.projects {
		cfg := p.branch.Project
		if cfg.Push.Enabled {
			all = append(all, WantedPass{cfg.Name, ledger.PassPush, now, now.Add(p.branch.Config.Daemon.Rescan)})
		}
		if cfg.Pull.Enabled {
			next := cfg.Pull.Schedule.Next(now)
			all = append(all, WantedPass{cfg.Name, ledger.PassPull, next, next})
		}
	}
	return all
}

// Makes reports whether the configuration has a pass of a project.
func Makes(e *Engine, project, passOf string) bool {
	picked, err := e.pick(project)
	if err != nil || project == "" {
		return false
	}
	cfg := picked[0].branch.Project
	return passOf == ledger.PassPush && cfg.Push.Enabled || passOf == ledger.PassPull && cfg.Pull.Enabled
}

// WantedPass is a pass of a project. Times are zero where there is no schedule.
type WantedPass struct {
	Project, Pass string
	Due           time.Time // the first time
	Latest        time.Time // after another pass has been made
}

// Next is when a pass is made again.
type Next struct {
	Due    time.Time     // zero: when it is asked for
	Failed bool          // and not because the service could not be reached: that may be this machine's fault
	Wait   time.Duration // after another failure it is tried again later than that; 0 after a success
}

// Make makes a pass of a project now, for a cluster. tried is the Wait of the pass before. The error is a
// *ledger.LeaseError where the right to the pass was another process's, or was lost; else how a pass ended is told by
// the status, as always.
func Make(ctx context.Context, e *Engine, project, passOf string, tried time.Duration) (Next, error) {
	picked, err := e.pick(project)
	if err != nil {
		return Next{}, err
	}
	p := picked[0]
	defer p.Using()()
	beat := p.Beats.Try(fmt.Sprintf("the %s of project %q", passOf, project), p.proven.Load)
	defer beat.End()
	ctx = beats(ctx, beat)
	l := schedule{project: p}
	next, retry := p.branch.Now().Add(p.branch.Config.Daemon.Rescan), &l.pushes.retry
	if passOf == ledger.PassPull {
		retry = &l.pulls.retry
		retry.wait = tried
		err = l.pull(ctx)
		next = l.due
	} else {
		retry.wait, l.leftOut = tried, p.leftOut
		p.far.Store(true) // another machine may have made the pass before
		err = l.push(ctx)
		p.leftOut = l.leftOut
	}
	if errors.As(err, new(*ledger.LeaseError)) {
		return Next{}, err
	}
	if at := retry.at; !at.IsZero() && (next.IsZero() || at.Before(next)) {
		next = at
	}
	return Next{next, err != nil && !errors.Is(err, service.ErrTemporary), retry.wait}, nil
}

// Known is what a cluster knows of a project: the pass that another process makes of it, and when it is pulled.
type Known struct {
	Project string
	Doing   string // "" where none is made elsewhere
	Ended   bool   // a pass of it has ended since it was known last
	Pull    *time.Time
}

// Learn takes over what a cluster knows of projects.
func Learn(e *Engine, all []Known) error {
	err := e.State.View(func(r ledger.Reader) error {
		if err := e.recallBalance(r); err != nil {
			return err
		}
		for _, k := range all {
			i := slices.IndexFunc(e.projects, func(p *project) bool { return p.branch.Project.Name == k.Project })
			if i < 0 {
				continue // the configuration does not have it any more
			}
			p := e.projects[i]
			p.view.elsewhere.Store(nil)
			if k.Doing != "" {
				p.view.elsewhere.Store(&report.Doing{Project: k.Project, What: k.Doing})
			}
			if p.view.next.Store(k.Pull); k.Ended || p.view.last.Load() == nil {
				if err := p.view.learn(r); err != nil {
					return err
				}
			}
		}
		return nil
	})
	e.ended.Add(1)
	e.changes.Send()
	return err
}
