package yamlfile_test

import (
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// However they are asked for, plural forms come in CLDR's order, and what goes into an inner mapping stands before what goes behind it.
func TestPluralPlaces(t *testing.T) {
	tell(t, []story{
		{"Polish", "items:\n  one: x\n  other: z\nb: w\n", "items:\n  one: x\n  other: z\nb: w\n", edits("items/many=m", "items/few=f"), "items:\n  one: x\n  few: f\n  many: m\n  other: z\nb: w\n"},
		{"Arabic", "items:\n  one: x\n  other: z\n", "items:\n  one: x\n  other: z\n", edits("items/many=m", "items/few=f", "items/zero=a", "items/two=b"), "items:\n  zero: a\n  one: x\n  two: b\n  few: f\n  many: m\n  other: z\n"},
		{"new", "b: w\n", "items:\n  one: x\n  other: z\nb: w\n", edits("items/other=o", "items/many=m", "items/few=f", "items/one=x"), "items:\n  one: x\n  few: f\n  many: m\n  other: o\nb: w\n"},
		{"flow", "items: {one: x, other: z}\n", "items:\n  one: x\n  other: z\n", edits("items/many=m", "items/few=f"), "items: {one: x, few: f, many: m, other: z}\n"},
		{"inner first", "a:\n  b: x\n", "", edits("new 3/one=Save", "a/new 4=Save"), "a:\n  b: x\n  new 4: Save\nnew 3:\n  one: Save\n"},
	})
}

// A Rails root that is nothing but its name takes the first texts.
func TestEmptyRoot(t *testing.T) {
	keys := resource.Keys{Structured: true, Roots: []string{"de"}}
	like, err := resource.Parse(yamlfile.Grammar, resource.Keys{Structured: true, Roots: []string{"en"}}, []byte("en:\n    a: 'x'\n    b:\n        c: y\n"))
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		"de:\n":        "de:\n    a: 'z'\n    b:\n        c: w\n",
		"# x\nde: # c": "# x\nde: # c\n    a: 'z'\n    b:\n        c: w",
		"{de}":         "{de: {a: 'z', b: {c: w}}}",
		"{\"de\":}":    "{\"de\": {\"a\": 'z', \"b\": {\"c\": w}}}",
	} {
		f, err := resource.Parse(yamlfile.Grammar, keys, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		out, refused, err := f.Rewrite(edits("a=z", "b/c=w"), like)
		if err != nil || len(refused) > 0 || string(out) != want {
			t.Errorf("%q: %q %v %v, want %q", src, out, refused, err, want)
		}
	}
}
