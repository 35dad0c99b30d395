// Package findings says in plain words what a check has found in a translation, and what to do about it.
//
// Its law: whether a pull holds the text back is what the check says. It checks nothing itself.
package findings

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/check"
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
}

// Of says in plain words what a check has found.
func Of(form string, f check.Finding) Finding {
	one := Finding{Form: form, Check: f.Check, Reason: f.Reason, Holds: !f.Warning}
	plural := func(list string) string {
		if strings.Contains(list, " and ") {
			return " are "
		}
		return " is "
	}
	switch {
	case f.Lacking != "" && f.Unknown != "":
		one.Said = f.Unknown + plural(f.Unknown) + "there instead of " + f.Lacking + "."
		one.Todo = "Take it as the source has it: the program knows no other."
	case f.Lacking != "":
		one.Said = f.Lacking + plural(f.Lacking) + "missing."
		one.Todo = "The program fills it in; put it where it belongs."
		if f.Check == check.Markup {
			one.Todo = "The program needs it; put it where it belongs."
		}
	case f.Unknown != "":
		one.Said = f.Unknown + plural(f.Unknown) + "not in the source."
		one.Todo = "The program has nothing for it; take it out."
	default:
		first, size := utf8.DecodeRuneInString(f.Reason)
		one.Said = string(unicode.ToUpper(first)) + f.Reason[size:] + "."
	}
	if one.Holds {
		one.Todo = strings.TrimSpace(one.Todo + " Until then this text is not published.")
	}
	return one
}
