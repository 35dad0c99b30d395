package setup

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/setup/discover"
	"github.com/locsync/locsync/sync/text/bundle"
)

// Law: what init writes of a text is what the configuration then says, whatever is in it; or it refuses the text, never
// how it is written.
func TestQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.OneOf(rapid.Rune(),
			rapid.SampledFrom([]rune("\x00\a\b\t\v\f\x1b\x7f\"\\\u00ad\u2028\ufeff\U000e0001"))), 0, 12, -1).Draw(t, "text")
		cfg, err := config.Parse("locsync.toml", []byte(smallest+"author_name = "+quoted("x"+text)+"\n"))
		switch {
		case err == nil && cfg.Projects[0].Pull.AuthorName != "x"+text:
			t.Errorf("%q is %q", text, cfg.Projects[0].Pull.AuthorName)
		case err != nil && !strings.Contains(err.Error(), "is not a name for commits"):
			t.Errorf("%q is written as %s: %v", text, quoted(text), err)
		}
	})
}

// An answer that cannot stand in a configuration is named, whether it is not UTF-8, which TOML has no words for, or a
// text that the key does not take; and so is a folder that a configuration elsewhere would have to name.
func TestAnswersThatCannotBe(t *testing.T) {
	fsys := fstest.MapFS{"locales/en.json": {Data: []byte(`{"a": "A"}`)}}
	listing := discover.Listing{Tracked: slices.Sorted(maps.Keys(fsys))}
	for _, c := range []struct{ change, says string }{
		{"name", "--name: "}, {"branch", "--branch: "}, {"source", "--source: "}, {"api-key-env",
			"--api-key-env: "}, {"repository", "the path of the repository"},
	} {
		for _, odd := range []string{"x\xffy", "x\x01y"} {
			p := &Proposal{File: "locsync.toml", repository: ".", look: func(source string) discover.Result {
				return discover.Find(fsys, listing, discover.Options{Source: source})
			}}
			p.URL, p.Account = "https://service.example", "me"
			at := map[string]*string{"name": &p.Name, "branch": &p.Branch, "source": &p.Source,
				"api-key-env": &p.KeyEnv, "repository": &p.repository}[c.change]
			*at = odd
			p.folder = "My app"
			p.begin()
			err := p.check()
			if c.change == "repository" && odd == "x\x01y" {
				continue // a folder may be called so, and is found
			}
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "please report") ||
				!utf8.ValidString(err.Error()) {
				t.Errorf("%s %q: %v", c.change, odd, err)
			}
		}
	}
}

// smallest is a configuration to which keys of project.pull can be added.
const smallest = "[[project]]\nname = \"a\"\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n[project.pull]\n"

// worksAsItStands checks the law of init: what it writes for a tree is valid, finds the files that it was made from and
// no others, without a problem, and finds the translations into every language that it says are there.
func worksAsItStands(t rapid.TB, files map[string]string) discover.Result {
	found, _, _ := written(t, files)
	return found
}

// written is that law with the configuration, and the tree that it is for; no configuration where nothing was found.
func written(t rapid.TB, files map[string]string) (discover.Result, *config.Config, fstest.MapFS) {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	listing := discover.Listing{Tracked: slices.Sorted(maps.Keys(fsys))}
	p := &Proposal{File: "locsync.toml", repository: ".", look: func(source string) discover.Result {
		return discover.Find(fsys, listing, discover.Options{Source: source})
	}}
	p.folder = "My app"
	p.begin()
	found := p.Found
	if len(found.Groups) == 0 {
		return found, nil, fsys
	}
	text := p.Text()
	cfg, err := config.Parse(filepath.Join("repo", "locsync.toml"), []byte(text))
	if err != nil {
		t.Fatalf("%v\nwritten for %v:\n%s", err, files, text)
	}
	bundles, problems, err := bundle.Find(fsys, &cfg.Projects[0])
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v\nwritten for %v:\n%s", err, problems, files, text)
	}
	var want, got []string
	for _, g := range found.Groups {
		want = append(want, g.Files...)
	}
	for _, b := range bundles {
		got = append(got, b.Path)
	}
	for _, g := range found.Groups {
		for _, code := range g.Languages[1:] {
			if !slices.ContainsFunc(bundles, func(b *bundle.Bundle) bool {
				_, there := files[b.Target(cfg.Projects[0].Language(code))]
				return slices.Contains(g.Files, b.Path) && there
			}) {
				t.Fatalf("%s: the translations into %s are not where the configuration looks for them\nwritten for %v:\n%s", g.Source, code, files, text)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("it finds %q, was made from %q:\n%s", got, want, text)
	}
	return found, cfg, fsys
}

// What is odd in a tree; the ecosystems as they should be are in testdata/init.
func TestInitOfOddTrees(t *testing.T) {
	flat := `{"a": "A"}`
	for name, c := range map[string]struct {
		files   []string // path=text
		source  string
		targets string
		groups  string // source -> output, format, collection
		said    string // a part of the reasons
	}{
		"regions only": {[]string{"locales/de-DE.json=" + flat, "locales/en-US.json=" + flat, "locales/pt_BR.json=" +
			flat}, "en-US", "de-DE pt-BR", "locales/en-US.json -> locales/{LANGUAGE}.json json main", ""},
		"the other English": {[]string{"locales/en-GB.json=" + flat, "locales/en-US.json=" + flat}, "en-US",
			"en-GB", "locales/en-US.json -> locales/{LANGUAGE}.json json main", ""},
		"not English": {[]string{"lang/de.json=" + flat, "lang/fr.json=" + flat}, "de", "fr",
			"lang/de.json -> lang/{LANGUAGE}.json json main", "no English"},
		"fuller": {[]string{`lang/de.json={"a": "A"}`, `lang/fr.json={"a": "A", "b": "B"}`}, "fr",
			"de", "lang/fr.json -> lang/{LANGUAGE}.json json main", "no English"},
		"brackets": {[]string{"app/[lang]/i18n/en/a b.json=" + flat}, "en", "de",
			"app/[[]lang]/i18n/en/*.json -> app/[lang]/i18n/{LANGUAGE}/{NAME}.json json main", ""},
		"broken in one": {[]string{"locales/en.json={", "locales/de.json=" + flat}, "en", "de",
			"locales/en.json -> locales/{LANGUAGE}.json json main", ""},
		"broken in all": {[]string{"locales/en.json={", "locales/de.json={"}, "en", "", "", "locales/en.json: 1:2"},
		"lists": {[]string{"i18n/en.yaml=- id: a\n  translation: A\n",
			"i18n/de.yaml=- id: a\n  translation: A\n"}, "en", "", "", "holds no texts by key"},
		"unusable names": {[]string{"a{b}/locales/en.json=" + flat, "c*/locales/en.json=" + flat,
			"d\te/locales/en.json=" + flat, "f\xff/locales/en.json=" + flat, "~g/locales/en.json=" + flat,
			"git~1/locales/en.json=" + flat}, "en", "", "", ""},
		"words": {[]string{"src/io/schema.json=" + flat, "src/ml/data.json=" + flat,
			"src/main/resources/application-it.yml=a: A", "app.min.json=" + flat, "values-dev.yaml=a: A",
			"docs/no/index.json=" + flat}, "en", "", "", ""},
		"settings": {[]string{"packages/id/package.json=" + flat, "packages/no/package.json=" + flat,
			"packages/de/tsconfig.build.json=" + flat, "packages/fr/tsconfig.build.json=" + flat,
			"locales/.eslintrc.json={}"}, "en", "", "", ""},
		"doubled": {[]string{"res/values/strings.xml=" +
			`<resources><string name="a">A</string></resources>`, "res/values-iw/strings.xml=" +
			`<resources><string name="a">B</string></resources>`, "res/values-he/strings.xml=" +
			`<resources><string name="a">B</string></resources>`}, "en", "he",
			"res/values/strings.xml -> res/values-{LOCALE:ANDROID}/strings.xml android-xml main", "is he once more"},
		"tests only": {[]string{"examples/locales/en.json=" + flat, "examples/locales/fr.json=" + flat},
			"en", "fr", "examples/locales/en.json -> examples/locales/{LANGUAGE}.json json main", ""},
		"the same in English": {[]string{"res/values/strings.xml=" +
			`<resources><string name="a">A</string></resources>`, "res/values-en/strings.xml=" +
			`<resources><string name="a">A</string></resources>`}, "en", "de",
			"res/values/strings.xml -> res/values-{LOCALE:ANDROID}/strings.xml android-xml main", "is en once more"},
		"another base": {[]string{"res/values/strings.xml=" +
			`<resources><string name="a">Ä</string></resources>`, "res/values-en/strings.xml=" +
			`<resources><string name="a">A</string></resources>`}, "en", "de",
			"res/values/strings.xml -> res/values-{LOCALE:ANDROID}/strings.xml android-xml main",
			"in a language that its path does not tell"},
		"Apple's old names": {[]string{`English.lproj/A.strings="a" = "A";`, `German.lproj/A.strings="a" = "A";`,
			`zh_CN.lproj/A.strings="a" = "A";`}, "en", "de zh-Hans",
			"English.lproj/*.strings -> {LOCALE:IOS}.lproj/{NAME}.strings ios-strings main", ""},
		"source above": {[]string{"i18n/app.json=" + flat, "i18n/de/app.json=" + flat, "i18n/fr/app.json=" +
			flat}, "en", "de fr", "i18n/*.json -> i18n/{LANGUAGE}/{NAME}.json json main", ""},
		"settings beside a source": {[]string{"i18n/app.json=" + flat, "i18n/package.json={}", "i18n/de/app.json=" +
			flat, "i18n/fr/app.json=" +
			flat}, "en", "de fr", "i18n/app.json -> i18n/{LANGUAGE}/app.json json main", ""},
		"namespaces": {[]string{"locales/en/settings.json=" + flat, "locales/en/project.json=" + flat,
			"locales/fr/settings.json=" +
				flat}, "en", "fr", "locales/en/*.json -> locales/{LANGUAGE}/{NAME}.json json {NAME}", ""},
		"no source": {[]string{"locales/en/a.json=" + flat, "locales/de/a.json=" + flat,
			"mail/i18n/de.json=" + flat, "mail/i18n/fr.json=" +
				flat}, "en", "de", "locales/en/*.json -> locales/{LANGUAGE}/{NAME}.json json main", "has no file in en"},
		"settings beside": {[]string{"i18n/en/a.json=" + flat, "i18n/en/b.json=" + flat,
			"i18n/en/openapi.yaml=a: A", "i18n/de/a.json=" + flat,
			"i18n/en/list.json=[1]"}, "en", "de", "i18n/en/{a,b}.json -> i18n/{LANGUAGE}/{NAME}.json json {NAME}", ""},
		"a catalog": {[]string{`App/L.xcstrings={"sourceLanguage":"de","strings":{"a":{"localizations":{"zh-Hans":{"stringUnit":{"state":"translated","value":"x"}},` +
			`"fr":{"stringUnit":{"state":"translated","value":"x"}}}}}}`, `App/Empty.xcstrings={"sourceLanguage":"de","strings":{}}`},
			"de", "fr zh-Hans", "App/L.xcstrings ->  xcstrings main", "App/L.xcstrings says so"},
		"a catalog beside others": {[]string{`App/en.lproj/A.strings="b" = "B";`, `App/fr.lproj/A.strings="b" = "C";`,
			`App/L.xcstrings={"sourceLanguage":"en","strings":{"a":{}}}`,
			`Kit/M.xcstrings={"sourceLanguage":"de","strings":{"c":{}}}`,
			`Kit/Tests/N.xcstrings={"sourceLanguage":"en","strings":{"d":{}}}`},
			"en", "fr",
			"App/L.xcstrings ->  xcstrings App; App/en.lproj/*.strings -> App/{LOCALE:IOS}.lproj/{NAME}.strings ios-strings App-ios", "its source language is de"},
		"one language, German": {[]string{"translations/de.yaml=a: A\n"}, "de", "fr",
			"translations/de.yaml -> translations/{LANGUAGE}.yaml yaml main", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for _, f := range c.files {
				file, text, _ := strings.Cut(f, "=")
				files[file] = text
			}
			found := worksAsItStands(t, files)
			var groups []string
			for _, g := range found.Groups {
				groups = append(groups, fmt.Sprintf("%s -> %s %s %s", g.Source, g.Output, g.Format, g.Collection))
			}
			if len(groups) == 0 {
				found.Targets = nil
			}
			if found.Source != c.source || strings.Join(found.Targets, " ") != c.targets ||
				strings.Join(groups, "; ") != c.groups {
				t.Errorf("source %s, targets %v, groups\n%s", found.Source, found.Targets, strings.Join(groups, "\n"))
			}
			if said := fmt.Sprint(found.Reason, found.Unsure, found.LeftOut); !strings.Contains(said, c.said) {
				t.Errorf("it says %s, not %q", said, c.said)
			}
		})
	}
}

// Whatever a repository looks like, init writes nothing that does not work.
func TestInitWritesWhatWorks(t *testing.T) {
	part := rapid.SampledFrom([]string{"en", "de", "pt-BR", "zh_TW", "values", "values-de", "values-pt-rBR", "en.lproj",
		"Base.lproj", "locales", "i18n", "src", "[x]", "a b", "ä", "{x}", "it's", `q"q`, "id", "app", "values-zh-rCN",
		"values-b+zh+Hans", "values-iw", "values-he", "zh-Hans.lproj", "English.lproj", "test",
		"_locales", "src", "debug", "zh-CN"})
	stem := rapid.SampledFrom([]string{"en", "de", "en-US", "zh-Hant", "app", "app.en", "app.de", "home_fr", "strings",
		"Localizable", "x[1]", "a{b}", "no", "messages", "messages.de", "package", "app_zh_CN", "x.zh-TW", "iw", "he"})
	end := rapid.SampledFrom([]string{".json={\"a\": \"A\"}", ".json={\"a\": {\"b\": \"B\"}}", ".yml=en:\n  a: A\n",
		".yaml=a: A\n", ".strings=\"a\" = \"A\";", ".xml=<resources><string name=\"a\">A</string></resources>"})
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		for range rapid.IntRange(1, 8).Draw(t, "files") {
			dirs := rapid.SliceOfN(part, 0, 3).Draw(t, "folders")
			ext, text, _ := strings.Cut(end.Draw(t, "kind"), "=")
			files[strings.Join(append(dirs, stem.Draw(t, "stem")+ext), "/")] = text
		}
		for a := range files { // a file cannot be a folder as well
			for b := range files {
				if strings.HasPrefix(b, a+"/") {
					t.Skip()
				}
			}
		}
		worksAsItStands(t, files)
	})
}

// The configuration that the manual shows for the ecosystems is what init writes for the files that it names.
func TestManualShowsWhatInitWrites(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "cmd", "locsync", "docs", "ecosystems.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "```toml\n")
	shown, rest, _ := strings.Cut(shown, "```\n")
	if shown == "" || strings.Contains(rest, "```") {
		t.Fatal("the page does not have one block")
	}
	files := map[string]string{}
	texts := map[string]string{".json": `{"a": {"b": "A"}}`, ".strings": `"a" = "A";`, ".yaml": "a: A\n",
		".arb": `{"a": "A"}`, ".properties": "a=A\n", ".po": "msgid \"a\"\nmsgstr \"A\"\n",
		".pot":       "msgid \"a\"\nmsgstr \"\"\n",
		".xlf":       `<xliff><file><body><trans-unit id="a"><source>A</source></trans-unit></body></file></xliff>`,
		".resx":      `<root><data name="a"><value>A</value></data></root>`,
		".xcstrings": `{"sourceLanguage":"en","strings":{"a":{}}}`,
		".xml":       `<resources><string name="a">A</string></resources>`}
	for line := range strings.Lines(shown) {
		list, comment := strings.CutPrefix(line, "# ")
		for name := range strings.FieldsSeq(list) {
			if !comment || !strings.Contains(name, "/") {
				continue
			}
			files[name] = texts[filepath.Ext(name)]
			if filepath.Ext(name) == ".yml" { // a key of its own below the root
				root := map[bool]string{true: "en", false: "de"}[strings.Contains(name, "en.yml")]
				files[name] = fmt.Sprintf("%s:\n  k%d: A\n", root, len(files))
			}
		}
	}
	found := worksAsItStands(t, files)
	cfg, err := config.Parse("locsync.toml", []byte(shown))
	if err != nil {
		t.Fatal(err)
	}
	p := &cfg.Projects[0]
	if found.Source != p.SourceLanguage || !slices.Equal(found.Targets, p.TargetLanguages) ||
		len(found.Paths) != len(p.LanguagePaths) {
		t.Errorf("it finds %s, %v, %v", found.Source, found.Targets, found.Paths)
	}
	var want, got []string
	for _, f := range p.Files {
		want = append(want, fmt.Sprintln(f.Source, f.Format, f.Output, f.Collection, f.LanguagePaths))
	}
	for _, g := range found.Groups {
		got = append(got, fmt.Sprintln(g.Source, g.Format, g.Output, g.Collection, g.Paths))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("it writes\n%s\nthe manual shows\n%s", got, want)
	}
}
