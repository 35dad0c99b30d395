package pass

import (
	"github.com/locsync/locsync/sync/ledger"
)

// outdateLook forgets the last look of another line, when what the service has of its texts is about to change.
func (p *Branch) outdateLook(tx ledger.Writer, of ledger.Slot) error {
	line, other := ledger.BranchOf(of.Scope, p.ProjectName())
	if !other || line == p.Base {
		return nil
	}
	return ledger.Fingerprints.Delete(tx, of.Scope, line)
}
