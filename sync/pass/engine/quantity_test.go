package engine

import (
	"testing"

	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// A plural with a form that no language has is named and left alone, in a source and in a translation; all else is sent.
func TestAFormThatNoLanguageHas(t *testing.T) {
	t.Parallel()
	strings := func(item, text string) string {
		return "<resources>\n    <plurals name=\"b\">\n        <item quantity=\"x\">5</item>\n        <item quantity=\"other\">" + item +
			"</item>\n    </plurals>\n    <string name=\"c\">" + text + "</string>\n</resources>\n"
	}
	w := newWorld(t, localOnly+"[project.push]\ntranslations = true\n[[project.files]]\nsource = \"res/values/strings.xml\"\n"+
		"output = \"res/values-{LOCALE:ANDROID}/strings.xml\"\n"+jsonFiles,
		map[string]string{"res/values/strings.xml": strings("o", "Source"), "locales/en/a.json": `{"a": "A"}`,
			"res/values-de/strings.xml": strings("d", "Deutsch")})
	got := w.pushes(push.Options{})
	named := make(map[string]string)
	for _, p := range got.Problems {
		named[p.File+" "+p.Key] = p.Code
	}
	for _, file := range []string{"res/values/strings.xml", "res/values-de/strings.xml"} {
		if named[file+" b"] != report.CodePlurals {
			t.Errorf("%s: %+v", file, got.Problems)
		}
	}
	if has := w.at("main", "en"); has["c"] != "Source" || has["b"] != "" {
		t.Errorf("the service has %v", has)
	}
	if has := w.at("main", "de"); has["c"] != "Deutsch" {
		t.Errorf("the service has %v", has)
	}
	if has := w.at("main", "en"); has["a"] != "A" {
		t.Errorf("the service has %v", has)
	}
}
