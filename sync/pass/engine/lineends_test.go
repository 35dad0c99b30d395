package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// .NET reads the line breaks of a .resx file as they are, so that a text of the service gets those of the file, and the
// push after it sends nothing.
func TestLineEndsOfResources(t *testing.T) {
	t.Parallel()
	const source = "<root>\n  <data name=\"a\" xml:space=\"preserve\">\n    <value>Two\nlines</value>\n  </data>\n</root>\n"
	for _, end := range []string{"\n", "\r\n"} {
		w := newWorld(t, settings+"[project.pull]\nremote = \"\"\n[[project.files]]\nsource = \"R.resx\"\n"+
			"output = \"R.{LANGUAGE}.resx\"\n", map[string]string{"R.resx": strings.ReplaceAll(source, "\n", end)})
		w.clean(push.Options{})
		w.translate("main", "de", service.Final, "a", "Zwei\r\nZeilen")
		if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
			t.Errorf("%q: %v", end, p.Problems)
		}
		if got := w.show("l10n", "R.de.resx"); !strings.Contains(got+end, "<value>Zwei"+end+"Zeilen</value>"+end) {
			t.Errorf("%q: the pull writes %q", end, got)
		}
		w.git("merge", "-q", "l10n")
		w.reports(w.clean(push.Options{}))
	}
}

// A text that needs a prefix which its file does not declare brings the declaration, in a file that is new, for a
// string that is new and for one that is there.
func TestPrefixOfAText(t *testing.T) {
	t.Parallel()
	const text = `Eins <xliff:g id="n">%1$s</xliff:g>`
	for name, german := range map[string]string{"new file": "", "new string": `<string name="b">Zwei</string>`,
		"string": `<string name="a">Eins %1$s</string>`} {
		files := map[string]string{"res/values/strings.xml": "<resources>\n" +
			"    <string name=\"a\">One %1$s</string>\n    <string name=\"b\">Two</string>\n</resources>\n"}
		if german != "" {
			files["res/values-de/strings.xml"] = "<resources>\n    " + german + "\n</resources>\n"
		}
		w := newWorld(t, settings+"[project.pull]\nremote = \"\"\n[[project.files]]\nsource = \"res/values/strings.xml\"\n"+
			"output = \"res/values-{LOCALE:ANDROID}/strings.xml\"\n", files)
		w.clean(push.Options{})
		w.translate("main", "de", service.Final, "a", text)
		if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
			t.Errorf("%s: %v", name, p.Problems)
		}
		want := `<string name="a" xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">` + text + "</string>"
		if got := w.show("l10n", "res/values-de/strings.xml"); !strings.Contains(got, want) {
			t.Errorf("%s: the pull writes %s", name, got)
		}
	}
}
