package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// joinedJSON is a product of i18next in languages of one, four and six categories.
const joinedJSON = eastern + `
source = "en.json"
format = "structured-json"
output = "{LANGUAGE}.json"
`

// joinedRails is the same in Rails.
const joinedRails = eastern + `
source = "config/locales/en.yml"
format = "structured-yaml"
output = "config/locales/{LANGUAGE}.yml"
`

const englishJSON = `{
  "cart": {
    "item_one": "{{count}} item",
    "item_other": "{{count}} items"
  },
  "place_ordinal_one": "{{count}}st",
  "place_ordinal_two": "{{count}}nd",
  "place_ordinal_few": "{{count}}rd",
  "place_ordinal_other": "{{count}}th",
  "step_one": "Begin",
  "step_other": "Go on",
  "save": "Save"
}
`

// A plural of keys is one key at the service, and comes back with the categories of each language, in the file's own
// spelling and order. Words that only end like one are keys.
func TestPluralOfKeysIsOneKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, joinedJSON, map[string]string{"en.json": englishJSON})
	w.sends("en.json (en): cart/item place_ordinal step_one step_other save")
	w.holds("main", "en", "cart/item", "{count, plural, one {'{{'count'}}' item} other {'{{'count'}}' items}}",
		"step_one", "Begin",
		"place_ordinal", "{count, selectordinal, one {'{{'count'}}'st} two {'{{'count'}}'nd} few {'{{'count'}}'rd} other "+
			"{'{{'count'}}'th}}")
	w.final("ru", "cart/item", "{count, plural, one {# штука} few {# штуки} many {# штук} other {# штуки}}",
		"place_ordinal", "{count, selectordinal, other {#-й}}")
	w.final("ja", "cart/item", "{count, plural, one {一個} other {#個}}")
	w.brings("ja.json (ja): +1 ~0 -0", "ru.json (ru): +5 ~0 -0")
	w.file("ru.json", `{
  "cart": {
    "item_one": "{{count}} штука",
    "item_few": "{{count}} штуки",
    "item_many": "{{count}} штук",
    "item_other": "{{count}} штуки"
  },
  "place_ordinal_other": "{{count}}-й"
}`)
	w.file("ja.json", `{
  "cart": {
    "item_other": "{{count}}個"
  }
}`)
	w.brings()
	w.sends()
}

// Forms that only a translation has are sent with the others, and a first pull changes nothing.
func TestFormsOfATranslationArrive(t *testing.T) {
	t.Parallel()
	ru := "ru:\n  files:\n    one: \"%{count} файл\"\n    few: \"%{count} файла\"\n    many: \"%{count} файлов\"\n" +
		"    other: \"%{count} файла\"\n  users: Люди\n"
	w := newWorld(t, joinedRails, map[string]string{
		"config/locales/en.yml": "en:\n  files:\n    one: \"%{count} file\"\n    other: \"%{count} files\"\n  users:\n" +
			"    one: User\n    other: Users\n",
		"config/locales/ru.yml": ru, "config/locales/ja.yml": "ja:\n  users: 利用者\n"})
	w.takesAll(w.pushes(push.Options{Translations: true}))
	w.holds("main", "ru", "files", "{count, plural, one {%'{'count'}' файл} few {%'{'count'}' файла} many "+
		"{%'{'count'}' файлов} other {%'{'count'}' файла}}")
	w.holds("main", "ja", "users", "{count, plural, other {利用者}}")
	w.brings()
	// One form that a person edits is one text here and one key there.
	w.write("config/locales/ru.yml", strings.Replace(ru, "файлов", "штук", 1))
	w.sends("config/locales/ru.yml (ru): files")
	w.commit()
	w.brings()
	// A single text that represents a plural is edited as it is where its language needs no more forms, and becomes a
	// plural where it does.
	w.final("ja", "users", "{count, plural, other {ユーザー}}")
	w.final("ru", "users", "{count, plural, one {Человек} few {Человека} many {Людей} other {Люди}}")
	w.gains(w.pulls(pull.Options{}), "config/locales/ja.yml (ja): +0 ~1 -0", "config/locales/ru.yml (ru): +3 ~0 -0")
	w.file("config/locales/ja.yml", "ja:\n  users: ユーザー")
	w.file("config/locales/ru.yml", strings.TrimSpace(strings.Replace(strings.Replace(ru, "файлов", "штук", 1),
		"users: Люди\n",
		"users:\n    one: Человек\n    few: \"Человека\"\n    many: \"Людей\"\n    other: Люди\n", 1)))
	w.brings()
}

// i18next's third version: two forms are key and key_plural, others are numbered.
func TestPluralsOfTheThirdVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, joinedJSON, map[string]string{
		"en.json": "{\n  \"day\": \"{{count}} day\",\n  \"day_plural\": \"{{count}} days\",\n  \"save\": \"Save\"\n}\n",
		"ru.json": "{\n  \"day_0\": \"{{count}} день\",\n  \"day_1\": \"{{count}} дня\",\n  \"day_2\": \"{{count}} дней\"\n" +
			"}\n"})
	w.takesAll(w.pushes(push.Options{Translations: true}))
	w.holds("main", "ru", "day", "{count, plural, one {'{{'count'}}' день} few {'{{'count'}}' дня} many {'{{'count'}}' "+
		"дней}}")
	w.brings()
	w.final("ja", "day", "{count, plural, other {#日}}")
	w.brings("ja.json (ja): +1 ~0 -0")
	w.file("ja.json", "{\n  \"day_0\": \"{{count}}日\"\n}")
}

// A "zero" that the source has is read in every language, and comes back in each.
func TestZeroOfEveryLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, joinedJSON, map[string]string{
		"en.json": "{\n  \"file_zero\": \"No files\",\n  \"file_one\": \"{{count}} file\",\n" +
			"  \"file_other\": \"{{count}} files\"\n}\n"})
	w.clean(push.Options{})
	w.final("ja", "file", "{count, plural, zero {なし} other {#個}}")
	w.brings("ja.json (ja): +2 ~0 -0")
	w.file("ja.json", "{\n  \"file_zero\": \"なし\",\n  \"file_other\": \"{{count}}個\"\n}")
	w.brings()
}

// A plural that is renamed takes its translations along with all forms, in the state that they have.
func TestRenamedPluralOfKeys(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, joinedJSON, map[string]string{"en.json": englishJSON})
	w.clean(push.Options{})
	w.translate("main", "ru", service.Final, "cart/item", "{count, plural, one {# штука} few {# штуки} many {# штук} "+
		"other {# штуки}}")
	w.brings("ru.json (ru): +4 ~0 -0")
	w.git("merge", "-q", "l10n")
	w.write("en.json", strings.ReplaceAll(w.show("main", "en.json"), "item_", "thing_"))
	w.clean(push.Options{})
	w.commit()
	w.holds("main", "ru", "cart/thing", "{count, plural, one {'{{'count'}}' штука} few {'{{'count'}}' штуки} many "+
		"{'{{'count'}}' штук} other {'{{'count'}}' штуки}}")
	w.brings("ru.json (ru): +4 ~0 -4")
}

// A project whose plural keys were sent one by one goes on so, which check says, until it goes over to one key each:
// what both sides have follows, in its state, and nothing is lost, asked or sent again.
func TestPluralKeysAreJoinedLater(t *testing.T) {
	t.Parallel()
	ru := "{\n  \"cart\": {\n    \"item_one\": \"{{count}} вещь\",\n    \"item_few\": \"{{count}} вещи\",\n" +
		"    \"item_many\": \"{{count}} вещей\",\n    \"item_other\": \"{{count}} вещи\"\n  },\n  \"save\": \"Да\"\n}\n"
	w := newWorld(t, joinedJSON+"plurals = \"keys\"\n", map[string]string{"en.json": englishJSON, "ru.json": ru})
	w.pushes(push.Options{Translations: true})
	w.translate("main", "ja", service.Final, "cart/item_other", "{{count}}個")
	w.translate("main", "ru", service.Final, "cart/item_one", "{{count}} вещь", "cart/item_other", "{{count}} вещи")
	w.brings("ja.json (ja): +1 ~0 -0")
	w.git("merge", "-q", "l10n")
	w.configure(joinedJSON)
	w.sends()
	w.finds(`en.json: warning: the forms of its plurals were sent as keys`)
	w.sends()
	dry := w.pushes(push.Options{JoinPlurals: true, DryRun: true})
	w.problem(dry.Problems, "en.json", "2 plurals of 6 keys become one key each")
	done := w.pushes(push.Options{JoinPlurals: true})
	w.reports(dry, sentBy(done)...)
	w.holds("main", "en", "cart/item", "{count, plural, one {'{{'count'}}' item} other {'{{'count'}}' items}}")
	w.holds("main", "ru", "cart/item", "{count, plural, one {'{{'count'}}' вещь} few {'{{'count'}}' вещи} many "+
		"{'{{'count'}}' вещей} other {'{{'count'}}' вещи}}")
	if got := w.atLeast("main", "ja", service.Final)["cart/item"]; got != "{count, plural, other {'{{'count'}}'個}}" {
		t.Errorf("the final translation is %q", got)
	}
	if got := w.atLeast("main", "ru", service.Intermediate)["cart/item"]; got != "" {
		t.Errorf("a draft became better: %q", got)
	}
	w.finds()
	w.sends()
	w.brings()
	w.final("ru", "cart/item", "{count, plural, one {# штука} few {# штуки} many {# штук} other {# штуки}}")
	w.brings("ru.json (ru): +0 ~4 -0")
}

// sentBy are the files and keys of a push as reports lists them.
func sentBy(p report.ProjectPush) (sent []string) {
	for _, f := range p.Files {
		sent = append(sent, f.Path+" ("+f.Language+"): "+strings.Join(f.Keys, " "))
	}
	return sent
}
