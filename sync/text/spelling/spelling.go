// Package spelling knows the ways in which files spell plurals, and gives the texts of one side the spelling of the
// other:
//
//	forms      the texts of one key (Android). A service may answer with one ICU message instead, and the other way
//	           round: Fit
//	a message  one text, in ICU's grammar. Nothing is to be done for it
//	keys       of their own: files/one and files/other in Rails' maps, file_one and file_other or file and file_plural
//	           in i18next. Join puts them together to the forms of one key. Where they travel as keys (plurals = "keys"),
//	           those that a target file has in addition belong to the source's: Widened. A service that knows such
//	           plurals may answer with a message there, too: Spread
//
// The spelling that the source file has is the one that is written.
package spelling

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
)

// Fit gives a service's texts the spelling of the source's, as far as they are forms or messages, without forms that
// the language does not have.
func Fit(source, theirs catalog.Catalog, rules Rules) catalog.Catalog {
	fitted := make(catalog.Catalog, 0, len(theirs))
	of := Of(source)
	joined := make(map[string]bool)
	for _, u := range theirs {
		s := of[u.Key]
		switch {
		case u.Form == "" && s.Forms != nil && !s.Single:
			fitted = append(fitted, taken(u, s, rules)...)
		case IsForm(u.Form) && s.Single && s.Forms == nil:
			if !joined[u.Key] {
				joined[u.Key] = true
				fitted = append(fitted, together(u.Key, s.Text, theirs)...)
			}
		case IsForm(u.Form) && !plural.Has(rules.Categories(u.Key, s.Forms), u.Form):
		default:
			fitted = append(fitted, u)
		}
	}
	return fitted
}

// IsForm reports whether a form is a plural category.
func IsForm(form string) bool { return form != "" && !IsItem(form) }

// Spelled is how a key of the source is there. Android may have a plural and a single text of one name,
// which are two keys to it.
type Spelled struct {
	Single bool
	Text   string            // the single one
	Forms  map[string]string // by category; nil for none
}

// Of gathers the texts of a source by key.
func Of(source catalog.Catalog) map[string]Spelled {
	all := make(map[string]Spelled, len(source))
	for _, u := range source {
		s := all[u.Key]
		switch {
		case u.Form == "":
			s.Single, s.Text = true, u.Text
		case IsForm(u.Form):
			if s.Forms == nil {
				s.Forms = make(map[string]string)
			}
			s.Forms[u.Form] = u.Text
		}
		all[u.Key] = s
	}
	return all
}

// numberSign is a placeholder that a plural's number fills in: printf's for whole numbers, Rails', i18next's.
var numberSign = regexp.MustCompile(`%(?:\d+\$)?,?(?:ll?|z|q)?[diu]|%arg\b|` + countName.String())

// Rules are those of a file's plurals: which categories its language has, as its program reads them.
type Rules struct {
	Language string
	Source   string // language of the source
	Keys     bool   // forms are keys of their own: "zero" is read in every language, and _ordinal counts places
	Whole    bool   // forms are for whole numbers alone

	Indexed []string // the forms that the file has an index for, also those of millions alone
	Joined  *Joined  // the source's plurals that are keys of their own; nil for none
}

// Kind is what a plural counts.
func (r Rules) Kind(key string) plural.Kind {
	if r.Keys && Ordinal(key) {
		return plural.Ordinal
	}
	return plural.Cardinal
}

// Categories are those that a plural may have, whose source has these forms; none where nothing is known.
func (r Rules) Categories(key string, source map[string]string) []plural.Category {
	if r.Joined != nil && r.Joined.pairs[key] {
		return third(r.Language)
	}
	categories := plural.Categories(r.Language)
	if r.Kind(key) == plural.Ordinal {
		categories = plural.Ordinals(r.Language)
	}
	if r.Whole {
		categories = slices.DeleteFunc(slices.Clone(categories), func(c plural.Category) bool {
			return (c.Rare || r.Indexed != nil) && !slices.Contains(r.Indexed, c.Name)
		})
	}
	if _, has := source[plural.Zero]; has && r.Keys && !plural.Has(categories, plural.Zero) {
		categories = append([]plural.Category{{Name: plural.Zero, Numbers: []int{0}}}, categories...)
	}
	return categories
}

// taken are the forms of an ICU message that represents a plural of the source; the message itself where it
// cannot be taken apart. Where the message has a #, the forms get the source's placeholder for a number, if
// it has but one.
func taken(u catalog.Unit, source Spelled, rules Rules) catalog.Catalog {
	number := ""
	if signs := numberSign.FindAllString(source.Forms[plural.Other], -1); len(signs) == 1 {
		number = signs[0]
	}
	known := strings.Join(slices.Collect(maps.Values(source.Forms)), "\n")
	forms, ok := plural.SplitText(u.Text, rules.Kind(u.Key), number, known)
	if !ok && rules.Keys && !strings.Contains(u.Text, string(rules.Kind(u.Key))) { // a single text in a plural's place
		return catalog.Catalog{{Name: catalog.Name{Key: u.Key, Form: plural.Other}, Text: u.Text, Note: u.Note}}
	}
	if !ok {
		return catalog.Catalog{u}
	}
	categories := rules.Categories(u.Key, source.Forms)
	var texts catalog.Catalog
	for _, f := range forms {
		if plural.Has(categories, f.Category) {
			texts = append(texts, catalog.Unit{Name: catalog.Name{Key: u.Key, Form: f.Category}, Text: f.Text, Note: u.Note})
		}
	}
	return texts
}

// together is the ICU message of a key's forms, whose source is such a message; the forms themselves where it
// is none. Forms that are sound branches as they are stay so, for the source's branches may have arguments
// and a # as well.
func together(key, source string, theirs catalog.Catalog) catalog.Catalog {
	var units catalog.Catalog
	var forms []plural.Form
	for _, u := range theirs {
		if u.Key == key && IsForm(u.Form) {
			units = append(units, u)
			forms = append(forms, plural.Form{Category: u.Form, Text: u.Text})
		}
	}
	a, err := plural.ParseArgument(strings.TrimSpace(source))
	if err != nil || a.Type != "plural" || a.To != len(strings.TrimSpace(source)) {
		return units
	}
	plural.Sort(forms)
	message := "{" + a.Name + ", plural,"
	for _, f := range forms {
		message += " " + f.Category + " {" + f.Text + "}"
	}
	message += "}"
	whole, err := plural.ParseArgument(message)
	if err != nil || whole.To != len(message) || len(whole.Branches) != len(forms) {
		message = plural.Join(a.Name, plural.Cardinal, forms)
	}
	return catalog.Catalog{{Name: catalog.Name{Key: key}, Text: message, Note: units[0].Note}}
}

// IsItem reports whether a form is an index in a list, not a plural category.
func IsItem(form string) bool { return form != "" && form[0] >= '0' && form[0] <= '9' }

// Own are a source's texts without the plural forms that a language does not have.
func Own(source catalog.Catalog, rules Rules) catalog.Catalog {
	if !slices.ContainsFunc(source, func(u catalog.Unit) bool { return IsForm(u.Form) }) {
		return source
	}
	of := Of(source)
	return slices.DeleteFunc(slices.Clone(source), func(u catalog.Unit) bool {
		return IsForm(u.Form) && !plural.Has(rules.Categories(u.Key, of[u.Key].Forms), u.Form)
	})
}
