// Package check answers one question: would this translation break the program? A translation breaks it when it asks for an
// argument that the program does not pass, or in another type, when it drops what the program fills in, when its markup
// does not close, when a message format does not parse, when a plural has no form for numbers that the language counts by, or when it
// holds characters that no text has.
//
// Its law: a check that is unsure says nothing. What is no sure sign of trouble (a dropped <b>, a repeated name, another date
// format, a per cent sign in plain text) is the translator's business. All that is known of the program is the source
// text, so everything is measured against that: what the source does not do is no placeholder, and a source that breaks a rule
// itself frees the translation from it.
//
// What is recognised, by the names of the checks:
//
//	printf       %s %1$s %d %,.2f %%       as Java has them in Android, as Objective-C has them in .strings (%@ %lld), as C elsewhere
//	names        {name} {0} {} {{name}} ${name} %{name} %<name>d %(name)s %name% $t(key)
//	icu          {n, plural, one {...} other {...}}, select, selectordinal, with the arguments and the number in each branch
//	markup       tags: open and closed, links and the program's own tags kept. xliff:g may go, as Android does not show it to the program,
//	             but not come with an id that the source does not have
//	plurals      the forms that the language needs, in Android plurals and in ICU messages; see Forms
//	characters   control characters, U+FFFD
//
// A plural form is measured against the source's text for that form or for "other". In zero, one and two the number may be there though the
// source leaves it out, and may be left out where the form stands for few numbers in its language (one in English, but not in Russian, where it
// is 21 as well).
//
// That a text would not parse in its format is no check of these: the format's grammar refuses to write it, and says why. Plurals of Apple's
// .stringsdict are not known here; no format of the service's has them.
//
// The package is pure: texts in, findings out. Of ours it imports plural alone, for the categories of languages and the one reader of ICU
// messages. It knows no files, and it does not judge language: spelling, length, tone.
package check

import (
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/plural"
)

// The checks, as findings and the configuration (skip_checks) name them.
const (
	Printf     = "printf"
	Names      = "names"
	ICU        = "icu"
	Markup     = "markup"
	Plurals    = "plurals"
	Characters = "characters"
)

// All are the names of the checks.
var All = []string{Printf, Names, ICU, Markup, Plurals, Characters}

// Input is one translation and what it translates.
type Input struct {
	Format      string // of the file, as the configuration names it: android-xml, ios-strings, json, structured-yaml, ...
	Key, Form   string // Form: plural category or item index; empty otherwise
	Source      string // the source text of the key and form, or of "other" where the source has no such form
	Translation string
	// Language is the translation's, SourceLanguage the source's, as the service has them; of one that is not known nothing is claimed.
	Language, SourceLanguage string
	Skip                     func(check string) bool // whether a check is not to be made; nil makes all
}

// Finding is one way in which a translation would break the program.
type Finding struct {
	Check  string // one of All
	Reason string // in plain words, to stand behind "the translation is left out:"
}

// Translation returns what is wrong with a translation, nothing when it is sound. An empty one is always sound: it is not translated yet.
func Translation(in Input) []Finding {
	if in.Translation == "" || in.Translation == in.Source {
		return nil
	}
	p := pair{in: in, source: in.Source, text: in.Translation}
	p.mayAdd, p.mayDrop = loose(in)
	p.characters()
	if in.Source == "" {
		return p.findings
	}
	has := func(signs string) bool {
		return strings.ContainsAny(p.source, signs) || strings.ContainsAny(p.text, signs)
	}
	if has("%") {
		p.printf(dialectOf(in.Format))
	}
	if has("{%$") && !p.icu() {
		p.names()
	}
	if has("<") {
		p.markup()
	}
	return p.findings
}

// pair is a translation under examination.
type pair struct {
	in           Input
	source, text string
	mayAdd       bool // a plural form that may say the number though the source's does not
	mayDrop      bool // a plural form that may leave the number out
	findings     []Finding
}

func (p *pair) found(check, reason string) {
	if p.in.Skip == nil || !p.in.Skip(check) {
		p.findings = append(p.findings, Finding{check, reason})
	}
}

// loose reports how freely a text deals with the number as a plural form of few numbers (zero, one, two): the source may have left it out
// there, and where the language has no other numbers in that form the translation may. Formats without plural forms of their own spell the
// category at the end of the key (days/one, day_one), or count the forms, as gettext does.
func loose(in Input) (mayAdd, mayDrop bool) {
	form := in.Form
	if form == "" && in.Format != "android-xml" { // whose rules the program counts by is not known: Rails has "one" for 1 alone in any language
		form = in.Key[strings.LastIndexAny(in.Key, "/._")+1:]
		few := form == "0" || form == plural.Zero || form == plural.One || form == plural.Two
		return few, few
	}
	if form != plural.Zero && form != plural.One && form != plural.Two {
		return false, false
	}
	for _, c := range plural.Categories(in.Language) {
		if c.Name == form {
			return true, len(c.Numbers) > 0
		}
	}
	return true, true
}

// listed spells names as a list in words, the first few of many.
func listed(names []string) string {
	const few = 5
	if n := len(names) - few; n > 1 {
		names = append(names[:few:few], fmt.Sprintf("%d more", n))
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
