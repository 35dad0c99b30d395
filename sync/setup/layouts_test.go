package setup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/report"
)

// layout is how an ecosystem keeps texts.
type layout struct {
	name    string
	source  string // path of the source file
	target  string // of a translation, with * for the language
	file    func(language string, keys int) string
	ways    []string // spellings of German, Brazilian Portuguese and Chinese in Simplified script
	sibling string   // a smaller file of a variety of English beside the source; "" where the ecosystem has none
}

func linesOf(form string) func(string, int) string {
	return func(language string, keys int) string {
		var b strings.Builder
		for i := range keys {
			fmt.Fprintf(&b, form, i, language)
		}
		return b.String()
	}
}

func between(before, form, separator, after string) func(string, int) string {
	return func(language string, keys int) string {
		entries := make([]string, keys)
		for i := range entries {
			entries[i] = fmt.Sprintf(form, i, language)
		}
		return strings.ReplaceAll(before, "LANG", language) + strings.Join(entries, separator) + after
	}
}

var layouts = []layout{
	{"i18next", "web/public/locales/en/app.json", "web/public/locales/*/app.json",
		between("{", `"k%d": "Text in %s"`, ",\n", "}\n"), []string{"de", "pt-BR", "zh-CN"}, ""},
	{"vue", "src/locales/en.json", "src/locales/*.json", between("{", `"k%d": "Text in %s"`, ",\n", "}\n"),
		[]string{"de-DE", "pt_BR", "zh-Hans"}, "src/locales/en-GB.json"},
	{"spring", "src/main/resources/messages.properties", "src/main/resources/messages_*.properties",
		linesOf("k%d=Text in %s\n"), []string{"de", "pt_BR", "zh_CN"}, "src/main/resources/messages_en.properties"},
	{"dotnet", "App/Resources.resx", "App/Resources.*.resx",
		between("<root>\n", `<data name="k%d" xml:space="preserve"><value>Text in %s</value></data>`, "\n", "\n</root>\n"),
		[]string{"de", "pt-BR", "zh-Hans"}, "App/Resources.en-GB.resx"},
	{"android", "app/src/main/res/values/strings.xml", "app/src/main/res/values-*/strings.xml",
		between("<resources>\n", `<string name="k%d">Text in %s</string>`, "\n", "\n</resources>\n"),
		[]string{"de", "pt-rBR", "b+zh+Hans"}, "app/src/main/res/values-en-rGB/strings.xml"},
	{"moko", "shared/src/commonMain/moko-resources/base/strings.xml", "shared/src/commonMain/moko-resources/*/strings.xml",
		between("<resources>\n", `<string name="k%d">Text in %s</string>`, "\n", "\n</resources>\n"),
		[]string{"de", "pt-rBR", "zh-rCN"}, ""},
	{"apple", "App/en.lproj/Localizable.strings", "App/*.lproj/Localizable.strings", linesOf("\"k%d\" = \"Text in %s\";\n"),
		[]string{"de", "pt-BR", "zh-Hans"}, "App/en-GB.lproj/Localizable.strings"},
	{"flutter", "lib/l10n/app_en.arb", "lib/l10n/app_*.arb", between("{\"@@locale\": \"LANG\",\n", `"k%d": "Text in %s"`, ",\n", "}\n"),
		[]string{"de", "pt_BR", "zh_CN"}, ""},
	{"gettext", "po/app.pot", "po/*.po", func(language string, keys int) string {
		text := "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
		for i := range keys {
			said := ""
			if language != "en" {
				said = "Text in " + language
			}
			text += fmt.Sprintf("\nmsgid \"k%d\"\nmsgstr \"%s\"\n", i, said)
		}
		return text
	}, []string{"de", "pt_BR", "zh_CN"}, ""},
	{"angular", "ui/messages.xlf", "ui/src/locale/messages.*.xlf", func(language string, keys int) string {
		to, target := "", ""
		if language != "en" {
			to, target = fmt.Sprintf(" target-language=%q", language), "<target>Text in "+language+"</target>"
		}
		text := `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en"` + to +
			` datatype="plaintext" original="ng2.template"><body>`
		for i := range keys {
			text += fmt.Sprintf("<trans-unit id=\"k%d\"><source>Text</source>%s</trans-unit>\n", i, target)
		}
		return text + "</body></file></xliff>\n"
	}, []string{"de", "pt-BR", "zh-Hans"}, "ui/src/locale/messages.en-GB.xlf"},
	{"capitals", "lang/En.json", "lang/*.json", between("{", `"k%d": "Text in %s"`, ",\n", "}\n"),
		[]string{"De", "Pt-BR", "Zh-Hans"}, ""},
	{"names", "assets/english.json", "assets/*.json", between("{", `"k%d": "Text in %s"`, ",\n", "}\n"),
		[]string{"german", "french", "chinese"}, ""},
	{"rails", "config/locales/en.yml", "config/locales/*.yml", between("LANG:\n", "  k%d: Text in %s", "\n", "\n"),
		[]string{"de", "pt-BR", "zh-CN"}, "config/locales/en-GB.yml"},
	{"extension", "_locales/en/messages.json", "_locales/*/messages.json",
		between("{", `"k%d": {"message": "Text in %s"}`, ",\n", "}\n"), []string{"de", "pt_BR", "zh_CN"}, "_locales/en_GB/messages.json"},
}

// Whatever the ecosystem, which of the languages are there and what is beside them: what init writes finds each source
// text exactly once and every translation that is there, takes no translation for the source, and passes a check.
func TestLayouts(t *testing.T) {
	gittest.Need(t)
	repo, err := gitops.Open(t.Context(), gittest.Init(t, map[string]string{"README": ""}), gitops.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.SampledFrom(layouts).Draw(t, "layout")
		keys := rapid.IntRange(2, 6).Draw(t, "keys")
		ways := rapid.SliceOfNDistinct(rapid.SampledFrom(one.ways), 1, 3, rapid.ID[string]).Draw(t, "languages")
		files := map[string]string{one.source: one.file("en", keys)}
		for _, way := range ways {
			files[strings.Replace(one.target, "*", way, 1)] = one.file(way, rapid.IntRange(1, keys).Draw(t, "translated"))
		}
		want := len(ways)
		if one.sibling != "" && rapid.Bool().Draw(t, "sibling") {
			sibling := "en-GB"
			if strings.HasSuffix(one.sibling, "_en.properties") { // which is the source's language once more
				sibling = "en"
			} else {
				want++
			}
			files[one.sibling] = one.file(sibling, 1)
		}
		if rapid.Bool().Draw(t, "others") {
			files["package.json"] = `{"name": "app", "version": "1"}`
			files["tests/locales/en.json"] = `{"x": "X"}`
			files["node_modules/lib/locales/de.json"] = `{"y": "Y"}`
			files["docs/no-results.json"] = `{"z": "Z"}`
		}
		found, cfg, fsys := written(t, files)
		checked, err := inspect.Project(t.Context(), &cfg.Projects[0], repo, fsys, inspect.Options{},
			func(report.Doing) {})
		isError := func(p report.Problem) bool { return p.Severity == report.Error }
		if at := slices.IndexFunc(checked.Problems, isError); at >= 0 || err != nil {
			t.Fatalf("%s: %v %+v", one.name, err, checked.Problems)
		}
		var sources []string
		texts := 0
		for _, g := range found.Groups {
			sources = append(sources, g.Files...)
			texts += g.Keys
		}
		if found.Source != "en" || !slices.Equal(sources, []string{one.source}) || len(found.Targets) != want {
			t.Fatalf("%s: %s, %v, %v (%s), want en, %s and %d languages", one.name, found.Source, sources, found.Targets,
				found.Reason, one.source, want)
		}
		if texts != keys && one.name != "extension" && one.name != "gettext" {
			t.Fatalf("%s: %d texts of %d", one.name, texts, keys)
		}
	})
}
