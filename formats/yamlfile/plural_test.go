package yamlfile_test

import (
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// However they are asked for, plural forms come in CLDR's order, and what goes into an inner mapping comes before what
// goes behind it.
func TestPluralPlaces(t *testing.T) {
	tell(t, []story{
		{"Polish", "items:\n  one: x\n  other: z\nb: w\n", "items:\n  one: x\n  other: z\nb: w\n",
			edits("items/many=m", "items/few=f"), "items:\n  one: x\n  few: f\n  many: m\n  other: z\nb: w\n"},
		{"Arabic", "items:\n  one: x\n  other: z\n", "items:\n  one: x\n  other: z\n",
			edits("items/many=m", "items/few=f", "items/zero=a", "items/two=b"),
			"items:\n  zero: a\n  one: x\n  two: b\n  few: f\n  many: m\n  other: z\n"},
		{"new", "b: w\n", "items:\n  one: x\n  other: z\nb: w\n", edits("items/other=o", "items/many=m", "items/few=f",
			"items/one=x"), "items:\n  one: x\n  few: f\n  many: m\n  other: o\nb: w\n"},
		{"flow", "items: {one: x, other: z}\n", "items:\n  one: x\n  other: z\n", edits("items/many=m", "items/few=f"),
			"items: {one: x, few: f, many: m, other: z}\n"},
		{"inner first", "a:\n  b: x\n", "", edits("new 3/one=Save", "a/new 4=Save"),
			"a:\n  b: x\n  new 4: Save\nnew 3:\n  one: Save\n"},
	})
}

// A Rails root that is nothing but its name takes the first texts.
func TestEmptyRoot(t *testing.T) {
	keys := resource.Keys{Structured: true, Roots: []string{"de"}}
	like, err := resource.Parse(yamlfile.Grammar, resource.Keys{Structured: true, Roots: []string{"en"}},
		[]byte("en:\n    a: 'x'\n    b:\n        c: y\n"))
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		"de:\n":        "de:\n    a: 'z'\n    b:\n        c: w\n",
		"# x\nde: # c": "# x\nde: # c\n    a: 'z'\n    b:\n        c: w",
		"de: &x\n":     "de: &x\n    a: 'z'\n    b:\n        c: w\n",
		"--- \nde:\n":  "--- \nde:\n    a: 'z'\n    b:\n        c: w\n",
		"{de}":         "{de: {a: 'z', b: {c: w}}}",
		"{\"de\":}":    "{\"de\": {\"a\": 'z', \"b\": {\"c\": w}}}",
	} {
		f, err := resource.Parse(yamlfile.Grammar, keys, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		out, refused := f.Rewrite(edits("a=z", "b/c=w"), like)
		if len(refused) > 0 || string(out) != want {
			t.Errorf("%q: %q %v, want %q", src, out, refused, want)
		}
		rule := oracle.Rule{Format: "structured-yaml", Roots: keys.Roots}
		if err := rule.Prove([]byte(src), out, []oracle.Change{{Key: "a", Text: "z"},
			{Key: "b/c", Text: "w"}}); err != nil {
			t.Errorf("%q: the second reader: %v", src, err)
		}
	}
}

// Ruby's symbols are names in a program and no texts, to either reader; quotes, a tag or more than a name make one.
func TestSymbols(t *testing.T) {
	src := "a: :day\nb: [:day, :month, ': x', \":day\"]\nc: ':day'\nd: !!str :day\ne: :say hello\nf: :smile:!\ng: &s :day\nh: *s\n" +
		"i: ':'\nj: :9\nk: ::day\nl: |-\n  :day\nm: :day # c\nn: :day\n  more\no: :_x9\n"
	texts := map[string]bool{"b/2": true, "b/3": true, "c": true, "d": true, "e": true, "f": true, "i": true, "j": true,
		"k": true, "l": true, "n": true}
	f, err := resource.Parse(yamlfile.Grammar, resource.Keys{Structured: true}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e := range f.Entries() {
		n++
		if is := e.Kind == resource.Text; is != texts[e.Key] {
			t.Errorf("%s: a text: %v", e.Key, is)
		}
	}
	leaves, err := oracle.Rule{Format: "structured-yaml"}.Read([]byte(src))
	if err != nil || len(leaves) != n {
		t.Fatalf("%d entries, %d to the second reader: %v", n, len(leaves), err)
	}
	for _, l := range leaves {
		if is := l.Kind == oracle.Text; is != texts[l.Key] {
			t.Errorf("%s: a text to the second reader: %v", l.Key, is)
		}
	}
	out, refused := f.Rewrite(edits("c=:month", "new=:day", "e=:say"), nil)
	if len(refused) > 0 {
		t.Fatal(refused)
	}
	made := []oracle.Change{{Key: "c", Text: ":month"}, {Key: "new", Text: ":day"}, {Key: "e", Text: ":say"}}
	if err := (oracle.Rule{Format: "structured-yaml"}).Prove([]byte(src), out, made); err != nil {
		t.Error(err)
	}
}
