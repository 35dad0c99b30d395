package engine

import (
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// Conflicts are those that wait for push --ours or --theirs, of every branch, in one project or, for "", in all. It
// looks at nothing but the state.
func (e *Engine) Conflicts(project string) ([]report.Conflict, error) {
	var all []report.Conflict
	picked, _ := e.pick(project) // none of a name that no project has
	for _, p := range picked {
		lines, err := ledger.Lines.List(e.State, p.branch.ProjectName())
		if err != nil {
			return nil, err
		}
		for _, line := range slices.Insert(lines, 0, ledger.Line{}) { // first of the project as a whole
			stored, err := ledger.Conflicts.List(e.State, ledger.BranchScope(p.branch.ProjectName(), line.Base))
			if err != nil {
				return nil, err
			}
			for _, c := range stored {
				all = append(all, p.branch.Shown(pass.Conflict{Conflict: c}))
			}
		}
	}
	return all, nil
}
