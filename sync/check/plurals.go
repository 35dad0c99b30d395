package check

import (
	"slices"
	"strconv"

	"github.com/locsync/locsync/sync/text/plural"
)

// Plural is a plural that a format spells as forms: which it has in the translation, and which in the source.
type Plural struct {
	Source, Forms            []string // categories that have a text
	Language, SourceLanguage string
	Ordinal                  bool     // the forms are of places in an order (1st, 2nd)
	Indexed                  []string // the forms that the file can have; nil: all
	Falls                    bool     // where a form is missing, the program shows the source language's, as i18next does
	Skip                     func(check string) bool
}

// Forms returns what is wrong with the forms of a plural as a whole. The program takes the form of a number's category,
// and where that is missing "other". A plural without "other" has to have a form for every category of whole numbers,
// or the program fails: Android throws, Rails raises. Such languages as Polish and Russian need no "other" then, which
// is for their fractions. A plural with "other" is only worth a warning where it lacks a form that the language uses
// for whole numbers below a thousand; what only fractions or millions would show is not asked for, and nothing is where
// the source lacks what its own language needs. A program that falls back to the source language fails with none.
// What the forms say is for Translation, form by form.
func Forms(in Plural) []Finding {
	found := formsOfPlural(in)
	for i := range found {
		found[i].Warning = found[i].Warning || in.Falls
	}
	return found
}

func formsOfPlural(in Plural) []Finding {
	if in.Skip != nil && in.Skip(Plurals) || len(in.Forms) == 0 {
		return nil
	}
	categories := plural.Categories
	if in.Ordinal {
		categories = plural.Ordinals
	}
	language := categories(in.Language)
	if in.Indexed != nil {
		language = slices.DeleteFunc(slices.Clone(language), func(c plural.Category) bool {
			return !slices.Contains(in.Indexed, c.Name)
		})
	}
	lacks := plural.Lacking(language, in.Forms)
	if slices.Contains(in.Source, plural.Other) && !slices.Contains(in.Forms, plural.Other) {
		if len(lacks) > 1 && lacks[len(lacks)-1] == plural.Other {
			lacks = lacks[:len(lacks)-1]
		}
		switch {
		case len(language) > 0 && len(lacks) == 0:
			return nil
		case len(language) == 0 || lacks[0] == plural.Other:
			return []Finding{say(Plurals, `the plural lacks the form "other"`)}
		}
		return []Finding{say(Plurals, lacksOthers[len(lacks) > 1], quoted(lacks), in.Language)}
	}
	if len(in.Source) < 2 && in.SourceLanguage == "" || len(lacks) == 0 ||
		len(plural.Lacking(categories(in.SourceLanguage), in.Source)) > 0 {
		return nil
	}
	f := say(Plurals, lacksForms(lacks), quoted(lacks), in.Language)
	f.Warning = true
	return []Finding{f}
}

// lacksOthers is the reason of a plural that lacks "other" and a form, or several.
var lacksOthers = map[bool]string{
	false: `the plural lacks the form "other", and the form %s, which the language %s needs`,
	true:  `the plural lacks the form "other", and the forms %s, which the language %s needs`,
}

func lacksForms(lacks []string) string {
	if len(lacks) > 1 {
		return "the plural lacks the forms %s, which the language %s needs"
	}
	return "the plural lacks the form %s, which the language %s needs"
}

func quoted(categories []string) (all List) {
	for _, category := range categories {
		all = append(all, strconv.Quote(category))
	}
	return all
}
