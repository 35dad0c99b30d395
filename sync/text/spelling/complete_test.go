package spelling

import (
	"slices"
	"testing"

	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
)

func forms(key string, categories ...string) (all catalog.Catalog) {
	for _, category := range categories {
		all = append(all, catalog.Unit{Name: catalog.Name{Key: key, Form: category}, Text: "x"})
	}
	return all
}

// A plural is whole with the categories of its language for whole numbers, or what its file has in their place.
func TestComplete(t *testing.T) {
	source := append(forms("n", "one", "other"), catalog.Unit{Name: catalog.Name{Key: "a"}, Text: "A"})
	for _, c := range []struct {
		language string
		indexed  []string
		have     []string
		whole    bool
	}{
		{"ja", nil, []string{"other"}, true},
		{"ja", nil, []string{"one"}, false},
		{"pl", nil, []string{"one", "few", "many"}, true},
		{"pl", nil, []string{"one", "few", "other"}, false},
		{"pl", []string{"one", "few", "other"}, []string{"one", "few", "other"}, true}, // a header without language
		{"pl", []string{"one", "few", "other"}, []string{"one", "few"}, false},
		{"pl", []string{"one", "few", "many", "other"}, []string{"one", "few", "many"}, true},
		{"he", []string{"one", "other"}, []string{"one", "other"}, true}, // nplurals=2
		{"tlh", nil, []string{"other"}, true},
	} {
		rules := Rules{Language: c.language, Whole: c.indexed != nil, Indexed: c.indexed}
		got := Complete(source, append(forms("n", c.have...), catalog.Unit{Name: catalog.Name{Key: "a"}}), rules)
		if got["n"] != c.whole || got["a"] {
			t.Errorf("%s, %v: %v is whole: %v", c.language, c.indexed, c.have, got)
		}
	}
}

// The plurals of a message are whole as forms are, in each argument and branch that the source has, too.
func TestCompleteMessages(t *testing.T) {
	const files = "{n, plural, one {# file} other {# files}}"
	for _, c := range []struct {
		source, text string
		whole        bool
	}{
		{files, "{n, plural, one {a} few {b} many {c} other {d}}", true},
		{files, "{n, plural, one {a} few {b} other {d}}", false},
		{files, "{n, plural, =1 {a} few {b} many {c} other {d}}", true},
		{files, "{n, plural, offset:1 one {a} other {d}}", true},
		{files, "plik", true}, // another check's
		{"{g, select, f {" + files + "} other {x}}", "{g, select, f {{n, plural, one {a} other {b}}} other {x}}", false},
		{"{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}", "{n, selectordinal, other {#.}}", true},
		{"{n, plural, other {# files}}", "{n, plural, other {d}}", true}, // the source lacks one, too
	} {
		name := catalog.Name{Key: "k"}
		got := Complete(catalog.Catalog{{Name: name, Text: c.source}}, catalog.Catalog{{Name: name, Text: c.text}},
			Rules{Language: "pl", Source: "en"})
		if got["k"] != c.whole {
			t.Errorf("%s for %s is whole: %v", c.text, c.source, got["k"])
		}
	}
}

// Keys of plurals for categories that a language does not have are not wanted.
func TestWanted(t *testing.T) {
	source := catalog.Catalog{}
	for _, key := range []string{"n_one", "n_other", "m/one", "m/other", "step_one"} {
		source = append(source, catalog.Unit{Name: catalog.Name{Key: key}, Text: "x"})
	}
	for language, missing := range map[string][]string{"ja": {"n_one", "m/one"}, "pl": nil} {
		wanted := Wanted(source, "/", "en", language)
		for _, u := range source {
			if wanted[u.Key] == slices.Contains(missing, u.Key) {
				t.Errorf("%s: %s is wanted: %v", language, u.Key, wanted[u.Key])
			}
		}
	}
	if len(plural.Categories("ja")) != 1 {
		t.Error("Japanese has more than one category")
	}
}
