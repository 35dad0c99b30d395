package local

import (
	"slices"

	"github.com/locsync/locsync/sync/plural"
)

// pluralArgument is the name that the number has in the messages that plural forms become.
const pluralArgument = "count"

// sortForms puts plural forms into CLDR's order.
func sortForms(texts []text) {
	slices.SortStableFunc(texts, func(a, b text) int { return plural.Compare(a.form, b.form) })
}

// inOneText is a key's text for formats that have one text for a key: its only one, or its plural forms as an ICU message.
func inOneText(texts []text) string {
	if len(texts) == 1 && texts[0].form == "" {
		return texts[0].value
	}
	forms := make([]plural.Form, len(texts))
	for i, t := range texts {
		forms[i] = plural.Form{Category: t.form, Text: t.value}
	}
	return plural.Join(pluralArgument, forms)
}

// inForms is the inverse of inOneText: the plural forms of a message that is one plural argument and nothing else, sorted; of any other
// text the form "other". A # stays, as plural forms have no sign of their own for the number.
func inForms(message string) []text {
	_, forms, ok := plural.Split(message, "#")
	if !ok {
		return []text{{form: plural.Other, value: message}}
	}
	texts := make([]text, len(forms))
	for i, f := range forms {
		texts[i] = text{form: f.Category, value: f.Text}
	}
	return texts
}
