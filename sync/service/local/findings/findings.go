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
	Form   string `json:"form"` // empty: of the only text, or of all forms together
	Check  string `json:"check"`
	Reason string `json:"-"`
	Holds  bool   `json:"holds"` // pulls hold the translation back for it

	// What is wrong, and what to do, for people.
	Said string `json:"said"`
	Todo string `json:"todo"`

	format string // of what is wrong, with its values; empty: the check's own words
	values []any
	todo   []string
}

// Of says in English what a check has found.
func Of(form string, f check.Finding) Finding {
	one := Finding{Form: form, Check: f.Check, Reason: f.Reason, Holds: !f.Warning}
	say := func(what, single, several, todo string, values ...any) {
		one.format, one.values, one.todo = single, values, []string{todo}
		if strings.Contains(what, " and ") {
			one.format = several
		}
	}
	switch {
	case f.Lacking != "" && f.Unknown != "":
		say(f.Unknown, "%s is there instead of %s.", "%s are there instead of %s.",
			"Take it as the source has it: the program knows no other.", f.Unknown, f.Lacking)
	case f.Lacking != "" && f.Check == check.Markup:
		say(f.Lacking, "%s is missing.", "%s are missing.", "The program needs it; put it where it belongs.", f.Lacking)
	case f.Lacking != "":
		say(f.Lacking, "%s is missing.", "%s are missing.", "The program fills it in; put it where it belongs.", f.Lacking)
	case f.Unknown != "":
		say(f.Unknown, "%s is not in the source.", "%s are not in the source.",
			"The program has nothing for it; take it out.", f.Unknown)
	default:
		first, size := utf8.DecodeRuneInString(f.Reason)
		one.Said = string(unicode.ToUpper(first)) + f.Reason[size:] + "."
	}
	if one.Holds {
		one.todo = append(one.todo, "Until then this text is not published.")
	}
	return In(words.Choose("", ""), []Finding{one})[0]
}

// In says findings in a language. What only the check has words for stays in English.
func In(l *words.Language, all []Finding) []Finding {
	for i := range all {
		f := &all[i]
		if f.format != "" {
			f.Said = l.Say(f.format, f.values...)
		}
		var todo []string
		for _, text := range f.todo {
			todo = append(todo, l.Text(text))
		}
		f.Todo = strings.Join(todo, " ")
	}
	return all
}
