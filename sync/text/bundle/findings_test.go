package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
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
		{"yes: yes\nok: Okay\n", "", "yes"},
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
		if got := keys(Warnings(bundles[i], f, path, bundles[i].Source)); got != c.warnings {
			t.Errorf("%s: warnings %q, want %q", path, got, c.warnings)
		}
	}
}

// What only some readers mind is no warning in files that others read: Ruby's files have their language as root, and
// Compose Multiplatform shows quotes and apostrophes as they are.
func TestWarningsOfOtherReaders(t *testing.T) {
	const said = "YAML 1.1 readers take the name %s for a boolean or null; put it, and others like it, in quotes"
	for _, c := range []struct{ path, output, text, want string }{
		{"config/locales/en.yml", "config/locales/{LANGUAGE}.yml", "en:\n  yes: Sure\n  no: Never\n", "yes"},
		{"config/locales/no.yml", "config/locales/{LANGUAGE}.yml", "'no':\n  true: Sure\n", "true"},
		{"config/locales/no.yml", "config/locales/{LANGUAGE}.yml", "no:\n  true: Sure\n", "true"},
		{"translations/messages.en.yml", "translations/messages.{LANGUAGE}.yml", "yes: Sure\nno: Never\non: At work\n",
			""},
		{"translations/messages.en.yml", "translations/messages.{LANGUAGE}.yml", "yes: Sure\ntrue: Right\n", "true"},
		{"src/main/res/values/strings.xml", "src/main/res/values-{LANGUAGE}/strings.xml",
			"<resources><string name=\"a\">It's</string></resources>", "an apostrophe"},
		{"composeResources/values/strings.xml", "composeResources/values-{LANGUAGE}/strings.xml",
			"<resources><string name=\"a\">It's</string></resources>", ""},
		{"i18n/src/commonMain/moko-resources/base/strings.xml", "i18n/src/commonMain/moko-resources/{LANGUAGE}/strings.xml",
			"<resources><string name=\"a\">It's</string></resources>", ""},
		{"app/src/commonMain/composeResources/values/strings.xml",
			"app/src/commonMain/composeResources/values-{LANGUAGE}/strings.xml",
			"<resources><string name=\"a\">It's \\u12</string></resources>", ""},
		{"app/src/commonMain/composeResources/values/strings.xml",
			"app/src/commonMain/composeResources/values-{LANGUAGE}/strings.xml",
			"<resources><string name=\"a\">It\\'s</string></resources>", "the backslash before ' is shown"},
	} {
		b := find(t, tree(c.path, ""),
			project(t, "[[project.files]]\nsource = \""+c.path+"\"\noutput = \""+c.output+"\"\n"))[0]
		language := b.Source
		if strings.Contains(c.path, "/no.yml") {
			language.Path = "no"
		}
		f, err := b.Parse([]byte(c.text), language)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range Warnings(b, f, b.Path, b.Source) {
			got = append(got, w.Problem)
		}
		want := c.want
		if strings.HasSuffix(c.path, ".yml") && want != "" {
			want = fmt.Sprintf(said, want)
		}
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
			t.Errorf("%s, %q: warnings %q, want %q", c.path, c.text, got, want)
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
	w := Warnings(b, f, b.Path, b.Source)
	if len(w) != 1 || w[0].Line != 2 || w[0].Column != 31 || w[0].Key != "" || len(Findings(f, b.Path, b.Source)) > 0 {
		t.Errorf("%v", w)
	}
	if w[0].Advised().Remedy != "take it out, or put back the tag or comment sign that is missing" {
		t.Errorf("what to do: %q", w[0].Advised().Remedy)
	}
}

// What the tools of a format refuse a file for is an error, and a warning where its programs go on.
func TestWhatToolsRefuse(t *testing.T) {
	const header = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n%s\"\n\nmsgid \"a\"\nmsgstr \"A\"\n"
	for _, c := range []struct{ path, text, want string }{
		{"res/values/strings.xml", `<resources><string name="a">It's</string></resources>`, "error spelling"},
		{"res/values/strings.xml", `<resources><string name="a">\u12</string></resources>`, "error spelling"},
		{"res/values/strings.xml", `<resources><string name="a"><x:g>A</x:g></string></resources>`, "error spelling"},
		{"res/values/strings.xml", `<resources><string>A</string></resources>`, "error spelling"},
		{"res/values/strings.xml", `<resources>x<string name="a">A</string></resources>`, "warning spelling"},
		{"res/values/strings.xml", `<resources><string name="a">A</string><string name="a">A</string></resources>`,
			"error duplicate"},
		{"composeResources/values/strings.xml", `<resources><string name="a">It\'s</string></resources>`,
			"warning spelling"},
		{"en.json", `{"a": "A", "a": "A"}`, "warning duplicate"},
		{"app.pot", fmt.Sprintf(header, "") + "\nmsgid \"a\"\nmsgstr \"A\"\n", "error duplicate"},
		{"app.pot", fmt.Sprintf(header, "Plural-Forms: nplurals=2; plural=(n !! 1);\\n"), "error spelling"},
		{"app.pot", fmt.Sprintf(header, "Plural-Forms: nplurals=2; plural=n;\\n"), "error spelling"},
		{"app.pot", fmt.Sprintf(header, "Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"), "error spelling"},
		{"app.pot", fmt.Sprintf(header, "Plural-Forms: nplurals=2; plural=(n != 1);\\n"), ""},
		{"app.pot", fmt.Sprintf(header, ""), ""},
	} {
		b := find(t, tree(c.path, ""),
			project(t, "[[project.files]]\nsource = \""+c.path+"\"\noutput = \"{LANGUAGE}/x{EXT}\"\n"))[0]
		language := b.Source
		language.Code, language.Path = "de", "de"
		f, err := b.Parse([]byte(c.text), language)
		if err != nil {
			t.Fatal(c.text, err)
		}
		var got []string
		for _, w := range Warnings(b, f, b.Path, b.Source) {
			got = append(got, w.Severity+" "+w.Code)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s, %q: %q, want %q", c.path, c.text, got, c.want)
		}
	}
}

// Texts travel in formats that take some names for settings of the file.
func TestNamesThatCannotTravel(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "L.xcstrings"
output = "L.xcstrings"
[[project.files]]
source = "en.yaml"
output = "{LANGUAGE}.yaml"
[[project.files]]
source = "en.xml"
output = "{LANGUAGE}.xml"
`)
	bundles := find(t, tree("L.xcstrings", "", "en.yaml", "", "en.xml", ""), p)
	for i, c := range []struct{ src, unsent string }{
		{`{"sourceLanguage": "en", "strings": {"@@a": {}, "@b": {}, "c@@": {}}, "version": "1.0"}`, "@@a"},
		{"'@@a': A\n'@b': B\nc:\n  '@@d': D\n", ""},
		{`<resources><string name="@@a">A</string></resources>`, ""},
	} {
		b := bundles[i]
		f, err := b.Parse([]byte(c.src), b.Source)
		if err != nil {
			t.Fatal(err)
		}
		unsent := Unsent(b, f)
		if got := strings.Join(slices.Sorted(maps.Keys(unsent)), " "); got != c.unsent {
			t.Errorf("%s: %q cannot be sent, want %q", b.Path, got, c.unsent)
		}
		sent := func(n catalog.Name) bool { return unsent[n.Key] == "" }
		if _, err := Compose(b, f, b.Path, sent); err != nil {
			t.Errorf("%s: the others cannot be sent either: %v", b.Path, err)
		}
	}
}
