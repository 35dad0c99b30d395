package inspect

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// What JSON.parse refuses is an error of the file, at its line, unless its name or its program says that comments are
// taken.
func TestJSONThatProgramsRefuse(t *testing.T) {
	w := newWorld(t, settings+`
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
[[project.files]]
source = "_locales/en/messages.json"
output = "_locales/{LANGUAGE}/messages.json"
`, map[string]string{
		"en/comma.json":             "{\"hello\": \"Hello\",\n\"bye\": \"Bye\",}",
		"en/comment.json":           "{\n// x\n\"a\": \"A\"}",
		"en/sound.json":             "\ufeff{\"b\": \"B\"}",
		"de/sound.json":             "{\"b\": \"B\",}",
		"_locales/en/messages.json": "{\n// x\n\"c\": {\"message\": \"C\"}}",
	})
	var got []string
	for _, p := range w.inspects(Options{}).Problems {
		if p.Code == report.CodeSyntax && p.Severity == report.Error {
			got = append(got, p.File)
		}
		if p.File == "en/comma.json" && (p.Line != 2 || p.Column != 13) {
			t.Errorf("%+v", p)
		}
	}
	if files := strings.Join(got, " "); files != "de/sound.json en/comma.json en/comment.json" {
		t.Error(files)
	}
}

// A source text that its program refuses is an error of the source, once, and frees no other text.
func TestSourcesThatProgramsRefuse(t *testing.T) {
	w := newWorld(t, settings+`
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
skip_checks = ["icu:meant"]
[[project.files]]
source = "values/strings.xml"
output = "values-{LANGUAGE}/strings.xml"
[[project.files]]
source = "_locales/en/messages.yml"
output = "_locales/{LANGUAGE}/messages.yml"
format = "structured-yaml"
`, map[string]string{
		"package.json":             `{"dependencies": {"react-intl": "7"}}`,
		"_locales/en/messages.yml": "y:\n  message: $NAME$\n  placeholders:\n    name:\n      content: $1\n",
		"en.json":                  "{\"a\": \"Hi {name\",\n\"b\": \"Hi {name}\", \"meant\": \"{\"}",
		"values/strings.xml": `<resources><string name="c">%s of %s</string>` +
			`<string name="d" formatted="false">%s of %s</string><string name="e">%1$s of %2$s</string></resources>`,
	})
	var got []string
	for _, p := range w.inspects(Options{}).Problems {
		got = append(got, p.Severity+" "+p.Code+" "+p.File+" "+p.Key)
		if !strings.HasPrefix(p.Remedy, "correct the source text; if it is meant so") && p.Code == report.CodeICU {
			t.Errorf("%+v", p)
		}
	}
	const want = "error icu en.json a, error printf values/strings.xml c"
	if list := strings.Join(got, ", "); list != want {
		t.Errorf("%s, want %s", list, want)
	}
}

// A sentence under a key that another language has word for word is in the wrong file, but for languages that have
// sentences in common. How a text is read is told of the key that is asked for.
func TestTextOfAnotherLanguage(t *testing.T) {
	const english, german = "Please choose one of the files below.", "Bitte wählen Sie eine der folgenden Dateien aus."
	w := newWorld(t, strings.Replace(settings, `"fr"`, `"fr", "lb"`, 1)+`
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`, map[string]string{
		"package.json": `{"dependencies": {"react-intl": "7"}}`,
		"en.json":      `{"a": "` + english + `", "b": "Hi {name}"}`, "de.json": `{"a": "` + german + `"}`,
		"fr.json": `{"a": "` + german + `"}`, "lb.json": `{"a": "` + german + `"}`,
	})
	result := w.inspects(Options{Explain: "b"})
	if len(result.Problems) != 1 || result.Problems[0].File != "fr.json" ||
		result.Problems[0].Code != report.CodeLanguage || result.Problems[0].Severity != report.Warning {
		t.Errorf("%+v", result.Problems)
	}
	if len(result.Explained) != 1 || result.Explained[0].Reader != "FormatJS" ||
		result.Explained[0].Because != "react-intl in package.json" ||
		strings.Join(result.Explained[0].Arguments, " ") != "{name}" {
		t.Errorf("%+v", result.Explained)
	}
}

// A context of i18next that only a translation has is a text of its program; where nothing names i18next it is a stray.
func TestContextsOfTranslations(t *testing.T) {
	w := newWorld(t, settings+`
[[project.files]]
source = "web/en.json"
output = "web/{LANGUAGE}.json"
collection = "web"
[[project.files]]
source = "app/en.json"
output = "app/{LANGUAGE}.json"
`, map[string]string{
		"web/package.json": `{"dependencies": {"i18next": "26"}}`,
		"web/en.json":      `{"friend": "A {{kind}} friend"}`, "app/en.json": `{"friend": "A {{kind}} friend"}`,
		"web/de.json": `{"friend": "{{kind}} Freund", "friend_close_male": "{{kind}} Freund", "foe_male": "Feind"}`,
		"app/de.json": `{"friend": "{{kind}} Freund", "friend_close_male": "{{kind}} Freund"}`,
	})
	w.finds(`app/de.json:1:52: warning: "friend_close_male" (de): translates a key that the source does not have`,
		`web/de.json:1:83: warning: "foe_male" (de): translates a key that the source does not have`)
}

// In a file with ICU messages of a program that nothing names an apostrophe before an argument is worth a warning; in
// others it is one.
func TestApostrophesInFilesOfMessages(t *testing.T) {
	files := map[string]string{"de.json": `{"a": "Die App d'{app}"}`, "fr.json": "{}"}
	config := settings + "\n[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n"
	files["en.json"] = `{"a": "The app of {app}", "n": "{n, plural, one {# file} other {# files}}"}`
	newWorld(t, config, files).finds(`de.json:1:7: warning: "a" (de): it shows {app} as it is written`)
	files["en.json"] = `{"a": "The app of {app}", "n": "files"}`
	newWorld(t, config, files).finds()
}

// Of forms that the header of a file has no index for nothing is said.
func TestHeaderWithFewForms(t *testing.T) {
	entry := "\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\n"
	head := "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
	newWorld(t, strings.Replace(settings, `"de", "fr"`, `"he"`, 1)+`
[[project.files]]
source = "po/app.pot"
output = "po/{LANGUAGE}.po"
`, map[string]string{
		"po/app.pot": head + entry + "msgstr[0] \"\"\nmsgstr[1] \"\"\n",
		"po/he.po": head + "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n" + entry +
			"msgstr[0] \"%d a\"\nmsgstr[1] \"%d b\"\n",
	}).finds()
}
