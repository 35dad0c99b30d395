package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/programs"
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

// All are the names of the checks; Kinds are those of what is harmless to a program.
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
	Flags                    string                  // what the file says of the text, for programs
	OwnFlags                 bool                    // Flags are those of the translation, where the source has others
	Note                     string                  // what the file says of it to translators
	Skip                     func(check string) bool // whether a check is not to be made; nil makes all
	Level                    func(kind string) Level // what becomes of Kinds; nil: the usual
	Terms                    *Terms                  // nil: there are none
}

// Finding is one way in which a translation does not fit its source.
type Finding struct {
	Check   string // one of All
	Reason  string // in plain words, to stand behind "the translation is left out:"
	Warning bool   // the program works all the same: nothing is held back for it
	// What the source has and the translation lacks, and the other way about, as a list in words; empty where the finding
	// is another one.
	Lacking, Unknown string
}

// pair is a translation under examination.
type pair struct {
	in           Input
	source, text string
	number       number
	findings     []Finding

	lost   []string // arguments that were found to be lacking
	broken []string // tags that were found to be too many
}

// lostIn reports whether an argument that a tag of the source fills in was found to be lacking; the tag went with it.
func (p *pair) lostIn(tag string) bool {
	return slices.ContainsFunc(p.lost, func(argument string) bool { return strings.Contains(tag, argument) })
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

// The kinds of what is wrong and harmless to the program, as findings and [project.check] name them. Each is a warning
// where nothing else is said, but for URL, which is an error.
const (
	Same     = "same"     // the source text where a translation is expected, of three words or more
	Script   = "script"   // letters of a script that neither the language nor the source is written in
	Language = "language" // the text that another language has under the key
	URL      = "url"      // an address with a host or scheme that the source does not have
	Number   = "number"   // a number of two digits or more that the source has
	Ends     = "ends"     // other punctuation, blanks or line breaks at either end
	Blank    = "blank"    // white space alone
	Length   = "length"   // more characters than a comment allows
	Hidden   = "hidden"   // signs that show nothing, and letters that look like others inside a word
	Stale    = "stale"    // the source text changed after it; what git's history says, and not the texts
	TermKind = "terms"    // a term that must stay, or be translated in one way
)

// Kinds are all of them.
var Kinds = []string{Same, Script, Language, URL, Number, Ends, Blank, Length, Hidden, Stale, TermKind}

// Settings are what a configuration makes of the checks of a text.
type Settings struct {
	Skip  func(check string) bool // see Input
	Level func(kind string) Level
	Terms *Terms
}

// Level is what becomes of a finding.
type Level uint8

// The levels. Usual is the kind's own.
const (
	Usual Level = iota
	Off
	Warn
	Fail
)

// Quiet turns all of Kinds off.
func Quiet(string) Level { return Off }

// level is that of a kind for the text under examination.
func (p *pair) level(kind string) Level {
	level := Usual
	switch {
	case p.in.Skip != nil && p.in.Skip(kind):
		return Off
	case p.in.Level != nil:
		level = p.in.Level(kind)
	}
	switch {
	case level != Usual:
		return level
	case kind == URL || !slices.Contains(Kinds, kind):
		return Fail
	}
	return Warn
}

// kind enters a finding of one of Kinds.
func (p *pair) kind(kind, reason string) {
	if l := p.level(kind); l != Off {
		p.findings = append(p.findings, Finding{Check: kind, Reason: reason, Warning: l != Fail})
	}
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
