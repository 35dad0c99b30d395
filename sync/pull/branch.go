package pull

import (
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
)

// remade reports whether the branch was made anew since the last merge into it, or set back to an earlier commit: the older texts that it has then were not
// chosen by anybody. A push may have looked at it meanwhile.
func (r *pulling) remade(tip *gitops.Tip) (bool, error) {
	if tip.New() {
		return true, nil
	}
	last, merged, err := ledger.MergedAt.Get(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch)
	if err != nil || !merged || last == tip.Hash() {
		return false, err
	}
	return r.branch.Repo.History.Contains(last, tip.Hash())
}

// ringing writes down that the branch has texts for a push, and works out whether to start a push for them. It comes before anything is remembered of this pass.
func (r *pulling) ringing() error {
	if r.o.DryRun {
		return nil
	}
	if r.report.Unsent {
		if err := ledger.UnsentAt.Put(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch, r.tip.Hash()); err != nil {
			return err
		}
	}
	rung, err := r.branch.Rung()
	if err == nil && rung {
		rung, err = r.pushLooks()
	}
	r.report.Unsent = rung
	return err
}

// pushLooks reports whether a push made now would look at the branch.
func (p *pulling) pushLooks() (bool, error) {
	if !p.branch.Project.Push.Enabled || !p.branch.Project.Push.Translations || p.branch.Project.Push.Source != config.Worktree {
		return p.branch.Project.Push.Enabled && p.branch.Project.Push.Translations, nil
	}
	head, commit, err := p.branch.Repo.Head()
	if err != nil || p.branch.Base != "" && p.branch.Base != head {
		return false, err
	}
	return p.branch.Covered(head, commit)
}

func (r *pulling) marks(slot ledger.Slot) (catalog.Marks, error) {
	return r.unsaved.Marks(r.branch.Ledger, slot)
}
