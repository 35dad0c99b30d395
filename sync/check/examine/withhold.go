package examine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// Left is a translation that is left out, and why.
type Left struct{ Code, Key, Why string }

// Withhold takes out of a merge's result what would break the program. indexed are the plural forms that the file can
// hold; nil: those of the language.
func Withhold(
	t bundle.Target, indexed []string, source catalog.Catalog, in catalog.Three, result *catalog.Merged,
) []Left {
	a := &withheld{Target: t, indexed: indexed}
	a.shaped(source, in, result)
	a.checked(source, in, result)
	a.pluralsWhole(source, in, result)
	return a.left
}

// withheld is what is left out of one file.
type withheld struct {
	bundle.Target
	indexed []string // plural forms that it can hold; nil: any
	left    []Left
}

func (a *withheld) leaveOut(code, key, why string) { a.left = append(a.left, Left{code, key, why}) }

// shaped takes out and reports the changes of keys whose texts do not fit together as the source's do: they crash an
// Android program. Where the service has the source's shape and the repository the one before it, the old texts go.
func (a *withheld) shaped(source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	formed := func(u catalog.Unit) bool { return u.Form != "" }
	if !slices.ContainsFunc(source, formed) &&
		!slices.ContainsFunc(in.Ours, formed) && !slices.ContainsFunc(in.Theirs, formed) {
		return // most formats have one text for each key
	}
	want := Shapes(source, nil)
	have := Shapes(in.Ours, want)
	fresh := make(catalog.Catalog, 0, len(result.Changes))
	for _, c := range result.Changes {
		if c.Op != catalog.Removed {
			fresh = append(fresh, catalog.Unit{Name: c.Name})
		}
	}
	bad := make(map[string]string)
	for key, s := range Shapes(fresh, nil) {
		if bad[key] = s.Misfit(want[key], have[key]); bad[key] == "" {
			delete(bad, key)
		}
	}
	a.leave(report.CodeShape, "", in, result, bad, func(n catalog.Name) string { return n.Key })
	taken := make(map[string]bool)
	for _, c := range result.Changes {
		taken[c.Key] = taken[c.Key] || c.Op != catalog.Removed
	}
	for _, u := range in.Ours {
		if taken[u.Key] && ShapeOf(u.Form) != want[u.Key].Kind {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Removed, Name: u.Name})
		}
	}
}

// checked takes out the changes that would break the program, and reports them.
func (a *withheld) checked(source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	of := New(a.Sources[0], a.Language, source)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		if c.Op == catalog.Removed {
			return false
		}
		findings := check.Breaking(of.Examine(c.Name, c.Text))
		if len(findings) == 0 {
			return false
		}
		for _, f := range findings {
			a.leaveOut(f.Check, c.Key, fmt.Sprintf("the translation %q is left out: %s; correct it at the service%s",
				c.Text, f.Reason, orSkip))
		}
		result.Leave(in.Base, c.Name)
		return true
	})
}

// pluralsWhole takes out the changes of plurals that lack a form which the language or the program needs, and reports
// them. Forms that the language does not have and that only repeat the source go where a plural gets translations.
func (a *withheld) pluralsWhole(source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	carried(in, result)
	a.mapsWhole(source, in, result)
	if !slices.ContainsFunc(result.Changes, func(c catalog.Change) bool { return spelling.IsForm(c.Form) }) {
		return
	}
	of := spelling.Of(source)
	have := spelling.Of(in.Ours)
	fresh := make(map[string]bool)
	for _, c := range result.Changes {
		s := have[c.Key]
		switch {
		case !spelling.IsForm(c.Form) || of[c.Key].Forms == nil:
			continue
		case c.Op == catalog.Removed:
			delete(s.Forms, c.Form)
		default:
			if s.Forms == nil {
				s.Forms = make(map[string]string)
			}
			s.Forms[c.Form] = c.Text
			fresh[c.Key] = true
		}
		have[c.Key] = s
	}
	bad := make(map[string]string) // keys, and why they are left out
	for key := range fresh {
		findings := check.Breaking(Forms(a.Sources[0], a.Language, key, of[key].Forms, have[key].Forms, a.indexed))
		if len(findings) > 0 {
			bad[key] = findings[0].Reason
		}
	}
	a.leave(report.CodePlurals, orSkip, in, result, bad, func(n catalog.Name) string {
		if !spelling.IsForm(n.Form) {
			return ""
		}
		return n.Key
	})
	rules := bundle.Rules(a.Sources[0], a.Language)
	for _, u := range in.Ours {
		if fresh[u.Key] && bad[u.Key] == "" && spelling.IsForm(u.Form) &&
			!plural.Has(rules.Categories(u.Key, of[u.Key].Forms), u.Form) &&
			u.Text == of[u.Key].Forms[u.Form] {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Removed, Name: u.Name})
		}
	}
}

// orSkip is the other thing that people may do about a check.
const orSkip = ", or switch the check off with skip_checks in [[project.files]]"

// leave takes the changes of bad keys out of a merge's result and reports each of those keys once. of says
// which of them a name counts to; "" for none. otherwise is what people may do beside correcting it.
func (a *withheld) leave(
	code, otherwise string, in catalog.Three, result *catalog.Merged,
	bad map[string]string, of func(catalog.Name) string,
) {
	if len(bad) == 0 {
		return
	}
	told := make(map[string]bool)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		key := of(c.Name)
		if c.Op == catalog.Removed || key == "" || bad[key] == "" {
			return false
		}
		if !told[key] {
			told[key] = true
			a.leaveOut(code, c.Key, "the translation is left out: "+bad[key]+"; correct it at the service"+otherwise)
		}
		result.Leave(in.Base, c.Name)
		return true
	})
}

// carried renames further forms of a plural of keys, which the service does not have: file_few becomes doc_few where
// file_other goes, doc_other comes with the same text, and there is no other candidate for either.
func carried(in catalog.Three, result *catalog.Merged) {
	ours := in.Ours.Index()
	type text struct{ sign, text string } // sign ends what is before "other": it has to be alike
	goes, comes := make(map[text][]string), make(map[text][]string)
	for _, c := range result.Changes {
		before, is := strings.CutSuffix(c.Key, plural.Other)
		if !is || before == "" || c.Form != "" {
			continue
		}
		sign := before[len(before)-1:]
		if at, here := ours[c.Name]; here && c.Op == catalog.Removed {
			id := text{sign, in.Ours[at].Text}
			goes[id] = append(goes[id], before)
		} else if c.Op == catalog.Added {
			id := text{sign, c.Text}
			comes[id] = append(comes[id], before)
		}
	}
	if len(goes) == 0 || len(comes) == 0 {
		return
	}
	became := make(map[string]string)
	for id, from := range goes {
		if to := comes[id]; len(from) == 1 && len(to) == 1 && id.text != "" {
			became[from[0]] = to[0]
		}
	}
	named := make(map[string]bool)
	for _, c := range result.Changes {
		named[c.Key] = named[c.Key] || c.Op != catalog.Removed
	}
	for _, c := range slices.Clone(result.Changes) {
		for _, category := range spelling.BesideOther {
			before, is := strings.CutSuffix(c.Key, category)
			to, moved := became[before]
			if !is || !moved || c.Op != catalog.Removed || c.Form != "" || named[to+category] {
				continue
			}
			n := catalog.Name{Key: to + category}
			if _, here := ours[n]; !here {
				moved := catalog.Change{Op: catalog.Added, Name: n, Text: in.Ours[ours[c.Name]].Text}
				result.Changes = append(result.Changes, moved)
			}
		}
	}
}

// mapsWhole takes out the changes of Rails' plural maps that would have forms and raise an error for some number.
// Where there are no forms at all Rails shows that a translation is missing. Other libraries fall back to another
// language.
func (a *withheld) mapsWhole(source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	b := a.Sources[0]
	if !b.Format.Programs.Rails || len(result.Changes) == 0 {
		return
	}
	of := spelling.PluralsIn(source, b.Separator, b.Source.Code)
	after, changed := make(map[string]string, len(in.Ours)), make(map[string]bool)
	for _, u := range in.Ours {
		after[u.Key] = u.Text
	}
	for _, c := range result.Changes {
		after[c.Key] = c.Text // "" when it is removed
		changed[of.MapOf(c.Key)] = c.Op != catalog.Removed || changed[of.MapOf(c.Key)]
	}
	var texts catalog.Catalog
	for _, key := range slices.Sorted(maps.Keys(after)) {
		texts = append(texts, catalog.Unit{Name: catalog.Name{Key: key}, Text: after[key]})
	}
	bad := make(map[string]string)
	for _, m := range RailsMaps(b, a.Language, source, texts) {
		if changed[m.Other] {
			bad[m.Other] = m.Reason
		}
	}
	a.leave(report.CodePlurals, orSkip, in, result, bad, func(n catalog.Name) string { return of.MapOf(n.Key) })
}
