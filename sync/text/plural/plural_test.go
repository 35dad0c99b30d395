package plural

import (
	"slices"
	"strings"
	"testing"
)

// spelled is a language's categories in the notation of the table.
func spelled(categories []Category) string {
	var words []string
	for _, c := range categories {
		w := c.Name
		if c.Rare {
			w += "!"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

func TestCategories(t *testing.T) {
	for language, want := range map[string]string{
		"en": "one other", "de": "one other", "ja": "other", "zh-Hans": "other", "ko": "other", "vi": "other",
		"ru": "one few many other!", "uk": "one few many other!",
		"be": "one few many other!", "pl": "one few many other!",
		"cs": "one few many! other", "sk": "one few many! other", "lt": "one few many! other", "lv": "zero one other",
		"ar": "zero one two few many other", "cy": "zero one two few many other", "ga": "one two few many other",
		"sl":      "one two few other",
		"sr-Latn": "one few other", "hr": "one few other", "ro": "one few other", "mt": "one two few many other",

		// What tables of 2017 have wrong: "many" for millions joined the Romance languages, and left Hebrew; others got
		// rules at all.
		"es": "one many! other", "es-419": "one many! other", "fr": "one many! other", "fr-CA": "one many! other", "it": "one many! other",
		"pt": "one many! other", "pt-BR": "one many! other", "pt-PT": "one many! other",
		"ca": "one many! other", "vec": "one many! other",
		"scn": "one many! other", "lld": "one many! other", "he": "one two other",
		"iw": "one two other", "mo": "one few other",
		"sc": "one other", "ceb": "one other", "fil": "one other", "tl": "one other", "pcm": "one other",
		"bho": "one other", "sat": "one two other",
		"su": "other", "an": "one other", "kw": "zero one two few many other", "doi": "one other",
		"lij": "one other", "ia": "one other",
		"gv": "one two few many! other", "tpi": "other", "hnj": "other", "is": "one other",
		"mk": "one other", "cv": "zero one other",

		// Old codes, other cases and other separators.
		"in": "other", "in-ID": "other", "ji": "one other", "iw_IL": "one two other", "PT-br": "one many! other", "zh_Hant_HK": "other", "EN": "one other",
		"cmn-Hans": "other", "sh": "one few other", "kok-Latn": "one other",

		"xx": "", "": "", "-": "", "und": "", "x-pirate": "", "tlh": "", "enx": "",
	} {
		if got := spelled(Categories(language)); got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
	for language, want := range map[string]string{"en-GB": "one two few other", "it": "many other", "de": "other",
		"xx": "", "sv": "one other"} {
		if got := spelled(Ordinals(language)); got != want {
			t.Errorf("ordinals of %s: %q, want %q", language, got, want)
		}
	}
}

// A category of few numbers says which: in French "one" is 0 and 1, in Portugal, and where its rules hold,
// only 1.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		language, category string
		want               []int
	}{
		{"en", One, []int{1}}, {"fr", One, []int{0, 1}}, {"pt", One, []int{0, 1}}, {"pt-BR", One,
			[]int{0, 1}}, {"pt-PT", One, []int{1}},
		{"pt-AO", One, []int{1}}, {"ru", One, nil}, {"lv", Zero, nil}, {"ar", Zero, []int{0}}, {"ar", Two, []int{2}},
		{"sl", Two, nil}, {"en", Other, nil},
	} {
		all := Categories(c.language)
		i := slices.Index(names(all), c.category)
		if got := all[i].Numbers; !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %v, want %v", c.language, c.category, got, c.want)
		}
	}
}

// What holds for every language of the table.
func TestTable(t *testing.T) {
	for kind, table := range map[string]map[string][]Category{"cardinal": cardinals, "ordinal": ordinals} {
		if len(table) < 100 {
			t.Errorf("%s: %d languages only", kind, len(table))
		}
		for language, categories := range table {
			all := names(categories)
			if !slices.IsSortedFunc(all, Compare) || all[len(all)-1] != Other ||
				len(slices.Compact(slices.Clone(all))) != len(all) {
				t.Errorf("%s %s: %v", kind, language, all)
			}
			for i, c := range categories {
				if !IsCategory(c.Name) || c.Rare && len(c.Numbers) > 0 {
					t.Errorf("%s %s: %+v", kind, language, c)
				}
				for _, other := range categories[:i] {
					if slices.ContainsFunc(c.Numbers, func(n int) bool { return slices.Contains(other.Numbers, n) }) {
						t.Errorf("%s %s: %s and %s share a number", kind, language, c.Name, other.Name)
					}
				}
			}
		}
	}
}

func TestHas(t *testing.T) {
	if !Has(Categories("xx"), Few) || Has(Categories("ja"), One) || !Has(Categories("ja"), Other) {
		t.Error("Has")
	}
}

// names are the names of categories.
func names(categories []Category) []string {
	all := make([]string, len(categories))
	for i, c := range categories {
		all[i] = c.Name
	}
	return all
}
