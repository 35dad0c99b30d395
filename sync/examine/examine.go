// Package examine says what is wrong with a file of translations, given its source texts: texts that would break the
// program, plurals that lack forms, and entries of another shape than the source's.
//
// Its law: a pull that leaves a translation out and a check that names it have the same reason, which is found here.
// The rules themselves are in package check; this one knows how files spell plurals and lists.
//
// It is pure: it reads, reports and writes nothing.
package examine

import (
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/plural"
	"github.com/locsync/locsync/sync/spelling"
)

// Examiner checks translations into one language against the texts of their source.
type Examiner struct {
	b      *bundle.Bundle
	l      config.Language
	source catalog.Catalog
	index  map[catalog.Name]int
	plural *spelling.Plurals // the source's plurals that are spelled as keys; nil until they are asked for
}

// New prepares the checks of one file of translations.
func New(b *bundle.Bundle, l config.Language, source catalog.Catalog) *Examiner {
	return &Examiner{b: b, l: l, source: source, index: source.Index()}
}

// Examine checks one translation: against the source's text of the same name, or of "other" where the source has no
// such form.
func (e *Examiner) Examine(n catalog.Name, text string) []check.Finding {
	at, ok := e.index[n]
	if !ok {
		at, ok = e.index[catalog.Name{Key: n.Key, Form: plural.Other}]
	}
	if !ok {
		return nil
	}
	in := check.Input{Format: e.b.Format.Name, Key: n.Key, Form: n.Form, Source: e.source[at].Text, Translation: text,
		Language: e.l.Code, SourceLanguage: e.b.Source.Code, Skip: Skips(e.b, n.Key)}
	switch {
	case plural.IsCategory(n.Form):
		in.Forms = e.forms(func(category string) catalog.Name { return catalog.Name{Key: n.Key, Form: category} })
	case n.Form == "":
		in.Form, in.Forms = e.spelledForm(n.Key)
	}
	return check.Translation(in)
}

// forms are the source's texts for the categories that it has.
func (e *Examiner) forms(named func(category string) catalog.Name) (texts []string) {
	for _, category := range plural.Order {
		if at, ok := e.index[named(category)]; ok {
			texts = append(texts, e.source[at].Text)
		}
	}
	return texts
}

// spelledForm is which form of a plural a key is that has its category at the end, and what the source has for all
// forms of it; "" for a key that is none.
func (e *Examiner) spelledForm(key string) (form string, forms []string) {
	if e.plural == nil {
		e.plural = spelling.PluralsIn(e.source, e.b.Separator, e.b.Source.Code)
	}
	for _, category := range plural.Order {
		before, is := strings.CutSuffix(key, category)
		if _, counted := e.plural.Others[before]; is && counted {
			return category, e.forms(func(category string) catalog.Name { return catalog.Name{Key: before + category} })
		}
	}
	base, form := key, plural.One
	if single, is := strings.CutSuffix(key, "_plural"); is {
		base, form = single, plural.Other
	} else if single, is := spelling.Numbered(key); is {
		if base = single; !strings.HasSuffix(key, "_0") {
			form = plural.Few
		}
	}
	pair, is := e.plural.Pairs[base]
	if !is {
		return "", nil
	}
	for _, n := range []catalog.Name{{Key: base}, pair} {
		if at, ok := e.index[n]; ok {
			forms = append(forms, e.source[at].Text)
		}
	}
	return form, forms
}

// Skips says for a key which checks its files are configured without.
func Skips(b *bundle.Bundle, key string) func(string) bool {
	return func(name string) bool { return b.Files.Skips(name, key) }
}
