package pass

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"go.uber.org/zap"
)

// FindTree finds and reads the source files in a working tree.
func (p *Branch) FindTree(fsys fs.FS, reading func(done, total int)) (*tree.Tree, error) {
	slots, err := ledger.Pushed.Slots(p.Ledger, p.StateName())
	if err != nil {
		return nil, err
	}
	return tree.FindPushed(fsys, p.Project, slots, reading)
}

// Covered reports whether pushes from the working tree happen now. CI systems check out a commit, so one that is the
// tip of a covered branch counts as it.
func (p *Branch) Covered(branch, commit string) (bool, error) {
	if p.Project.Push.Covers(branch) || branch != "" || commit == "" {
		return p.Project.Push.Covers(branch), nil
	}
	return p.Repo.Branches.IsTip(commit, p.Project.Push.Covers)
}

// NotCovered is why nothing is pushed from what is checked out.
func (p *Branch) NotCovered(branch string) string {
	covered := strings.Join(p.Project.Push.Branches, ", ")
	if branch == "" {
		return "HEAD is detached, at a commit that is not the tip of a branch in push.branches, which covers only " + covered
	}
	return fmt.Sprintf("branch %q is checked out, and push.branches covers only %s", branch, covered)
}

// Committed is the branch that pushes read, given its tip as the remote has it: the branch of that name here, where
// that has all of it, and commits that are not published yet or nowhere else.
func (p *Branch) Committed(repo *gitops.Repo, there *gitops.Tip, err error) (*gitops.Tip, error) {
	switch {
	case err != nil && !errors.Is(err, gitops.ErrNoBranch), err == nil && p.Project.Cloned():
		return there, err
	case p.Project.Cloned():
		return nil, p.Project.Blame("push.source", err)
	}
	here, herr := repo.Here(p.Project.Push.Source)
	switch {
	case errors.Is(herr, gitops.ErrNoBranch) && err != nil:
		return nil, p.Project.Blame("push.source", err)
	case errors.Is(herr, gitops.ErrNoBranch):
		return there, nil
	case herr != nil || err != nil:
		return here, herr
	}
	if ahead, err := repo.History.Contains(here.Hash(), there.Hash()); err != nil || !ahead {
		return there, err
	}
	return here, nil
}

// UsageError marks errors of the repository that stay until something is changed.
func UsageError(err error) error {
	for _, stays := range []error{gitops.ErrGit, gitops.ErrOwner, gitops.ErrNoBranch, gitops.ErrAuth, gitops.ErrUntrusted,
		gitops.ErrUnsupported, gitops.ErrSign} {
		if errors.Is(err, stays) {
			return &failure.UsageError{Err: err}
		}
	}
	return err
}

// Unread says that a push cannot read the branch of the translations. That there is no branch to build it on is for the
// pull to say.
func (p *Branch) Unread(why error) {
	if !errors.Is(why, gitops.ErrNoBranch) {
		p.Log.Warn("cannot read the branch; what was changed there is not pushed in this run",
			zap.String("branch", p.Project.Pull.Branch), zap.String("error", failure.Text(why)))
	}
}

// MakeRoom sees to it that the clone can have the branch of a pull's translations.
func (p *Branch) MakeRoom(ctx context.Context) error {
	if !p.Project.Cloned() {
		return nil
	}
	return p.Repo.Clone.MakeRoom(ctx, p.Project.Pull.Branch)
}

// FetchBlobs brings what a partial clone has left out of the files that a pass reads, in one request.
func (p *Branch) FetchBlobs(ctx context.Context, fsys fs.FS) error {
	tip, ok := fsys.(*gitops.Tip)
	if !ok {
		return nil
	}
	patterns := p.Project.WatchPatterns()
	return tip.Prefetch(ctx, patterns.Below, patterns.Match)
}
