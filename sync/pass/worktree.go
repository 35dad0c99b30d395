package pass

import (
	"context"
	"fmt"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/tree"
)

// PushTree is the tree that pushes read: the working tree, or a branch as it is committed. held is why nothing may be
// pushed from it now; empty when it may.
func PushTree(ctx context.Context, p *Branch) (t *tree.Tree, held string, err error) {
	if p.Project.Push.Source != config.Worktree {
		tip, err := p.Repo.At(ctx, p.Project.Push.Source, p.Project.Push.Source)
		if tip, err = p.Committed(p.Repo, tip, err); err == nil {
			err = p.FetchBlobs(ctx, tip)
		}
		if err != nil {
			return nil, "", UsageError(err)
		}
		t, err = tree.Find(tip, p.Project, p.Reading)
		return t, "", err
	}
	fsys, err := p.Repo.Worktree()
	if err != nil {
		err = fmt.Errorf("%w; set it to the name of a branch", err)
		return nil, "", &failure.UsageError{Err: p.Project.Blame("push.source", err)}
	}
	for deadline := p.Now().Add(Patience); ; {
		if err := AtRest(ctx, p, deadline); err != nil {
			return nil, "", err
		}
		read, err := p.Repo.Checkout()
		if err != nil {
			return nil, "", err
		}
		if p.Base != "" && read.Branch != p.Base {
			return nil, "", ErrStirred
		}
		if covered, err := p.Covered(read.Branch, read.Commit); err != nil || !covered {
			return nil, p.NotCovered(read.Branch), err
		}
		if t, err = p.FindTree(fsys, p.Reading); err != nil {
			return nil, "", err
		}
		// What was read while git changed it is read again.
		t.Checkout = &read
		if moved, err := Moved(ctx, p, t); err != nil || !moved {
			return t, "", err
		}
		if !p.Now().Before(deadline) {
			return nil, "", fmt.Errorf("%w: it changes the working tree all the time; it is tried again", gitops.ErrBusy)
		}
	}
}

// ErrStirred means that git wrote its index, and maybe files, while they were read.
var ErrStirred = fmt.Errorf("%w: it changed the working tree while it was read; it is tried again", gitops.ErrBusy)

// Moved reports whether git has changed the working tree since a tree was read from it. It waits until git has been
// quiet for a moment.
func Moved(ctx context.Context, p *Branch, t *tree.Tree) (bool, error) {
	if t.Checkout == nil {
		return false, nil // a commit
	}
	for {
		now, err := p.Repo.Checkout()
		if err != nil {
			return false, err
		}
		if p.Repo.Busy() != "" || !now.Same(*t.Checkout) {
			return true, nil
		}
		wait := now.Fresh()
		if wait == 0 {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// Patience is how long a pass waits for git to finish what it is in the middle of.
const Patience = 10 * time.Second

// AtRest waits until git is not in the middle of something in the working tree: what is there during a rebase or
// checkout is not meant to be pushed.
func AtRest(ctx context.Context, p *Branch, deadline time.Time) error {
	for {
		busy := p.Repo.Busy()
		if busy == "" {
			p.GitBusy.Ends()
			return nil
		}
		p.GitBusy.Is(p.Now())
		p.Say("waiting for git: %s in progress", busy)
		if !p.Now().Before(deadline) {
			return fmt.Errorf("%w: %s in progress; it is tried again when that is over", gitops.ErrBusy, busy)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
