package pass

import (
	"github.com/locsync/locsync/sync/ledger"
)

func (p *Branch) SourceHistory(collection string) ledger.Slot {
	return ledger.SourceKnown.Of(p.StateName(), ledger.Source{Collection: collection})
}

func (p *Branch) SourceSeen(at LookAt, collection string) ledger.Slot {
	return ledger.SourceSeen.In(string(at)).Of(p.StateName(), ledger.Source{Collection: collection})
}

// relearn makes accepted texts the youngest of their histories, where they have one.
func (p *Branch) relearn(tx ledger.Writer, collection string, units []ledger.Text) error {
	history, err := tx.Marks(p.SourceHistory(collection))
	if err != nil || len(history) == 0 {
		return err
	}
	learned := false
	for _, u := range units {
		if ledger.Has(history, u.Name) {
			ledger.Learn(history, u.Name, u.Mark)
			learned = true
		}
	}
	if !learned {
		return nil
	}
	return tx.SetMarks(p.SourceHistory(collection), history)
}
