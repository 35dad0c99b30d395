// Package spelling knows the ways in which files spell plurals, and gives the texts of one side the spelling of the
// other:
//
//	forms      the texts of one key (Android). A service may answer with one ICU message instead, and the other way
//	           round: Fit
//	a message  one text, in ICU's grammar. Nothing is to be done for it
//	keys       of their own: files/one and files/other in Rails' maps, file_one and file_other or file and file_plural
//	           in i18next. They are ordinary keys, but those that a target file has in addition belong to the source's:
//	           Widened. A service that knows such plurals may answer with a message here, too: Spread
//
// The spelling that the source file has is the one that is written.
package spelling

import (
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/plural"
)

// Fit gives a service's texts the spelling of the source's, as far as they are forms or messages, without forms that
// the language does not have.
func Fit(source, theirs catalog.Catalog, categories []plural.Category) catalog.Catalog {
	fitted := make(catalog.Catalog, 0, len(theirs))
	of := Of(source)
	joined := make(map[string]bool)
	for _, u := range theirs {
		s := of[u.Key]
		switch {
		case u.Form == "" && s.Forms != nil && !s.Single:
			fitted = append(fitted, taken(u, s, categories)...)
		case IsForm(u.Form) && s.Single && s.Forms == nil:
			if !joined[u.Key] {
				joined[u.Key] = true
				fitted = append(fitted, together(u.Key, s.Text, theirs)...)
			}
		case IsForm(u.Form) && !plural.Has(categories, u.Form):
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

// numberSign is a printf placeholder that a whole number fills in.
var numberSign = regexp.MustCompile(`%(?:\d+\$)?,?(?:ll?|z|q)?[diu]|%arg\b`)

// taken are the forms of an ICU message that represents a plural of the source; the message itself where it
// cannot be taken apart. Where the message has a #, the forms get the source's placeholder for a number, if
// it has but one.
func taken(u catalog.Unit, source Spelled, language []plural.Category) catalog.Catalog {
	number := ""
	if signs := numberSign.FindAllString(source.Forms[plural.Other], -1); len(signs) == 1 {
		number = signs[0]
	}
	_, forms, ok := plural.Split(u.Text, number)
	if !ok {
		return catalog.Catalog{u}
	}
	var texts catalog.Catalog
	for _, f := range forms {
		if plural.Has(language, f.Category) {
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
		message = plural.Join(a.Name, forms)
	}
	return catalog.Catalog{{Name: catalog.Name{Key: key}, Text: message, Note: units[0].Note}}
}

// IsItem reports whether a form is an index in a list, not a plural category.
func IsItem(form string) bool { return form != "" && form[0] >= '0' && form[0] <= '9' }

// Own are a source's texts without the plural forms that a language does not have.
func Own(source catalog.Catalog, language string) catalog.Catalog {
	if !slices.ContainsFunc(source, func(u catalog.Unit) bool { return IsForm(u.Form) }) {
		return source
	}
	categories := plural.Categories(language)
	return slices.DeleteFunc(slices.Clone(source), func(u catalog.Unit) bool {
		return IsForm(u.Form) && !plural.Has(categories, u.Form)
	})
}
