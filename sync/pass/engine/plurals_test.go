package engine

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/local"
)

// eastern has target languages with one, four and six plural categories.
const eastern = `
source_language = "en"
target_languages = ["ar", "ja", "ru"]
[project.pull]
remote = ""
[[project.files]]
`

const androidFiles = eastern + `
source = "values/strings.xml"
output = "values-{LOCALE:ANDROID}/strings.xml"
`

// plurals is an Android file of one plural: categories and texts in turn.
func plurals(name string, forms ...string) string {
	var b strings.Builder
	b.WriteString("<resources>\n    <plurals name=\"" + name + "\">\n")
	for i := 0; i < len(forms); i += 2 {
		b.WriteString("        <item quantity=\"" + forms[i] + "\">" + forms[i+1] + "</item>\n")
	}
	return b.String() + "    </plurals>\n</resources>\n"
}

// file compares a whole file of the branch, but for its last line break.
func (w *world) file(path, want string) {
	w.tb.Helper()
	if got := w.show("l10n", path); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(want, "\n") {
		w.tb.Fatalf("%s is\n%s\nwant\n%s", path, got, want)
	}
}

func TestPluralsInAndroid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, androidFiles, map[string]string{"values/strings.xml": plurals("files", "one", "%d file", "other", "%d files")})
	w.clean(push.Options{})
	ru := plurals("files", "one", "%d файл", "few", "%d файла", "many", "%d файлов", "other", "%d файла")
	ar := plurals("files", "zero", "لا ملفات", "one", "ملف", "two", "ملفان", "few", "%d ملفات", "many", "%d ملفًا", "other", "%d ملف")
	w.translateFile("android-xml", "main", "ru", "strings.xml", ru)
	w.translateFile("android-xml", "main", "ar", "strings.xml", ar)
	w.translateFile("android-xml", "main", "ja", "strings.xml", plurals("files", "one", "%d file", "other", "%d個のファイル"))
	w.brings("values-ar/strings.xml (ar): +6 ~0 -0", "values-ja/strings.xml (ja): +1 ~0 -0", "values-ru/strings.xml (ru): +4 ~0 -0")
	w.file("values-ru/strings.xml", ru)
	w.file("values-ar/strings.xml", ar)
	w.file("values-ja/strings.xml", plurals("files", "other", "%d個のファイル"))
	w.sends()
	w.brings()

	// Somebody's change of a form that the source does not have goes to the service; the service's comes back.
	w.git("merge", "-q", "l10n")
	w.sends()
	w.write("values-ru/strings.xml", strings.Replace(ru, "%d файла</item>\n        <item quantity=\"many", "%d файлика</item>\n        <item quantity=\"many", 1))
	w.sends("values-ru/strings.xml (ru): files")
	w.holds("main", "ru", "files", "{count, plural, one {%d файл} few {%d файлика} many {%d файлов} other {%d файла}}")
	w.commit()
	w.translateFile("android-xml", "main", "ru", "strings.xml", strings.Replace(strings.Replace(ru, "%d файлов", "%d штук", 1), "%d файла</item>\n        <item quantity=\"many", "%d файлика</item>\n        <item quantity=\"many", 1))
	w.brings("values-ru/strings.xml (ru): +0 ~1 -0")
	w.sends()
	w.brings()
}

// A plural for which the program would fail is left out, whole, and the other languages and keys come. One that lacks a form for which "other" is shown
// comes.
func TestPluralsThatLackForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, androidFiles+"skip_checks = [\"plurals:loose_*\"]\n", map[string]string{"values/strings.xml": `<resources>
    <string name="ok">OK</string>
    <plurals name="files"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals>
    <plurals name="loose_days"><item quantity="one">%d day</item><item quantity="other">%d days</item></plurals>
</resources>
`})
	w.clean(push.Options{})
	w.translateFile("android-xml", "main", "ru", "strings.xml", `<resources><string name="ok">ОК</string>
<plurals name="files"><item quantity="one">%d файл</item><item quantity="few">%d файла</item></plurals>
<plurals name="loose_days"><item quantity="one">%d день</item></plurals></resources>`)
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `values-ru/strings.xml: "files" (ru): the translation is left out: the plural lacks the form "other", and the form "many", which the language ru needs`)
	w.gains(p, "values-ru/strings.xml (ru): +2 ~0 -0")
	if got := w.show("l10n", "values-ru/strings.xml"); strings.Contains(got, "файл") || !strings.Contains(got, "день") {
		t.Error(got)
	}

	// A form whose placeholder is damaged is left out alone where "other" takes its place; a number that is said in words is the translator's business.
	w.translateFile("android-xml", "main", "ru", "strings.xml", `<resources>
<plurals name="files"><item quantity="one">%d файл</item><item quantity="few">%f файла</item><item quantity="many">много файлов</item><item quantity="other">%d файла</item></plurals></resources>`)
	p = w.pulls(pull.Options{})
	w.problem(p.Problems, `values-ru/strings.xml: "files" (ru)`, "%f takes a number with decimals")
	w.gains(p, "values-ru/strings.xml (ru): +3 ~0 -0")
	w.translateFile("android-xml", "main", "ru", "strings.xml", plurals("files", "one", "%d файл", "few", "%d файла", "many", "%d файлов", "other", "%d файла"))
	w.brings("values-ru/strings.xml (ru): +1 ~1 -0")

	// Whole numbers never take "other" in Russian, so that it may be missing.
	w.translateFile("android-xml", "main", "ru", "strings.xml", plurals("loose_days", "one", "%d день", "few", "%d дня", "many", "%d дней"))
	w.brings("values-ru/strings.xml (ru): +2 ~0 -0")
}

// The service may answer with an ICU message where the file has forms, and with forms where the file has a message.
func TestPluralsInTheOtherSpelling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, androidFiles, map[string]string{"values/strings.xml": `<resources>
    <plurals name="files">
        <item quantity="one">%1$d file</item>
        <item quantity="other">%1$d files</item>
    </plurals>
    <string name="days">{n, plural, one {# day of {who}} other {# days of {who}}}</string>
    <string name="plain">Plain</string>
</resources>
`})
	w.clean(push.Options{})
	answer := func(body string) {
		w.replies(t, func([]byte) []byte { return zipped(t, "values-ru/strings.xml", "<resources>"+body+"</resources>") })
	}
	answer(`<string name="files">{count, plural, one {%1$d файл} few {# файла} many {%1$d \'\'{файлов}\'\'} other {%1$d файла}}</string>
<plurals name="days"><item quantity="one"># день {who}</item><item quantity="few"># дня {who}</item><item quantity="many"># дней {who}</item><item quantity="other">{who}: # дня</item></plurals>
<string name="plain">Просто</string>`)
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `"files" (ru)`, "it is one text, and the source has a plural") // the message's {файлов} is an argument
	w.gains(p, "values-ru/strings.xml (ru): +2 ~0 -0")
	answer(`<string name="files">{count, plural, one {%1$d файл} few {# файла} many {%1$d l\'\'файлов} other {%1$d файла}}</string>
<plurals name="days"><item quantity="one"># день {who}</item><item quantity="few"># дня {who}</item><item quantity="many"># дней {who}</item><item quantity="other">{who}: # дня</item></plurals>`)
	w.brings("values-ru/strings.xml (ru): +4 ~0 -0")
	w.file("values-ru/strings.xml", `<resources>
    <plurals name="files">
        <item quantity="one">%1$d файл</item>
        <item quantity="few">%1$d файла</item>
        <item quantity="many">%1$d l\'файлов</item>
        <item quantity="other">%1$d файла</item>
    </plurals>
    <string name="days">{n, plural, one {# день {who}} few {# дня {who}} many {# дней {who}} other {{who}: # дня}}</string>
    <string name="plain">Просто</string>
</resources>`)
	w.brings()
	// What a push compares with is the same: nobody changed anything.
	w.git("merge", "-q", "l10n")
	w.sends()
	w.write("values-ru/strings.xml", strings.Replace(w.show("l10n", "values-ru/strings.xml"), "%1$d файла</item>\n    </plurals>", "%1$d файлика</item>\n    </plurals>", 1)+"\n")
	w.sends("values-ru/strings.xml (ru): files")
}

// A plural that is renamed keeps its translations in whatever spelling they come.
func TestRenameOfAPluralInTheOtherSpelling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, androidFiles, map[string]string{"values/strings.xml": plurals("files", "one", "%d file", "other", "%d files")})
	w.clean(push.Options{})
	w.replies(t, func(body []byte) []byte {
		if !bytes.Contains(body, []byte("values-ru")) {
			return body
		}
		return zipped(t, "values-ru/strings.xml", `<resources><string name="files">{count, plural, one {%d файл} few {%d файла} many {%d файлов} other {%d файла}}</string></resources>`)
	})
	w.write("values/strings.xml", plurals("documents", "one", "%d file", "other", "%d files"))
	w.sends("values-ru/strings.xml (ru): documents", "values/strings.xml (en): documents")
	w.holds("main", "ru", "documents", "{count, plural, one {%d файл} few {%d файла} many {%d файлов} other {%d файла}}")
}

const railsFiles = eastern + `
source = "config/locales/en.yml"
format = "structured-yaml"
output = "config/locales/{LANGUAGE}.yml"
plurals = "keys"
`

// Rails' maps: the forms that a language has in addition are keys that the source lacks. They stay, and their changes are sent.
func TestPluralsInRails(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	ru := "ru:\n  files:\n    one: \"%{count} файл\"\n    few: \"%{count} файла\"\n    many: \"%{count} файлов\"\n    other: \"%{count} файла\"\n  menu:\n    few: dead\n    gone: dead\n"
	w := newWorld(t, railsFiles, map[string]string{
		"config/locales/en.yml": "en:\n  files:\n    one: \"%{count} file\"\n    other: \"%{count} files\"\n  menu:\n    other: Other\n    one: One\n    save: Save\n",
		"config/locales/ru.yml": ru,
		"config/locales/ja.yml": "ja:\n  files:\n    dead: dead\n    other: \"%{count}個\"\n",
	})
	foretold := w.pushes(push.Options{DryRun: true}).Problems
	w.problem(foretold, "ru.yml", "files/few, files/many")
	if told := w.pushes(push.Options{}).Problems; !slices.Equal(told, foretold) {
		t.Errorf("told %v, and %v before", told, foretold)
	}
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "files:\n  one: \"%{count} файлик\"\n  other: \"%{count} файлика\"\n")
	w.translateFile("structured-yaml", "main", "ar", "x.yml", "files:\n  one: ملف\n  other: \"%{count} ملف\"\nmenu:\n  save: حفظ\n")
	w.brings("config/locales/ar.yml (ar): +3 ~0 -0", "config/locales/ru.yml (ru): +0 ~2 -0")
	w.file("config/locales/ru.yml", "ru:\n  files:\n    one: \"%{count} файлик\"\n    few: \"%{count} файла\"\n    many: \"%{count} файлов\"\n    other: \"%{count} файлика\"\n  menu:\n    few: dead\n    gone: dead\n")
	w.git("merge", "-q", "l10n")
	w.sends()

	// A changed form of that kind is sent by itself, beside the other changes; this service has no source text for it and leaves it out.
	now := strings.ReplaceAll(strings.ReplaceAll(w.show("main", "config/locales/ru.yml"), "файлов", "штук"), "файлик\"", "файл\"")
	w.write("config/locales/ru.yml", now+"\n")
	const many = "no source text for plural forms that only this language has (files/many)"
	w.problem(w.pushes(push.Options{DryRun: true}).Problems, "config/locales/ru.yml", many)
	p := w.pushes(push.Options{})
	w.problem(p.Problems, "config/locales/ru.yml", many)
	w.reports(p, "config/locales/ru.yml (ru): files/many", "config/locales/ru.yml (ru): files/one")
	w.holds("main", "ru", "files/one", "%{count} файл")
	w.sends()
	w.commit()
	w.brings()

	// With the source text at the service it is offered again and taken, and a translator's text for it comes back.
	w.write("config/locales/en.yml", "en:\n  files:\n    one: \"%{count} file\"\n    many: \"%{count} files\"\n    other: \"%{count} files\"\n  menu:\n    other: Other\n    one: One\n    save: Save\n")
	if foretold := w.pushes(push.Options{DryRun: true}).Problems; len(foretold) > 0 {
		t.Errorf("foretold, and the source has the form now: %v", foretold)
	}
	w.sends("config/locales/en.yml (en): files/many", "config/locales/ru.yml (ru): files/many")
	w.holds("main", "ru", "files/many", "%{count} штук")
	w.write("config/locales/ru.yml", strings.ReplaceAll(now, "штук", "файлов")+"\n")
	w.sends("config/locales/ru.yml (ru): files/many")
	w.holds("main", "ru", "files/many", "%{count} файлов")

	// A form that the service has already travels with the others, though the source has lost it.
	w.write("config/locales/en.yml", "en:\n  files:\n    one: \"%{count} file\"\n    other: \"%{count} files\"\n  menu:\n    other: Other\n    one: One\n    save: Save\n")
	w.sends()
	w.write("config/locales/ru.yml", strings.NewReplacer("штук", "шт.", "файл\"", "файлик\"").Replace(now)+"\n")
	w.wire.take("")
	w.sends("config/locales/ru.yml (ru): files/one files/many")
	if n := len(w.wire.take("import")); n != 1 {
		t.Errorf("%d imports", n)
	}
}

// Forms that only a target has are named as an error where they are new, and as a warning by a state that is.
func TestExtraFormsOfANewState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, railsFiles, map[string]string{
		"config/locales/en.yml": "en:\n  files:\n    one: \"%{count} file\"\n    other: \"%{count} files\"\n",
		"config/locales/ru.yml": "ru:\n  files:\n    one: \"%{count} файл\"\n    few: \"%{count} файла\"\n    other: \"%{count} файла\"\n",
	})
	for _, new := range []bool{true, false} {
		for _, dry := range []bool{true, false} {
			problems := w.pushes(push.Options{DryRun: dry}).Problems
			w.problem(problems, "ru.yml", "files/few")
			if report.LeavesOut(problems) != new {
				t.Errorf("new: %v, dry run: %v: %v", new, dry, problems)
			}
		}
		w.lose()
	}
}

// A language may have a plural where the source has a single text, as Rails' own files do. It stays, until the service has a new translation of that
// text.
func TestMapInPlaceOfASingleText(t *testing.T) {
	t.Parallel()
	ru := "ru:\n  million:\n    one: миллион\n    few: миллиона\n    many: миллионов\n    other: миллиона\n  save: Да\n"
	w := newWorld(t, railsFiles, map[string]string{"config/locales/en.yml": "en:\n  million: Million\n  save: Save\n", "config/locales/ru.yml": ru})
	w.pushes(push.Options{}) // which names what the service has no source text for
	w.brings()
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "save: Нет\n")
	w.brings("config/locales/ru.yml (ru): +0 ~1 -0")
	w.file("config/locales/ru.yml", strings.Replace(ru, "Да", "Нет", 1))
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "million: млн\n")
	w.brings("config/locales/ru.yml (ru): +1 ~0 -4")
	w.file("config/locales/ru.yml", "ru:\n  million: млн\n  save: Нет\n")
	// Somebody makes a map of it again.
	w.commitOn("l10n", "config/locales/ru.yml", strings.Replace(ru, "Да", "Нет", 1))
	w.brings()
	w.brings()
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "million: миллион\n")
	w.brings("config/locales/ru.yml (ru): +1 ~0 -4")
}

// The other way round: a language may have one text where the source has a plural, as Rails' own Japanese does. It stays, until the service has forms.
func TestSingleTextInPlaceOfAPlural(t *testing.T) {
	t.Parallel()
	en := "en:\n  post:\n    one: Post\n    other: Posts\n  user:\n    one: User\n    other: Users\n  save: Save\n"
	ja := "ja:\n  post: 投稿\n  user: ユーザー\n  save: 保存\n"
	w := newWorld(t, railsFiles, map[string]string{"config/locales/en.yml": en, "config/locales/ja.yml": ja, "config/locales/ru.yml": "ru:\n  user: Юзер\n"})
	w.pushes(push.Options{}) // which names what the service has no source text for
	w.brings()
	result, err := w.Check(t.Context(), inspect.Options{})
	w.check(err)
	if p := result.Projects[0].Problems; len(p) != 0 {
		t.Errorf("%v", p)
	}
	w.translateFile("structured-yaml", "main", "ja", "x.yml", "save: セーブ\n")
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "user:\n  one: Юзер\n")
	p := w.pulls(pull.Options{}) // no file can hold the form beside the text, and the text says more
	w.problem(p.Problems, `config/locales/ru.yml: "user/one" (ru)`, `the plural lacks the form "other"`)
	w.gains(p, "config/locales/ja.yml (ja): +0 ~1 -0")
	w.file("config/locales/ja.yml", strings.Replace(ja, "保存", "セーブ", 1))
	w.translateFile("structured-yaml", "main", "ja", "x.yml", "user:\n  other: 利用者\n")
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "user:\n  other: Юзеры\n")
	w.brings("config/locales/ja.yml (ja): +1 ~0 -1", "config/locales/ru.yml (ru): +2 ~0 -1")
	w.file("config/locales/ja.yml", "ja:\n  post: 投稿\n  user:\n    other: 利用者\n  save: セーブ\n")
	// Somebody makes one text of it again.
	w.commitOn("l10n", "config/locales/ja.yml", strings.Replace(ja, "保存", "セーブ", 1))
	w.brings()
	w.brings()
	w.translateFile("structured-yaml", "main", "ja", "x.yml", "user:\n  other: 使用者\n")
	w.brings("config/locales/ja.yml (ja): +1 ~0 -1")

	// Changed and sent, it is named when the service has no place for it.
	w.git("merge", "-q", "l10n")
	w.sends()
	w.write("config/locales/ja.yml", strings.Replace(w.show("main", "config/locales/ja.yml"), "投稿", "記事", 1)+"\n")
	sent := w.pushes(push.Options{})
	w.problem(sent.Problems, "config/locales/ja.yml", "instead of a plural (post)")
	w.reports(sent, "config/locales/ja.yml (ja): post")
	w.sends()
}

// In flat files a text can stand beside the forms: then it is no plural, and nothing of the source's.
func TestSingleTextInPlaceOfAPluralOfSuffixes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oneJSONFile+"format = \"structured-json\"\n", map[string]string{
		"en.json": `{"cart": {"item_one": "{{count}} item", "item_other": "{{count}} items", "box": "Box", "box_one": "{{count}} box", "box_other": "{{count}} boxes"}, "save": "Save"}`,
		"ja.json": "{\n  \"cart\": {\n    \"item\": \"{{count}}点\",\n    \"box\": \"箱\"\n  },\n  \"save\": \"保存\",\n  \"dead\": \"dead\"\n}\n",
		"ru.json": "{\n  \"cart\": {\n    \"item\": \"dead\",\n    \"item_other\": \"{{count}} штуки\"\n  }\n}\n",
	})
	p := w.pushes(push.Options{Translations: true})
	w.problem(p.Problems, "ja.json", "instead of a plural (cart/item)")
	w.brings()
	w.final("ja", "cart/item_other", "個", "cart/box_other", "{{count}}箱")
	p2 := w.pulls(pull.Options{}) // what does not come replaces nothing
	w.problem(p2.Problems, `ja.json: "cart/item_other" (ja)`, "it lacks {{count}}")
	w.gains(p2, "ja.json (ja): +1 ~0 -0")
	w.final("ja", "cart/item_other", "{{count}}個")
	w.brings("ja.json (ja): +1 ~0 -1")
	w.file("ja.json", "{\n  \"cart\": {\n    \"item_other\": \"{{count}}個\",\n    \"box\": \"箱\",\n    \"box_other\": \"{{count}}箱\"\n  },\n  \"save\": \"保存\",\n  \"dead\": \"dead\"\n}")
	w.brings()
}

// A map or a text that stands in the place of the source's is translated: nothing is filled in for it.
func TestNothingIsFilledInBesideOtherShapes(t *testing.T) {
	t.Parallel()
	ru := "ru:\n  million:\n    one: миллион\n    few: миллиона\n    many: миллионов\n    other: миллиона\n  user: Юзер\n  save: Да\n"
	w := newWorld(t, strings.Replace(railsFiles, "remote = \"\"", "remote = \"\"\nincomplete = \"fallback\"", 1), map[string]string{
		"config/locales/en.yml": "en:\n  million: Million\n  user:\n    one: User\n    other: Users\n  save: Save\n  new: New\n", "config/locales/ru.yml": ru})
	w.pushes(push.Options{}) // which names what the service has no source text for
	w.brings("config/locales/ru.yml (ru): +0 ~0 -0")
	w.file("config/locales/ru.yml", ru+"  new: New\n")
	w.brings()
}

// A plural that a single text becomes in the source keeps that text's translation, until the service has forms; where the text itself moves to a form, its
// translation moves along.
func TestSingleTextThatBecomesAPlural(t *testing.T) {
	t.Parallel()
	w := newWorld(t, railsFiles, map[string]string{
		"config/locales/en.yml": "en:\n  files: Files\n  user: User\n  save: Save\n",
		"config/locales/ja.yml": "ja:\n  files: ファイル\n  user: ユーザー\n  save: 保存\n",
	})
	w.clean(push.Options{Translations: true})
	w.brings()
	w.write("config/locales/en.yml", "en:\n  files:\n    one: File\n    other: Files\n  user:\n    one: One user\n    other: Many users\n  save: Save\n")
	w.clean(push.Options{})
	w.commit()
	w.brings("config/locales/ja.yml (ja): +1 ~0 -1")
	w.file("config/locales/ja.yml", "ja:\n  files:\n    other: ファイル\n  user: ユーザー\n  save: 保存\n")
	w.translateFile("structured-yaml", "main", "ja", "x.yml", "user:\n  other: 利用者\n")
	w.brings("config/locales/ja.yml (ja): +1 ~0 -1")
	w.file("config/locales/ja.yml", "ja:\n  files:\n    other: ファイル\n  user:\n    other: 利用者\n  save: 保存\n")
	w.brings()
}

// A translation that is refused leaves the map in whose place it would have come.
func TestMapStaysWhereItsTextIsRefused(t *testing.T) {
	t.Parallel()
	ru := "ru:\n  million:\n    one: \"%{n} миллион\"\n    other: \"%{n} миллиона\"\n"
	w := newWorld(t, railsFiles, map[string]string{"config/locales/en.yml": "en:\n  million: \"%{n} million\"\n", "config/locales/ru.yml": ru})
	w.pushes(push.Options{}) // which names what the service has no source text for
	w.brings()
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "million: млн\n")
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `config/locales/ru.yml: "million" (ru)`, "it lacks %{n}")
	w.gains(p)
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "million: \"%{n} млн\"\n")
	w.brings("config/locales/ru.yml (ru): +1 ~0 -2")
}

// A service that knows plurals of keys answers with one message for all of them.
func TestPluralsOfKeysInOneMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, railsFiles+`
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
plurals = "keys"
collection = "json"
`, map[string]string{
		"config/locales/en.yml": "en:\n  files:\n    one: \"%{count} file\"\n    other: \"%{count} files\"\n",
		"en.json":               "{\n  \"day_one\": \"{{count}} day\",\n  \"day_other\": \"{{count}} days\"\n}\n",
	})
	w.clean(push.Options{})
	few := "{count, number} файла" // no text says that
	w.replies(t, func(body []byte) []byte {
		if bytes.Contains(body, []byte(".yml")) {
			return zipped(t, "config/locales/ru.yml", "files: \"{count, plural, one {# файл} few {"+few+"} many {# файлов} other {# файла}}\"\n")
		}
		return zipped(t, "ja.json", `{"day": "{count, plural, one {x} other {#日}}"}`)
	})
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `config/locales/ru.yml: "files" (ru)`, "cannot be taken apart")
	w.gains(p, "ja.json (ja): +1 ~0 -0")
	w.file("ja.json", "{\n  \"day_other\": \"{{count}}日\"\n}")
	few = "%{count} файла" // which ICU reads as an argument
	w.gains(w.pulls(pull.Options{Full: true}), "config/locales/ru.yml (ru): +4 ~0 -0")
	w.file("config/locales/ru.yml", "ru:\n  files:\n    one: \"%{count} файл\"\n    few: \"%{count} файла\"\n    many: \"%{count} файлов\"\n    other: \"%{count} файла\"")
	w.brings()
}

// Rails raises an error on a plural map without "other", so its other forms wait for that.
func TestRailsMapWithoutOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, railsFiles, map[string]string{"config/locales/en.yml": "en:\n  files:\n    one: \"%{count} file\"\n    other: \"%{count} files\"\n  menu:\n    save: Save\n"})
	w.clean(push.Options{})
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "files:\n  one: \"%{count} файл\"\nmenu:\n  save: Да\n")
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `"files/one" (ru)`, `the plural lacks the form "other"`)
	w.gains(p, "config/locales/ru.yml (ru): +1 ~0 -0")
	w.translateFile("structured-yaml", "main", "ru", "x.yml", "files:\n  other: \"%{count} файла\"\n")
	w.brings("config/locales/ru.yml (ru): +2 ~0 -0")
}

const oneJSONFile = eastern + `
source = "en.json"
output = "{LANGUAGE}.json"
plurals = "keys"
`

// i18next's fourth version ends keys with categories, the third with _plural or a number.
func TestPluralsOfI18next(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oneJSONFile, map[string]string{
		"en.json": `{
  "file_one": "{{count}} file",
  "file_other": "{{count}} files",
  "day": "{{count}} day",
  "day_plural": "{{count}} days",
  "gender_other": "Other",
  "save": "Save"
}
`,
		"ru.json": `{
  "file_one": "{{count}} файл",
  "file_few": "{{count}} файла",
  "file_many": "{{count}} файлов",
  "file_other": "{{count}} файла",
  "file_zero": "нет файлов",
  "file_title": "dead",
  "day_0": "{{count}} день",
  "day_1": "{{count}} дня",
  "day_2": "{{count}} дней",
  "gender_few": "dead",
  "save_few": "dead",
  "day_9": "dead"
}
`,
		"ja.json": "{\n  \"file_other\": \"{{count}}個\",\n  \"file_rest\": \"dead\",\n  \"day_0\": \"{{count}}日\"\n}\n",
	})
	w.pushes(push.Options{}) // which names what the service has no source text for
	w.final("ru", "file_other", "{{count}} файлика", "save", "Да")
	w.final("ja", "day_plural", "{{count}}日")
	w.final("ar", "file_one", "ملف")
	w.brings("ar.json (ar): +1 ~0 -0", "ja.json (ja): +1 ~0 -0", "ru.json (ru): +1 ~1 -0")
	w.file("ru.json", `{
  "file_one": "{{count}} файл",
  "file_few": "{{count}} файла",
  "file_many": "{{count}} файлов",
  "file_other": "{{count}} файлика",
  "save": "Да",
  "file_zero": "нет файлов",
  "file_title": "dead",
  "day_0": "{{count}} день",
  "day_1": "{{count}} дня",
  "day_2": "{{count}} дней",
  "gender_few": "dead",
  "save_few": "dead",
  "day_9": "dead"
}`)
	w.git("merge", "-q", "l10n")
	w.sends()
	w.write("ru.json", strings.ReplaceAll(w.show("main", "ru.json"), "{{count}} файлов", "{{count}} шт.")+"\n")
	p := w.pushes(push.Options{})
	w.problem(p.Problems, "ru.json", "file_many")
	w.reports(p, "ru.json (ru): file_many")
	w.sends()
}

func TestPluralsInMessages(t *testing.T) {
	t.Parallel()
	const asLeftOut = "; correct it at the service, or switch the check off with skip_checks in [[project.files]]"
	w := newWorld(t, oneJSONFile, map[string]string{"en.json": "{\n  \"files\": \"{n, plural, one {# file in {dir}} other {# files in {dir}}}\",\n  \"days\": \"{n, plural, one {# day} other {# days}}\"\n}\n"})
	w.clean(push.Options{})
	const good = "{n, plural, one {# файл в {dir}} few {# файла в {dir}} many {# файлов в {dir}} other {# файла в {dir}}}"
	w.final("ru", "files", good, "days", "{n, plural, one {# день} few {# дня} other {# дня}}")
	w.final("ja", "files", "{n, plural, other {{dir}に#個}}", "days", "{m, plural, other {#日}}")
	w.final("ar", "files", "{n, plural, zero {{dir}} one {{dir}} two {{dir}} few {# {dir}} many {# {dir}} other {# {dir}}}")
	p := w.pulls(pull.Options{})
	var told []string
	for _, problem := range p.Problems {
		told = append(told, problem.String())
	}
	if want := []string{
		`ja.json: "days" (ja): the translation "{m, plural, other {#日}}" is left out: it has {m} where the source has {n}` + asLeftOut,
	}; !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
	w.gains(p, "ar.json (ar): +1 ~0 -0", "ja.json (ja): +1 ~0 -0", "ru.json (ru): +2 ~0 -0")
	w.file("ru.json", "{\n  \"files\": \""+good+"\",\n  \"days\": \"{n, plural, one {# день} few {# дня} other {# дня}}\"\n}") // 5 gets "other"
}

// Made-up translations have what their languages need, in every format.
func TestPluralsMadeUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, androidFiles+`
collection = "android"
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`, map[string]string{"values/strings.xml": plurals("files", "one", "%d file", "other", "%d files"),
		"en.json": "{\n  \"files\": \"{n, plural, one {# file} other {# files}}\"\n}\n"}, func(o *local.Options) { o.Pseudo = true })
	w.clean(push.Options{})
	w.brings("ar.json (ar): +1 ~0 -0", "ja.json (ja): +1 ~0 -0", "ru.json (ru): +1 ~0 -0",
		"values-ar/strings.xml (ar): +6 ~0 -0", "values-ja/strings.xml (ja): +1 ~0 -0", "values-ru/strings.xml (ru): +4 ~0 -0")
}

// With incomplete = "fallback" source text stands in for a plural in the forms that the language has.
func TestPluralsFilledIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.Replace(androidFiles, "remote = \"\"", "remote = \"\"\nincomplete = \"fallback\"", 1),
		map[string]string{"values/strings.xml": strings.Replace(plurals("files", "one", "%d file", "other", "%d files"), "</resources>", "    <string name=\"ok\">OK</string>\n</resources>", 1)})
	w.clean(push.Options{})
	w.translateFile("android-xml", "main", "ja", "strings.xml", `<resources><string name="ok">はい</string></resources>`)
	w.brings("values-ja/strings.xml (ja): +1 ~0 -0")
	if got := w.show("l10n", "values-ja/strings.xml"); strings.Contains(got, `"one"`) || !strings.Contains(got, `<item quantity="other">%d files</item>`) {
		t.Error(got)
	}
	// English that somebody left in a form that Japanese does not have goes when the plural is translated.
	w.commitOn("l10n", "values-ja/strings.xml", plurals("files", "one", "%d file", "other", "%d files"))
	w.translateFile("android-xml", "main", "ja", "strings.xml", plurals("files", "other", "%d個"))
	w.brings("values-ja/strings.xml (ja): +1 ~1 -1")
	if got := w.show("l10n", "values-ja/strings.xml"); strings.Contains(got, `"one"`) || !strings.Contains(got, "%d個") {
		t.Error(got)
	}
}

// A translation that its format cannot hold is named with its reason, and nothing else suffers.
func TestTranslationThatItsFormatRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, androidFiles, map[string]string{"values/strings.xml": "<resources>\n    <string name=\"a\">A</string>\n    <string name=\"b\">B</string>\n</resources>\n"})
	w.clean(push.Options{})
	w.replies(t, func([]byte) []byte {
		return zipped(t, "values-ru/strings.xml", "<resources><string name=\"a\">А\\u0001</string><string name=\"b\">Б</string></resources>")
	})
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `values-ru/strings.xml: "a" (ru)`, "the control character U+0001")
	w.file("values-ru/strings.xml", "<resources>\n    <string name=\"b\">Б</string>\n</resources>")
}

// column is the column of a problem, which is the key's or the value's.
var column = regexp.MustCompile(`^(\S+:\d+):\d+:`)

// What pulls would leave out is told of the files as they are, too, with its place.
func TestCheckOfPlurals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, androidFiles+`
skip_checks = ["plurals:loose"]
[[project.files]]
source = "en.yml"
format = "structured-yaml"
output = "{LANGUAGE}.yml"
collection = "rails"
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
plurals = "keys"
collection = "json"
`, map[string]string{
		"values/strings.xml": "<resources>\n<plurals name=\"a\"><item quantity=\"one\">%d</item><item quantity=\"other\">%d</item></plurals>\n" +
			"<plurals name=\"loose\"><item quantity=\"one\">%d</item><item quantity=\"other\">%d</item></plurals></resources>\n",
		"values-ru/strings.xml": "<resources>\n<plurals name=\"a\"><item quantity=\"one\">%d</item>\n<item quantity=\"few\">x</item><item quantity=\"other\">%d</item></plurals>\n" +
			"<plurals name=\"loose\"><item quantity=\"one\">%d</item><item quantity=\"other\">%d</item></plurals></resources>\n",
		"en.yml":  "en:\n  f:\n    one: \"%{n} f\"\n    other: \"%{n} fs\"\n  g:\n    one: \"%{n} f\"\n    other: \"%{n} fs\"\n",
		"ru.yml":  "ru:\n  f:\n    one: \"%{n} ф\"\n    few: \"%{m} ф\"\n    other: \"%{n} ф\"\n  g:\n    one: \"%{n} ф\"\n",
		"en.json": "{\"a\": \"{n, plural, one {a} other {b}}\"}",
		"ru.json": "{\"a\": \"{n, plural, one {а} other {б}}\"}",
	})
	result, err := w.Check(t.Context(), inspect.Options{})
	w.check(err)
	var got []string
	for _, p := range result.Projects[0].Problems {
		p.Severity, p.Remedy = "", ""
		got = append(got, column.ReplaceAllString(p.String(), "$1:"))
	}
	slices.Sort(got)
	if want := []string{
		`ru.json:1: "a" (ru): the plural lacks the forms "few" and "many", which the language ru needs for {n}`,
		`ru.yml:3: "f" (ru): the plural lacks the form "many", which the language ru needs`,
		`ru.yml:4: "f" (ru): it has %{m} where the source has %{n}`,
		`ru.yml:7: "g" (ru): the plural lacks the form "other", and the forms "few" and "many", which the language ru needs`,
		`values-ru/strings.xml:2: "a" (ru): the plural lacks the form "many", which the language ru needs`,
		`values-ru/strings.xml:3: "a" (ru): it leaves out the number %d, which the source has`,
	}; !slices.Equal(got, want) {
		t.Error(strings.Join(got, "\n"))
	}
	for _, p := range result.Projects[0].Problems { // the program works where "other" stands in
		if p.Severity == report.Error != (strings.HasSuffix(p.File, ".yml") && !strings.HasPrefix(p.Problem, `the plural lacks the form "many"`)) {
			t.Errorf("%s: %s", p.Severity, p)
		}
	}
}

// A plural of keys that is renamed takes the forms along that only the translation has. Two plurals with one text are not told apart.
func TestRenameOfAPluralOfKeys(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	ru := "{\n  \"file_one\": \"{{count}} файл\",\n  \"file_few\": \"{{count}} файла\",\n  \"file_other\": \"{{count}} файлов\"%\n}\n"
	en := "{\n  \"file_one\": \"{{count}} file\",\n  \"file_other\": \"{{count}} files\"%\n}\n"
	for _, twin := range []bool{false, true} {
		moreEN, moreRU := "", ""
		if twin {
			moreEN, moreRU = ",\n  \"paper_one\": \"{{count}} paper\",\n  \"paper_other\": \"{{count}} papers\"", ",\n  \"paper_other\": \"{{count}} файлов\""
		}
		w := newWorld(t, oneJSONFile, map[string]string{"en.json": strings.Replace(en, "%", moreEN, 1), "ru.json": strings.Replace(ru, "%", moreRU, 1)})
		w.pushes(push.Options{}) // which names what the service has no source text for
		w.final("ru", "file_one", "{{count}} файл", "file_other", "{{count}} файлов")
		if twin {
			w.final("ru", "paper_other", "{{count}} файлов")
		}
		w.brings()
		now := strings.ReplaceAll(strings.ReplaceAll(w.show("main", "en.json"), "file_", "doc_"), "paper_", "sheet_") + "\n"
		w.write("en.json", now)
		w.clean(push.Options{})
		w.commit()
		w.pulls(pull.Options{})
		got := w.show("l10n", "ru.json")
		if want := strings.TrimSuffix(strings.Replace(strings.ReplaceAll(ru, "file_", "doc_"), "%", "", 1), "\n"); !twin && got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if twin && (strings.Contains(got, "_few") || !strings.Contains(got, "doc_other") || !strings.Contains(got, "sheet_other")) {
			t.Errorf("two candidates: %s", got)
		}
		w.brings()
	}
}
