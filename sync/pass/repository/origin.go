package repository

import (
	"context"
	"errors"
	"sync"
	"time"
)

// origin is where a repository comes from and which branch is checked out in it, as passes open it. To look starts the
// git program, and events may come by the thousand: one look serves all that come at one time, and those after it for
// so many times as it took.
type origin struct {
	mu      sync.Mutex // held while looking
	address string
	heads   []string // the current branch, and base
	err     error
	until   time.Time
}

const (
	originShare = 20
	originMost  = 2 * time.Second // the sender of the event waits for the answer; what takes longer cannot be told
)

// Origin is the address that the repository comes from and which branches it is about: the one that is checked out, and
// the base branch. It is as it is now, or was a moment ago.
func (r *Repository) Origin(ctx context.Context) (address string, heads []string, err error) {
	o := &r.origin
	o.mu.Lock()
	defer o.mu.Unlock()
	if began := time.Now(); began.After(o.until) {
		o.address, o.heads, o.err = r.readOrigin(ctx)
		if end := time.Now(); ctx.Err() == nil {
			o.until = end.Add(originShare * end.Sub(began))
		}
	}
	return o.address, o.heads, o.err
}

func (r *Repository) readOrigin(ctx context.Context) (address string, heads []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, originMost)
	defer cancel()
	repo, err := r.Open(ctx)
	if err != nil {
		return "", nil, err
	}
	head, _, err := repo.Head()
	base, berr := repo.Branches.Base()
	return repo.Address(), []string{head, base}, errors.Join(err, berr, repo.Close())
}
