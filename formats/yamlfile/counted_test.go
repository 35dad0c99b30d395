package yamlfile_test

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// The description and the hash of a message with plural forms, as go-i18n has them, are no texts; in other files they
// are.
func TestMessagesWithPluralForms(t *testing.T) {
	for src, want := range map[string]string{
		"a: A\nb:\n  description: D\n  hash: sha1-1\n  one: one\n  other: more\n": "a=A; b/description=(other); b/hash=(other); b/one=one; b/other=more",
		"a:\n  hash: sha1-1 # c\n  other: >-\n    x\n    y\nb:\n  c: C\n":         "a/hash=(other) /c; a/other=x y; b/c=C",
		"a:\n  description: |\n    D\n    E\n  other: A\nb: B":                    "a/description=(other); a/other=A; b=B",
		"a: {description: D, one: x, other: A}\n":                                 "a/description=(other); a/one=x; a/other=A",
		"a:\n  description: D\n  other: A\nb:\n  title: B\n":                      "a/description=D; a/other=A; b/title=B",
		"en:\n  a:\n    description: D\n    one: A\n    other: B\n":               "a/description=D; a/one=A; a/other=B",
		"a: &a\n  description: D\n  one: x\n  other: y\nb: *a\n":                  "a/description=D; a/one=x; a/other=y",
	} {
		keys := resource.Keys{Structured: true, Roots: []string{"en"}}
		f, err := resource.Parse(yamlfile.Grammar, keys, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if got := read(f); got != want {
			t.Errorf("%q\nreads %s\nwant  %s", src, got, want)
		}
		if f.Node(0).Meta {
			check(t, []byte(src))
		}
		leaves, err := oracle.Rule{Format: "structured-yaml", Roots: keys.Roots}.Read([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range leaves {
			about := strings.Contains(want, strings.Join(l.Path, "/")+"=(other)")
			if l.Keyed == about && l.Text != "*a" {
				t.Errorf("%q: to the second reader %s has a key: %v", src, l.Path, l.Keyed)
			}
		}
	}
}

// A message goes with its hash when its last form goes, comes without one, and a new file has none.
func TestEditsOfMessagesWithPluralForms(t *testing.T) {
	const source = "a: A\nb:\n  description: D\n  one: x\n  other: y\nc:\n  description: |\n    D\n  other: C\n"
	const before = "a: A\nb:\n  description: D\n  hash: sha1-1\n  one: x\n  other: y\n"
	set := func(key, text string) resource.Edit { return resource.Edit{Op: resource.Set, Key: key, Text: text} }
	remove := func(key string) resource.Edit { return resource.Edit{Op: resource.Remove, Key: key} }
	for _, test := range []struct {
		after string
		edits []resource.Edit
	}{
		{strings.Replace(before, "other: y", "other: z", 1), []resource.Edit{set("b/other", "z")}},
		{"a: A\n", []resource.Edit{remove("b/one"), remove("b/other")}},
		{before + "c:\n  other: Z\n", []resource.Edit{set("c/other", "Z")}},
	} {
		like, f := parse(t, []byte(source)), parse(t, []byte(before))
		out, refused := f.Rewrite(test.edits, like)
		if string(out) != test.after || len(refused) > 0 {
			t.Errorf("%v\n--- got\n%s--- want\n%s", refused, out, test.after)
		}
		var changes []oracle.Change
		for _, e := range test.edits {
			changes = append(changes, oracle.Change{Key: e.Key, Text: e.Text, Gone: e.Op == resource.Remove})
		}
		if err := (oracle.Rule{Format: "structured-yaml"}).Prove([]byte(before), out, changes); err != nil {
			t.Errorf("to the second reader %v", err)
		}
	}
	out, refused := parse(t, []byte(before)).Fresh([]resource.Edit{set("a", "Z"), set("b/other", "z")})
	if want := "a: Z\nb:\n  other: z\n"; string(out) != want || len(refused) > 0 {
		t.Errorf("a new file: %v\n%s", refused, out)
	}
}
