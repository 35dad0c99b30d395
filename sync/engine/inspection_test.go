package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// finds checks everything that a check reports: how each line begins.
func (w *world) finds(want ...string) {
	w.tb.Helper()
	result, err := w.Check(w.tb.Context(), CheckOptions{})
	w.check(err)
	var got []string
	for _, p := range result.Projects[0].Problems {
		got = append(got, p.Bracketed())
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		w.tb.Errorf("have\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if result.Sound() != !slices.ContainsFunc(want, func(line string) bool { return !strings.Contains(line, "warning: ") }) {
		w.tb.Errorf("sound: %v", result.Sound())
	}
}

// Every kind of problem, with its place: a translation's at the translation's value.
func TestCheckFindsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+`
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
skip_checks = ["printf:free/*"]
[[project.files]]
source = "values/strings.xml"
output = "values-{LOCALE:ANDROID}/strings.xml"
collection = "android"
[[project.files]]
source = "ios/en.strings"
output = "ios/{LOCALE:IOS}.strings"
`, map[string]string{
		"locales/en/app.json":    "{\n  \"a\": \"Hello %s\",\n  \"b\": \"B\",\n  \"twice\": \"one\",\n  \"twice\": \"two\",\n  \"free/x\": \"%d\"\n}\n",
		"locales/de/app.json":    "{\n  \"a\": \"Hallo\",\n  \"b\": \"B\",\n  \"gone\": \"weg\",\n  \"free/x\": \"kein\"\n}\n",
		"locales/fr/app.json":    "{\n  \"a\": \"Bonjour %s\",\n  \"b\" \"B\"\n}\n",
		"locales/en/broken.json": "{\n  \"a\": \"A\n",
		"locales/en/nested.json": "{\n  \"menu\": {\"x\": \"X\"},\n  \"a\": \"A\"\n}\n",
		"locales/de/stray.json":  "{}\n",
		"values/strings.xml": "<resources>\n  <string name=\"q\">it's</string>\n  <plurals name=\"n\">\n    <item quantity=\"one\">%d file</item>\n" +
			"    <item quantity=\"other\">%d files</item>\n  </plurals>\n</resources>\n",
		"values-de/strings.xml": "<resources>\n  <plurals name=\"n\">\n    <item quantity=\"other\">%d Dateien</item>\n  </plurals>\n</resources>\n",
	})
	at := w.Config.Projects[0].Files[2].Problem("source", "")
	w.finds(
		fmt.Sprintf("%s:%d:1", at.File, at.Line)+`: warning: "project.files.source": no file matches "ios/en.strings" (patterns are relative to the repository; correct it, or take the entry out)`,
		`locales/de/app.json:2:8: "a" (de): it lacks %s, which the source has (correct the translation; if it is meant so, write skip_checks = ["printf:a"])`,
		`locales/de/app.json:4:11: warning: "gone" (de): translates a key that the source does not have (it stays; locsync pull --prune takes it out)`,
		`locales/de/stray.json: warning: (de): is where translations lie, and no file that "locales/en/*.json" matches is its source (bring the source file back, or remove this one; it is left alone)`,
		`locales/en/app.json:5:12: "twice" (en): stands twice with different texts, "one" and "two" (neither is sent until one is left)`,
		`locales/en/broken.json:2:10: (en): `,
		`locales/en/nested.json:2:11: "menu" (en): holds further values and the flat format has no keys for those (set format to the structured one of its kind)`,
		`locales/fr/app.json:3:7: (fr): `,
		`values-de/strings.xml:3:28: warning: "n" (de): the plural lacks the form "one"`,
		`values/strings.xml:2:3: warning: "q" (en): an apostrophe`,
	)
}

// i18next chooses among keys by CLDR's categories. Those that the source language does not have nobody is asked for, so a check asks; a pull waits for none.
// A pattern of .gitignore that covers translations is named; not where git has the file all the same, and not behind a link.
func TestCheckOfIgnoredFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+`
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, map[string]string{"en/a.json": `{"a": "A"}`, "en/b.json": `{"b": "B"}`, "de/a.json": `{"a": "A"}`})
	w.check(os.WriteFile(filepath.Join(w.dir, ".gitignore"), []byte("# built\n/de/\n"), 0o644))
	if err := os.Symlink("de", filepath.Join(w.dir, "fr")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	result, err := w.Check(t.Context(), CheckOptions{})
	w.check(err)
	var got []string
	for _, p := range result.Projects[0].Problems {
		if p.Code == report.CodeIgnored {
			got = append(got, p.Bracketed())
		}
	}
	want := []string{`de/b.json: warning: git ignores it: "/de/" in .gitignore:2 (take it out of that pattern, so that git add sees it)`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCheckOfPluralKeys(t *testing.T) {
	t.Parallel()
	russian := strings.NewReplacer(`"de", "fr"`, `"ru", "ja"`).Replace(localOnly)
	w := newWorld(t, russian+`
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
format = "structured-json"
skip_checks = ["plurals:meant_other"]
`, map[string]string{
		"en/a.json": `{
  "m": {"file_one": "{{count}} file", "file_other": "{{count}} files"},
  "have_one": "One", "have_other": "Some",
  "part_one": "One", "part_other": "Some",
  "none_one": "One", "none_other": "Some",
  "same_one": "One", "same_other": "Some",
  "meant_one": "One", "meant_other": "Some",
  "place_ordinal_one": "{{count}}st", "place_ordinal_two": "{{count}}nd", "place_ordinal_few": "{{count}}rd", "place_ordinal_other": "{{count}}th",
  "step_one": "First", "step_two": "Second", "step_other": "Further",
  "type_other": "Else"
}
`,
		"ru/a.json": `{
  "m": {"file_one": "{{count}} файл", "file_other": "{{count}} файла"},
  "have_one": "Один", "have_few": "Мало", "have_many": "Много", "have_other": "Мало",
  "part_one": "Один", "part_few": "Мало",
  "same_one": "One", "same_other": "Some",
  "meant_one": "Один", "meant_other": "Мало",
  "place_ordinal_other": "{{count}}-й",
  "step_one": "Первый", "step_two": "Второй", "step_other": "Дальше",
  "type_other": "Другое"
}
`,
		"ja/a.json": `{
  "m": {"file_other": "{{count}}個"}
}
`,
	})
	w.finds(
		`ru/a.json:2:53: warning: "m/file_other" (ru): the plural lacks the forms "few" and "many", which the language ru needs (write keys that begin with "m/file_" for that into this file, where pulls keep them; `+
			`if it is meant so, write skip_checks = ["plurals:m/file_other"])`,
		`ru/a.json:4:35: warning: "part_other" (ru): the plural lacks the form "many", which the language ru needs (write keys that begin with "part_"`,
	)
	// The fix holds what it says: a pull keeps what was written there.
	w.write("ru/a.json", strings.Replace(w.show("main", "ru/a.json"), `"file_one"`, `"file_few": "{{count}} файла", "file_many": "{{count}} файлов", "file_one"`, 1))
	w.commit()
	w.pushes(PushOptions{})
	w.translate("a", "ru", service.Final, "m/file_one", "{{count}} файлик")
	w.pulls(PullOptions{})
	if got := w.show("l10n", "ru/a.json"); !strings.Contains(got, "файлов") || !strings.Contains(got, "файлик") {
		t.Error(got)
	}
}

// What cannot be read, and what would not be written, is named; the rest is checked all the same.
func TestCheckOfStrangeFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+`
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, map[string]string{"en/a.json": `{"a": "A"}`, "en/b.json": `{"b": "B"}`, "de/a.json/x": "a folder", "real/b.json": `{}`})
	if err := os.Symlink("real", filepath.Join(w.dir, "fr")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	w.check(os.Symlink(filepath.Join(t.TempDir(), "outside.json"), filepath.Join(w.dir, "de", "b.json")))
	w.check(os.WriteFile(filepath.Join(w.dir, "..", "outside.json"), []byte("{}"), 0o644))
	w.check(os.Symlink(filepath.Join("..", "..", "outside.json"), filepath.Join(w.dir, "en", "c.json")))
	result, err := w.Check(t.Context(), CheckOptions{})
	w.check(err)
	var got []string
	for _, p := range result.Projects[0].Problems {
		got = append(got, p.File+" "+p.Code+" "+p.Severity)
	}
	if want := []string{"de/a.json unreadable error", "de/b.json unreadable error", "en/c.json unreadable error", "fr/a.json unreadable error", "fr/b.json unreadable error", "fr/c.json unreadable error"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q\n%v", got, want, result.Projects[0].Problems)
	}
	if keys := result.Projects[0].Keys; keys != 2 {
		t.Errorf("%d keys", keys)
	}
	for _, p := range result.Projects[0].Problems {
		if p.Remedy == "" {
			t.Errorf("nothing says what to do: %v", p)
		}
	}
}

// Nothing matches at all: that is an error of its own.
func TestCheckOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"README": "x"})
	result, err := w.Check(t.Context(), CheckOptions{})
	w.check(err)
	if p := result.Projects[0].Problems; len(p) != 1 || p[0].Severity != report.Error || p[0].Code != "pattern" || p[0].Line == 0 || result.Sound() {
		t.Errorf("%+v", p)
	}
}

// BenchmarkCheck: a thousand files of a hundred keys each.
func BenchmarkCheck(b *testing.B) {
	files := map[string]string{}
	for i := range 100 {
		for _, l := range []string{"en", "de", "fr", "es", "it", "ja", "nl", "pl", "pt", "ru"} {
			var text strings.Builder
			text.WriteString("{\n")
			for k := range 100 {
				fmt.Fprintf(&text, "  \"key_%d\": \"A text of %%s in %s, number {n} of file %d\",\n", k, l, i)
			}
			text.WriteString("  \"last\": \"x\"\n}\n")
			files[fmt.Sprintf("locales/%s/file_%d.json", l, i)] = text.String()
		}
	}
	w := newWorld(b, `
source_language = "en"
target_languages = ["de", "fr", "es", "it", "ja", "nl", "pl", "pt", "ru"]
[project.pull]
remote = ""
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, files)
	for b.Loop() {
		result, err := w.Check(b.Context(), CheckOptions{})
		w.check(err)
		if p := result.Projects[0]; len(p.Files) != 1000 || len(p.Problems) != 0 {
			b.Fatalf("%d files, %v", len(p.Files), p.Problems)
		}
	}
	b.ReportMetric(1000, "files/op")
}

// Languages that a translation service is known not to have are named all at once, with what to write instead; the embedded one takes them.
func TestCheckNamesUnknownLanguages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `source_language = "en"
target_languages = ["az-AZ", "zh", "zh-Hant", "gsw", "de"]
[project.pull]
remote = ""
[project.language_paths]
zh = "zh_CN"
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`, map[string]string{"en.json": `{"a": "A"}`, "az-AZ.json": `{"a": "B"}`})
	at := w.Config.Projects[0].Problem("target_languages", "")
	place := fmt.Sprintf("%s:%d:1: warning: ", at.File, at.Line)
	const unknown = " is not among the languages that a translation service is known to have "
	w.finds(
		place+`"project.target_languages" (az-AZ): az-AZ`+unknown+`(write "az" in target_languages, and az = "az-AZ" in [project.language_paths])`,
		place+`"project.target_languages" (zh): zh`+unknown+`(write "zh-Hans" in target_languages, and "zh-Hans" = "zh_CN" in [project.language_paths])`,
		place+`"project.target_languages" (gsw): gsw`+unknown+`(take it out of target_languages before you use such a service: its files then stay as they are)`,
	)
}
