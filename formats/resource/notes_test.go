package resource_test

import (
	"testing"

	"github.com/locsync/locsync/formats/androidxml"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/stringsfile"
)

// A new entry brings the comment of its source's entry where the file has comments; taking it out again restores the
// bytes.
func TestNewEntriesBringTheirComments(t *testing.T) {
	for _, c := range []struct {
		name            string
		grammar         resource.Grammar
		src, like, want string
	}{
		{"strings", stringsfile.Grammar, "/* a */\r\n\"a\" = \"1\";\r\n",
			"/* a */\n\"a\" = \"A\";\n/* The b.\n   Two lines. */\n\"b\" = \"B\";\n",
			"/* a */\r\n\"a\" = \"1\";\r\n/* The b.\r\n   Two lines. */\r\n\"b\" = \"x\";\r\n"},
		{"strings on one line", stringsfile.Grammar, "/* a */ \"a\" = \"1\"; \"c\" = \"3\";",
			"\"a\" = \"A\";\n/* b */\n\"b\" = \"B\";\n\"c\" = \"C\";\n",
			"/* a */ \"a\" = \"1\"; \"b\" = \"x\"; \"c\" = \"3\";"},
		{"strings without comments", stringsfile.Grammar, "\"a\" = \"1\";\n",
			"\"a\" = \"A\";\n/* b */\n\"b\" = \"B\";\n", "\"a\" = \"1\";\n\"b\" = \"x\";\n"},
		{"Android", androidxml.Grammar, "<resources>\n  <!-- a -->\n  <string name=\"a\">1</string>\n</resources>\n",
			"<resources>\n    <string name=\"a\">A</string>\n    <!-- The b. -->\n    <string name=\"b\">B</string>\n</resources>\n",
			"<resources>\n  <!-- a -->\n  <string name=\"a\">1</string>\n  <!-- The b. -->\n  <string name=\"b\">x</string>\n</resources>\n"},
		{"Android without comments", androidxml.Grammar, "<resources>\n  <string name=\"a\">1</string>\n</resources>\n",
			"<resources>\n    <string name=\"a\">A</string>\n    <!-- The b. -->\n    <string name=\"b\">B</string>\n</resources>\n",
			"<resources>\n  <string name=\"a\">1</string>\n  <string name=\"b\">x</string>\n</resources>\n"},
	} {
		f, err := resource.Parse(c.grammar, resource.Keys{}, []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		like, err := resource.Parse(c.grammar, resource.Keys{}, []byte(c.like))
		if err != nil {
			t.Fatal(err)
		}
		out, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: "b", Text: "x"}}, like)
		if string(out) != c.want || len(refused) > 0 {
			t.Errorf("%s: %v\n%q\nwant\n%q", c.name, refused, out, c.want)
			continue
		}
		g, err := resource.Parse(c.grammar, resource.Keys{}, out)
		if err != nil {
			t.Fatal(err)
		}
		if back, _ := g.Rewrite([]resource.Edit{{Op: resource.Remove, Key: "b"}}, like); string(back) != c.src {
			t.Errorf("%s: taken out again: %q", c.name, back)
		}
	}
}
