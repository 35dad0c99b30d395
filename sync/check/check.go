// Package check answers one question: would this translation break the program? A translation breaks it when it asks
// for an argument that the program does not pass, or in another type, when it drops what the program fills in, when its
// markup does not close, when a message format does not parse, when a plural has no form for numbers that the language
// counts by, or when it holds characters that no text has.
//
// Its law: a check that is unsure says nothing. What is not a sure sign of trouble (a dropped <b>, a repeated name,
// another date format, a per cent sign in plain text) is the translator's business. All that is known of the program
// is the source text, so everything is measured against that: what the source does not do is not a placeholder, and a
// source that breaks a rule itself frees the translation from it.
//
// What a check finds holds a translation back where the program would fail, or lose what it fills in. Where the program
// works and the text at worst reads oddly, the finding is a Warning: it is named, and holds nothing back.
//
// What is recognised, by the names of the checks:
//
//	printf       %s %1$s %d %,.2f %% as Java has them in Android, as Objective-C has them in .strings (%@ %lld), as C
//	             has them elsewhere; what gettext's flags say of one text (c-format, no-c-format) is believed, and
//	             so are its macros, %<PRIu64>
//	names        {name} {0} {} {{name}} ${name} %{name} %<name>d %(name)s %name% $t(key) and the $1 of MediaWiki. In
//	             Android and .strings they are the program's own or a word of the text, so a difference is a warning
//	icu          {n, plural, one {...} other {...}}, select, selectordinal, with the arguments in each branch
//	markup       tags: open and closed, links and the program's own tags kept; a link that the source does not have is
//	             a warning. xliff:g marks a text for translators, and never reaches the program
//	plurals      the forms that the language needs, in Android plurals, in Rails' maps and in ICU messages; see Forms
//	characters   control characters, U+FFFD
//
// What computes a word of the message's own language (MediaWiki's {{PLURAL:$1|...}}, {{GENDER:...}}, {{GRAMMAR:...}})
// is not a placeholder, and neither are the intervals before the forms of Symfony and Laravel ({1} ...|]1,Inf[ ...).
//
// A form of a plural may fill in what any form of the source's plural fills in, as the program passes all of them the
// same. It is to have what the source's text for that form or for "other" has, but for the number: that may be left out
// where the form stands for few numbers (one in English, but not in Russian, where it is 21 as well), and is worth a
// warning in other forms, but for "other", which is to have it. The form for zero need name nothing of what there is
// none of.
//
// That a text would not parse in its format is not a check of these: the format's grammar refuses to write it, and says
// why.
//
// The package is pure: texts in, findings out. Of ours it imports plural, for the categories of languages and the one
// reader of ICU messages, and programs, which says what those do that read the texts. It knows no files, and it does
// not judge language: spelling, length, tone.
package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/programs"
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
	Programs    programs.Programs // that read the file
	Key, Form   string            // Form: plural category, also of one spelled as keys, or item index; empty otherwise
	Source      string            // the source text of the key and form, or of "other" where the source has no such form
	Translation string
	Forms       []string // of a plural: the source's texts for all its forms
	// Language is the translation's, SourceLanguage the source's, as the service has them; of one that is not known
	// nothing is claimed.
	Language, SourceLanguage string
	Skip                     func(check string) bool // whether a check is not to be made; nil makes all
}

// Finding is one way in which a translation does not fit its source.
type Finding struct {
	Check   string // one of All
	Reason  string // in plain words, to stand behind "the translation is left out:"
	Warning bool   // the program works all the same: nothing is held back for it
}

// Breaking are the findings for which a translation is held back.
func Breaking(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Warning })
}

// Translation returns what is wrong with a translation, nothing when it is sound. An empty one is always sound: it is
// not translated yet.
func Translation(in Input) []Finding {
	if in.Translation == "" || in.Translation == in.Source {
		return nil
	}
	p := pair{in: in, source: in.Source, text: in.Translation, number: numberIn(in)}
	p.characters()
	if in.Source == "" {
		return p.findings
	}
	has := func(signs string) bool {
		return strings.ContainsAny(p.source, signs) || strings.ContainsAny(p.text, signs)
	}
	if has("%") && in.Programs.Printf != programs.None {
		p.printf(in.Programs.Printf)
	}
	if has("{%$") && !p.icu() {
		p.names()
	}
	if in.Programs.MessageFormat && has("'") {
		p.apostrophes()
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
	number       number
	findings     []Finding
}

func (p *pair) found(check, reason string) { p.add(Finding{Check: check, Reason: reason}) }
func (p *pair) warned(check, reason string) {
	p.add(Finding{Check: check, Reason: reason, Warning: true})
}

func (p *pair) add(f Finding) {
	if p.in.Skip == nil || !p.in.Skip(f.Check) {
		p.findings = append(p.findings, f)
	}
}

// number is how a text deals with the number as a form of a plural.
type number struct {
	form    bool // it is one, and not "other", which any number may get
	guessed bool // by the end of its key, which may be something else
	mayAdd  bool // it may say the number though the source's does not, whose other forms are not known
	mayDrop bool // it may leave the number out, as it stands for few numbers
	isZero  bool // it stands for none at all
}

// numberIn tells what a text may do with the number. Formats without plural forms of their own spell the category at
// the end of the key (days/one, day_one), or count the forms, as gettext does. By which rules their programs choose is
// not known: Rails has "one" for 1 alone in any language, and "zero" for 0.
func numberIn(in Input) (n number) {
	form := in.Form
	if form == "" && !in.Programs.Categories {
		form = in.Key[strings.LastIndexAny(in.Key, "/._")+1:]
		few := form == "0" || form == plural.Zero || form == plural.One || form == plural.Two
		return number{form: few, guessed: true, mayAdd: few, mayDrop: few}
	}
	n.form = plural.IsCategory(form) && form != plural.Other
	if form != plural.Zero && form != plural.One && form != plural.Two {
		return n
	}
	n.mayAdd, n.mayDrop, n.isZero = len(in.Forms) == 0, true, form == plural.Zero
	if !in.Programs.Categories {
		return n
	}
	for _, c := range plural.Categories(in.Language) {
		if c.Name == form {
			n.mayDrop = len(c.Numbers) > 0
			n.isZero = n.isZero && slices.Equal(c.Numbers, []int{0})
		}
	}
	return n
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
