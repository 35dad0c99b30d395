package pull

import (
	"fmt"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/examine"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// What would break the program, or takes more from a file than is meant, is not written, and the report names it.

// withhold takes out of a merge's result what would break the program.
func (a *account) withhold(x pass.Translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	for _, l := range examine.Withhold(x.Target, source, in, result) {
		a.leaveOut(x, l.Code, l.Key, l.Why)
	}
}

// guardFloor is how many translations a file must lose before the guard looks at the share.
const guardFloor = 10

// guarded reports whether the changes would take more translations from a file than the guard allows.
func (a *account) guarded(x pass.Translated, in catalog.Three, changes []catalog.Change) bool {
	have := make(map[catalog.Name]bool)
	for _, u := range in.Ours {
		if u.Text != "" && !in.Filler.Has(u.Name, u.Text) {
			have[u.Name] = true
		}
	}
	lost := 0
	for _, c := range changes {
		if have[c.Name] && (c.Op == catalog.Removed || c.Text == "") {
			lost++
		}
	}
	if lost < guardFloor || float64(lost) <= a.branch.Project.Pull.Guard*float64(len(have)) || a.o.Force {
		return false
	}
	a.leaveChanges(x, changes)
	p := report.Problem{Code: report.CodeGuard, File: x.Path, Language: x.Language.Code,
		Problem: fmt.Sprintf("would lose %d of its %d translations, more than the guard of %g allows; "+
			"the file is left as it is. If that is meant, run locsync pull --force",
			lost, len(have), a.branch.Project.Pull.Guard)}
	a.holds = append(a.holds, p)
	a.problem(p)
	return true
}
