package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/history"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/gitops/tree"
)

// The local branch after a commit was delivered, and the working trees that may have it checked out.
//
// Moving a branch under a working tree makes the next `commit -a` there undo the move without a word. So: checked out
// nowhere, the reference is swapped. Checked out in one clean tree, git itself fast-forwards it, with index and files,
// under its own locks. Else nothing is moved, and the result says why.

// Local says what became of the local branch.
type Local int

const (
	Left     Local = iota // it stays where it is; Why says why
	Moved                 // the reference moved, or was made
	Followed              // git fast-forwarded the working tree that has it checked out
)

func (l Local) String() string { return [...]string{"left", "moved", "followed"}[l] }

// Follow makes up for a local branch that was left where it was when commits of ours were delivered: it is moved
// forward to what At gave, with the clean working tree that has it checked out, where those commits are between.
// Result.Local is Left where that cannot be done now, with Why and Cause; Moved where there is nothing to make up
// for. The remote is not asked. A dry run moves nothing; its tip may be that of a Preview.
func (r *Repo) Follow(ctx context.Context, tip *Tip, dry bool) (PushResult, error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	d := deliveryOf(r, tip)
	d.dry = dry
	owed, err := tip.commit.IsZero(), error(nil)
	if !owed {
		owed, err = d.owed()
	}
	if err == nil && owed {
		err = d.moveLocal(ctx)
	} else if err == nil {
		d.result.Local = Moved
	}
	if err != nil {
		err = fmt.Errorf("move the local branch %s: %w", tip.branch, outcome.WithRemedy(err))
	}
	return d.result, err
}

// owed reports whether the local branch is behind a tip by commits of which one is ours. Those of others alone are
// none of our business.
func (d *delivery) owed() (bool, error) {
	tip := d.tip
	now, here, err := d.repo.Branch(tip.branch)
	if err != nil || !here || d.repo.Options.Remote == "" || tip.isNew || now == tip.commit {
		return false, err
	}
	if forward, err := d.repo.History.Contains(tip.commit, now); err != nil || !forward {
		return false, err
	}
	between, _, err := d.repo.History.Ahead(tip.commit, []hash{now}, history.Most)
	return slices.ContainsFunc(between, history.Walked.IsOurs), err
}

// moveLocal advances the local branch if that loses nothing.
func (d *delivery) moveLocal(ctx context.Context) error {
	tip := d.tip
	now, here, err := d.repo.Branch(tip.branch)
	if err != nil {
		return err
	}
	if here && now == tip.commit {
		d.result.Local = Moved
		return nil
	}
	if d.repo.Options.Remote == "" && now != tip.lease.at {
		return &ref.Moved{Name: "refs/heads/" + tip.branch, Want: tip.lease.at, Have: now}
	}
	if here && now != tip.lease.at {
		forward, err := tip.Contains(now.Text())
		if err == nil && !forward {
			forward, err = squashed(d.repo, now, tip.commit)
		}
		if err != nil {
			return err
		}
		if !forward {
			return d.leave(ErrMoved, "the local branch %s has commits of its own; git pull --rebase there, or git push",
				tip.branch)
		}
	}
	if !here && !tip.here.IsZero() {
		return d.leave(ErrMoved, "the local branch was deleted meanwhile")
	}
	return d.advance(ctx, now)
}

// leave notes that the local branch was not moved: no failure, and its cause is one of the outcomes.
func (d *delivery) leave(cause error, format string, args ...any) error {
	d.result.Local, d.result.Cause, d.result.Why = Left, cause, fmt.Sprintf(format, args...)
	return nil
}

// left is leave with the branch's name before why.
func (d *delivery) left(cause error, format string, args ...any) error {
	return d.leave(cause, "the local branch "+d.tip.branch+" was left: "+format, args...)
}

// advance moves the local branch from now (zero: absent) to the tip, which contains it, or took it in as one commit.
func (d *delivery) advance(ctx context.Context, now hash) error {
	holding, err := d.repo.Holding(d.tip.branch)
	if err != nil {
		return err
	}
	switch len(holding) {
	case 0:
		return d.swap(ctx, now)
	case 1:
		if forward, err := d.tip.Contains(now.Text()); err != nil || !forward {
			if err == nil {
				err = d.left(ErrMoved, "it is checked out in %s, and was merged as one commit; git reset --keep %s there "+
					"takes the new one", holding[0].Path, d.tip.Hash())
			}
			return err
		}
		return d.follow(ctx, holding[0])
	}
	return d.left(ErrBusy, "it is checked out in %s and %s", holding[0].Path, holding[1].Path)
}

// swap moves a branch that is checked out nowhere.
func (d *delivery) swap(ctx context.Context, now hash) error {
	if d.dry {
		d.result.Local = Moved
		return nil
	}
	c, err := d.repo.History.Commit(d.tip.commit)
	if err != nil {
		return err
	}
	why, moves := "locsync: "+c.Subject(), []ref.Move{{Name: "refs/heads/" + d.tip.branch, Old: now, To: d.tip.commit}}
	if out, waits, _ := d.outbox(); waits { // emptied with it, by one process
		moves = append(moves, out)
	}
	err = d.repo.Refs.SwapAll(ctx, why, moves...)
	if d.emptied = err == nil && len(moves) > 1; err != nil && len(moves) > 1 {
		// What is wrong with the outbox leaves no branch behind.
		err = d.repo.Refs.SwapAll(ctx, why, moves[0])
	}
	switch {
	case err == nil:
		d.result.Local = Moved
		return nil
	case errors.Is(err, ErrMoved):
		return d.left(ErrMoved, "it moved at the same time")
	case errors.Is(err, ErrBusy):
		return d.left(ErrBusy, "%v", err)
	case errors.Is(err, ErrUnsupported), errors.As(err, new(*ref.Clash)):
		return d.left(ErrUnsupported, "%v", err)
	}
	return err
}

// inTheWay names a file of the working tree that git does not know and that the tip would bring. git would refuse as
// well, but only after it wrote ORIG_HEAD.
func (d *delivery) inTheWay(ctx context.Context, w repository.Worktree) (string, error) {
	_, head, err := d.repo.HeadOf(w.GitDir)
	if err != nil || head.IsZero() {
		return "", err
	}
	before, err := d.repo.History.Commit(head)
	if err != nil {
		return "", err
	}
	pairs, err := tree.Compare(ctx, d.repo.Objects.Entries, d.tip.files.FS.Entries, before.Tree, d.tip.root())
	if err != nil {
		return "", err
	}
	goes := func(name string) bool {
		return slices.ContainsFunc(pairs, func(p tree.Pair) bool { return p.New.Mode == 0 && p.Path == name })
	}
	for _, p := range pairs {
		for at := p.Path; at != "." && p.Old.Mode == 0; at = path.Dir(at) {
			info, err := os.Lstat(filepath.Join(w.Path, filepath.FromSlash(at)))
			if err == nil && (at == p.Path || !info.IsDir() && !goes(at)) {
				return at, nil // where a file is to be, or a folder
			}
		}
	}
	return "", nil
}

// follow lets git fast-forward a clean working tree. Between our reading of HEAD and git's there are some milliseconds
// in which another branch may be checked out, and git would fast-forward that one if it could; no lock of git's spans
// both looks.
func (d *delivery) follow(ctx context.Context, w repository.Worktree) error {
	if busy := repository.BusyIn(w.GitDir); busy != "" {
		return d.left(ErrBusy, "%s is in the middle of a %s", w.Path, busy)
	}
	if _, err := os.Stat(w.Path); err != nil {
		return d.left(ErrBusy, "it is checked out in %s, which is gone; git worktree prune forgets it", w.Path)
	}
	status, err := d.repo.RunInTree(ctx, w.Path, w.GitDir,
		run.Call{Args: []string{"status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty"}})
	if err != nil {
		return fmt.Errorf("look whether %s is clean: %w", w.Path, err)
	}
	if len(status) > 0 {
		return d.left(ErrDirty, "it is checked out in %s, which has changes that are not committed", w.Path)
	}
	if name, err := d.inTheWay(ctx, w); err != nil {
		return err
	} else if name != "" {
		return d.left(ErrDirty, "it is checked out in %s, where the untracked file %s is in the way", w.Path, name)
	}
	if d.dry {
		d.result.Local = Followed
		return nil
	}
	_, err = d.repo.RunInTree(ctx, w.Path, w.GitDir, run.Call{
		Args: []string{"-c", "advice.diverging=false", "merge", "--ff-only", "--no-verify-signatures", "--no-stat",
			"--progress", d.tip.Hash()},
		Write: true,
		LFS:   d.repo.LFSProgress(),
		Env:   []string{"GIT_REFLOG_ACTION=locsync"},
	})
	var refused *run.Error
	if errors.As(err, &refused) {
		cause := ErrDirty
		if strings.Contains(refused.Stderr, ".lock") {
			cause = ErrBusy
		}
		return d.left(cause, "it is checked out in %s, and git does not move it: %s", w.Path, run.LastLines(refused.Stderr,
			4))
	}
	if err != nil {
		return err
	}
	d.result.Local = Followed
	return nil
}
