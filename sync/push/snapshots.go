package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
)

// opened is a snapshot, and its files.
type opened struct {
	snapshot
	fsys fs.FS
}

// snapshots are those that a push reads translations from.
type snapshots struct {
	*state
	all          []*opened
	branchUnread bool // the branch could not be looked at, or need not be
	found        bool
}

// find finds where translations are read: the branch first, then what pushes read. A branch that cannot be
// reached keeps nothing from being sent: the next push reads it, and nothing is remembered of this one, which saw only
// half. They are found once for a push.
func (r *snapshots) find(ctx context.Context) error {
	if r.found {
		return nil
	}
	var branch *gitops.Tip
	if r.branch.Project.Pull.Branch != r.branch.Project.Push.Source {
		tip, err := r.branch.Repo.At(ctx, r.branch.Project.Pull.Branch, r.branch.Project.Pull.Base)
		if err == nil {
			err = r.branch.FetchBlobs(ctx, tip)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case r.branch.Base != "" && errors.Is(err, gitops.ErrNoBranch): // of a line: nothing could be built on yet
		case err != nil:
			r.unread(err)
		default:
			branch = tip
		}
	}
	ours := branch
	if here, is := r.tree.FS.(*gitops.Tip); ours == nil && is && !r.branchUnread {
		ours = here
	}
	var err error
	if ours != nil {
		if _, err = r.branch.Recollect(ctx, ours, r.tree.Bundles()); err != nil {
			return err
		}
	}
	if r.all, err = r.snapshotsIn(branch); err == nil && branch != nil {
		err = r.readMerged(ctx, r.all[len(r.all)-1])
	}
	r.found = err == nil
	return err
}

// unread takes note that the branch or its history cannot be read.
func (r *snapshots) unread(why error) {
	r.branchUnread, r.found = true, true
	r.branch.Log.Warn("cannot read the branch; local translations are not pushed in this run",
		zap.String("branch", r.branch.Project.Pull.Branch), zap.Error(why))
}

// findFirst finds them before the sources are compared, where nothing is remembered of the branch: its history tells of
// renames that are under way.
func (r *snapshots) findFirst(ctx context.Context) error {
	_, looked, err := ledger.RecollectedAt.Get(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch)
	if r.fresh = !looked; err == nil && r.fresh && r.branch.Project.Push.Translations {
		return r.find(ctx)
	}
	return err
}

// readMerged reads what commits of ours brought to a snapshot that does not have the youngest of them. Where a text
// that they replaced is back, it was brought back, though another commit of ours still waits on the branch.
func (r *snapshots) readMerged(ctx context.Context, at *opened) error {
	if slices.Contains(at.earlier, pass.LookAt(r.branch.Project.Pull.Branch)) || at.commit == "" {
		return nil
	}
	since, _, err := ledger.SeenAt.Get(r.branch.Ledger, r.branch.StateName(), at.name.Record())
	if err != nil {
		return err
	}
	tip, err := r.branch.Repo.AtCommit(at.commit)
	if err != nil {
		return err
	}
	made, err := gitops.Ours(ctx, r.branch.Repo, tip, since, r.branch.Project.Name, pass.RecollectMost)
	if err != nil {
		return fmt.Errorf("read the history of %s: %w", at.name.Where(), err)
	}
	found, err := r.branch.BroughtBy(ctx, made, r.tree.Bundles())
	at.merged = make(map[string]catalog.Marks, len(found))
	for id, f := range found {
		at.merged[id] = f.Agreed
	}
	return err
}

// snapshotsIn are those of the tree that pushes read, and of a branch; nil where it is not to be looked at.
func (r *snapshots) snapshotsIn(branch *gitops.Tip) ([]*opened, error) {
	here := &opened{snapshot{name: pass.LookAt(r.branch.Project.Push.Source)}, r.tree.FS}
	if tip, ok := r.tree.FS.(*gitops.Tip); ok {
		here.commit = tip.Hash()
	} else {
		_, head, err := r.branch.Repo.Head()
		if err != nil {
			return nil, err
		}
		here.commit = head
	}
	snapshots := []*opened{here}
	if branch != nil && !branch.New() {
		there := snapshot{name: pass.LookAt(r.branch.Project.Pull.Branch), commit: branch.Hash()}
		snapshots = []*opened{{there, branch}, here}
	}
	for _, at := range snapshots {
		for _, l := range names(r.branch) {
			if l == config.Worktree && at.name != l {
				continue // what was seen there need not be committed, and says nothing about another tree
			}
			commit, looked, err := ledger.SeenAt.Get(r.branch.Ledger, r.branch.StateName(), l.Record())
			if err != nil {
				return nil, err
			}
			past, err := r.branch.Repo.History.Contains(at.commit, commit)
			if err != nil {
				return nil, err
			}
			if looked && (past || at.name == l && at.commit == commit) && !slices.Contains(at.earlier, l) {
				at.earlier = append(at.earlier, l)
			}
		}
	}
	return snapshots, nil
}

// names are those of the tree that pushes read and of the branch that pulls write.
func names(p *pass.Branch) []pass.LookAt {
	return []pass.LookAt{pass.LookAt(p.Project.Push.Source), pass.LookAt(p.Project.Pull.Branch)}
}
