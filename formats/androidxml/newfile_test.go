package androidxml

import (
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// A new file has no more blank lines one behind the other than its source had in one place of the same gap: also in
// front of resources without texts, where several entries share a line, and below a comment that stays.
func TestNewFileBlankLines(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"resources without texts",
			"\n<string name=\"a\">A</string>\n\n<plurals name=\"p\">\n</plurals>\n<!-- p2 -->\n\n<color name=\"c\">#fff</color>\n",
			"\n<string name=\"a\">B</string>\n\n<color name=\"c\">#fff</color>\n"},
		{"two on a line",
			"\n<string name=\"a\">A</string>\n\n<string name=\"b\">B</string><string name=\"c\">C</string>\n\n<color name=\"c\">#fff</color>\n",
			"\n<string name=\"a\">B</string>\n\n<color name=\"c\">#fff</color>\n"},
		{"a comment that stays",
			"\n<!-- all -->\n\n<string name=\"a\">A</string>\n\n<string name=\"b\">B</string>\n\n<!-- end -->\n\n",
			"\n<!-- all -->\n\n<string name=\"a\">B</string>\n\n"},
		{"the first and the last",
			"\n\n<string name=\"b\">B</string>\n\n\n<string name=\"a\">A</string>\n\n\n<string name=\"c\">C</string>\n",
			"\n\n<string name=\"a\">B</string>\n"},
	} {
		f := parse(t, "<resources>"+c.body+"</resources>\n")
		out, refused := f.Fresh([]resource.Edit{{Op: resource.Set, Key: "a", Text: "B"}})
		if want := "<resources>" + c.want + "</resources>\n"; len(refused) > 0 || string(out) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, refused, out, want)
		}
	}
}
