package pull

import (
	"maps"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/text/catalog"
)

// wording is what is remembered of one source file's merge.
type wording struct {
	at      ledger.Source
	learned []relearned
	accepts []ledger.Text // each key whole
}

// relearned is a text that was replaced, and by what.
type relearned struct {
	catalog.Name
	before, after catalog.Mark
}

// remember writes a source file's merge down. The history counts at once; what the service is known to have, once the
// commit has arrived.
func (x *wording) remember(p *pass.Branch, tx ledger.Writer, staged bool) error {
	if len(x.learned) > 0 {
		err := ledger.Amend(tx, p.Memory().SourceHistory(x.at.Collection), func(history catalog.Marks) {
			for _, l := range x.learned {
				if !ledger.Knows(history, l.Name, l.before) {
					ledger.Learn(history, l.Name, l.before)
				}
				ledger.Learn(history, l.Name, l.after)
			}
		})
		if err != nil {
			return err
		}
	}
	if staged {
		marks := make(catalog.Marks, len(x.accepts))
		for _, u := range x.accepts {
			marks[u.Name] = u.Mark
		}
		return tx.SetMarks(p.Memory().PushedSlot(x.at).Stage(true), marks)
	}
	a := pass.NewAcceptance(x.at.Collection)
	a.Add(x.at.Path, x.accepts)
	return p.Memory().Accept(tx, a)
}

// reworded remembers the source texts of a commit that has arrived: they came from the service, which has them, and
// are on the branch since.
func reworded(p *pass.Branch, tx ledger.Writer, d ledger.Delivery) error {
	accepted, arrived := make(map[string]*pass.Acceptance), make(map[string]catalog.Marks) // by collection
	for _, f := range d.Files {
		if f.Collection == "" {
			continue
		}
		if accepted[f.Collection] == nil {
			accepted[f.Collection], arrived[f.Collection] = pass.NewAcceptance(f.Collection), make(catalog.Marks)
		}
		marks, err := tx.Marks(p.Memory().PushedSlot(f.Source()).Stage(true))
		if err != nil {
			return err
		}
		accepted[f.Collection].Add(f.Path, pass.Marked(marks))
		maps.Copy(arrived[f.Collection], marks)
	}
	for collection, a := range accepted {
		if err := p.Memory().Accept(tx, a); err != nil {
			return err
		}
		slot := p.Memory().SourceSeen(pass.LookAt(p.Project.Pull.Branch), collection)
		err := ledger.Amend(tx, slot, func(seen catalog.Marks) { maps.Copy(seen, arrived[collection]) })
		if err != nil {
			return err
		}
	}
	if len(accepted) == 0 {
		return nil
	}
	return ledger.SourceSeenAt.Put(tx, p.StateName(), p.Project.Pull.Branch, d.Commit)
}
