package push

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/tree"
)

// pushTree is the tree that pushes read: the working tree, or a branch as it is committed. held is why nothing may be
// pushed from it now; empty when it may.
func (p *pushing) pushTree(ctx context.Context, dry bool) (t *tree.Tree, held string, err error) {
	var fsys fs.FS
	if p.branch.Project.Push.Source != config.Worktree {
		tip, err := p.branch.Repo.At(ctx, p.branch.Project.Push.Source, p.branch.Project.Push.Source)
		if tip, err = p.branch.Committed(p.branch.Repo, tip, err); err == nil {
			err = p.branch.FetchBlobs(ctx, tip)
		}
		if err != nil {
			return nil, "", pass.UsageError(err)
		}
		bundles, problems, err := p.branch.FindSources(tip, dry)
		if err != nil {
			return nil, "", err
		}
		t, err = tree.Read(tip, bundles, problems, p.branch.Reading)
		return t, "", err
	}
	fsys, err = p.branch.Repo.Worktree()
	if err != nil {
		err = fmt.Errorf("%w; set it to the name of a branch", err)
		return nil, "", &failure.UsageError{Err: p.branch.Project.Blame("push.source", err)}
	}
	for deadline := p.branch.Now().Add(patience); ; {
		if err := p.atRest(ctx, deadline); err != nil {
			return nil, "", err
		}
		read, err := p.branch.Repo.Look()
		if err != nil {
			return nil, "", err
		}
		if p.branch.Base != "" && read.Branch != p.branch.Base {
			return nil, "", errStirred
		}
		if covered, err := p.branch.Covered(read.Branch, read.Commit); err != nil || !covered {
			return nil, p.branch.NotCovered(read.Branch), err
		}
		t, err = p.branch.FindTree(fsys, p.branch.Reading)
		if err != nil {
			return nil, "", err
		}
		// What was read while git changed it is read again.
		t.Look = &read
		moved, err := p.moved(ctx, t)
		if err != nil {
			return nil, "", err
		}
		if !moved {
			return t, "", nil
		}
		if !p.branch.Now().Before(deadline) {
			return nil, "", fmt.Errorf("%w: it changes the working tree all the time; it is tried again", gitops.ErrBusy)
		}
	}
}

// errStirred means that git wrote its index, and maybe files, while they were read.
var errStirred = fmt.Errorf("%w: it changed the working tree while it was read; it is tried again", gitops.ErrBusy)

// readAnew makes what is read from now on count, where git has only come back to the commit that the sources were read
// from, or read the files itself. Otherwise the pass is to begin again.
func (r *pushing) readAnew(ctx context.Context) error {
	if err := r.atRest(ctx, r.branch.Now().Add(patience)); err != nil {
		return err
	}
	now, err := r.branch.Repo.Look()
	if err != nil {
		return err
	}
	if now.Branch != r.tree.Look.Branch || now.Commit != r.tree.Look.Commit {
		return errStirred
	}
	r.tree.Look = &now
	return nil
}

// moved reports whether git has changed the working tree since a tree was read from it. It waits until git has been
// quiet for a moment.
func (p *pushing) moved(ctx context.Context, t *tree.Tree) (bool, error) {
	if t.Look == nil {
		return false, nil // a commit
	}
	for {
		now, err := p.branch.Repo.Look()
		if err != nil {
			return false, err
		}
		if p.branch.Repo.Busy() != "" || !now.Same(*t.Look) {
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

// patience is how long a pass waits for git to finish what it is in the middle of.
const patience = 10 * time.Second

// atRest waits until git is not in the middle of something in the working tree: what is there during a rebase or
// checkout is not meant to be pushed.
func (p *pushing) atRest(ctx context.Context, deadline time.Time) error {
	for {
		busy := p.branch.Repo.Busy()
		if busy == "" {
			p.branch.GitBusy.Ends()
			return nil
		}
		p.branch.GitBusy.Is(p.branch.Now())
		p.branch.Say("waiting for git: %s in progress", busy)
		if !p.branch.Now().Before(deadline) {
			return fmt.Errorf("%w: %s in progress; it is tried again when that is over", gitops.ErrBusy, busy)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
