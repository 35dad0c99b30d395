package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
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
	branchTip    *gitops.Tip // nil where it is not known, or pushes read it
	branchUnread bool        // the branch could not be looked at, or need not be
	why          error       // it could not
	found        bool
	local        bool // the remote is not asked
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
	r.branchTip = branch
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

// mergedOver are the texts of the branch that a snapshot has merged since it was read last, though the service has
// accepted later ones from here: no pull has brought those to the branch yet, and to merge it undoes no decision.
func (r *snapshots) mergedOver(at *opened, t bundle.Target) (catalog.Marks, error) {
	outgoing, err := r.branch.Memory().Sent(ledger.TargetID(t.Path, t.Language.Code))
	if err != nil || len(outgoing) == 0 || r.branchTip == nil {
		return nil, err
	}
	last, _, err := ledger.SeenAt.Get(r.branch.Ledger, r.branch.StateName(), at.name.Record())
	if err != nil || last == "" || at.name == pass.LookAt(r.branch.Project.Pull.Branch) {
		return nil, err
	}
	before, err := r.branch.Repo.History.Contains(last, r.branchTip.Hash())
	now, nerr := r.branch.Repo.History.Contains(at.commit, r.branchTip.Hash())
	err = errors.Join(err, nerr)
	if err != nil || before || !now {
		return nil, err
	}
	texts, err := r.branchTexts(t)
	maps.DeleteFunc(texts, func(n catalog.Name, mark catalog.Mark) bool {
		sent := outgoing.Of(n)
		return len(sent) == 0 || sent[len(sent)-1].Text == "" || sent[len(sent)-1].Mark == mark
	})
	return texts, err
}

// branchTexts are the texts that the translation branch has of a file; nil where that is not known, or where pushes
// read it: what is sent is there already.
func (r *snapshots) branchTexts(t bundle.Target) (catalog.Marks, error) {
	if r.branchTip == nil || !r.branch.Project.Pull.Enabled {
		return nil, nil
	}
	texts, err := pass.TextsAt(r.branchTip, t)
	return texts.Marks(), err
}

// past is what git has of names of a candidate's file before its snapshot. What cannot be had was not seen.
func (r *snapshots) past(ctx context.Context, c *candidate, names []catalog.Name) (past.History, error) {
	if err := r.deepen(ctx); err != nil {
		return nil, err
	}
	return past.Read(r.branch.Repo, c.Target, names, c.snapshot.commit)
}

// deepen brings the history that a shallow clone left out, where it can be had.
func (r *snapshots) deepen(ctx context.Context) error {
	if r.local || !r.branch.Repo.History.Shallow() {
		return nil
	}
	if err := r.bring(ctx); err != nil && ctx.Err() == nil {
		r.branch.Log.Info("the history that this clone lacks is not read", zap.Error(err))
	}
	return ctx.Err()
}

// bring asks the remote for that history.
func (r *snapshots) bring(ctx context.Context) error {
	tip, err := r.branch.Repo.At(ctx, r.branch.Project.Pull.Branch, r.branch.Project.Pull.Base)
	if err != nil {
		return err
	}
	return gitops.Deepen(ctx, r.branch.Repo, tip, tip.Base())
}

// unread takes note that the branch or its history cannot be read.
func (r *snapshots) unread(why error) {
	r.branchUnread, r.found, r.why = true, true, why
	r.branch.Unread(why)
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
		for _, l := range r.branch.LookedAt() {
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
			if l == config.Worktree {
				at.treeAt = commit
				if at.here, err = r.branch.SawHere(at.commit); err != nil {
					return nil, err
				}
			}
		}
	}
	return snapshots, nil
}
