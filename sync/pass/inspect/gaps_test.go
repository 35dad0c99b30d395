package inspect

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// Keys without a translation are reported on request, at the file that would have them: not blanks of the source, not forms that a language does
// not have, and nothing of a file that cannot be read.
func TestCheckOfGaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.NewReplacer(`"de", "fr"`, `"ja", "fr"`).Replace(settings)+`
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
format = "structured-json"
[[project.files]]
source = "values/strings.xml"
output = "values-{LOCALE:ANDROID}/strings.xml"
collection = "android"
`, map[string]string{
		"en/a.json":             `{"a": "A", "b": "B", "blank": "", "n_one": "{{count}} file", "n_other": "{{count}} files", "list": ["x", "y"]}`,
		"ja/a.json":             `{"a": "ア", "b": "", "n_other": "{{count}}", "list": ["x", "y"]}`,
		"fr/a.json":             "{\n\"a\" \"A\"}",
		"values/strings.xml":    `<resources><string name="s">S</string><plurals name="p"><item quantity="one">%d a</item><item quantity="other">%d b</item></plurals></resources>`,
		"values-ja/strings.xml": `<resources><plurals name="p"><item quantity="other">%d</item></plurals></resources>`,
	})
	result := w.inspects(Options{Missing: true})
	var got []string
	for _, p := range result.Problems {
		if p.Code == report.CodeGap {
			got = append(got, strings.Join([]string{p.Severity, p.File, p.Language, p.Key}, " "))
		}
	}
	want := []string{"error ja/a.json ja b", "error values-fr/strings.xml fr p", "error values-fr/strings.xml fr s", "error values-ja/strings.xml ja s"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	w.finds(`fr/a.json:2:5: expected a colon`)
}
