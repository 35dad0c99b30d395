// Package check says whether a translation would break the program that shows it: placeholders that do not match the source's, markup that
// does not, characters that no text should hold.
//
// Its law: a check that is unsure says nothing. A false alarm keeps a good translation from its users, which is as bad as a miss.
//
// The package is pure: strings in, findings out. It knows no files, keys or services, and imports nothing of ours.
package check

import (
	"fmt"
	"strings"
	"unicode"
)

// Input is one translation beside its source text.
type Input struct {
	Format      string // as the service interface spells it: placeholders and markup differ between formats
	Key, Form   string // the form is a plural category or the index of an item, or empty
	Source      string
	Translation string
	Language    string // of the translation
}

// Finding is a reason not to use a translation.
type Finding struct {
	Check  string // which check: "placeholders", "markup", "characters"
	Reason string // in plain words
}

// Translation runs every check.
func Translation(in Input) []Finding {
	var found []Finding
	if r := strayControl(in.Source, in.Translation); r != 0 {
		found = append(found, Finding{"characters", fmt.Sprintf("it holds the control character %U, which the source does not", r)})
	}
	return found
}

// strayControl returns a control character of the translation that the source does not have; 0 for none. Line ends and tabs are text.
func strayControl(source, translation string) rune {
	for _, r := range translation {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' && !strings.ContainsRune(source, r) {
			return r
		}
	}
	return 0
}
