package pull

import (
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/examine"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// What would break the program, or takes more from a file than is meant, is not written, and the report names it.

// withhold takes out of a merge's result what would break the program.
func (a *account) withhold(x pass.Translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	a.shaped(x, source, in, result)
	a.checked(x, source, in, result)
	a.pluralsWhole(x, source, in, result)
}

// shaped takes out and reports the changes of keys whose texts do not fit together as the source's do: they crash an
// Android program. Where the service has the source's shape and the repository the one before it, the old texts go.
func (a *account) shaped(x pass.Translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	formed := func(u catalog.Unit) bool { return u.Form != "" }
	if !slices.ContainsFunc(source, formed) &&
		!slices.ContainsFunc(in.Ours, formed) && !slices.ContainsFunc(in.Theirs, formed) {
		return // most formats have one text for each key
	}
	want := examine.Shapes(source, nil)
	have := examine.Shapes(in.Ours, want)
	fresh := make(catalog.Catalog, 0, len(result.Changes))
	for _, c := range result.Changes {
		if c.Op != catalog.Removed {
			fresh = append(fresh, catalog.Unit{Name: c.Name})
		}
	}
	bad := make(map[string]string)
	for key, s := range examine.Shapes(fresh, nil) {
		if bad[key] = s.Misfit(want[key], have[key]); bad[key] == "" {
			delete(bad, key)
		}
	}
	told := make(map[string]bool)
	taken := make(map[string]bool)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		if c.Op == catalog.Removed || bad[c.Key] == "" {
			taken[c.Key] = taken[c.Key] || c.Op != catalog.Removed
			return false
		}
		if !told[c.Key] {
			told[c.Key] = true
			a.leaveOut(x, report.CodeShape, c.Key, "the translation is left out: "+bad[c.Key]+"; correct it at the service")
		}
		result.Leave(in.Base, c.Name)
		return true
	})
	for _, u := range in.Ours {
		if taken[u.Key] && examine.ShapeOf(u.Form) != want[u.Key].Kind {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Removed, Name: u.Name})
		}
	}
}

// checked takes out the changes that would break the program, and reports them.
func (a *account) checked(x pass.Translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	of := examine.New(x.Sources[0], x.Language, source)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		if c.Op == catalog.Removed {
			return false
		}
		findings := check.Breaking(of.Examine(c.Name, c.Text))
		if len(findings) == 0 {
			return false
		}
		for _, f := range findings {
			a.leaveOut(x, f.Check, c.Key, fmt.Sprintf("the translation %q is left out: %s; "+
				"correct it at the service, or switch the check off with skip_checks", c.Text, f.Reason))
		}
		result.Leave(in.Base, c.Name)
		return true
	})
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
