//go:build unix

package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/locsync/locsync/gitops/gittest"
)

// First contact does no harm in layouts of many ecosystems, with texts, gaps, orphans and entries of other
// shapes as chance has it. LOCSYNC_ALL_REPOSITORIES tries all of them; else it is one that has files of three kinds.
func TestLayouts(t *testing.T) {
	gittest.Need(t)
	for name, lay := range layouts {
		if os.Getenv("LOCSYNC_ALL_REPOSITORIES") == "" && name != "mixed" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gittest.Draw(t, "LOCSYNC_ALL_REPOSITORIES")
			h := fnv.New64a()
			h.Write([]byte(name))
			p := &product{Rand: rand.New(rand.NewPCG(h.Sum64(), layoutSeed)), at: make(map[string]bool)}
			lay(p)
			lawsOfFirstContact(t, bareOf(t, p.files))
		})
	}
}

// layoutSeed makes the products; another one makes others.
const layoutSeed = 1

// layouts write a product's files as the tools of an ecosystem want them.
var layouts = map[string]func(*product){
	"rails":     railsWithEngines,
	"symfony":   symfonyDomains,
	"android":   androidModules,
	"ios":       iosTables,
	"i18next":   i18nextNamespaces,
	"extension": chromeExtension,
	"laravel":   laravelJSON,
	"hugo":      hugoYAML,
	"goi18n":    goMessages,
	"kotlin":    kotlinMultiplatform,
	"mixed":     func(p *product) { iosTables(p); androidModules(p); i18nextNamespaces(p) },
}

// product is a repository under construction.
type product struct {
	*rand.Rand
	files []treeFile
	at    map[string]bool
}

func (p *product) file(path, content string) {
	if p.at[path] {
		return
	}
	p.at[path] = true
	p.files = append(p.files, treeFile{path, "100644", []byte(content)})
}

// productKey is a key with its text in every language that has it. Of a plural there are several texts, by form.
type productKey struct {
	key    string
	texts  map[string]string   // by language
	forms  map[string][]string // by language: one, few, many, other
	source bool                // the source has it; it does not have an orphan
}

var (
	sourceWords = strings.Fields("open close file window save the all your account settings page new message could not " +
		"be found please try again later and with for")
	pluralForms = []string{"one", "few", "many", "other"}
	targetWords = map[string][]string{
		"de":    strings.Fields("öffnen schließen Datei Fenster sichern alle Größe Konto Seite nicht gefunden bitte später und mit für"),
		"fr":    strings.Fields("ouvrir l’écran fermer fichier d'accès enregistrer où déjà compte réglages page introuvable s'il à"),
		"pt-BR": strings.Fields("abrir não fechar arquivo salvar configurações página você tente novamente"),
		"ru":    strings.Fields("открыть закрыть файл окно сохранить страница не найдена позже ещё"),
		"ja":    strings.Fields("開く 閉じる ファイル 保存 見つかりません 設定"),
		"ar":    strings.Fields("فتح إغلاق ملف حفظ الصفحة غير موجودة"),
	}
)

func pick[T any](p *product, all []T) T { return all[p.IntN(len(all))] }

func (p *product) chance(percent int) bool { return p.IntN(100) < percent }

// phrase is a text of some words; it has the placeholder, and now and then what formats have to escape.
func (p *product) phrase(words []string, placeholder string) string {
	var text []string
	for range 2 + p.IntN(5) {
		text = append(text, pick(p, words))
	}
	if p.chance(15) {
		text = append(text, pick(p, []string{`"quoted"`, "it's", "a & b", "<b>bold</b>",
			"line\nbreak", `back\slash`, "# hash",
			"key: value", "tab\tbed", "100 %", "'single'", "…"}))
	}
	if placeholder != "" {
		text = slices.Insert(text, p.IntN(len(text)), placeholder)
	}
	return strings.Join(text, " ")
}

// messages are the texts of one part of a product. Keys are made of this letter and more; placeholder is how the
// ecosystem spells one.
func (p *product) messages(letter, placeholder string, languages []string) (all []*productKey) {
	for i := range 6 + p.IntN(8) {
		m := &productKey{key: fmt.Sprintf("%s_%s_%d", letter, pick(p, sourceWords), i), texts: make(map[string]string),
			forms: make(map[string][]string), source: !p.chance(10)}
		hole := ""
		if p.chance(20) {
			hole = placeholder
		}
		plural := p.chance(10)
		for _, l := range slices.Concat([]string{"en"}, languages) {
			words := targetWords[l]
			switch {
			case l == "en" && !m.source, l != "en" && p.chance(15): // an orphan, a gap
				continue
			case l == "en":
				words = sourceWords
			case p.chance(5):
				m.texts[l] = m.texts["en"]
				continue
			case p.chance(4):
				m.texts[l] = ""
				continue
			case p.chance(4):
				hole = "" // a placeholder that was lost
			}
			if plural {
				for range pluralForms {
					m.forms[l] = append(m.forms[l], p.phrase(words, hole))
				}
			} else {
				m.texts[l] = p.phrase(words, hole)
			}
		}
		all = append(all, m)
	}
	return all
}

func (p *product) languages() []string {
	all := []string{"de", "fr", "pt-BR", "ru", "ja", "ar"}
	p.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:3]
}

// entries calls put for what a language has of the messages, in order; the texts of a plural come one by one
// where form is.
func entries(messages []*productKey, language string, put func(m *productKey, form, text string)) {
	for _, m := range messages {
		if text, there := m.texts[language]; there {
			put(m, "", text)
		}
		for i, text := range m.forms[language] {
			if language != "en" || pluralForms[i] == "one" || pluralForms[i] == "other" { // English has no more
				put(m, pluralForms[i], text)
			}
		}
	}
}

func (p *product) lineEnds(text string) string {
	if p.chance(15) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if p.chance(15) {
		text = strings.TrimRight(text, "\r\n")
	}
	return text
}

// nested is a JSON object; a key's first part is an object of its own where nest is set. forms says how the key
// of a plural's form is spelled.
func (p *product) nested(messages []*productKey, language string, nest bool,
	forms func(key, form string) string) string {
	indent := pick(p, []string{"  ", "    ", "\t"})
	var b strings.Builder
	b.WriteString("{")
	comma := "\n"
	line := func(key, value string) {
		name, _ := json.Marshal(key)
		b.WriteString(comma + indent + string(name) + ": " + value)
		comma = ",\n"
	}
	group := ""
	end := func() {
		if group != "" {
			b.WriteString("\n" + indent + "}")
			comma, group = ",\n", ""
		}
	}
	entries(messages, language, func(m *productKey, form, text string) {
		key := m.key
		if form != "" {
			key = forms(key, form)
		}
		value := jsonText(text)
		if language != "en" && p.chance(3) {
			value = pick(p, []string{"null", "7", "false", "[]"}) // another shape than the source's
		}
		first, rest, cut := strings.Cut(key, "_")
		if !nest || !cut || form != "" {
			end()
			line(key, value)
			return
		}
		if first+"Group" != group {
			end()
			line(first+"Group", "{")
			comma, group = "\n", first+"Group"
		}
		name, _ := json.Marshal(rest)
		b.WriteString(comma + indent + indent + string(name) + ": " + value)
		comma = ",\n"
	})
	end()
	if p.chance(30) {
		line(pick(p, []string{"version", "zz_count"}), strconv.Itoa(p.IntN(9)))
	}
	b.WriteString("\n}\n")
	return p.lineEnds(b.String())
}

func jsonText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// yaml is a YAML map below an indent.
func (p *product) yaml(messages []*productKey, language, indent string) string {
	var b strings.Builder
	last := ""
	entries(messages, language, func(m *productKey, form, text string) {
		if p.chance(10) {
			b.WriteString(pick(p, []string{"\n", indent + "# a comment\n"}))
		}
		value := yamlText(p, text)
		if language != "en" && p.chance(3) {
			value = pick(p, []string{"~", "12", "Yes", "[]"})
		}
		if form == "" {
			fmt.Fprintf(&b, "%s%s: %s\n", indent, m.key, value)
			return
		}
		if last != m.key {
			fmt.Fprintf(&b, "%s%s:\n", indent, m.key)
		}
		last = m.key
		fmt.Fprintf(&b, "%s  %s: %s\n", indent, form, value)
	})
	return b.String()
}

func yamlText(p *product, s string) string {
	plainly := s != "" && !strings.ContainsAny(s, "\"'#:&\\\n\t<>%{}[]|*!@`,…")
	switch {
	case plainly && p.chance(60):
		return s
	case !strings.ContainsAny(s, "\n\t") && p.chance(50):
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return jsonText(s)
}

func railsWithEngines(p *product) {
	languages := p.languages()
	p.file("Gemfile", "source 'https://rubygems.org'\ngem 'rails'\n")
	p.file("config/application.rb", "config.i18n.default_locale = :en\n")
	for _, part := range []string{"config/locales/", "engines/blog/config/locales/", "config/locales/devise."} {
		messages := p.messages(pick(p, []string{"a", "b", "c"}), "%{name}", languages)
		for _, l := range slices.Concat([]string{"en"}, languages) {
			var b strings.Builder
			b.WriteString(l + ":\n" + p.yaml(messages, l, "  "))
			if l != "en" && part == "config/locales/" { // what Rails itself wants of a language
				b.WriteString("  date:\n    order:\n      - :day\n      - :month\n    month_names: [~, One, Two]\n" +
					"  number:\n    format:\n      delimiter: \".\"\n      precision: 3\n")
			}
			p.file(part+l+".yml", p.lineEnds(b.String()))
		}
	}
}

func symfonyDomains(p *product) {
	languages := p.languages()
	p.file("composer.json", `{"require": {"symfony/translation": "^7"}}`)
	p.file("config/packages/translation.yaml", "framework:\n    default_locale: en\n    translator:\n"+
		"        default_path: '%kernel.project_dir%/translations'\n")
	for _, domain := range []string{"messages", "validators", "security"} {
		messages := p.messages(domain[:2], "%name%", languages)
		for _, l := range slices.Concat([]string{"en"}, languages) {
			text := p.yaml(messages, l, "")
			if domain == "messages" {
				text += map[bool]string{true: "agree: Yes\ndeny: No\n", false: "agree: Ja\ndeny: Nein\n"}[l == "en"]
			}
			p.file(fmt.Sprintf("translations/%s.%s.yaml", domain, strings.ReplaceAll(l, "-", "_")), p.lineEnds(text))
		}
	}
}

// android is a file of resources.
func (p *product) android(messages []*productKey, language string, spell func(string) string) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<resources>\n")
	open := ""
	closed := func() {
		if open != "" {
			b.WriteString("    </plurals>\n")
		}
		open = ""
	}
	entries(messages, language, func(m *productKey, form, text string) {
		if form == "" || open != m.key {
			closed()
		}
		value := spell(text)
		switch {
		case form == "":
			if p.chance(10) {
				b.WriteString(pick(p, []string{"\n", "    <!-- a comment -->\n"}))
			}
			if language != "en" && p.chance(3) {
				value = "@string/other_text"
			}
			fmt.Fprintf(&b, "    <string name=\"%s\">%s</string>\n", m.key, value)
		case open == "":
			fmt.Fprintf(&b, "    <plurals name=\"%s\">\n", m.key)
			open = m.key
			fallthrough
		default:
			fmt.Fprintf(&b, "        <item quantity=\"%s\">%s</item>\n", form, value)
		}
	})
	closed()
	if language == "en" {
		b.WriteString("    <string name=\"app_name\" translatable=\"false\">Shop</string>\n" +
			"    <string name=\"same\">@string/app_name</string>\n")
	}
	if language == "en" || p.chance(50) {
		b.WriteString("    <string-array name=\"sizes\">\n        <item>small</item>\n        <item>large</item>\n" +
			"    </string-array>\n")
	}
	b.WriteString("</resources>\n")
	return p.lineEnds(b.String())
}

func androidText(s string) string {
	return strings.NewReplacer("&", "&amp;", `\`, `\\`, "'", `\'`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s)
}

func composeText(s string) string {
	return strings.NewReplacer("&", "&amp;", `\`, `\\`, "\n", `\n`, "\t", `\t`).Replace(s)
}

func qualifier(language string) string {
	if language == "en" {
		return ""
	}
	return "-" + strings.ReplaceAll(language, "-", "-r")
}

func androidModules(p *product) {
	languages := p.languages()
	p.file("settings.gradle.kts", "include(\":app\", \":feature\")\n")
	p.file("app/src/main/AndroidManifest.xml", "<manifest/>\n")
	for _, module := range []string{"app", "feature/login"} {
		messages := p.messages(module[:1], "%1$s", languages)
		for _, l := range slices.Concat([]string{"en"}, languages) {
			p.file(fmt.Sprintf("%s/src/main/res/values%s/strings.xml", module, qualifier(l)),
				p.android(messages, l, androidText))
		}
	}
}

func kotlinMultiplatform(p *product) {
	languages := p.languages()
	p.file("settings.gradle.kts", "include(\":shared\")\n")
	messages := p.messages("k", "%1$s", languages)
	for _, l := range slices.Concat([]string{"en"}, languages) {
		p.file(fmt.Sprintf("shared/src/commonMain/composeResources/values%s/strings.xml", qualifier(l)),
			p.android(messages, l, composeText))
	}
}

func iosTables(p *product) {
	languages := p.languages()
	for _, table := range []string{"App/%s.lproj/Localizable.strings", "App/%s.lproj/InfoPlist.strings",
		"Widget/%s.lproj/Localizable.strings"} {
		messages := p.messages("i", "%@", languages)
		for _, l := range slices.Concat([]string{"en"}, languages) {
			var b strings.Builder
			entries(messages, l, func(m *productKey, form, text string) {
				if form != "" && form != "other" {
					return
				}
				if p.chance(60) {
					b.WriteString("/* a comment */\n")
				}
				fmt.Fprintf(&b, "%s = %s;\n", appleText(m.key), appleText(text))
				if p.chance(30) {
					b.WriteString("\n")
				}
			})
			text := p.lineEnds(b.String())
			if p.chance(20) {
				text = utf16File(text)
			}
			p.file(fmt.Sprintf(table, l), text)
		}
	}
}

func appleText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

func utf16File(s string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

func i18nextNamespaces(p *product) {
	languages := p.languages()
	p.file("web/package.json", `{"dependencies": {"i18next": "^23"}}`)
	for _, namespace := range []string{"common", "cart"} {
		messages := p.messages(namespace[:2], "{{name}}", languages)
		for _, l := range slices.Concat([]string{"en"}, languages) {
			text := p.nested(messages, l, true, func(key, form string) string { return key + "_" + form })
			p.file(fmt.Sprintf("web/public/locales/%s/%s.json", l, namespace), text)
		}
	}
}

func chromeExtension(p *product) {
	languages := p.languages()
	p.file("manifest.json", `{"manifest_version": 3, "default_locale": "en"}`)
	messages := p.messages("x", "$NAME$", languages)
	for _, l := range slices.Concat([]string{"en"}, languages) {
		var members []string
		entries(messages, l, func(m *productKey, form, text string) {
			if form == "" || form == "other" {
				members = append(members,
					fmt.Sprintf("  %q: {\n    \"message\": %s,\n    \"description\": \"what it is for\"\n  }",
						m.key, jsonText(text)))
			}
		})
		text := p.lineEnds("{\n" + strings.Join(members, ",\n") + "\n}\n")
		p.file(fmt.Sprintf("_locales/%s/messages.json", strings.ReplaceAll(l, "-", "_")), text)
	}
}

func laravelJSON(p *product) {
	languages := p.languages()
	p.file("composer.json", `{"require": {"laravel/framework": "^11"}}`)
	messages := p.messages("l", ":name", languages)
	for _, m := range messages {
		if text := m.texts["en"]; text != "" {
			m.key = text // texts are keys
		}
	}
	for _, l := range slices.Concat([]string{"en"}, languages) {
		text := p.nested(messages, l, false, func(key, form string) string { return key + "." + form })
		p.file(fmt.Sprintf("lang/%s.json", strings.ReplaceAll(l, "-", "_")), text)
	}
}

func hugoYAML(p *product) {
	languages := p.languages()
	p.file("hugo.yaml", "defaultContentLanguage: en\n")
	messages := p.messages("h", "{{ .Name }}", languages)
	for _, l := range slices.Concat([]string{"en"}, languages) {
		p.file(fmt.Sprintf("i18n/%s.yaml", l), p.lineEnds(p.yaml(messages, l, "")))
	}
}

// goMessages are as goi18n writes them: the translations say which source they were made of.
func goMessages(p *product) {
	languages := p.languages()
	messages := p.messages("g", "{{.Name}}", languages)
	for _, l := range slices.Concat([]string{"en"}, languages) {
		of := make(map[string]map[string]string)
		entries(messages, l, func(m *productKey, form, text string) {
			if of[m.key] == nil {
				of[m.key] = map[string]string{"description": "describes " + m.key}
			}
			if l != "en" {
				of[m.key]["hash"] = "sha1-" + m.key
			}
			if form == "" {
				form = "other"
			}
			of[m.key][form] = text
		})
		content, err := json.MarshalIndent(of, "", "  ")
		if err != nil {
			panic(err)
		}
		p.file(fmt.Sprintf("i18n/active.%s.json", l), string(content)+"\n")
	}
}
