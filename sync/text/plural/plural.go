// Package plural knows which plural categories a language has, and the two spellings of a plural: a text for each
// category, and one ICU message in which a plural argument has a branch for each category.
//
//	categories   zero one two few many other, as the Unicode CLDR has them for each language (table.go, made by
//	             generate.go)
//	messages     {n, plural, one {# file} other {# files}}: Parse reads them, Split and Join go from one spelling to
//	             the other
//
// Its law: it claims nothing that it does not know. Of a language that CLDR has no rules for nothing is said, and a
// message that cannot be taken apart without a loss is not taken apart: Join(Split(m)) means what m means, and
// Split(Join(forms)) is forms.
//
// The package is pure: texts in, values out. It formats no messages and chooses no category for a number; it knows no
// files and no service, and does not judge translations.
package plural

import (
	"slices"
	"strconv"
	"strings"
)

//go:generate go run generate.go

// The categories that CLDR knows.
const (
	Zero  = "zero"
	One   = "one"
	Two   = "two"
	Few   = "few"
	Many  = "many"
	Other = "other"
)

// Order is the categories in CLDR's order, in which the forms of a plural are written. It must not be changed.
var Order = []string{Zero, One, Two, Few, Many, Other}

// IsCategory reports whether a word is one of CLDR's plural categories.
func IsCategory(word string) bool { return slices.Contains(Order, word) }

// Compare orders categories as CLDR lists them, and other words, by their letters, behind them.
func Compare(a, b string) int {
	i, j := slices.Index(Order, a), slices.Index(Order, b)
	switch {
	case i < 0 && j < 0:
		return strings.Compare(a, b)
	case i < 0:
		return 1
	case j < 0:
		return -1
	}
	return i - j
}

// Category is one plural category of a language.
type Category struct {
	Name string
	// Numbers are the whole numbers that the category represents, where they are few: 0 and 1 for "one" in French. Empty
	// where there is no end to them, like 1, 21, 31 in Russian.
	Numbers []int
	// Rare is set where no whole number below a thousand is in the category: only fractions ("many" in Czech, "other" in
	// Polish), or millions ("many" in Spanish). A translation that does without it shows the form "other", which has to be
	// there in any case.
	Rare bool
}

// Categories returns the categories of a language for counts, in CLDR's order, the last one "other". The language is a
// BCP 47 tag in any case, with hyphens or underscores, old codes like iw included; a tag with a script or region that
// has no rules of its own has those of its language. It returns nil for a language that CLDR has no rules for.
func Categories(language string) []Category { return lookup(cardinals, language) }

// Ordinals is Categories for places in an order (1st, 2nd), which selectordinal chooses by.
func Ordinals(language string) []Category { return lookup(ordinals, language) }

// Has reports whether a category is among those of a language. Without any, which is what an unknown language has, it
// is: nothing is known against it.
func Has(categories []Category, name string) bool {
	return len(categories) == 0 || slices.ContainsFunc(categories, func(c Category) bool { return c.Name == name })
}

// Lacking are the categories that a language needs for whole numbers that people meet, and that are not there. Numbers
// of their own (=1) make up for a category that has no others.
func Lacking(language []Category, have []string) (lacks []string) {
	for _, c := range language {
		spelled := len(c.Numbers) > 0
		for _, n := range c.Numbers {
			spelled = spelled && slices.Contains(have, "="+strconv.Itoa(n))
		}
		if !c.Rare && !spelled && !slices.Contains(have, c.Name) {
			lacks = append(lacks, c.Name)
		}
	}
	return lacks
}

// renamed are codes that ISO 639 gave up or BCP 47 replaces, and codes that CLDR has under a wider one.
var renamed = map[string]string{
	"iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro", "tl": "fil", "cmn": "zh", "nob": "nb", "nno": "nn",
	"swc": "sw", "arb": "ar",
}

// separators puts hyphens where other systems spell a tag with other signs: pt_BR, ca@valencia.
var separators = strings.NewReplacer("_", "-", "@", "-")

// lookup finds the categories of the longest part of a tag that has any.
func lookup(table map[string][]Category, language string) []Category {
	tag := separators.Replace(strings.ToLower(language))
	first, rest, _ := strings.Cut(tag, "-")
	if now, ok := renamed[first]; ok {
		tag = strings.TrimSuffix(now+"-"+rest, "-")
	}
	for tag != "" {
		if found, ok := table[tag]; ok {
			return found
		}
		tag = tag[:max(strings.LastIndexByte(tag, '-'), 0)]
	}
	return nil
}

// parseTable reads a table of table.go: lines of categories, a colon, and the languages that have them.
func parseTable(table string) map[string][]Category {
	all := make(map[string][]Category)
	for line := range strings.Lines(table) {
		rules, languages, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		categories := parseRules(rules)
		for _, language := range strings.Fields(languages) {
			all[strings.ToLower(language)] = categories
		}
	}
	return all
}

// parseRules reads the categories of a language: "one=0,1" has no other whole numbers than these, "many!" none below a
// thousand, "few" more than could be listed.
func parseRules(rules string) []Category {
	var categories []Category
	for _, word := range strings.Fields(rules) {
		name, numbers, _ := strings.Cut(word, "=")
		c := Category{Name: strings.TrimSuffix(name, "!")}
		c.Rare = c.Name != name
		for n := range strings.SplitSeq(numbers, ",") {
			if i, err := strconv.Atoi(n); err == nil {
				c.Numbers = append(c.Numbers, i)
			}
		}
		categories = append(categories, c)
	}
	return categories
}
