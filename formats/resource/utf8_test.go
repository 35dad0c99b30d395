package resource_test

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/properties"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/stringsfile"
	"github.com/locsync/locsync/formats/yamlfile"
)

// What is not UTF-8 comes to no grammar: neither as a text that is there or new, nor as a key, nor as a root. The other
// edits are made.
func TestOnlyUTF8IsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		grammar resource.Grammar
		src     string
	}{
		"strings":    {stringsfile.Grammar, "\"a\" = \"A\";\n"},
		"properties": {properties.Grammar, "a=A\n"},
		"yaml":       {yamlfile.Grammar, "a: A\n"},
		"json":       {jsonfile.Grammar, `{"a": "A"}`},
	} {
		f, err := resource.Parse(c.grammar, resource.Keys{}, []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		set := func(key, text string) resource.Edit { return resource.Edit{Op: resource.Set, Key: key, Text: text} }
		edits := []resource.Edit{set("a", "x\xff"), set("b", "\xed\xa0\x80"), set("\xff", "C"), set("d", "D")}
		out, refused := f.Rewrite(edits, f)
		if len(refused) != 3 || !strings.Contains(string(out), "D") || !strings.Contains(string(out), "A") {
			t.Errorf("%s: %q, %v", name, out, refused)
		}
		for _, r := range refused {
			if !strings.Contains(r.Reason, "not valid UTF-8") || r.Unproven {
				t.Errorf("%s: %q: %s", name, r.Key, r.Reason)
			}
		}
		for _, e := range []resource.Entry{{Key: "a", Text: "\xff"}, {Key: "\xff"}} {
			if out, err := resource.Compose(c.grammar, resource.Keys{}, nil, []resource.Entry{e}); err == nil {
				t.Errorf("%s: %+v became %q", name, e, out)
			}
		}
	}
	rooted := resource.Keys{Structured: true, Roots: []string{"en"}}
	f, err := resource.Parse(yamlfile.Grammar, rooted, []byte("en:\n  a: A\n"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := f.RenameRoot("\xff"); err == nil {
		t.Errorf("the root became %q", out)
	}
}
