package discover

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/locsync/locsync/sync/setup/migrate"
)

// tree is a tree of files in txtar's form.
func tree(text string) (fstest.MapFS, Listing) {
	fsys := fstest.MapFS{}
	var l Listing
	for _, f := range txtar.Parse([]byte(text)).Files {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
		l.Tracked = append(l.Tracked, f.Name)
	}
	return fsys, l
}

func xliffOf(source, target string, units ...string) string {
	to, body := "", ""
	if target != "" {
		to = ` target-language="` + target + `"`
	}
	for _, u := range units {
		id, text, _ := strings.Cut(u, "=")
		body += `<trans-unit id="` + id + `"><source>` + text + `</source>`
		if target != "" {
			body += `<target>` + target + text + `</target>`
		}
		body += "</trans-unit>\n"
	}
	return `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="` + source + `"` + to + ` datatype="plaintext" original="x"><body>
` + body + "</body></file></xliff>\n"
}

// lines of a result with the outputs of its groups.
func (r *Result) shape() string {
	all := []string{r.Source}
	for _, g := range r.Groups {
		all = append(all, g.Source+" -> "+g.Output+" "+strings.Join(g.Languages[1:], ","))
	}
	for _, l := range r.LeftOut {
		all = append(all, "not "+l.Path)
	}
	if r.Unsure != "" {
		all = append(all, "unsure")
	}
	return strings.Join(all, "\n")
}

// Each piece of evidence for the source language and for pairs of files, in trees that nothing else decides.
func TestEvidence(t *testing.T) {
	english := "a=Save file\nb=Open file\nc=Close the window\n"
	resx := func(texts ...string) string {
		body := ""
		for _, text := range texts {
			key, value, _ := strings.Cut(text, "=")
			body += `<data name="` + key + `" xml:space="preserve"><value>` + value + "</value></data>\n"
		}
		return "<root>\n" + body + "</root>\n"
	}
	android := func(texts ...string) string {
		body := ""
		for _, text := range texts {
			key, value, _ := strings.Cut(text, "=")
			body += `<string name="` + key + `">` + value + "</string>\n"
		}
		return "<resources>\n" + body + "</resources>\n"
	}
	catalog := func(source string) string {
		return `{"sourceLanguage":"` + source + `","version":"1.0","strings":{"Quit":{"localizations":{` +
			`"de":{"stringUnit":{"state":"translated","value":"Beenden"}}}}}}` + "\n"
	}
	const json2, json0 = `{"a":"A file","b":"B file"}`, `{}`
	json10 := "{"
	for i := range 10 {
		json10 += fmt.Sprintf("%q: \"Text %d\", ", fmt.Sprint("k", i), i)
	}
	json10 += "\"k\": \"Last\"}\n"
	for _, c := range []struct{ name, tree, want string }{
		{"a base bundle beside a smaller English one", "-- src/messages.properties --\n" + english +
			"-- src/messages_en.properties --\na=Save file\nb=Open file\n" +
			"-- src/messages_de.properties --\na=Datei speichern\nb=Datei öffnen\nc=Fenster schließen\n",
			"en\nsrc/messages.properties -> src/messages_{LANGUAGE}.properties de\nnot src/messages_en.properties"},
		{"a base bundle beside an empty English one", "-- r/messages.properties --\n" + english +
			"-- r/messages_en.properties --\n# empty\n-- r/messages_de.properties --\na=Datei speichern\n",
			"en\nr/messages.properties -> r/messages_{LANGUAGE}.properties de\nnot r/messages_en.properties"},
		{"an empty base bundle", "-- r/messages.properties --\n# empty\n-- r/messages_en.properties --\n" + english +
			"-- r/messages_de.properties --\na=Datei speichern\n",
			"en\nr/messages_en.properties -> r/messages_{LANGUAGE}.properties de"},
		{"base resources beside English ones", "-- P/Resources.resx --\n" + resx("a=Save", "b=Open") +
			"-- P/Resources.en-US.resx --\n" + resx("a=Save") + "-- P/Resources.en.resx --\n" + resx("a=Save") +
			"-- P/Resources.de.resx --\n" + resx("a=Sichern"),
			"en\nP/Resources.resx -> P/Resources.{LANGUAGE}.resx de,en-US\nnot P/Resources.en.resx"},
		{"a base bundle in another language", "-- r/messages.properties --\na=Sichern\nb=Öffnen\n" +
			"-- r/messages_en.properties --\na=Save\nb=Open\n-- r/messages_fr.properties --\na=Enregistrer\n",
			"en\nr/messages_en.properties -> r/messages_{LANGUAGE}.properties fr\nunsure"},
		{"a base bundle in the language of a copy", "-- r/messages.properties --\na=Sichern\nb=Öffnen\n" +
			"-- r/messages_de.properties --\na=Sichern\nb=Öffnen\n" +
			"-- r/messages_en.properties --\na=Save\nb=Open\n-- r/messages_fr.properties --\na=Enregistrer\n",
			"de\nr/messages.properties -> r/messages_{LANGUAGE}.properties en,fr\nnot r/messages_de.properties"},

		{"XLIFF above the folders of its translations", "-- i18n/messages.xlf --\n" + xliffOf("en", "", "a=Save") +
			"-- i18n/de/messages.de.xlf --\n" + xliffOf("en", "de", "a=Save") +
			"-- i18n/fr/messages.fr.xlf --\n" + xliffOf("en", "fr", "a=Save"),
			"en\ni18n/messages.xlf -> i18n/{LANGUAGE}/messages.{LANGUAGE}.xlf de,fr"},
		{"XLIFF in the program's root", "-- ui/messages.xlf --\n" + xliffOf("en-US", "", "a=Save", "b=Open") +
			"-- ui/src/locale/messages.de.xlf --\n" + xliffOf("en-US", "de", "a=Save") +
			"-- ui/src/locale/messages.en_US.xlf --\n" + xliffOf("en-US", "en-US", "a=Save"),
			"en-US\nui/messages.xlf -> ui/src/locale/messages.{LANGUAGE}.xlf de\nnot ui/src/locale/messages.en_US.xlf"},
		{"XLIFF 2 in German", "-- src/locale/messages.xlf --\n" +
			`<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="de"><file id="x"><unit id="a">` +
			"<segment><source>Sichern</source></segment></unit></file></xliff>\n" + "-- src/locale/messages.en.xlf --\n" +
			`<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="de" trgLang="en"><file id="x">` +
			`<unit id="a"><segment><source>Sichern</source><target>Save</target></segment></unit></file></xliff>`,
			"de\nsrc/locale/messages.xlf -> src/locale/messages.{LANGUAGE}.xlf en"},
		{"XLIFF of its own whose name ends as a language", "-- L/locallang.xlf --\n" + xliffOf("en", "", "a=Save") +
			"-- L/de.locallang.xlf --\n" + xliffOf("en", "de", "a=Save") +
			"-- L/locallang_be.xlf --\n" + xliffOf("en", "", "x=Module", "y=Title"),
			"en\nL/locallang.xlf -> L/{LANGUAGE}.locallang.xlf de\nL/locallang_be.xlf -> L/{LANGUAGE}.locallang_be.xlf "},
		{"XLIFF that is copied and not translated yet", "-- L/messages.xlf --\n" + xliffOf("en", "", "a=Save") +
			"-- L/messages.de.xlf --\n" + xliffOf("en", "", "a=Save"),
			"en\nL/messages.xlf -> L/messages.{LANGUAGE}.xlf de"},

		{"a catalog beside strings without English", "-- App/Localizable.xcstrings --\n" + catalog("en") +
			"-- App/de.lproj/InfoPlist.strings --\n\"a\" = \"b\";\n-- App/it.lproj/InfoPlist.strings --\n\"a\" = \"c\";\n",
			"en\nApp/Localizable.xcstrings ->  de\nnot App/{LOCALE:IOS}.lproj/InfoPlist.strings"},
		{"a catalog in the language of strings", "-- App/Localizable.xcstrings --\n" + catalog("it") +
			"-- App/de.lproj/InfoPlist.strings --\n\"a\" = \"b\";\n-- App/it.lproj/InfoPlist.strings --\n\"a\" = \"c\";\n",
			"it\nApp/Localizable.xcstrings ->  de\nApp/it.lproj/*.strings -> App/{LOCALE:IOS}.lproj/{NAME}.strings de"},
		{"a project in English, strings without it", "-- App.xcodeproj/project.pbxproj --\ndevelopmentRegion = en;\n" +
			"-- App/Localizable.xcstrings --\n" + catalog("en") + "-- App/de.lproj/A.strings --\n\"a\" = \"b\";\n",
			"en\nApp/Localizable.xcstrings ->  de\nnot App/de.lproj/A.strings"},

		{"values beside the declared language", "-- ios/App.xcodeproj/project.pbxproj --\ndevelopmentRegion = ja;\n" +
			"-- a/src/composeResources/values/strings.xml --\n" + android("a=Timetable", "b=Event map") +
			"-- a/src/composeResources/values-ja/strings.xml --\n" + android("a=タイムテーブル", "b=イベントマップ"),
			"en\na/src/composeResources/values/strings.xml -> a/src/composeResources/values-{LOCALE:ANDROID}/strings.xml ja"},
		{"values in the declared language", "-- app/src/main/res/resources.properties --\nunqualifiedResLocale=ja\n" +
			"-- app/src/main/res/values/strings.xml --\n" + android("a=タイムテーブル") +
			"-- app/src/main/res/values-en/strings.xml --\n" + android("a=Timetable"),
			"ja\napp/src/main/res/values/strings.xml -> app/src/main/res/values-{LOCALE:ANDROID}/strings.xml en"},
		{"a base bundle beside the declared language", "-- manifest.json --\n{\"default_locale\": \"de\"}\n" +
			"-- r/messages.properties --\na=Save\n-- r/messages_de.properties --\na=Sichern\n",
			"en\nr/messages.properties -> r/messages_{LANGUAGE}.properties de"},

		{"English is declared, two regions are there", "-- p/App.xcodeproj/project.pbxproj --\ndevelopmentRegion = en;\n" +
			"-- t/i18n/en-US.json --\n{\"a\":\"A\",\"b\":\"B\",\"c\":\"C\",\"d\":\"D\"}\n-- t/i18n/en-GB.json --\n" +
			"{\"a\":\"A\",\"b\":\"B\",\"c\":\"C\"}\n-- t/i18n/de-DE.json --\n{\"a\":\"X\"}\n",
			"en-US\nt/i18n/en-US.json -> t/i18n/{LANGUAGE}.json de-DE,en-GB"},
		{"the fuller region", "-- nuxt.config.ts --\ndefaultLocale: 'en'\n-- l/locales/en-AU.json --\n" +
			"{\"a\":\"A\",\"b\":\"B\",\"c\":\"C\",\"d\":\"D\"}\n-- l/locales/en-US.json --\n{\"a\":\"A\"}\n" +
			"-- l/locales/de-DE.json --\n{\"a\":\"X\"}\n", "en-AU\nl/locales/en-AU.json -> l/locales/{LANGUAGE}.json de-DE,en-US"},
		{"Portuguese is declared", "-- nuxt.config.ts --\ndefaultLocale: 'pt'\n-- locales/pt-PT.json --\n" + json2 +
			"\n-- locales/pt-BR.json --\n" + json2 + "\n-- locales/es.json --\n" + json2 + "\n",
			"pt-BR\nlocales/pt-BR.json -> locales/{LANGUAGE}.json es,pt-PT"},

		{"the declared region has no texts", "-- nuxt.config.ts --\nfallbackLocale: 'en-US'\n-- locales/en.json --\n" + json2 +
			"\n-- locales/en-US.json --\n" + json0 + "\n-- locales/de-DE.json --\n{\"a\":\"X\"}\n",
			"en\nlocales/en.json -> locales/{LANGUAGE}.json de-DE,en-US"},
		{"English has no texts", "-- locales/en.json --\n" + json0 + "\n-- locales/en-GB.json --\n" + json2 +
			"\n-- locales/fr.json --\n{\"a\":\"X\"}\n", "en-GB\nlocales/en-GB.json -> locales/{LANGUAGE}.json en,fr"},
		{"strings of English without texts", "-- A/en.lproj/L.strings --\n\n-- A/en-GB.lproj/L.strings --\n\"a\" = \"b\";\n" +
			"-- A/de.lproj/L.strings --\n\"a\" = \"c\";\n",
			"en-GB\nA/en-GB.lproj/*.strings -> A/{LOCALE:IOS}.lproj/{NAME}.strings de,en"},

		{"Flutter's template", "-- l10n.yaml --\narb-dir: lib/l10n\ntemplate-arb-file: app_de.arb\n-- lib/l10n/app_de.arb --\n" +
			"{\"a\": \"Hallo {x}\", \"@a\": {\"placeholders\": {\"x\": {}}}}\n-- lib/l10n/app_en.arb --\n{\"a\": \"Hello {x}\"}\n",
			"de\nlib/l10n/app_de.arb -> lib/l10n/app_{LANGUAGE}.arb en"},
		{"next-intl's routing", "-- src/i18n/routing.ts --\nexport const routing = defineRouting({\n  locales: ['en', 'de'],\n" +
			"  defaultLocale: 'de'\n});\n-- messages/de.json --\n" + json2 + "\n-- messages/en.json --\n" + json2 + "\n",
			"de\nmessages/de.json -> messages/{LANGUAGE}.json en"},
		{"Lingui's source", "-- lingui.config.js --\nmodule.exports = {\n  sourceLocale: \"fr\",\n}\n-- src/locales/fr/messages.po --\n" +
			"msgid \"a\"\nmsgstr \"A\"\n-- src/locales/en/messages.po --\nmsgid \"a\"\nmsgstr \"A\"\n",
			"fr\nsrc/locales/fr/*.po -> src/locales/{LANGUAGE}/{NAME}.po en"},

		{"a folder of a country", "-- public/locales/en/a.json --\n{\"a\":\"Settings\"}\n-- public/locales/en/b.json --\n{\"x\":\"More\"}\n" +
			"-- public/locales/de/a.json --\n{\"a\":\"Einstellungen\"}\n-- public/locales/tw/a.json --\n{\"a\":\"設定\"}\n" +
			"-- public/locales/tw/b.json --\n{\"x\":\"\"}\n",
			"en\npublic/locales/en/*.json -> public/locales/{LANGUAGE}/{NAME}.json de,zh-Hant"},
		{"the same file in other capitals", "-- App/en.lproj/InfoPlist.strings --\n\"a\" = \"b\";\n-- App/de.lproj/InfoPlist.strings --\n" +
			"\"a\" = \"c\";\n-- App/Base.lproj/infoPlist.strings --\n\"a\" = \"b\";\n",
			"en\nApp/en.lproj/*.strings -> App/{LOCALE:IOS}.lproj/{NAME}.strings de\nnot App/Base.lproj/infoPlist.strings"},
		{"a source file alone", "-- en/app.json --\n" + json2 + "\n", "en\nen/*.json -> {LANGUAGE}/{NAME}.json "},
		{"a source file alone, named after its language", "-- web/en.json --\n" + json2 + "\n", "en\nweb/en.json -> web/{LANGUAGE}.json "},
		{"lists and data under a language alone", "-- data/en.json --\n[\"a\", \"b\"]\n-- data/en/words.yml --\n- a\n",
			"en\nnot data/en.json\nnot data/en/words.yml"},
		{"a language in a name alone", "-- src/app-en.json --\n" + json2 + "\n-- is/a.json --\n" + json2 + "\n", "en"},
		{"a template alone, of WordPress", "-- languages/shop.pot --\nmsgid \"\"\nmsgstr \"\"\n\nmsgid \"a\"\nmsgstr \"\"\n",
			"en\nlanguages/shop.pot -> languages/shop-{LANGUAGE}.po "},
		{"a template alone, of gettext", "-- po/app.pot --\nmsgid \"\"\nmsgstr \"\"\n\nmsgid \"a\"\nmsgstr \"\"\n",
			"en\npo/app.pot -> po/{LANGUAGE}.po "},
		{"a template alone, of Python", "-- app/locale/app.pot --\nmsgid \"\"\nmsgstr \"\"\n\nmsgid \"a\"\nmsgstr \"\"\n",
			"en\napp/locale/*.pot -> app/locale/{LANGUAGE}/LC_MESSAGES/{NAME}.po "},
		{"moko-resources", "-- s/commonMain/moko-resources/base/strings.xml --\n" + android("a=Save") +
			"-- s/commonMain/moko-resources/pt-rBR/strings.xml --\n" + android("a=Guardar"),
			"en\ns/commonMain/moko-resources/base/strings.xml -> s/commonMain/moko-resources/{LOCALE:ANDROID}/strings.xml pt-BR"},
		{"moko-resources without translations", "-- s/commonMain/moko-resources/base/strings.xml --\n" + android("a=Save"),
			"en\ns/commonMain/moko-resources/base/strings.xml -> s/commonMain/moko-resources/{LOCALE:ANDROID}/strings.xml "},
		{"another name for translations", "-- a/src/main/res/values/localazy.xml --\n" + android("a=Save", "b=Open") +
			"-- a/src/main/res/values/colors.xml --\n<resources><color name=\"x\">#fff</color></resources>\n" +
			"-- a/src/main/res/values-de/translations.xml --\n" + android("a=Sichern", "b=Öffnen"),
			"en\na/src/main/res/values/localazy.xml -> a/src/main/res/values-{LOCALE:ANDROID}/translations.xml de"},
		{"a source in a folder of its own", "-- translations/en/en.json --\n" + json2 + "\n-- translations/de_DE.json --\n" + json2 +
			"\n-- translations/fr_FR.json --\n" + json2 + "\n",
			"en\ntranslations/en/en.json -> translations/{LANGUAGE}.json de-DE,fr-FR"},
		{"a source under another name", "-- locales/source/app.en.yml --\na: Save\nb: Open\n-- locales/app.de.yml --\na: Sichern\nb: Öffnen\n" +
			"-- locales/app.fr.yml --\na: X\nb: Y\n", "en\nlocales/source/app.en.yml -> locales/app.{LANGUAGE}.yml de,fr"},
		{"a source file that nothing but its keys tells", "-- src/strings.json --\n" + json10 + "-- src/translations/de.json --\n" + json10 +
			"-- src/translations/fr.json --\n" + json10 + "-- src/other.json --\n{\"a\": \"b\"}\n",
			"en\nsrc/strings.json -> src/translations/{LANGUAGE}.json de,fr"},
		{"a source file in a folder beside", "-- locales/source/app.json --\n" + json10 + "-- locales/de.json --\n" + json10,
			"en\nlocales/source/app.json -> locales/{LANGUAGE}.json de"},
		{"no file with the keys of a translation", "-- config.json --\n{\"a\": \"b\"}\n-- locales/de.json --\n" + json10,
			"de\nlocales/de.json -> locales/{LANGUAGE}.json "},
		{"a translation under a name that ends in a language", "-- L/locallang.xlf --\n" + xliffOf("en", "", "a=A") + "-- L/locallang_be.xlf --\n" +
			xliffOf("en", "", "x=X", "y=Y") + "-- L/de.locallang.xlf --\n" + xliffOf("en", "de", "a=A") +
			"-- L/de.locallang_be.xlf --\n" + xliffOf("en", "de", "x=X", "y=Y"),
			"en\nL/locallang.xlf -> L/{LANGUAGE}.locallang.xlf de\nL/locallang_be.xlf -> L/{LANGUAGE}.locallang_be.xlf de"},
		{"TYPO3 without translations", "-- L/locallang.xlf --\n" + xliffOf("en", "", "a=A") + "-- L/locallang_be.xlf --\n" +
			xliffOf("en", "", "x=X", "y=Y"),
			"en\nL/locallang.xlf -> L/{LANGUAGE}.locallang.xlf \nL/locallang_be.xlf -> L/{LANGUAGE}.locallang_be.xlf "},
		{"a language without texts", "-- locales/en.json --\n{}\n-- locales/de.json --\n" + json2 + "\n",
			"en\nlocales/en.json -> locales/{LANGUAGE}.json de\nunsure"},
		{"a variety whose keys have no text", "-- config/locales/en.yml --\nen:\n-- config/locales/en-US.yml --\nen-US:\n  a: Save\n  b: Open\n" +
			"-- config/locales/de.yml --\nde:\n  a: Sichern\n  b: Öffnen\n",
			"en-US\nconfig/locales/en-US.yml -> config/locales/{LANGUAGE}.yml de,en"},
		{"texts in the base, and none in English", "-- a/en.lproj/A.strings --\n\n-- a/Base.lproj/A.strings --\n\"a\" = \"Save\";\n" +
			"-- a/de.lproj/A.strings --\n\"a\" = \"Sichern\";\n",
			"en\na/Base.lproj/*.strings -> a/{LOCALE:IOS}.lproj/{NAME}.strings de\nnot a/en.lproj/A.strings"},
		{"a declared language that Android's values are not in", "-- ios/A.xcodeproj/project.pbxproj --\ndevelopmentRegion = de;\n" +
			"-- ios/de.lproj/L.strings --\n\"a\" = \"Sichern\";\n-- ios/en.lproj/L.strings --\n\"a\" = \"Save\";\n" +
			"-- app/res/values/strings.xml --\n" + android("a=Save", "b=Open") + "-- app/res/values-de/strings.xml --\n" +
			android("a=Sichern", "b=Öffnen"), "en\napp/res/values/strings.xml -> app/res/values-{LOCALE:ANDROID}/strings.xml de\n" +
			"ios/en.lproj/*.strings -> ios/{LOCALE:IOS}.lproj/{NAME}.strings de"},
		{"names that another file of the folder has", "-- app/res/values/strings.xml --\n" + android("a=Save") +
			"-- app/res/values/more.xml --\n" + android("m=More") + "-- app/res/values-de/strings.xml --\n" + android("a=Sichern", "m=Mehr"),
			"en\napp/res/values/strings.xml -> app/res/values-{LOCALE:ANDROID}/strings.xml de\nnot app/res/values/more.xml"},
		{"gettext's translations without a template", "-- locale/de/LC_MESSAGES/app.po --\nmsgid \"\"\nmsgstr \"\"\n\nmsgid \"a\"\nmsgstr \"b\"\n" +
			"-- locale/fr/LC_MESSAGES/app.po --\nmsgid \"\"\nmsgstr \"\"\n\nmsgid \"a\"\nmsgstr \"c\"\n",
			"de\nlocale/de/LC_MESSAGES/*.po -> locale/{LANGUAGE}/LC_MESSAGES/{NAME}.po fr\nunsure"},
		{"resources with one translation", "-- App/AppResources.resx --\n" + resx("a=Save") + "-- App/AppResources.de.resx --\n" + resx("a=Sichern"),
			"en\nApp/AppResources.resx -> App/AppResources.{LANGUAGE}.resx de"},
		{"codes with capitals", "-- lang/En.json --\n" + json2 + "\n-- lang/De.json --\n" + json2 + "\n-- lang/Pt-BR.json --\n" + json2 + "\n",
			"en\nlang/En.json -> lang/{LANGUAGE}.json de,pt-BR"},
		{"names of languages", "-- assets/english.json --\n" + json2 + "\n-- assets/german.json --\n" + json2 + "\n-- assets/chinese.json --\n" + json2 +
			"\n", "en\nassets/english.json -> assets/{LANGUAGE}.json de,zh-Hans"},
		{"folders with names of languages", "-- web/languages/English/app.yml --\nEnglish:\n  a: Save\n  b: Open\n" +
			"-- web/languages/French/app.yml --\nFrench:\n  a: X\n  b: Y\n",
			"en\nweb/languages/English/*.yml -> web/languages/{LANGUAGE}/{NAME}.yml fr"},
		{"a name beside codes", "-- i18n/english.json --\n" + json2 + "\n-- i18n/de.json --\n" + json2 + "\n",
			"en\ni18n/english.json -> i18n/{LANGUAGE}.json de"},
		{"subjects that are languages", "-- courses/english.json --\n" + json2 + "\n-- courses/french.json --\n" + json2 + "\n-- courses/math.json --\n" +
			json2 + "\n", "en"},
		{"a lone name of a language", "-- locales/en.json --\n" + json2 + "\n-- locales/de.json --\n" + json2 + "\n-- locales/polish.json --\n" +
			"{\"nail\": \"Nail\"}\n-- english/app.json --\n" + json2 + "\n", "en\nlocales/en.json -> locales/{LANGUAGE}.json de\nnot locales/polish.json"},
		{"names without a key in common", "-- locales/English.json --\n{\"x\": \"X\"}\n-- locales/French.json --\n{\"y\": \"Y\"}\n", "en"},
		{"a region that repeats the language", "-- l/en_EN.json --\n" + json2 + "\n-- l/ja_JA.json --\n" + json2 + "\n",
			"en\nl/en_EN.json -> l/{LANGUAGE}.json ja"},
		{"texts of debug builds", "-- app/src/main/res/values/strings.xml --\n" + android("a=Save") +
			"-- app/src/main/res/values-de/strings.xml --\n" + android("a=Sichern") +
			"-- app/src/debug/res/values/strings.xml --\n" + android("d=Debug"),
			"en\napp/src/main/res/values/strings.xml -> app/src/main/res/values-{LOCALE:ANDROID}/strings.xml de\n" +
				"not app/src/debug/res/values/strings.xml"},
		{"texts of debug builds with a translation", "-- app/src/main/res/values/strings.xml --\n" + android("a=Save") +
			"-- app/src/main/res/values-de/strings.xml --\n" + android("a=Sichern") +
			"-- app/src/debug/res/values/strings.xml --\n" + android("d=Debug") +
			"-- app/src/debug/res/values-de/strings.xml --\n" + android("d=Fehlersuche"),
			"en\napp/src/debug/res/values/strings.xml -> app/src/debug/res/values-{LOCALE:ANDROID}/strings.xml de\n" +
				"app/src/main/res/values/strings.xml -> app/src/main/res/values-{LOCALE:ANDROID}/strings.xml de"},
		{"slang", "-- lib/i18n/strings.i18n.json --\n" + json2 + "\n-- lib/i18n/strings_de.i18n.json --\n" + json2 + "\n",
			"en\nlib/i18n/strings.i18n.json -> lib/i18n/strings_{LANGUAGE}.i18n.json de"},
		{"Minecraft without translations", "-- src/main/resources/assets/mod/lang/en_us.json --\n" + json2 + "\n",
			"en-US\nsrc/main/resources/assets/mod/lang/en_us.json -> src/main/resources/assets/mod/lang/{LANGUAGE}.json "},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys, l := tree(c.tree)
			r := Find(fsys, l, Options{})
			if got := r.shape(); got != c.want {
				t.Errorf("got\n%s\n(%s)\nwant\n%s", got, r.Reason, c.want)
			}
		})
	}
}

// Files that have a key in common have collections of their own while the first push takes few imports for that; where
// it would take many they share one, with their names before their keys.
func TestFewImports(t *testing.T) {
	for forms, shares := range map[int]bool{20: false, 60: true} {
		text := ""
		for i := range forms {
			folder := []string{"App/Forms", "Lib/Forms"}[i%2]
			for _, language := range []string{"", ".de", ".fr", ".es", ".it", ".ja", ".ko", ".pl"} {
				text += fmt.Sprintf("-- %s/Form%d%s.resx --\n<root><data name=\"Title\"><value>Form %d</value></data></root>\n",
					folder, i/2, language, i)
			}
		}
		fsys, l := tree(text)
		r := Find(fsys, l, Options{})
		names, collections := make(map[string]bool), make(map[string]bool)
		for _, g := range r.Groups {
			collections[g.Collection] = true
			names[g.Collection+"\x00"+g.Prefix] = true
		}
		if want := map[bool]int{true: 1, false: forms}[shares]; len(names) != forms || len(collections) != want {
			t.Errorf("%d forms: %d names of keys, %d collections; want %d", forms, len(names), len(collections), want)
		}
	}
}

// What another tool's configuration pairs is taken over one to one.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tree string
		pairs      []migrate.Entry
		want       string
	}{
		{"a source under any path", "-- r/messages.properties --\na=Save\n-- r/messages_en.properties --\na=Save\n" +
			"-- r/messages_de_DE.properties --\na=Sichern\n-- other/en.json --\n{\"a\":\"A\"}\n",
			[]migrate.Entry{{Source: "r/messages.properties", Output: "r/{NAME}_{LANGUAGE}.{EXT}", Region: "_"}},
			"en\nr/messages.properties -> r/{NAME}_{LANGUAGE}.{EXT} de-DE\nnot r/messages_en.properties"},
		{"a folder of the source for each package", "-- packages/a/locales/en.json --\n{\"a\":\"A\"}\n" +
			"-- packages/b/locales/en.json --\n{\"b\":\"B\"}\n-- packages/b/locales/fr.json --\n{\"b\":\"C\"}\n",
			[]migrate.Entry{{Source: "packages/*/locales/en.json", Output: "{PATH}/{LANGUAGE}.json"}},
			"en\npackages/a/locales/en.json -> packages/a/locales/{LANGUAGE}.json \n" +
				"packages/b/locales/en.json -> packages/b/locales/{LANGUAGE}.json fr"},
		{"folders below one", "-- l/de/a.json --\n{\"a\":\"A\"}\n-- l/de/x/b.json --\n{\"b\":\"B\"}\n-- l/en/x/b.json --\n{\"b\":\"C\"}\n",
			[]migrate.Entry{{Source: "l/de/**/*.json", Output: "l/{LANGUAGE}/{DIR}/{NAME}.{EXT}"}},
			"de\nl/de/**/*.json -> l/{LANGUAGE}/{DIR}/{NAME}.{EXT} en"},
		{"the source among the translations", "-- l/en/a.json --\n{\"a\":\"A\"}\n-- l/en/b.json --\n{\"b\":\"B\"}\n" +
			"-- l/fr/b.json --\n{\"b\":\"C\"}\n-- l/en/c.json --\n{\"c\":\"C\"}\n",
			[]migrate.Entry{{Output: "l/{LANGUAGE}/{NAME}.json", Exclude: []string{"l/*/c.json"}}},
			"en\nl/en/*.json -> l/{LANGUAGE}/{NAME}.json fr"},
		{"translations beside the sources", "-- L/a.xlf --\n" + xliffOf("en", "", "a=A") + "-- L/de.a.xlf --\n" + xliffOf("en", "de", "a=A"),
			[]migrate.Entry{{Source: "L/*.xlf", Output: "L/{LANGUAGE}.{NAME}.{EXT}", Exclude: []string{"L/de.*"}}},
			"en\nL/*.xlf -> L/{LANGUAGE}.{NAME}.{EXT} de"},
		{"a spelling that is no code", "-- l/en.json --\n{\"a\":\"A\"}\n-- l/brazil.json --\n{\"a\":\"B\"}\n",
			[]migrate.Entry{{Source: "l/en.json", Output: "l/{LANGUAGE}.json", Spelled: map[string]string{"pt-BR": "brazil"}}},
			"en\nl/en.json -> l/{LANGUAGE}.json pt-BR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys, l := tree(c.tree)
			r := Find(fsys, l, Options{Pairs: c.pairs})
			if got := r.shape(); got != c.want {
				t.Errorf("got\n%s\n(%s)\nwant\n%s", got, r.Reason, c.want)
			}
		})
	}
}
