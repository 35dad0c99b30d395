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
	// Format and Values make up Reason, for those who say it in another language; Format is empty where the grammar of
	// the program is the only one that has words for it.
	Format string
	Values []any
	// What the source has and the translation lacks, and the other way about; empty where the finding is another one.
	Lacking, Unknown List
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

// say makes a finding with a reason.
func say(check, format string, values ...any) Finding {
	f := Finding{Check: check, Reason: format, Format: format, Values: values}
	if len(values) > 0 {
		f.Reason = fmt.Sprintf(format, values...)
	}
	return f
}

func (p *pair) found(check, format string, values ...any) { p.add(say(check, format, values...)) }
func (p *pair) warned(check, format string, values ...any) {
	f := say(check, format, values...)
	f.Warning = true
	p.add(f)
}

// refused enters what the program's grammar says.
func (p *pair) refused(check, reason string) { p.add(Finding{Check: check, Reason: reason}) }

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
func (p *pair) kind(kind, format string, values ...any) {
	if l := p.level(kind); l != Off {
		f := say(kind, format, values...)
		f.Warning = l != Fail
		p.findings = append(p.findings, f)
	}
}

// List is what several things of a text are spelled as. As a value of a finding it is read as a list in words.
type List []string

// Few are the first few names, and how many there are beside.
func (n List) Few() (few List, more int) {
	const most = 5
	more = len(n) - most
	if more > 1 {
		return n[:most:most], more
	}
	return n, 0
}

// String spells the first few names as a list in words.
func (n List) String() string {
	few, more := n.Few()
	if more > 0 {
		few = append(few, fmt.Sprintf("%d more", more))
	}
	if len(few) < 2 {
		return strings.Join(few, "")
	}
	return strings.Join(few[:len(few)-1], ", ") + " and " + few[len(few)-1]
}

func (f Finding) String() string { return f.Reason }

// Word is a value of a finding that is a word of its own.
type Word string
