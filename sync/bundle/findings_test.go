package bundle

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// What a pass tells of a file is what keeps a text from being sent; what is odd, and works, is for check alone.
func TestFindingsAreWhatIsLeftOut(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "en.yaml"
output = "{LANGUAGE}.yaml"
[[project.files]]
source = "en.xml"
output = "{LANGUAGE}.xml"
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`)
	bundles := find(t, tree("en.yaml", "", "en.xml", "", "en.json", ""), p)
	for i, c := range []struct{ src, findings, warnings string }{
		{"yes: Yes\nok: Okay\n", "", "yes yes"},
		{`<resources><string name="a" translatable="false">don't</string></resources>`, "", "a"},
		{`{"a": "\ud800"}`, "a", ""},
	} {
		f, err := bundles[i].Parse([]byte(c.src), bundles[i].Source)
		if err != nil {
			t.Fatal(err)
		}
		keys := func(problems []report.Problem) string {
			var keys []string
			for _, p := range problems {
				keys = append(keys, p.Key)
			}
			return strings.Join(keys, " ")
		}
		path := bundles[i].Path
		if got := keys(Findings(f, path, bundles[i].Source)); got != c.findings {
			t.Errorf("%s: findings %q, want %q", path, got, c.findings)
		}
		if got := keys(Warnings(f, path, bundles[i].Source)); got != c.warnings {
			t.Errorf("%s: warnings %q, want %q", path, got, c.warnings)
		}
	}
}

// A warning about no entry has a place of its own.
func TestWarningHasItsPlace(t *testing.T) {
	b := find(t, tree("en.xml", ""), project(t, `
[[project.files]]
source = "en.xml"
output = "{LANGUAGE}.xml"
`))[0]
	f, err := b.Parse([]byte("<resources>\n  <string name=\"a\">A</string> é &gt;\n</resources>\n"), b.Source)
	if err != nil {
		t.Fatal(err)
	}
	w := Warnings(f, b.Path, b.Source)
	if len(w) != 1 || w[0].Line != 2 || w[0].Column != 31 || w[0].Key != "" || len(Findings(f, b.Path, b.Source)) > 0 {
		t.Errorf("%v", w)
	}
	if w[0].Advised().Remedy != "take it out, or put back the tag or comment sign that is missing" {
		t.Errorf("what to do: %q", w[0].Advised().Remedy)
	}
}
