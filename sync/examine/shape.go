package examine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/spelling"
)

// Shape is what the texts of one key are together.
type Shape struct {
	Kind  string // in words
	forms map[string]bool
}

// Shapes are those of a catalog's keys; with like, only texts of the kind there count. Of mixed kinds the last counts.
func Shapes(c catalog.Catalog, like map[string]Shape) map[string]Shape {
	all := make(map[string]Shape)
	for _, u := range c {
		kind := ShapeOf(u.Form)
		if like != nil && like[u.Key].Kind != kind {
			continue
		}
		s := all[u.Key]
		if s.Kind != kind {
			s = Shape{kind, make(map[string]bool)}
		}
		s.forms[u.Form] = true
		all[u.Key] = s
	}
	return all
}

// ShapeOf is the shape, in words, of texts that have such a form.
func ShapeOf(form string) string {
	switch {
	case form == "":
		return "one text"
	case spelling.IsItem(form):
		return "a list"
	}
	return "a plural"
}

// Unfit are the texts of a target file that are never sent, and why: those of a key that has two, and those of a list
// that the source does not have as such, so that the service has no source text for them.
func Unfit(source catalog.Catalog, f *resource.File, texts catalog.Catalog) map[catalog.Name]string {
	bad, twice, want := make(map[catalog.Name]string), bundle.Clashes(f), map[string]Shape{}
	item := func(u catalog.Unit) bool { return spelling.IsItem(u.Form) }
	if slices.ContainsFunc(texts, item) || slices.ContainsFunc(source, item) {
		want = Shapes(source, nil)
	}
	for _, u := range texts {
		of, kind := want[u.Key], ShapeOf(u.Form)
		switch list := "a list"; {
		case twice[u.Key] != "":
			bad[u.Name] = twice[u.Key]
		case of.Kind == "" || kind != list && of.Kind != list || of.forms[u.Form]:
		case kind == of.Kind:
			bad[u.Name] = fmt.Sprintf("the list is longer than the source's, which has %d items; what is beyond those is "+
				"not sent. Take it out, or write it into the source too", len(of.forms))
		default:
			bad[u.Name] = fmt.Sprintf("it is %s, and the source has %s; it is not sent until both have the same", kind, of.Kind)
		}
	}
	return bad
}

// UnfitProblems names each key of which texts are never sent, once.
func UnfitProblems(target bundle.Target, texts catalog.Catalog, unfit map[catalog.Name]string) (all []report.Problem) {
	told := make(map[string]bool)
	for _, u := range texts {
		if why := unfit[u.Name]; why != "" && !told[u.Key] {
			told[u.Key] = true
			code := report.CodeShape
			if strings.HasPrefix(why, "stands twice") {
				code = report.CodeClash
			}
			all = append(all, report.Problem{Code: code, File: target.Path, Key: u.Key, Language: target.Language.Code,
				Problem: why})
		}
	}
	return all
}

// Misfit says why new texts of a key, with the repository's, do not fit the source's; pluralsWhole sees to categories.
func (s Shape) Misfit(source, have Shape) string {
	forms := maps.Clone(s.forms)
	maps.Copy(forms, have.forms)
	switch {
	case s.Kind != source.Kind:
		return fmt.Sprintf("it is %s, and the source has %s", s.Kind, source.Kind)
	case s.Kind == "a list" && len(source.forms) != len(forms):
		return fmt.Sprintf("the list has %d items, and the source's has %d", len(forms), len(source.forms))
	}
	return ""
}
