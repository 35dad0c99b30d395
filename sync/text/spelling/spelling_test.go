package spelling

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
)

// Forms that went out as a message come back as they were, but for those that the language does not have; and what has
// its source's shape already stays.
func TestFormsComeBackFromMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			language := rapid.SampledFrom([]string{"ru", "ja", "ar", "de", "xx"}).Draw(t, "language")
			categories := plural.Categories(language)
			var forms []plural.Form
			var want catalog.Catalog
			for _, category := range []string{plural.Zero, plural.One, plural.Two,
				plural.Few, plural.Many, plural.Other} {
				if category != plural.Other && rapid.Bool().Draw(t, category) {
					continue
				}
				f := plural.Form{Category: category,
					Text: rapid.StringOf(rapid.SampledFrom([]rune("ab {}#'%d"))).Draw(t, "text")}
				forms = append(forms, f)
				if plural.Has(categories, category) {
					want = append(want, catalog.Unit{Name: catalog.Name{Key: "k", Form: category}, Text: f.Text})
				}
			}
			source := catalog.Catalog{{Name: catalog.Name{Key: "k", Form: "one"}, Text: "%d a"},
				{Name: catalog.Name{Key: "k", Form: "other"}, Text: "%d b"},
				{Name: catalog.Name{Key: "s"}, Text: "{n, plural, one {a} other {b}}"}}
			message := catalog.Unit{Name: catalog.Name{Key: "k"}, Text: plural.Join("count", plural.Cardinal, forms)}
			got := Fit(source, catalog.Catalog{message}, Rules{Language: language})
			if !slices.Equal(got, want) {
				t.Fatalf("%q for %s: %q, want %q", message.Text, language, got, want)
			}
			if again := Fit(source, got, Rules{Language: language}); !slices.Equal(again, got) {
				t.Fatalf("fitted again: %q, then %q", got, again)
			}
			// The other way round: forms for a key that is a message in the source.
			var units catalog.Catalog
			for _, f := range forms {
				units = append(units, catalog.Unit{Name: catalog.Name{Key: "s", Form: f.Category}, Text: f.Text})
			}
			joined := Fit(source, units, Rules{Language: language})
			if len(joined) != 1 || joined[0].Form != "" {
				t.Fatalf("%q became %q", units, joined)
			}
			if m, err := plural.ParseArgument(joined[0].Text); err != nil || m.Name != "n" ||
				len(m.Branches) != len(forms) || m.To != len(joined[0].Text) {
				t.Fatalf("%q became %q", units, joined[0].Text)
			}
		}
	})
}

// Widening takes nothing from a source and moves nothing in it, adds nothing but keys of the translation, each once,
// and does it all at the first time.
func TestWideningOnlyAdds(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "one", "other", "few", "many", "zero", "a_one", "a_other", "a_few",
		"a_plural", "a_0", "a_3", "b.other", "b.one"})
	key := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(name, 1, 3).Draw(t, "names"), "/")
	})
	rapid.Check(t, func(t *rapid.T) {
		for range 100 {
			var source, texts catalogOf
			for _, k := range rapid.SliceOfNDistinct(key, 0, 8, rapid.ID[string]).Draw(t, "source") {
				source.add(k)
			}
			for _, k := range rapid.SliceOfNDistinct(key, 0, 8, rapid.ID[string]).Draw(t, "texts") {
				texts.add(k)
			}
			separator := rapid.SampledFrom([]string{"", "/"}).Draw(t, "separator")
			en := "en"
			wide := Widened(source.texts, separator, en, texts.texts)
			known, theirs, seen := source.texts.Keys(), texts.texts.Keys(), make(map[string]bool)
			var kept catalog.Catalog
			for _, u := range wide {
				if known[u.Key] {
					kept = append(kept, u)
				} else if !theirs[u.Key] {
					t.Fatalf("%q is nobody's", u.Key)
				}
				if seen[u.Key] {
					t.Fatalf("%q is there twice", u.Key)
				}
				seen[u.Key] = true
			}
			if !slices.Equal(kept, source.texts) {
				t.Fatalf("%q of %q", kept, source.texts)
			}
		}
	})
}

// The forms that keys may have beside the source's, by the ways to spell them.
func TestRelatives(t *testing.T) {
	for _, c := range []struct{ separator, source, key, from, to, want string }{
		{"", "a_one a_other", "a_few", "en", "ru", "a_other"},
		{"", "a_one a_other", "a_few", "en", "de", "a_other"}, // whatever de has: the program may have rules of its own
		{"", "a_one a_other", "a_zero", "en", "de", "a_other"},
		{"/", "a b/c", "a/one", "en", "de", "a"},           // a map where the source has a single text
		{"/", "a/one a/other", "a", "en", "ja", "a/other"}, // one text where the source has a plural
		{"/", "a/b_one a/b_other", "a/b", "en", "ja", "a/b_other"},
		{"", "a.one a.other", "a", "en", "ja", "a.other"},
		{"/", "a/one a/other a/title", "a", "en", "ja", ""},
		{"/", "a/one a/two", "a", "en", "ja", ""},
		{"/", "a b/c", "b/c/other", "en", "de", "b/c"},
		{"/", "a b/c", "a/title", "en", "de", ""},
		{"", "a b", "a/one", "en", "de", ""},
		{"", "a_other", "a_few", "en", "ru", ""},
		{"", "a_other", "a_one", "ja", "ru", "a_other"},
		{"", "a_one", "a_few", "en", "ru", ""},
		{"", "a.one a.other", "a.many", "en", "ru", "a.other"},
		{"", "one other", "many", "en", "ru", ""},
		{"", "someone another", "somefew", "en", "ru", ""},
		{"", "a_ordinal_one a_ordinal_other", "a_ordinal_few", "en", "ru", "a_ordinal_other"},
		{"", "a a_plural", "a_0", "en", "ja", "a_plural"},
		{"", "a a_plural", "a_2", "en", "ru", "a_plural"},
		{"", "a_plural", "a_2", "en", "ru", ""},
		{"/", "a/one a/other", "a/few", "en", "ru", "a/other"},
		{"/", "a/one a/other a/title", "a/few", "en", "ru", ""},
		{"/", "a/one a/other a/few/x", "a/many", "en", "ru", ""},
		{"/", "a/b/one a/b/other a/c", "a/b/few", "en", "ru", "a/b/other"},
		{"/", "a/b_one a/b_other a/c", "a/b_few", "en", "ru", "a/b_other"},
		{"::", "a::one a::other", "a::few", "en", "ru", "a::other"},
		{"::", "a::one a::other", "", "en", "ru", ""},
		{"/", "a/zero a/one a/two a/few a/many a/other", "b/few", "en", "ar", ""},
	} {
		var source, texts catalogOf
		for _, key := range strings.Fields(c.source) {
			source.add(key)
		}
		texts.add(c.key)
		wide := Widened(source.texts, c.separator, c.from, texts.texts)
		got := ""
		for i, u := range wide {
			if u.Key == c.key {
				got = wide[i-1].Key
			}
		}
		if got != c.want {
			t.Errorf("%q beside %q for %s: stands behind %q, want %q", c.key, c.source, c.to, got, c.want)
		}
	}
}

type catalogOf struct{ texts catalog.Catalog }

func (c *catalogOf) add(key string) {
	c.texts = append(c.texts, catalog.Unit{Name: catalog.Name{Key: key}, Text: "text of " + key})
}
