package keys

import (
	"slices"

	"github.com/locsync/locsync/sync/service/local/pseudo"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/text/plural"
)

// pluralArgument is the name that the number has in the messages that plural forms become.
const pluralArgument = "count"

// sortForms puts plural forms into CLDR's order.
func sortForms(texts []store.Text) {
	slices.SortStableFunc(texts, func(a, b store.Text) int { return plural.Compare(a.Form, b.Form) })
}

// inOneText is a key's text for formats that have one text for a key: its only one, or its plural forms as an ICU
// message.
func inOneText(texts []store.Text) string {
	if len(texts) == 1 && texts[0].Form == "" {
		return texts[0].Value
	}
	forms := make([]plural.Form, len(texts))
	for i, t := range texts {
		forms[i] = plural.Form{Category: t.Form, Text: t.Value}
	}
	return plural.Join(pluralArgument, plural.Cardinal, forms)
}

// inForms is the inverse of inOneText: the plural forms of a message that is one plural argument and nothing else,
// sorted; of any other text the form "other". A # stays, as plural forms have no sign of their own for the number.
func inForms(message string) []store.Text {
	_, forms, ok := plural.Split(message, plural.Cardinal, "#")
	if !ok {
		return []store.Text{{Form: plural.Other, Value: message}}
	}
	texts := make([]store.Text, len(forms))
	for i, f := range forms {
		texts[i] = store.Text{Form: f.Category, Value: f.Text}
	}
	return texts
}

// pseudoTexts is the pseudo-translation of a key's texts. Plural forms come out as a translator into the language
// would write them: in its categories, those that the source lacks with the text of "other".
func pseudoTexts(texts []store.Text, language string) []store.Text {
	categories := plural.Categories(language)
	if len(categories) == 0 || texts[0].Form == "" || !slices.ContainsFunc(texts, isOther) {
		out := make([]store.Text, len(texts))
		for i, t := range texts {
			out[i] = store.Text{Form: t.Form, Value: pseudo.Text(t.Value, language)}
		}
		return out
	}
	other := texts[slices.IndexFunc(texts, isOther)]
	var out []store.Text
	for _, c := range categories {
		from := other
		if i := slices.IndexFunc(texts, func(t store.Text) bool { return t.Form == c.Name }); i >= 0 {
			from = texts[i]
		} else if c.Rare {
			continue
		}
		out = append(out, store.Text{Form: c.Name, Value: pseudo.Text(from.Value, language)})
	}
	return out
}

func isOther(t store.Text) bool { return t.Form == plural.Other }
