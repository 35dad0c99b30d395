// Package check answers one question: would this translation break the program? A translation breaks it when it asks for an
// argument that the program does not pass, or in another type, when it drops what the program fills in, when its markup
// does not close, when a message format does not parse, or when it holds characters that no text has.
//
// Its law: a check that is unsure says nothing. What is no sure sign of trouble (a dropped <b>, a repeated name, another date
// format, a per cent sign in plain text) is the translator's business. All that is known of the program is the source
// text, so everything is measured against that: what the source does not do is no placeholder, and a source that breaks a rule
// itself frees the translation from it.
//
// What is recognised:
//
//	printf       %s %1$s %d %,.2f %%       as Java has them in Android, as Objective-C has them in .strings (%@ %lld), as C elsewhere
//	names        {name} {0} {{name}} ${name} %{name} %<name>d %(name)s %name% $t(key)
//	ICU          {n, plural, one {...} other {...}}, select, selectordinal, with the arguments in all branches
//	markup       tags: open and closed, links and the program's own tags kept. xliff:g may go, as Android does not show it to the program
//	characters   control characters, U+FFFD
//
// A plural form is measured against the source's text for that form or for "other". In forms that may stand for
// one number only (zero, one, two) the number may be left out, or be there though the source leaves it out.
//
// The package is pure: texts in, findings out. It knows no files, and it does not judge language: spelling, length, tone.
package check

import (
	"fmt"
	"strings"
)

// Input is one translation and what it translates.
type Input struct {
	Format      string // of the file, as the configuration names it: android-xml, ios-strings, json, structured-yaml, ...
	Key, Form   string // Form: plural category or item index; empty otherwise
	Source      string // the source text of the key and form, or of "other" where the source has no such form
	Translation string
	Language    string // of the translation; nothing depends on it yet
}

// Finding is one way in which a translation would break the program.
type Finding struct {
	Check  string // printf, placeholder, icu, markup or characters
	Reason string // in plain words, to stand behind "the translation is left out:"
}

// Translation returns what is wrong with a translation, nothing when it is sound. An empty one is always sound: it is not translated yet.
func Translation(in Input) []Finding {
	if in.Translation == "" || in.Translation == in.Source {
		return nil
	}
	p := pair{source: in.Source, text: in.Translation, loose: isLoose(in)}
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
		p.names(in)
	}
	if has("<") {
		p.markup()
	}
	return p.findings
}

// pair is a translation under examination.
type pair struct {
	source, text string
	loose        bool // a plural form that may leave the number out
	findings     []Finding
}

func (p *pair) found(check, reason string) {
	p.findings = append(p.findings, Finding{check, reason})
}

// isLoose reports whether a text is the plural form of a single number, so that the number need not be said: zero, one or two. Formats
// without plural forms of their own spell the category at the end of the key (days/one, day_one), or count the forms, as gettext does.
func isLoose(in Input) bool {
	form := in.Form
	if form == "" && in.Format != "android-xml" {
		form = in.Key[strings.LastIndexAny(in.Key, "/._")+1:]
		if form == "0" {
			return true
		}
	}
	return form == "zero" || form == "one" || form == "two"
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
