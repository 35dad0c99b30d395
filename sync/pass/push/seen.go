package push

import (
	"context"
	"errors"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
)

// untouchedSince reports whether the branches of sources and of translations are as the last push saw them.
func (r *push) untouchedSince(ctx context.Context) (bool, error) {
	source := r.branch.Project.Push.Source
	if source == config.Worktree || !r.o.plain() {
		return false, nil
	}
	last, ok, err := ledger.Fingerprints.Get(r.branch.Ledger, r.branch.StateName(), source)
	if err != nil || !ok || last.Config != r.branch.Configured() {
		return false, err
	}
	rung, err := r.branch.Memory().Rung()
	conflicts, cerr := r.branch.Memory().Conflicts()
	if err = errors.Join(err, cerr); err != nil || rung || len(conflicts) > 0 {
		return false, err
	}
	branch := source
	if r.branch.Project.Push.Translations {
		branch = r.branch.Project.Pull.Branch
	}
	tip, err := r.branch.Repo.At(ctx, branch, source)
	if err != nil || tip.Base() == nil {
		return false, nil // the full push says what is wrong
	}
	at, err := r.branch.Committed(r.branch.Repo, tip.Base(), nil)
	if err != nil {
		return false, err
	}
	now := ledger.Fingerprint{Config: last.Config, Source: at.Hash()}
	if branch != source && !tip.New() {
		now.Branch = tip.Hash()
	}
	return now == last, nil
}

// plain reports whether these are the options of a push that was asked for nothing special.
func (o Options) plain() bool {
	return !o.All && !o.JoinPlurals && !o.Translations && !o.Force && !o.Ours && !o.Theirs && len(o.Keys)+len(o.Files) == 0
}

// forgetSeen forgets what the last push saw, before something is done that it may not be true after.
func (r *push) forgetSeen() error {
	if r.branch.Project.Push.Source == config.Worktree {
		return nil
	}
	return ledger.Fingerprints.Delete(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Push.Source)
}

// sawAll remembers what was read, when reading it once more would find nothing.
func (r *push) sawAll() error {
	tip, committed := r.tree.FS.(*gitops.Tip)
	asked := r.report.Requests+r.report.Exports+r.exports > 0
	if !committed || !r.o.plain() || r.snapshots.branchUnread || asked ||
		len(r.report.Problems) > 0 || len(r.accepted.Held) > 0 {
		return nil
	}
	now := ledger.Fingerprint{Config: r.branch.Configured(), Source: tip.Hash()}
	if all := r.snapshots.all; len(all) > 1 {
		now.Branch = all[0].commit
	}
	return ledger.Fingerprints.Put(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Push.Source, now)
}

// deepen brings the history that a shallow clone left out, where a tree that pushes read does not have in its history
// what the last push read: else that would count as another branch's, and a text that is brought back as one behind.
// Translations wait where that cannot be had.
func (r *push) deepen(ctx context.Context, commit string) error {
	here := pass.LookAt(r.branch.Project.Push.Source)
	last, _, err := ledger.SeenAt.Get(r.branch.Ledger, r.branch.StateName(), here.Record())
	if err != nil || last == "" || !r.branch.Repo.History.Shallow() {
		return err
	}
	if past, err := r.branch.Repo.History.Contains(commit, last); err != nil || past {
		return err
	}
	err = r.snapshots.bring(ctx)
	if errors.Is(err, gitops.ErrNoBranch) {
		return nil // the push says so
	}
	if err != nil && ctx.Err() == nil {
		r.snapshots.unread(err)
		return nil
	}
	return err
}
