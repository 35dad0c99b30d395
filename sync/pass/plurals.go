package pass

import (
	"github.com/locsync/locsync/sync/ledger"
)

// taken forgets that the service left out texts that it has taken now.
func (p *Branch) taken(tx ledger.Writer, m ledger.Destination, units []ledger.Text) error {
	if m.Further() {
		return nil
	}
	slot := p.Slot(ledger.Further, m.Path, m.Language)
	declined, err := tx.Marks(slot)
	if err != nil || declined == nil {
		return err
	}
	for _, u := range units {
		delete(declined, u.Name)
	}
	return tx.SetMarks(slot, declined)
}
