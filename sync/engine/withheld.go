package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/spelling"
)

// What would break the program, or takes more from a file than is meant, is not written, and the report names it.

// shaped takes out and reports the changes of keys whose texts do not fit together as the source's do: they crash an
// Android program. Where the service has the source's shape and the repository the one before it, the old texts go.
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

// shapes are those of a catalog's keys; with like, only texts of the kind there count. Of mixed kinds the last counts.
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

// unfit are the texts of a target file that are never sent, and why: those of a key that has two, and those of a list
// that the source does not have as such, so that the service has no source text for them.
func unfit(source catalog.Catalog, f *resource.File, texts catalog.Catalog) map[catalog.Name]string {
	bad, twice, want := make(map[catalog.Name]string), clashesWithin(f), map[string]shape{}
	item := func(u catalog.Unit) bool { return spelling.IsItem(u.Form) }
	if slices.ContainsFunc(texts, item) || slices.ContainsFunc(source, item) {
		want = shapes(source, nil)
	}
	for _, u := range texts {
		of, kind := want[u.Key], shapeOf(u.Form)
		switch list := "a list"; {
		case twice[u.Key] != "":
			bad[u.Name] = twice[u.Key]
		case of.kind == "" || kind != list && of.kind != list || of.forms[u.Form]:
		case kind == of.kind:
			bad[u.Name] = fmt.Sprintf("the list is longer than the source's, which has %d items; what is beyond those is not sent."+
				" Take it out, or write it into the source too", len(of.forms))
		default:
			bad[u.Name] = fmt.Sprintf("it is %s, and the source has %s; it is not sent until both have the same", kind, of.kind)
		}
	}
	return bad
}

// unfitProblems names each key of which texts are never sent, once.
func unfitProblems(target bundle.Target, texts catalog.Catalog, unfit map[catalog.Name]string) (all []report.Problem) {
	told := make(map[string]bool)
	for _, u := range texts {
		if why := unfit[u.Name]; why != "" && !told[u.Key] {
			told[u.Key] = true
			code := report.CodeShape
			if strings.HasPrefix(why, "stands twice") {
				code = report.CodeClash
			}
			all = append(all, report.Problem{Code: code, File: target.Path, Key: u.Key, Language: target.Language.Code, Problem: why})
		}
	}
	return all
}

// misfit says why new texts of a key, with the repository's, do not fit the source's; pluralsWhole sees to categories.
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
