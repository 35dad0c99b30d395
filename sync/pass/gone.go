package pass

import (
	"github.com/locsync/locsync/sync/ledger"
)

// written ends the absence of a file that a pull has written: it is no other one than before.
func (p *Branch) Written(tx ledger.Writer, path, language string) error {
	return ledger.Gone.Delete(tx, p.StateName(), ledger.TargetID(path, language))
}
