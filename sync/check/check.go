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
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/text/plural"
)

// Breaking are the findings for which a translation is held back.
func Breaking(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Warning })
}

// Translation returns what is wrong with a translation, nothing when it is sound. An empty one is always sound: it is
// not translated yet.
func Translation(in Input) []Finding {
	if in.Translation == "" {
		return nil
	}
	p := pair{in: in, source: in.Source, text: in.Translation, number: numberIn(in)}
	if in.Translation != in.Source || in.OwnFlags {
		p.breaking()
	}
	if in.Source != "" {
		p.source, p.text = in.Source, in.Translation
		p.harmless()
	}
	return p.findings
}

// breaking looks for what the program fails with, or loses.
func (p *pair) breaking() {
	p.characters()
	if p.source == "" {
		return
	}
	has := func(signs string) bool {
		return strings.ContainsAny(p.source, signs) || strings.ContainsAny(p.text, signs)
	}
	known := p.read()
	of := p.in.Programs
	if !known && has("%") && of.Printf != programs.None {
		p.printf(of.Printf)
		if of.Positions {
			p.positions()
		}
	}
	if !known && has("{%$") && !p.icu() {
		p.names()
	}
	if !known && of.MessageFormat && has("'") {
		p.apostrophes()
	}
	if !known && of.Messages && has("'") {
		p.quotes()
	}
	if has("<") {
		p.markup()
	}
	if of.Lines {
		p.lines()
	}
	plain := !known || of.Reader == programs.Laravel
	if plain && of.Named && len(p.findings) == 0 && strings.Contains(p.source, "|") {
		p.intervals()
	}
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
