package pass

import (
	"errors"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/bundle"
)

// Missing lists the target files with a history that no snapshot has, as far as that is new. present are those that one
// has, by ledger.TargetID; files of the other languages were not looked for.
func (p *Branch) Missing(present map[string]bool, others []config.Language) ([]ledger.Slot, error) {
	slots, err := ledger.Known.Slots(p.Ledger, p.StateName())
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slots, func(s ledger.Slot) bool {
		id := ledger.TargetID(s.Path, s.Language)
		if present[id] || slices.ContainsFunc(others, func(l config.Language) bool { return l.Code == s.Language }) {
			return true
		}
		_, is, gerr := ledger.Gone.Get(p.Ledger, p.StateName(), id)
		history, herr := p.Ledger.Marks(s)
		gerr = errors.Join(gerr, herr)
		if gerr != nil {
			err = fmt.Errorf("look for %s among the files that are gone: %w", s.Path, gerr)
		}
		return is || len(history) == 0 // a language that has no translation yet has no file
	}), err
}

// Return ends the absence of a file. What was remembered of another one at its path is forgotten.
func (p *Branch) Return(tx ledger.Writer, t bundle.Target, another bool) error {
	var kinds []ledger.TargetMarks
	if another {
		kinds = []ledger.TargetMarks{ledger.Known, ledger.Filler, ledger.Merged, ledger.Sent, ledger.Delivered,
			ledger.SeenHere}
		for _, l := range p.LookedAt() {
			kinds = append(kinds, l.Kind())
		}
	}
	return errors.Join(ledger.Gone.Delete(tx, p.StateName(), ledger.TargetID(t.Path, t.Language.Code)),
		ledger.Each(kinds, func(kind ledger.TargetMarks) error {
			return tx.DropMarks(p.Memory().Slot(kind, t.Path, t.Language.Code))
		}))
}
