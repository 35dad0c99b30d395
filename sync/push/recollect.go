package push

import (
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

func (r *pushing) marks(slot ledger.Slot) (catalog.Marks, error) {
	return r.unsaved.Marks(r.branch.Ledger, slot)
}
