package repository

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"go.uber.org/zap"
)

// A call to a repository on a mount that does not answer lasts until it answers, whatever timeout it has. So the first
// contact with each repository is made on a goroutine of its own, and nothing of the project begins before that has
// ended. The other projects are not disturbed. A repository that stops to answer later is noticed by the heartbeats of
// what works with it, and by the status.

// contactPatience is how long the first contact may take before people are told that it does not end.
const contactPatience = 5 * time.Second

// Contact is the first contact with a repository. Projects share that with one repository, and one that has not ended
// goes on over reloads: each keeps a thread.
type Contact struct {
	repository string                    // its folder
	since      atomic.Pointer[time.Time] // when it was begun; nil before that, and where nothing runs
	done       chan struct{}
}

// Contacts are those of one configuration, by repositories.
type Contacts map[string]*Contact

// With is the contact with a repository.
func (c Contacts) With(repository string) *Contact {
	if c[repository] == nil {
		c[repository] = &Contact{repository: repository, done: make(chan struct{})}
	}
	return c[repository]
}

// Inherit takes over those that have not ended.
func (c Contacts) Inherit(before Contacts) {
	for repository, contact := range before {
		if contact.hangs() {
			c[repository] = contact
		}
	}
}

// hangs reports whether it was begun and has not ended.
func (c *Contact) hangs() bool {
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

// Reach waits for the first contact with the repository, and tells once that it does not end. It reports false where
// ctx ends before.
func (r *Repository) Reach(ctx context.Context, tell func(silent error)) bool {
	if r.branch.Project.Cloned() {
		return ctx.Err() == nil // its clone is in the state folder, without which nothing works
	}
	began := time.Now()
	if r.contact.since.CompareAndSwap(nil, &began) {
		go func() { // without a heartbeat: it may last for good, and no new start would end it
			defer close(r.contact.done)
			var err error // it is met again by the passes
			defer fault.Catch("the repository of project "+r.branch.Project.Name, &err)
			if repo, err := gitops.Open(context.WithoutCancel(ctx), r.Path(),
				gitops.Options{Trust: r.branch.Project.TrustOwner}); err == nil {
				_ = repo.Close() // what is wrong with it is for the passes to tell
			}
		}()
	}
	late := time.NewTimer(contactPatience)
	defer late.Stop()
	select {
	case <-r.contact.done:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	case <-late.C:
	}
	silent := r.contact.silent()
	r.branch.Log.Error("the project does not begin", zap.Error(silent))
	tell(silent)
	select {
	case <-r.contact.done:
		r.branch.Log.Warn("the repository answers now; the project begins", zap.Duration("after", time.Since(began)))
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// answered returns an error where the repository has not answered yet. Who comes just after the start waits for it.
func (c *Contact) answered(ctx context.Context) error {
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

func (c *Contact) silent() error { return &Silent{c.repository, *c.since.Load()} }
