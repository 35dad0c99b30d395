package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/config"
)

// worksAsItStands checks the law of init: what it writes for a tree is valid, and finds the files that it was made from and no others, without
// a problem.
func worksAsItStands(t rapid.TB, files map[string]string) bundle.Discovery {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	found, err := bundle.Discover(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Groups) == 0 {
		return found
	}
	text := configuration("My app", ".", found)
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
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("it finds %q, was made from %q:\n%s", got, want, text)
	}
	return found
}

func TestInitKnowsTheEcosystems(t *testing.T) {
	flat, nested := `{"a": "A"}`, `{"a": {"b": "B"}}`
	xml, apple := `<resources><string name="a">A</string></resources>`, `"a" = "A";`
	for name, c := range map[string]struct {
		files   []string // path=text
		source  string
		targets string
		groups  string // source -> output, format, collection
	}{
		"i18next, one file flat and one nested": {[]string{"public/locales/en/common.json=" + nested, "public/locales/en/home.json=" + flat, "public/locales/de/common.json=" + nested, "public/locales/zh-CN/home.json=" + flat, "package.json={}"},
			"en", "de zh-Hans", "public/locales/en/*.json -> public/locales/{LANGUAGE}/{NAME}.json structured-json {NAME}"},
		"Rails": {[]string{"config/locales/en.yml=en:\n  a: A\n", "config/locales/de.yml=de:\n  a: A\n", "config/locales/devise.en.yml=en:\n  d: D\n", "config/locales/devise.de.yml=de:\n  d: D\n", "config/database.yml=a: b\n"},
			"en", "de", "config/locales/devise.en.yml -> config/locales/devise.{LANGUAGE}.yml structured-yaml config-locales-devise; config/locales/en.yml -> config/locales/{LANGUAGE}.yml structured-yaml config-locales"},
		"iOS with Base": {[]string{"App/Base.lproj/Localizable.strings=" + apple, "App/Base.lproj/Main.strings=" + apple, "App/en.lproj/Localizable.strings=" + apple, "App/zh-Hans.lproj/Localizable.strings=" + apple},
			"en", "zh-Hans", "App/en.lproj/*.strings -> App/{LOCALE:IOS}.lproj/{NAME}.strings ios-strings App-en.lproj; App/Base.lproj/Main.strings -> App/{LOCALE:IOS}.lproj/{NAME}.strings ios-strings App-Base.lproj"},
		"Android": {[]string{"app/res/values/strings.xml=" + xml, "app/res/values/colors.xml=<resources/>", "app/res/values-night/colors.xml=<resources/>", "app/res/values-sw600dp/strings.xml=<resources/>", "app/res/values-iw/strings.xml=" + xml, "app/res/values-pt-rBR/strings.xml=" + xml, "app/res/values-b+sr+Latn/strings.xml=" + xml},
			"en", "he pt-BR sr-Latn", "app/res/values/strings.xml -> app/res/values-{LOCALE:ANDROID}/{NAME}.xml android-xml main"},
		"regions only":   {[]string{"locales/de-DE.json=" + flat, "locales/en-US.json=" + flat, "locales/pt_BR.json=" + flat}, "en-US", "de-DE pt-BR", "locales/en-US.json -> locales/{LANGUAGE}.json json main"},
		"one language":   {[]string{"locales/en.json=" + flat}, "en", "", "locales/en.json -> locales/{LANGUAGE}.json json main"},
		"not English":    {[]string{"lang/de.json=" + flat, "lang/fr.json=" + flat}, "de", "fr", "lang/de.json -> lang/{LANGUAGE}.json json main"},
		"brackets":       {[]string{"app/[lang]/i18n/en/a b.json=" + flat}, "en", "", "app/[[]lang]/i18n/en/*.json -> app/[lang]/i18n/{LANGUAGE}/{NAME}.json json main"},
		"broken":         {[]string{"locales/en.json={", "locales/de.json={"}, "en", "de", "locales/en.json -> locales/{LANGUAGE}.json json main"},
		"unusable names": {[]string{"a{b}/locales/en.json=" + flat, "c*/locales/en.json=" + flat, "d\te/locales/en.json=" + flat, "f\xff/locales/en.json=" + flat}, "en", "", ""},
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
			slices.Sort(groups)
			want := strings.Split(c.groups, "; ")
			slices.Sort(want)
			if found.Source != c.source || strings.Join(found.Targets, " ") != c.targets || strings.Join(groups, "; ") != strings.Join(want, "; ") {
				t.Errorf("source %s, targets %v, groups\n%s", found.Source, found.Targets, strings.Join(groups, "\n"))
			}
		})
	}
}

// Whatever a repository looks like, init writes nothing that does not work.
func TestInitWritesWhatWorks(t *testing.T) {
	part := rapid.SampledFrom([]string{"en", "de", "pt-BR", "zh_TW", "values", "values-de", "values-pt-rBR", "en.lproj", "Base.lproj", "locales", "i18n", "src", "[x]", "a b", "ä", "{x}", "it's", `q"q`, "id", "app"})
	stem := rapid.SampledFrom([]string{"en", "de", "en-US", "zh-Hant", "app", "app.en", "app.de", "home_fr", "strings", "Localizable", "x[1]", "a{b}", "no"})
	end := rapid.SampledFrom([]string{".json={\"a\": \"A\"}", ".json={\"a\": {\"b\": \"B\"}}", ".yml=en:\n  a: A\n", ".yaml=a: A\n", ".strings=\"a\" = \"A\";", ".xml=<resources><string name=\"a\">A</string></resources>"})
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
