package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// What the service would have no source text for, and a key that has two texts in one file, is named by check, by the dry
// run and by the push alike, and is never sent; all else is, once.
func TestTextsThatAreNeverSent(t *testing.T) {
	t.Parallel()
	const item, end = "<item>", "</item>"
	list := func(items ...string) string {
		text := "<resources><string-array name=\"a\">"
		for _, i := range items {
			text += item + i + end
		}
		return text + "</string-array><string name=\"b\">" + items[0] + "</string></resources>"
	}
	for _, c := range []struct{ name, format, source, target, key, says, sent string }{
		{"a longer list", "android-xml", list("A", "B"), list("Ah", "Be", "Ce"), "a", "has 2 items", "Be"},
		{"a list for a text", "android-xml",
			"<resources><string name=\"a\">A</string><string name=\"b\">A</string></resources>",
			list("Ah"), "a", "it is a list, and the source has one text", "Ah"},
		{"two texts of one key", "json", `{"a": "A", "b": "B"}`, `{"a": "Ah", "b": "Be", "a": "Aha"}`, "a", `"Ah" and "Aha"`, "Be"},
	} {
		w := newWorld(t, settings+"[project.pull]\nremote = \"\"\n[[project.files]]\nsource = \"en.x\"\n"+
			"output = \"{LANGUAGE}.x\"\nformat = \""+c.format+"\"\n", map[string]string{"en.x": c.source, "de.x": c.target})
		checked, err := w.Check(t.Context(), inspect.Options{})
		w.check(err)
		w.problem(checked.Projects[0].Problems, "de.x", c.key, c.says)
		w.problem(w.pushes(push.Options{DryRun: true}).Problems, "de.x", c.key, c.says)
		w.problem(w.pushes(push.Options{}).Problems, "de.x", c.key, c.says)
		if sent := w.wire.take("import"); !slices.ContainsFunc(sent, func(r seen) bool {
			return strings.Contains(r.files["de.x"]+r.files["de.xml"]+r.files["de.json"], c.sent)
		}) {
			t.Errorf("%s: the rest is not sent", c.name)
		}
		again := w.pushes(push.Options{})
		w.problem(again.Problems, c.says)
		if status := w.Status(t.Context()).Projects[0]; again.Requests > 0 || status.Pending > 0 {
			t.Errorf("%s: sent again, %d pending", c.name, status.Pending)
		}
		if pulled := w.pulls(pull.Options{}); pulled.Keys > 0 {
			t.Errorf("%s: a pull changed %v", c.name, pulled.Files)
		}
	}
}
