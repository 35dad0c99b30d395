package resource_test

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
)

// What the source has in any shape is no orphan in a translation; what it does not have at all is one.
func TestPresent(t *testing.T) {
	const android = "<resources>\n<string name=\"s\">S</string>\n<string name=\"ref\">@string/s</string>\n<string name=\"no\" translatable=\"false\">N</string>\n" +
		"<plurals name=\"p\"><item quantity=\"other\">P</item></plurals>\n<string-array name=\"l\"/>\n<string name=\"s\" product=\"tv\">T</string>\n</resources>"
	for _, c := range []struct{ name, format, src, there, absent string }{
		{"scalars of all kinds", "structured-json", `{"t": "T", "n": 1, "b": true, "z": null, "e": ""}`, "t n b z e",
			"x tt"},
		{"below a scalar", "structured-json", `{"t": "T", "m": {"n": 1, "z": null}}`,
			"t/a t/a/b m/n/0 m/z/a/b", "m/x m/x/n"},
		{"above others", "structured-json", `{"m": {"n": {"t": "T"}}}`, "m m/n m/n/t", "n t m/t"},
		{"empty containers", "structured-json", `{"m": {}, "l": []}`, "m l l/a", "m/a l/0"},
		{"lists", "structured-json", `{"l": ["a", {"k": "K"}, 1]}`, "l l/0 l/2 l/1/k l/a l/a/b l/0/a",
			"l/3 l/3/a l/1/x"},
		{"a list as root", "structured-json", `["a", null]`, "0 1 1/a", "2 a"},
		{"the separator in a name", "structured-json", `{"a/b": "AB", "a": {"c": "C"}}`, "a/b a/c a a/b/x", "a/d"},
		{"twice", "structured-json", `{"a": "A", "a": {"b": "B"}}`, "a a/b", "a/c"},
		{"a message without its text", "structured-json", `{"a": {"message": null, "description": "D"}}`,
			"a a/message a/message/x", "a/description"},
		{"flat", "json", `{"a/b": "AB", "m": {"n": "N"}, "l": ["L"], "n": 1}`, "a/b m l n", "a m/n l/0 n/a"},
		{"YAML 1.1", "structured-yaml", "list: {agree: Yes, deny: No, ok: Okay}\nnum: 1\nempty:\n",
			"list/agree list/deny list/ok list num num/a empty empty/a", "list/x"},
		{"aliases", "structured-yaml", "a: &a\n  x: X\n  l: [1]\nb: *a\nc: *a\n", "a a/x b b/x b/anything/at/all c/l/0",
			"a/y"},
		{"Rails", "structured-yaml", "en:\n  a:\n    b: yes\n", "a a/b a/b/c", "en a/c b"},
		{"an empty Rails root", "structured-yaml", "en:\n", "", "en a"},
		{"Android", "android-xml", android, "s ref no p l s@tv", "x s@watch"},
		{"nothing", "structured-json", `{}`, "", "a a/b"},
	} {
		grammar := grammars[c.format]
		if c.format == "json" {
			grammar = jsonfile.Grammar
		}
		f, err := resource.Parse(grammar, resource.Keys{Structured: strings.HasPrefix(c.format, "structured"),
			Roots: []string{"en"}}, []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		p := f.Present()
		for _, key := range strings.Fields(c.there) {
			if !p.Has(key) {
				t.Errorf("%s: %s is taken for absent in %s", c.name, key, c.src)
			}
		}
		for _, key := range strings.Fields(c.absent) {
			if p.Has(key) {
				t.Errorf("%s: %s is taken for there in %s", c.name, key, c.src)
			}
		}
		for e := range f.Entries() {
			if !p.Has(e.Key) {
				t.Errorf("%s: the entry %s is taken for absent", c.name, e.Key)
			}
		}
	}
	if (*resource.File)(nil).Present().Has("a") {
		t.Error("the keys of no file")
	}
}
