package pass

import (
	"errors"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

// mark writes accepted texts of a translation into slots, keeping what is there.
func (p *Branch) Mark(tx ledger.Writer, m ledger.Destination, units []ledger.Text) error {
	for _, kind := range m.Kinds {
		if kind == ledger.Known {
			if err := errors.Join(p.resolved(tx, m, units), p.taken(tx, m, units)); err != nil {
				return err
			}
		}
		slot := p.Slot(kind, m.Path, m.Language)
		marks, err := tx.Marks(slot)
		if err != nil {
			return err
		}
		if marks == nil {
			marks = make(catalog.Marks, len(units))
		}
		for _, u := range units {
			if kind == ledger.Known || kind == ledger.Sent {
				ledger.Learn(marks, u.Name, u.Mark)
			} else {
				marks[u.Name] = u.Mark
			}
		}
		if err := tx.SetMarks(slot, marks); err != nil {
			return err
		}
	}
	return nil
}
