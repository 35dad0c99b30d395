// Package findings says in plain words what a check has found in a translation, and what to do about it.
//
// Its law: whether a pull holds the text back is what the check says. It checks nothing itself.
package findings

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/service/local/words"
)

// Finding is what a check says about a text.
type Finding struct {
	Form  string `json:"form"` // empty: of the only text, or of all forms together
	Check string `json:"check"`
	Holds bool   `json:"holds"` // pulls hold the translation back for it
	// What is wrong, and what to do, for people, where it is said in a language.
	Said string `json:"said"`
	Todo string `json:"todo"`

	of check.Finding
}

// Of is what a check has found in a text of a form.
func Of(form string, f check.Finding) Finding {
	return Finding{Form: form, Check: f.Check, Holds: !f.Warning, of: f}
}

// In says findings in a language.
func In(l *words.Language, all []Finding) []Finding {
	said := make([]Finding, 0, len(all))
	for _, f := range all {
		said = append(said, f.In(l))
	}
	return said
}

// In says a finding in a language.
func (f Finding) In(l *words.Language) Finding {
	say := func(what check.List, single, several, todo string, values ...any) {
		format := single
		if len(what) > 1 {
			format = several
		}
		f.Said, f.Todo = sentence(l, format, values), l.Text(todo)
	}
	lacking, unknown := f.of.Lacking, f.of.Unknown
	switch {
	case len(lacking) > 0 && len(unknown) > 0:
		say(unknown, "%s is there instead of %s.", "%s are there instead of %s.",
			"Take it as the source has it: the program knows no other.", unknown, lacking)
	case len(lacking) > 0 && f.Check == check.Markup:
		say(lacking, "%s is missing.", "%s are missing.", "The program needs it; put it where it belongs.", lacking)
	case len(lacking) > 0:
		say(lacking, "%s is missing.", "%s are missing.", "The program fills it in; put it where it belongs.", lacking)
	case len(unknown) > 0:
		say(unknown, "%s is not in the source.", "%s are not in the source.",
			"The program has nothing for it; take it out.", unknown)
	case f.of.Format == "": // the program's grammar has no words but English ones
		f.Said = l.Say("The program does not take this text: %s.", f.of.Reason)
	default:
		said := sentence(l, f.of.Format, f.of.Values)
		first, size := utf8.DecodeRuneInString(said)
		f.Said = string(unicode.ToUpper(first)) + said[size:] + "."
	}
	if f.Holds {
		f.Todo = strings.TrimSpace(f.Todo + " " + l.Text("Until then this text is not published."))
	}
	return f
}

// sentence is a text in a language, whose values are in words, too.
func sentence(l *words.Language, format string, values []any) string {
	said := make([]any, len(values))
	for i, value := range values {
		said[i] = value
		switch v := value.(type) {
		case check.List:
			said[i] = listed(l, v)
		case check.Word:
			said[i] = l.Text(string(v))
		case check.Finding:
			said[i] = sentence(l, v.Format, v.Values)
		}
	}
	return l.Say(format, said...)
}

// listed spells several things as a list in words.
func listed(l *words.Language, all check.List) string {
	few, more := all.Few()
	if more > 0 {
		few = append(few, l.Say("%d more", more))
	}
	last := len(few) - 1
	if last < 1 {
		return strings.Join(few, "")
	}
	return l.Say("%s and %s", strings.Join(few[:last], ", "), few[last])
}
