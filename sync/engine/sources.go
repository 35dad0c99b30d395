package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

// pushTree is the tree that pushes read: the working tree, or a branch as it is committed. held is why nothing may be pushed
// from it now; empty when it may.
func (p *pushing) pushTree(ctx context.Context, dry bool) (t *tree.Tree, held string, err error) {
	var fsys fs.FS
	if p.cfg.Push.Source != config.Worktree {
		tip, err := p.repo.At(ctx, p.cfg.Push.Source, p.cfg.Push.Source)
		if tip, err = p.committed(p.repo, tip, err); err == nil {
			err = p.fetchBlobs(ctx, tip)
		}
		if err != nil {
			return nil, "", usage(err)
		}
		bundles, problems, err := p.findSources(tip, dry)
		if err != nil {
			return nil, "", err
		}
		t, err = tree.Read(tip, bundles, problems, p.reading)
		return t, "", err
	}
	fsys, err = p.repo.Worktree()
	if err != nil {
		return nil, "", &failure.UsageError{Err: p.cfg.Blame("push.source", fmt.Errorf("%w; set it to the name of a branch", err))}
	}
	for deadline := p.Now().Add(patience); ; {
		if err := p.atRest(ctx, deadline); err != nil {
			return nil, "", err
		}
		look, err := p.repo.Look()
		if err != nil {
			return nil, "", err
		}
		if p.line != "" && look.Branch != p.line {
			return nil, "", errStirred
		}
		if covered, err := p.covered(look.Branch, look.Commit); err != nil || !covered {
			return nil, p.notCovered(look.Branch), err
		}
		t, err = p.findTree(fsys, p.reading)
		if err != nil {
			return nil, "", err
		}
		// What was read while git changed it is read again.
		t.Look = &look
		moved, err := p.moved(ctx, t)
		if err != nil {
			return nil, "", err
		}
		if !moved {
			return t, "", nil
		}
		if !p.Now().Before(deadline) {
			return nil, "", fmt.Errorf("%w: it changes the working tree all the time; it is tried again", gitops.ErrBusy)
		}
	}
}

// findTree finds and reads the source files in a working tree.
func (p *branch) findTree(fsys fs.FS, reading func(done, total int)) (*tree.Tree, error) {
	slots, err := ledger.Pushed.Slots(p.State, p.stateName())
	if err != nil {
		return nil, err
	}
	return tree.FindPushed(fsys, p.cfg, slots, reading)
}

// covered reports whether pushes from the working tree happen now. CI systems check out a commit, so one that is the tip of a covered branch counts as it.
func (p *branch) covered(branch, commit string) (bool, error) {
	if p.cfg.Push.Covers(branch) || branch != "" || commit == "" {
		return p.cfg.Push.Covers(branch), nil
	}
	return p.repo.Branches.IsTip(commit, p.cfg.Push.Covers)
}

// notCovered is why nothing is pushed from what is checked out.
func (p *branch) notCovered(branch string) string {
	covered := strings.Join(p.cfg.Push.Branches, ", ")
	if branch == "" {
		return "HEAD is detached, at a commit that is not the tip of a branch in push.branches, which covers only " + covered
	}
	return fmt.Sprintf("branch %q is checked out, and push.branches covers only %s", branch, covered)
}

// committed is the branch that pushes read, given its tip as the remote has it: the branch of that name here, where that has all of it, and commits that are
// not published yet or nowhere else.
func (p *branch) committed(repo *gitops.Repo, there *gitops.Tip, err error) (*gitops.Tip, error) {
	if p.cfg.Cloned() || err != nil && !errors.Is(err, gitops.ErrNoBranch) {
		return there, err
	}
	here, herr := repo.Here(p.cfg.Push.Source)
	switch {
	case errors.Is(herr, gitops.ErrNoBranch):
		return there, err
	case herr != nil || err != nil:
		return here, herr
	}
	if ahead, err := repo.History.Contains(here.Hash(), there.Hash()); err != nil || !ahead {
		return there, err
	}
	return here, nil
}

// errStirred means that git wrote its index, and maybe files, while they were read.
var errStirred = fmt.Errorf("%w: it changed the working tree while it was read; it is tried again", gitops.ErrBusy)

// lookAnew makes what is read from now on count, where git has only come back to the commit that the sources were read from, or looked at
// the files itself. Where it has not, the pass has to begin again.
func (r *pushing) lookAnew(ctx context.Context) error {
	if err := r.atRest(ctx, r.Now().Add(patience)); err != nil {
		return err
	}
	now, err := r.repo.Look()
	if err != nil {
		return err
	}
	if now.Branch != r.tree.Look.Branch || now.Commit != r.tree.Look.Commit {
		return errStirred
	}
	r.tree.Look = &now
	return nil
}

// moved reports whether git has changed the working tree since a tree was read from it. It waits until git has been quiet for a moment.
func (p *pushing) moved(ctx context.Context, t *tree.Tree) (bool, error) {
	if t.Look == nil {
		return false, nil // a commit
	}
	for {
		now, err := p.repo.Look()
		if err != nil {
			return false, err
		}
		if p.repo.Busy() != "" || !now.Same(*t.Look) {
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

// atRest waits until git is not in the middle of something in the working tree: what lies there during a rebase or checkout is
// nobody's intention.
func (p *pushing) atRest(ctx context.Context, deadline time.Time) error {
	for {
		busy := p.repo.Busy()
		if busy == "" {
			p.gitBusy.Ends()
			return nil
		}
		p.gitBusy.Is(p.Now())
		p.say("waiting for git: %s in progress", busy)
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

// usage marks errors of the repository that stay until somebody changes something.
func usage(err error) error {
	for _, stays := range []error{gitops.ErrGit, gitops.ErrOwner, gitops.ErrNoBranch, gitops.ErrAuth, gitops.ErrUntrusted, gitops.ErrUnsupported, gitops.ErrSign} {
		if errors.Is(err, stays) {
			return &failure.UsageError{Err: err}
		}
	}
	return err
}
