package engine

import (
	"slices"

	"github.com/locsync/locsync/sync/ledger"
)

// keepWaiting remembers the branches that wait, in place of those that the last such pass found.
func (p *project) keepWaiting(passOf string, now []ledger.WaitingBranch) error {
	before, _, err := ledger.Waiting.Get(p.branch.Ledger, p.branch.ProjectName(), passOf)
	if err != nil || slices.Equal(before, now) {
		return err
	}
	return ledger.Waiting.Put(p.branch.Ledger, p.branch.ProjectName(), passOf, now)
}
