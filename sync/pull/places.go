package pull

import (
	"github.com/locsync/locsync/gitops"
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
