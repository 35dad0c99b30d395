package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/report"
	"go.uber.org/zap"
)

// A call to a repository on a mount that does not answer lasts until it answers, whatever timeout it has. So Run makes
// the first contact with each repository on a goroutine of its own, and nothing of the project begins before that has
// ended. The other projects are not disturbed. A repository that stops to answer later is noticed by the heartbeats of
// what works with it (turn.go), and by Status.

// contactPatience is how long the first contact may take, and glancePatience a glance at the files, before people are
// told that it does not end.
const (
	contactPatience = 5 * time.Second
	glancePatience  = 10 * time.Second
)

// contact is the first contact of a project's loop with its repository. Projects share that with one repository, and
// one that has not ended goes on over reloads: each keeps a thread.
type contact struct {
	repository string                    // its folder
	since      atomic.Pointer[time.Time] // when it was begun; nil before that, and where nothing runs
	done       chan struct{}
}

// contactWith is the contact with a repository.
func (e *Engine) contactWith(repository string) *contact {
	if e.contacts[repository] == nil {
		e.contacts[repository] = &contact{repository: repository, done: make(chan struct{})}
	}
	return e.contacts[repository]
}

// hangs reports whether it was begun and has not ended.
func (c *contact) hangs() bool {
	select {
	case <-c.done:
		return false
	default:
		return c.since.Load() != nil
	}
}

// Silent is the error of what needs a repository that has not answered since the daemon began with it.
type Silent struct {
	Repository string
	Since      time.Time
}

func (s *Silent) Error() string {
	return fmt.Sprintf("the repository %s has not answered since %s UTC: the disk or mount that it is on hangs, and "+
		"the project begins by itself when it answers; see whether it answers others, and mount it again where it does not",
		s.Repository, s.Since.UTC().Format(time.DateTime))
}

// reach waits for the first contact with the repository. It reports false where ctx ends before.
func (p *project) reach(ctx context.Context) bool {
	if p.branch.Project.Cloned() {
		return ctx.Err() == nil // its clone is in the state folder, without which nothing works
	}
	began := time.Now()
	if p.contact.since.CompareAndSwap(nil, &began) {
		go func() { // without a heartbeat: it may last for good, and no new start would end it
			defer close(p.contact.done)
			if repo, err := gitops.Open(context.WithoutCancel(ctx), p.repository(),
				gitops.Options{Trust: p.branch.Project.TrustOwner}); err == nil {
				_ = repo.Close() // what is wrong with it is for the passes to tell
			}
		}()
	}
	late := time.NewTimer(contactPatience)
	defer late.Stop()
	select {
	case <-p.contact.done:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	case <-late.C:
	}
	silent := p.contact.silent()
	p.branch.Log.Error("the project does not begin", zap.Error(silent))
	p.readiness.Store(&readiness{[]error{silent}})
	p.statusNow(ctx) // what the state alone tells
	p.engine.changes.Send()
	select {
	case <-p.contact.done:
		p.branch.Log.Warn("the repository answers now; the project begins", zap.Duration("after", time.Since(began)))
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// answered returns an error where the repository has not answered yet. Who comes just after the start waits for it.
func (c *contact) answered(ctx context.Context) error {
	began := c.since.Load()
	if began == nil {
		return nil
	}
	select {
	case <-c.done:
		return nil
	default:
	}
	late := time.NewTimer(contactPatience - time.Since(*began))
	defer late.Stop()
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return c.silent()
	}
}

func (c *contact) silent() error { return &Silent{c.repository, *c.since.Load()} }

func (p *project) repository() string { return p.branch.Config.Resolve(p.branch.Project.Repository) }

// glance is the status of the project, in time even where the repository does not answer: then it is the last one, and
// says so. A glance that is given up goes on, and until it has ended none is begun.
func (p *project) glance(ctx context.Context) report.ProjectStatus {
	select {
	case p.glances.slot <- struct{}{}:
	default:
		if began := p.glances.began.Load(); began != nil && time.Since(*began) > p.engine.Patience {
			return p.unseen(*began)
		}
		select {
		case p.glances.slot <- struct{}{}:
		case <-ctx.Done():
			return p.unseen(time.Now())
		case <-time.After(p.engine.Patience):
			return p.unseen(time.Now())
		}
	}
	began := time.Now()
	p.glances.began.Store(&began)
	s, ok := heartbeat.Within(ctx, p.engine.Patience, func() report.ProjectStatus {
		defer func() {
			p.glances.began.Store(nil)
			<-p.glances.slot
		}()
		return p.statusNow(ctx)
	})
	if !ok {
		return p.unseen(began)
	}
	return s
}

// unseen is the status of a project that could not be looked at since then.
func (p *project) unseen(since time.Time) report.ProjectStatus {
	s := p.blank()
	if before := p.statuses.last.Load(); before != nil {
		s = *before
	}
	s.Problems = append([]report.Problem{{Code: report.CodeRepository,
		Problem: fmt.Sprintf("reading the files, begun at %s UTC, has not ended, and what is shown is from before; "+
			"where it does not end soon, see whether the disk or mount that the repository is on answers",
			since.UTC().Format(time.DateTime))}}, s.Problems...)
	report.Advise(s.Problems)
	s.Unseen = true
	return s
}
