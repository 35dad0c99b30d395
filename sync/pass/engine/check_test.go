package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// finds checks everything that a check reports: how each line begins.
func (w *world) finds(want ...string) {
	w.tb.Helper()
	result, err := w.Check(w.tb.Context(), inspect.Options{})
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

// i18next chooses among keys by CLDR's categories. Those that the source language does not have nobody is asked for, so a check asks; a pull waits for none.
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
plurals = "keys"
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
			`if it is meant so, add skip_checks = ["plurals:m/file_other"] to its [[project.files]])`,
		`ru/a.json:4:35: warning: "part_other" (ru): the plural lacks the form "many", which the language ru needs (write keys that begin with "part_"`,
	)
	// The fix holds what it says: a pull keeps what was written there.
	w.write("ru/a.json", strings.Replace(w.show("main", "ru/a.json"), `"file_one"`, `"file_few": "{{count}} файла", "file_many": "{{count}} файлов", "file_one"`, 1))
	w.commit()
	w.pushes(push.Options{})
	w.translate("a", "ru", service.Final, "m/file_one", "{{count}} файлик")
	w.pulls(pull.Options{})
	if got := w.show("l10n", "ru/a.json"); !strings.Contains(got, "файлов") || !strings.Contains(got, "файлик") {
		t.Error(got)
	}
}
