package pass

import (
	"time"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

func Accepts(c catalog.Catalog) []ledger.Text {
	units := make([]ledger.Text, len(c))
	for i, u := range c {
		units[i] = ledger.Text{Name: u.Name, Mark: catalog.MarkOf(u.Text)}
	}
	return units
}

func (p *Branch) Remember(j *ledger.Job) error {
	return ledger.Jobs.Put(p.Ledger, p.StateName(), j.ID, *j)
}

func (p *Branch) Forget(j *ledger.Job) error {
	return ledger.Jobs.Delete(p.Ledger, p.StateName(), j.ID)
}

func (p *Branch) DoubtSlot(tx ledger.Writer, slot ledger.Slot, sent catalog.Marks) (weight int, err error) {
	marks, err := tx.Marks(slot)
	if err != nil {
		return 0, err
	}
	doubted := false
	for n, m := range marks {
		if was, there := sent[n]; there && was != m {
			marks[n], doubted = catalog.Mark{}, true // the mark of no text
		}
	}
	if !doubted {
		return 1 + len(marks), nil
	}
	if err := p.outdateLook(tx, slot); err != nil {
		return 0, err
	}
	return 1 + 2*len(marks), tx.SetMarks(slot, marks)
}

// forgetAfter is when a job is not waited for any more: the service has forgotten it by then, or never will finish it.
const ForgetAfter = 24 * time.Hour
