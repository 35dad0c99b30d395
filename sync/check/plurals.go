package check

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/locsync/locsync/sync/plural"
)

// Plural is a plural that a format spells as forms: which it has in the translation, and which in the source.
type Plural struct {
	Source, Forms            []string // categories that have a text
	Language, SourceLanguage string
	Ordinal                  bool // the forms are of places in an order (1st, 2nd)
	Skip                     func(check string) bool
}

// Forms returns what is wrong with the forms of a plural as a whole. The program takes the form of a number's category,
// and where that is missing "other". A plural without "other" has to have a form for every category of whole numbers,
// or the program fails: Android throws, Rails raises. Such languages as Polish and Russian need no "other" then, which
// is for their fractions. A plural with "other" is only worth a warning where it lacks a form that the language uses
// for whole numbers below a thousand; what only fractions or millions would show is not asked for, and nothing is where
// the source lacks what its own language needs. What the forms say is for Translation, form by form.
func Forms(in Plural) []Finding {
	if in.Skip != nil && in.Skip(Plurals) || len(in.Forms) == 0 {
		return nil
	}
	categories := plural.Categories
	if in.Ordinal {
		categories = plural.Ordinals
	}
	language := categories(in.Language)
	lacks := lacking(language, in.Forms)
	if slices.Contains(in.Source, plural.Other) && !slices.Contains(in.Forms, plural.Other) {
		lacks = slices.DeleteFunc(lacks, func(form string) bool {
			return form == strconv.Quote(plural.Other) && len(lacks) > 1
		})
		switch {
		case len(language) > 0 && len(lacks) == 0:
			return nil
		case len(language) == 0 || lacks[0] == strconv.Quote(plural.Other):
			return []Finding{{Check: Plurals, Reason: `the plural lacks the form "other"`}}
		}
		return []Finding{{Check: Plurals, Reason: `the plural lacks the form "other", and ` + formsOf(lacks, in.Language)}}
	}
	if len(in.Source) < 2 && in.SourceLanguage == "" || len(lacks) == 0 ||
		len(lacking(categories(in.SourceLanguage), in.Source)) > 0 {
		return nil
	}
	return []Finding{{Check: Plurals, Reason: needs(lacks, in.Language), Warning: true}}
}

func needs(lacks []string, language string) string {
	return "the plural lacks " + formsOf(lacks, language)
}

func formsOf(lacks []string, language string) string {
	form := "form"
	if len(lacks) > 1 {
		form = "forms"
	}
	return fmt.Sprintf("the %s %s, which the language %s needs", form, listed(lacks), language)
}

// lacking are the categories that a language needs and that are not there. A number of its own (=1) stands for a
// category that has no others.
func lacking(language []plural.Category, have []string) []string {
	var lacks []string
	for _, c := range language {
		if c.Rare || slices.Contains(have, c.Name) {
			continue
		}
		spelled := len(c.Numbers) > 0
		for _, n := range c.Numbers {
			spelled = spelled && slices.Contains(have, "="+strconv.Itoa(n))
		}
		if !spelled {
			lacks = append(lacks, strconv.Quote(c.Name))
		}
	}
	return lacks
}

// branches looks for branches that an ICU plural lacks.
func (p *pair) branches(source, text plural.Argument) {
	categories := plural.Categories
	if text.Type == "selectordinal" {
		categories = plural.Ordinals
	}
	have := selectors(text)
	of := selectors(source)
	if text.Offset != "" || len(of) < 2 && p.in.SourceLanguage == "" ||
		len(lacking(categories(p.in.SourceLanguage), of)) > 0 {
		return
	}
	if lacks := lacking(categories(p.in.Language), have); len(lacks) > 0 {
		p.warned(Plurals, needs(lacks, p.in.Language)+fmt.Sprintf(" for {%s}", text.Name))
	}
}

func selectors(a plural.Argument) []string {
	var all []string
	for _, b := range a.Branches {
		all = append(all, b.Selector)
	}
	return all
}
