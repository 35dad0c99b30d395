package spelling

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
)

// Wanted are the keys of a source that a language is to have: all but the forms of plurals spelled as keys that are for
// categories which the language does not have.
func Wanted(source catalog.Catalog, separator, from, language string) map[string]bool {
	wanted := source.Keys()
	for key, is := range PluralsIn(source, separator, from).Foreign(language) {
		if is {
			delete(wanted, key)
		}
	}
	return wanted
}

// Complete are the keys that texts translate whole: a text is there, and of a plural one for each category that the
// language has for numbers that people meet, as forms or as branches of a message. Of a language whose categories are
// not known any form will do.
func Complete(source, texts catalog.Catalog, rules Rules) map[string]bool {
	complete := Translated(texts)
	messages := make(map[string][]plural.Argument)
	for _, u := range source {
		if u.Form != "" || !strings.Contains(u.Text, "plural,") && !strings.Contains(u.Text, "selectordinal,") {
			continue
		}
		message, _ := plural.Parse(u.Text)
		messages[u.Key] = message.Plurals()
	}
	for _, u := range texts {
		if of := messages[u.Key]; len(of) > 0 && u.Form == "" {
			complete[u.Key] = complete[u.Key] && isWhole(u.Text, of, rules)
		}
	}
	counted := make(map[string]bool) // keys of the source that are plurals
	for _, u := range source {
		if IsForm(u.Form) {
			counted[u.Key] = true
		}
	}
	if len(counted) == 0 {
		return complete
	}
	for key, s := range Of(texts) {
		if !counted[key] || s.Forms == nil {
			continue
		}
		for _, category := range needed(key, rules) {
			complete[key] = complete[key] && s.Forms[category] != ""
		}
	}
	return complete
}

// isWhole reports whether the plurals of a message have the branches that they need. One that cannot be read is another
// check's.
func isWhole(text string, of []plural.Argument, rules Rules) bool {
	message, err := plural.Parse(text)
	return err != nil || !slices.ContainsFunc(message.Plurals(), func(a plural.Argument) bool {
		at := slices.IndexFunc(of, func(o plural.Argument) bool { return o.Name == a.Name && o.Type == a.Type })
		return at >= 0 && len(a.Lacks(rules.Language, of[at], rules.Source)) > 0
	})
}

// needed are the categories of a plural in a language's file, but for those of fractions and millions alone. Where the
// file has an index for each form and none for one of them, "other" has its numbers.
func needed(key string, rules Rules) (names []string) {
	whole := rules
	whole.Indexed = nil
	for _, c := range whole.Categories(key, nil) {
		switch {
		case c.Rare:
		case rules.Indexed == nil || slices.Contains(rules.Indexed, c.Name):
			names = append(names, c.Name)
		case slices.Contains(rules.Indexed, plural.Other):
			names = append(names, plural.Other)
		}
	}
	return names
}
