package pass

import (
	"fmt"

	"github.com/locsync/locsync/sync/ledger"
)

// called is the project, and the line where it is one, for messages.
func (p *Branch) Called() string {
	if p.Base == "" {
		return fmt.Sprintf("%q", p.Project.Name)
	}
	return fmt.Sprintf("%q, branch %s", p.Project.Name, p.Base)
}

// pushedSlots are where the accepted texts of source files are remembered: the project's, and those of other lines, which may share a collection.
func (p *Branch) PushedSlots(tx ledger.Reader) ([]ledger.Slot, error) {
	slots, err := ledger.Pushed.Slots(tx, p.StateName())
	if err != nil || p.Base == "" {
		return slots, err
	}
	lines, err := ledger.Lines.List(tx, p.ProjectName())
	if err != nil {
		return nil, err
	}
	for _, other := range lines {
		if other.Base == p.Base {
			continue
		}
		more, err := ledger.Pushed.Slots(tx, ledger.BranchScope(p.ProjectName(), other.Base))
		if err != nil {
			return nil, err
		}
		slots = append(slots, more...)
	}
	return slots, nil
}
