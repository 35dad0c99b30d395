package discover

import (
	"strings"
	"testing"
)

// jsonOf is a JSON file of texts in a language, under keys that begin with a name.
func jsonOf(name, language string) string {
	var all []string
	for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
		all = append(all, `"`+name+k+`": "`+language+" "+k+`"`)
	}
	return "{" + strings.Join(all, ", ") + "}\n"
}

// linesOf is a file of lines, each with one of the same keys and a text in a language.
func linesOf(form, language string) (all string) {
	for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
		all += strings.NewReplacer("KEY", k, "TEXT", language+" "+k).Replace(form) + "\n"
	}
	return all
}

// poOf is a PO file or template with a translation of each text, none where the language is "".
func poOf(language string) string {
	text := "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
	if language == "" {
		return text + linesOf("msgid \"Text KEY\"\nmsgstr \"\"\n", "")
	}
	return text + linesOf("msgid \"Text KEY\"\nmsgstr \"TEXT\"\n", language)
}

// Layouts in which a source, its translations or their languages are told by one piece of evidence.
func TestLayouts(t *testing.T) {
	t.Parallel()
	const property, rails, sentence = "k.KEY=TEXT", "  KEY: \"TEXT\"", `<data name="Save the file KEY"><value>TEXT</value></data>`
	for _, c := range []struct{ name, tree, want string }{
		{"translations in a tree beside, the source named with its language", "-- r/messages/messages_en.properties --\n" +
			linesOf(property, "en") + "-- r-more/messages/messages_de.properties --\n" + linesOf(property, "de") +
			"-- r-more/messages/messages_fr.properties --\n" + linesOf(property, "fr"),
			"en\nr/messages/messages_en.properties -> r-more/messages/messages_{LANGUAGE}.properties de,fr"},
		{"a generated source, with a variety of English among its translations", "-- src/generated/assets/m/lang/en_us.json --\n" +
			jsonOf("i.", "en") + "-- src/main/assets/m/lang/de_de.json --\n" + jsonOf("i.", "de") +
			"-- src/main/assets/m/lang/en_gb.json --\n" + jsonOf("i.", "en") + "-- src/main/assets/m/lang/ja_jp.json --\n" + jsonOf("i.", "ja"),
			"en-US\nsrc/generated/assets/m/lang/en_us.json -> src/main/assets/m/lang/{LANGUAGE}.json de-DE,en-GB,ja-JP"},
		{"a folder of translations below the source", "-- config/locales/js-en.yml --\nen:\n" + linesOf(rails, "en") +
			"-- config/locales/synced/js-de.yml --\nde:\n" + linesOf(rails, "de") + "-- config/locales/synced/js-fr.yml --\nfr:\n" +
			linesOf(rails, "fr"), "en\nconfig/locales/js-en.yml -> config/locales/synced/js-{LANGUAGE}.yml de,fr"},
		{"a module for each language", "-- core/src/Bundle.properties --\n" + linesOf(property, "en") +
			"-- core/src/Bundle_en.properties --\n# none\n-- modules/de/src/Bundle_de.properties --\n" + linesOf(property, "de") +
			"-- modules/fr/src/Bundle_fr.properties --\n" + linesOf(property, "fr"),
			"en\ncore/src/Bundle.properties -> modules/{LANGUAGE}/src/Bundle_{LANGUAGE}.properties de,fr"},
		{"translations of a file that has its own", "-- a/locales/en.json --\n" + jsonOf("i.", "en") + "-- a/locales/de.json --\n" +
			jsonOf("i.", "de") + "-- b/locales/de.json --\n" + jsonOf("i.", "de") + "-- b/locales/fr.json --\n" + jsonOf("i.", "fr"),
			"en\na/locales/en.json -> a/locales/{LANGUAGE}.json de\nnot b/locales/{LANGUAGE}.json"},
		{"the nearest of two sources", "-- a/one/locales/en.json --\n" + jsonOf("i.", "en") + "-- b/one/locales/en.json --\n" +
			jsonOf("i.", "en") + "-- b/two/locales/de.json --\n" + jsonOf("i.", "de") + "-- b/two/locales/fr.json --\n" + jsonOf("i.", "fr"),
			"en\na/one/locales/en.json -> a/one/locales/{LANGUAGE}.json \nb/one/locales/en.json -> b/two/locales/{LANGUAGE}.json de,fr"},
		{"few keys in a tree beside", "-- r/mail/messages_en.properties --\na=A\nb=B\n-- more/mail/messages_de.properties --\na=B\nb=C\n" +
			"-- more/mail/messages_fr.properties --\na=C\n",
			"en\nr/mail/messages_en.properties -> more/mail/messages_{LANGUAGE}.properties de,fr"},
		{"few keys that another product has as well", "-- a/messages.properties --\ntitle=A\nb=B\nc=C\n-- b/messages_de.properties --\ntitle=B\n" +
			"-- b/messages_fr.properties --\ntitle=C\n", "de\nb/messages_de.properties -> b/messages_{LANGUAGE}.properties fr\nunsure"},
		{"few keys that are all there are", "-- a/x/messages.properties --\ntitle=A\nb=B\n-- a/y/messages_de.properties --\ntitle=B\n" +
			"-- a/y/messages_fr.properties --\ntitle=C\n", "en\na/x/messages.properties -> a/y/messages_{LANGUAGE}.properties de,fr"},
		{"files of countries", "-- App/Localization/Core/en-US.json --\n" + jsonOf("i.", "en") + "-- App/Localization/Core/de.json --\n" +
			jsonOf("i.", "de") + "-- App/Localization/Ratings/au.json --\n" + jsonOf("r.", "x") + "-- App/Localization/Ratings/de.json --\n" +
			jsonOf("r.", "x") + "-- App/Localization/Ratings/es.json --\n" + jsonOf("r.", "x"),
			"en-US\nApp/Localization/Core/en-US.json -> App/Localization/Core/{LANGUAGE}.json de\nnot App/Localization/Ratings/{LANGUAGE}.json"},

		{"a template of another name far away", "-- texts.pot --\n" + poOf("") + "-- src/assets/lang/de_DE.po --\n" + poOf("de") +
			"-- src/assets/lang/fr_FR.po --\n" + poOf("fr"), "en\ntexts.pot -> src/assets/lang/{LANGUAGE}.po de-DE,fr-FR"},
		{"a template in a tree beside", "-- translations/messages.pot --\n" + poOf("") + "-- src/p/translations/de/LC_MESSAGES/messages.po --\n" +
			poOf("de") + "-- src/p/translations/fr/LC_MESSAGES/messages.po --\n" + poOf("fr"),
			"en\ntranslations/messages.pot -> src/p/translations/{LANGUAGE}/LC_MESSAGES/messages.po de,fr"},
		{"a template beside English", "-- priv/gettext/default.pot --\n" + poOf("") + "-- priv/gettext/de/LC_MESSAGES/default.po --\n" + poOf("de") +
			"-- priv/gettext/en/LC_MESSAGES/default.po --\n" + poOf(""),
			"en\npriv/gettext/*.pot -> priv/gettext/{LANGUAGE}/LC_MESSAGES/{NAME}.po de\nnot priv/gettext/en/LC_MESSAGES/default.po"},
		{"catalogs that are compiled", "-- translations/messages.pot --\n" + poOf("") + "-- translations/de/LC_MESSAGES/messages.po --\n" + poOf("de") +
			"-- translations/de/LC_MESSAGES/messages.json --\n{\"domain\": \"x\", \"locale_data\": {\"x\": {\"Save\": [\"Sichern\"]}}}\n" +
			"-- translations/en/LC_MESSAGES/messages.json --\n{\"domain\": \"x\", \"locale_data\": {\"x\": {\"Save\": [\"Save\"]}}}\n",
			"en\ntranslations/*.pot -> translations/{LANGUAGE}/LC_MESSAGES/{NAME}.po de\nnot translations/{LANGUAGE}/LC_MESSAGES/messages.json"},

		{"keys that are the texts, and no English", "-- config/app.php --\n'fallback_locale' => 'en',\n-- lang/de.json --\n" +
			"{\"Save the file\": \"Sichern\", \"Open it\": \"Öffnen\"}\n-- lang/fr.json --\n{\"Save the file\": \"X\", \"Open it\": \"Y\"}\n",
			"de\nlang/de.json -> lang/{LANGUAGE}.json fr\nunsure"},
		{"resources whose names are the texts", "-- R/Index.de.resx --\n<root>" + linesOf(sentence, "de") + "</root>\n-- R/Index.fr.resx --\n<root>" +
			linesOf(sentence, "fr") + "</root>\n", "de\nR/Index.de.resx -> R/Index.{LANGUAGE}.resx fr\nunsure"},
		{"keys that are the texts, in one language", "-- locales/de.json --\n{\"Save the file\": \"Sichern\", \"Open it\": \"Öffnen\"}\n",
			"de\nlocales/de.json -> locales/{LANGUAGE}.json \nunsure"},
		{"English under itself", "-- lang/en.json --\n{\"Save the file\": \"Save the file\", \"Open it\": \"Open it\"}\n" +
			"-- lang/fr.json --\n{\"Save the file\": \"X\", \"Open it\": \"Y\"}\n", "en\nlang/en.json -> lang/{LANGUAGE}.json fr"},
		{"English without texts", "-- locales/en/a.json --\n{\"Save the file\": \"\", \"Open it\": \"\"}\n" +
			"-- locales/fr/a.json --\n{\"Save the file\": \"X\", \"Open it\": \"Y\"}\n", "en\nlocales/en/*.json -> locales/{LANGUAGE}/{NAME}.json fr\nunsure"},
		{"British English of gettext's, translated", "-- po/de.po --\n" + poOf("de") + "-- po/en_GB.po --\n" + poOf("en") + "-- po/fr.po --\n" + poOf("fr"),
			"en-GB\npo/en_GB.po -> po/{LANGUAGE}.po de,fr\nunsure"},
		{"British English of gettext's as the source", "-- po/de.po --\n" + poOf("de") + "-- po/en_GB.po --\n" + poOf(""),
			"en-GB\npo/en_GB.po -> po/{LANGUAGE}.po de"},
		{"a declared language that no file is in", "-- docusaurus.config.js --\ndefaultLocale: 'en',\n-- i18n/fr/code.json --\n" + jsonOf("i.", "fr") +
			"-- i18n/ja/code.json --\n" + jsonOf("i.", "ja"), "fr\ni18n/fr/*.json -> i18n/{LANGUAGE}/{NAME}.json ja\nunsure"},
		{"two languages that nothing tells apart", "-- m/locales/de.json --\n" + jsonOf("i.", "de") + "-- m/locales/fr.json --\n" + jsonOf("i.", "fr"),
			"de\nm/locales/de.json -> m/locales/{LANGUAGE}.json fr\nunsure"},
		{"two languages of bundles", "-- r/msg_it.properties --\n" + linesOf(property, "it") + "-- r/msg_fr.properties --\n" + linesOf(property, "fr"),
			"fr\nr/msg_fr.properties -> r/msg_{LANGUAGE}.properties it\nunsure"},
		{"two languages, one with fewer texts", "-- m/locales/de.json --\n" + jsonOf("i.", "de") + "-- m/locales/fr.json --\n{\"i.a\": \"X\"}\n",
			"de\nm/locales/de.json -> m/locales/{LANGUAGE}.json fr"},
		{"a language of Rails' initializers", "-- config/initializers/locale.rb --\nI18n.default_locale = :ja\n-- config/locales/en.yml --\nen:\n  a: A\n" +
			"-- config/locales/ja.yml --\nja:\n  a: B\n", "ja\nconfig/locales/ja.yml -> config/locales/{LANGUAGE}.yml en"},
		{"a language of Swift's packages", "-- Package.swift --\nlet package = Package(\n  defaultLocalization: \"de\",\n" +
			"-- Sources/A/de.lproj/A.strings --\n\"a\" = \"X\";\n-- Sources/A/en.lproj/A.strings --\n\"a\" = \"A\";\n",
			"de\nSources/A/de.lproj/*.strings -> Sources/A/{LOCALE:IOS}.lproj/{NAME}.strings en"},

		{"a folder for templates of gettext's", "-- locale/templates/LC_MESSAGES/app.pot --\n" + poOf("") + "-- locale/de/LC_MESSAGES/app.po --\n" +
			poOf("de") + "-- locale/fr/LC_MESSAGES/app.po --\n" + poOf("fr"),
			"en\nlocale/templates/LC_MESSAGES/app.pot -> locale/{LANGUAGE}/LC_MESSAGES/app.po de,fr"},
		{"a template far from English", "-- po/all.pot --\n" + poOf("") + "-- src/lang/de.po --\n" + poOf("de") + "-- src/lang/en_US.po --\n" + poOf(""),
			"en\npo/all.pot -> src/lang/{LANGUAGE}.po de,en-US"},
		{"two templates, one without translations", "-- po/app.pot --\n" + poOf("") + "-- po/de.po --\n" + poOf("de") + "-- po/fr.po --\n" + poOf("fr") +
			"-- po/help.pot --\nmsgid \"\"\nmsgstr \"\"\n\nmsgid \"Help\"\nmsgstr \"\"\n",
			"en\npo/help.pot -> po/help-{LANGUAGE}.po \npo/app.pot -> po/{LANGUAGE}.po de,fr"},
		{"a template beside one whose translations have its name", "-- po/app.pot --\n" + poOf("") + "-- po/app-de.po --\n" + poOf("de") +
			"-- po/help.pot --\nmsgid \"\"\nmsgstr \"\"\n\nmsgid \"Help\"\nmsgstr \"\"\n",
			"en\npo/app.pot -> po/app-{LANGUAGE}.po de\npo/help.pot -> po/help-{LANGUAGE}.po "},
		{"a copy of the source under a code of no known language", "-- locales/en.json --\n" + jsonOf("i.", "en") + "-- locales/de.json --\n" +
			jsonOf("i.", "de") + "-- locales/tpl.json --\n" + jsonOf("i.", "en"),
			"en\nlocales/en.json -> locales/{LANGUAGE}.json de\nnot locales/tpl.json"},
		{"two templates without translations", "-- po/app.pot --\n" + poOf("") + "-- po/help.pot --\n" + poOf(""),
			"en\npo/help.pot -> po/help-{LANGUAGE}.po \npo/app.pot -> po/{LANGUAGE}.po "},
		{"English that is broken", "-- locales/en.json --\n{\"a\": \n-- locales/de.json --\n" + jsonOf("i.", "de") + "-- locales/fr.json --\n" + jsonOf("i.", "fr"),
			"en\nlocales/en.json -> locales/{LANGUAGE}.json de,fr"},
		{"English that is broken beside a region of it", "-- locales/en.json --\n{\"a\": \n-- locales/de.json --\n" + jsonOf("i.", "de") +
			"-- locales/en-GB.json --\n" + jsonOf("i.", "en"), "en\nlocales/en.json -> locales/{LANGUAGE}.json de,en-GB"},
		{"codes of three letters", "-- lang/eng.json --\n" + jsonOf("i.", "en") + "-- lang/deu.json --\n" + jsonOf("i.", "de") + "-- lang/zho.json --\n" +
			jsonOf("i.", "zh"), "en\nlang/eng.json -> lang/{LANGUAGE}.json de,zh-Hans"},
		{"copies of texts that were taken out", "-- locales/en/app.json --\n" + jsonOf("i.", "en") + "-- locales/en/app_old.json --\n" + jsonOf("o.", "en") +
			"-- locales/de/app.json --\n" + jsonOf("i.", "de") + "-- locales/de/app_old.json --\n" + jsonOf("o.", "de"),
			"en\nlocales/en/app.json -> locales/{LANGUAGE}/app.json de\nnot locales/{LANGUAGE}/app_old.json"},
		{"copies behind the language", "-- locales/en.json --\n" + jsonOf("i.", "en") + "-- locales/en.old.json --\n" + jsonOf("i.", "en") +
			"-- locales/de.json --\n" + jsonOf("i.", "de") + "-- locales/de.old.json --\n" + jsonOf("i.", "de"),
			"en\nlocales/en.json -> locales/{LANGUAGE}.json de\nnot locales/de.old.json\n" +
				"not locales/en.old.json\nnot locales/{LANGUAGE}.old.json"},
		{"the developers' texts", "-- locales/en/app.json --\n" + jsonOf("i.", "en") + "-- locales/de/app.json --\n" + jsonOf("i.", "de") +
			"-- locales/dev/app.json --\n" + jsonOf("i.", "en"),
			"en\nlocales/en/*.json -> locales/{LANGUAGE}/{NAME}.json de\nnot locales/dev/app.json"},
		{"a template alone, of Phoenix", "-- priv/gettext/default.pot --\n" + poOf(""), "en\npriv/gettext/*.pot -> priv/gettext/{LANGUAGE}/LC_MESSAGES/{NAME}.po "},
		{"a bundle in English alone", "-- src/main/resources/perms_en.properties --\n" + linesOf(property, "en") + "-- src/main/resources/db_v2.properties --\na=b\n",
			"en\nsrc/main/resources/perms_en.properties -> src/main/resources/perms_{LANGUAGE}.properties "},
		{"a profile and a bundle in one other language", "-- r/application-en.properties --\na=b\n-- r/net_it.properties --\na=b\n", "en"},
		{"a language in two spellings", "-- locales/en_GB/shop.en-GB.json --\n" + jsonOf("i.", "en") + "-- locales/de_DE/shop.de-DE.json --\n" +
			jsonOf("i.", "de") + "-- a/locales/en-GB.json --\n" + jsonOf("a.", "en") + "-- a/locales/de-DE.json --\n" + jsonOf("a.", "de"),
			"en-GB\na/locales/en-GB.json -> a/locales/{LANGUAGE}.json de-DE\nnot locales/{LANGUAGE}/shop.{LANGUAGE}.json"},
		{"regions without a mark", "-- lang/main.json --\n" + jsonOf("i.", "en") + "-- lang/main-enGB.json --\n" + jsonOf("i.", "en") + "-- lang/main-zhCN.json --\n" +
			jsonOf("i.", "zh"), "en\nlang/main.json -> lang/main-{LANGUAGE}.json en-GB,zh-Hans"},
		{"scripts by name", "-- i18n/en.json --\n" + jsonOf("i.", "en") + "-- i18n/zh_SIMPLIFIED.json --\n" + jsonOf("i.", "zh") +
			"-- i18n/zh_Traditional.json --\n" + jsonOf("i.", "zh"), "en\ni18n/en.json -> i18n/{LANGUAGE}.json zh-Hans,zh-Hant"},
		{"languages and scripts by name", "-- locales/english/a.json --\n" + jsonOf("i.", "en") + "-- locales/chinese/a.json --\n" + jsonOf("i.", "zh") +
			"-- locales/chinese-traditional/a.json --\n" + jsonOf("i.", "zh"), "en\nlocales/english/*.json -> locales/{LANGUAGE}/{NAME}.json zh-Hans,zh-Hant"},
		{"a pseudo-language by name", "-- locales/en.po --\n" + poOf("en") + "-- locales/de.po --\n" + poOf("de") + "-- locales/pseudo-en.po --\n" + poOf("en"),
			"en\nlocales/en.po -> locales/{LANGUAGE}.po de\nnot locales/pseudo-en.po"},
		{"languages at the ends of folders", "-- resources/language/resource.language.en_gb/strings.po --\n" + poOf("") +
			"-- resources/language/resource.language.de_de/strings.po --\n" + poOf("de"),
			"en-GB\nresources/language/resource.language.en_gb/*.po -> resources/language/resource.language.{LANGUAGE}/{NAME}.po de-DE"},
		{"a bundle of any name with one translation", "-- p/plugin.properties --\n" + linesOf(property, "en") + "-- p/plugin_de.properties --\n" +
			linesOf(property, "de") + "-- application.properties --\na=b\n-- application-it.properties --\na=b\n",
			"en\np/plugin.properties -> p/plugin_{LANGUAGE}.properties de"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys, l := tree(c.tree)
			r := Find(fsys, l, Options{})
			if got := r.shape(); got != c.want {
				t.Errorf("got\n%s\n(%s%s)\nwant\n%s", got, r.Reason, r.Unsure, c.want)
			}
		})
	}
}
