package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/spelling"
)

// What a merge would bring is not all written: some of it would break the program, or takes more from a file than anybody means to. It stays out, and the
// report names it.

// shaped takes out the changes of keys whose texts do not fit together as the source's do, and reports them: a plural without "other" crashes an
// Android program, as does one text where a plural or a list is asked for. Where the repository has a key in a shape that the source has left and
// the service has it in the new one, the old texts go.
func (r *pulling) shaped(x translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	formed := func(u catalog.Unit) bool { return u.Form != "" }
	if !slices.ContainsFunc(source, formed) && !slices.ContainsFunc(in.Ours, formed) && !slices.ContainsFunc(in.Theirs, formed) {
		return // most formats have one text for each key
	}
	want := shapes(source, nil)
	have := shapes(in.Ours, want)
	fresh := make(catalog.Catalog, 0, len(result.Changes))
	for _, c := range result.Changes {
		if c.Op != catalog.Removed {
			fresh = append(fresh, catalog.Unit{Name: c.Name})
		}
	}
	bad := make(map[string]string)
	for key, s := range shapes(fresh, nil) {
		if bad[key] = s.misfit(want[key], have[key]); bad[key] == "" {
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
			r.leaveOut(x, report.CodeShape, c.Key, "the translation is left out: "+bad[c.Key]+"; correct it at the service")
		}
		result.Leave(in.Base, c.Name)
		return true
	})
	for _, u := range in.Ours {
		if taken[u.Key] && shapeOf(u.Form) != want[u.Key].kind {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Removed, Name: u.Name})
		}
	}
}

// shape is what the texts of one key are together.
type shape struct {
	kind  string // in words
	forms map[string]bool
}

// shapes are the shapes of the keys of a catalog; with like, only the texts count that have the kind that the key has there. Of mixed kinds the
// last counts.
func shapes(c catalog.Catalog, like map[string]shape) map[string]shape {
	all := make(map[string]shape)
	for _, u := range c {
		kind := shapeOf(u.Form)
		if like != nil && like[u.Key].kind != kind {
			continue
		}
		s := all[u.Key]
		if s.kind != kind {
			s = shape{kind, make(map[string]bool)}
		}
		s.forms[u.Form] = true
		all[u.Key] = s
	}
	return all
}

func shapeOf(form string) string {
	switch {
	case form == "":
		return "one text"
	case spelling.IsItem(form):
		return "a list"
	}
	return "a plural"
}

// misfit says why the new texts of a key, with those that the repository has, do not fit the source's; "" when they do. Languages have other plural
// categories than the source, which pluralsWhole looks at; a list has as many items.
func (s shape) misfit(source, have shape) string {
	forms := maps.Clone(s.forms)
	maps.Copy(forms, have.forms)
	switch {
	case s.kind != source.kind:
		return fmt.Sprintf("it is %s, and the source has %s", s.kind, source.kind)
	case s.kind == "a list" && len(source.forms) != len(forms):
		return fmt.Sprintf("the list has %d items, and the source's has %d", len(forms), len(source.forms))
	}
	return ""
}

// checked takes out the changes that would break the program, and reports them.
func (r *pulling) checked(x translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	of := examinerOf(x.Sources[0], x.Language, source)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		if c.Op == catalog.Removed {
			return false
		}
		findings := check.Breaking(of.examine(c.Name, c.Text))
		if len(findings) == 0 {
			return false
		}
		for _, f := range findings {
			r.leaveOut(x, f.Check, c.Key, fmt.Sprintf("the translation %q is left out: %s; correct it at the service, or switch the check off with skip_checks", c.Text, f.Reason))
		}
		result.Leave(in.Base, c.Name)
		return true
	})
}

// guardFloor is how many translations a file must lose before the guard looks at the share.
const guardFloor = 10

// guarded reports whether the changes would take more translations from a file than the guard allows.
func (r *pulling) guarded(x translated, in catalog.Three, changes []catalog.Change) bool {
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
	if lost < guardFloor || float64(lost) <= r.cfg.Pull.Guard*float64(len(have)) || r.o.Force {
		return false
	}
	r.leaveChanges(x, changes)
	p := report.Problem{Code: report.CodeGuard, File: x.Path, Language: x.Language.Code,
		Problem: fmt.Sprintf("would lose %d of its %d translations, more than the guard of %g allows; the file is left as it is. If that is meant, run locsync pull --force", lost, len(have), r.cfg.Pull.Guard)}
	r.holds = append(r.holds, p)
	r.problem(p)
	return true
}
