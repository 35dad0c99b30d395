package bundle

import (
	"strings"
	"testing"
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
		keys := func(problems []Problem) string {
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
