package config

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

func readTemplate(t testing.TB, text string) Template {
	t.Helper()
	got, err := ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTemplateTurnsSourcesIntoPaths(t *testing.T) {
	ptBR := Language{"pt-BR", "pt-BR"}
	for _, c := range []struct {
		source, file, output string
		language             Language
		sent, path, entry    string
	}{
		{"locales/en/*.json", "locales/en/app.json", "locales/{LANGUAGE}/{NAME}.json", ptBR,
			"locales/{LANGUAGE}/app.json", "locales/pt-BR/app.json", "locales/pt-BR/app.json"},
		{"locales/en/*.json", "locales/en/app.json", "locales/{LANGUAGE}/{NAME}.{EXT}", Language{"zh-Hans", "zh-CN"},
			"locales/{LANGUAGE}/app.json", "locales/zh-CN/app.json", "locales/zh-Hans/app.json"},
		{"app/src/main/res/values/strings.xml", "app/src/main/res/values/strings.xml", "app/src/main/res/values-{LOCALE:ANDROID}/{NAME}.xml", ptBR,
			"app/src/main/res/values-{LOCALE:ANDROID}/strings.xml", "app/src/main/res/values-pt-rBR/strings.xml", "app/src/main/res/values-pt-rBR/strings.xml"},
		{"**/values/*.xml", "lib/a/values/s.xml", "{DIR}/values-{LOCALE:ANDROID}/{NAME}.xml", Language{"zh-Hans", "zh-CN"},
			"lib/a/values-{LOCALE:ANDROID}/s.xml", "lib/a/values-zh-rCN/s.xml", "lib/a/values-zh-rHans/s.xml"},
		{"**/values/*.xml", "values/s.xml", "{DIR}/values-{LOCALE:ANDROID}/{NAME}.xml", Language{"sr-Latn", "b+sr+Latn"},
			"values-{LOCALE:ANDROID}/s.xml", "values-b+sr+Latn/s.xml", "values-sr-rLatn/s.xml"},
		{"App/en.lproj/*.strings", "App/en.lproj/Localizable.strings", "App/{LOCALE:IOS}.lproj/{NAME}.strings", Language{"zh-Hans", "zh-Hans"},
			"App/{LOCALE:IOS}.lproj/Localizable.strings", "App/zh-Hans.lproj/Localizable.strings", "App/zh-Hans.lproj/Localizable.strings"},
		{"i18n/**/en.yaml", "i18n/web/shop/en.yaml", "i18n/{DIR}/{LANGUAGE}.yaml", ptBR,
			"i18n/web/shop/{LANGUAGE}.yaml", "i18n/web/shop/pt-BR.yaml", "i18n/web/shop/pt-BR.yaml"},
		{"i18n/**/en.yaml", "i18n/en.yaml", "i18n/{DIR}/{LANGUAGE}.yaml", ptBR,
			"i18n/{LANGUAGE}.yaml", "i18n/pt-BR.yaml", "i18n/pt-BR.yaml"},
		{"a/{x,y}/**/*.json", "a/y/b/c/n.json", "out/{DIR}/{NAME}/{LANGUAGE}.json", ptBR,
			"out/b/c/n/{LANGUAGE}.json", "out/b/c/n/pt-BR.json", "out/b/c/n/pt-BR.json"},
		{"src/**", "src/a/b.json", "out/{DIR}/{LANGUAGE}-{NAME}.json", ptBR,
			"out/a/{LANGUAGE}-b.json", "out/a/pt-BR-b.json", "out/a/pt-BR-b.json"},
		{"strings/*", "strings/plain", "strings/{LANGUAGE}/{NAME}.{EXT}", ptBR,
			"strings/{LANGUAGE}/plain", "strings/pt-BR/plain", "strings/pt-BR/plain"},
	} {
		f := Files{Source: c.source, Output: c.output}
		s, ok := f.SourceFile(c.file)
		if !ok {
			t.Errorf("%s does not match %s", c.file, c.source)
			continue
		}
		filled := readTemplate(t, c.output).For(s)
		if got := filled.String(); got != c.sent {
			t.Errorf("%s, %s: sent as %q, want %q", c.output, c.file, got, c.sent)
		}
		if got := filled.Path(c.language, ""); got != c.path {
			t.Errorf("%s, %s: lies at %q, want %q", c.output, c.file, got, c.path)
		}
		if got := filled.Entry(c.language, ""); got != c.entry {
			t.Errorf("%s, %s: archived as %q, want %q", c.output, c.file, got, c.entry)
		}
	}
}

func TestAndroidLocales(t *testing.T) {
	for spelling, want := range map[string]string{
		"de": "de", "pt-BR": "pt-rBR", "zh-Hans": "zh-rHans", "zh-Hant-TW": "zh-rHant-rTW", "es-419": "es-r419",
		"pt-rBR": "pt-rBR", "es-r419": "es-r419", "b+sr+Latn": "b+sr+Latn", "zh-CN": "zh-rCN", "pt_BR": "pt_BR",
	} {
		if got := androidLocale(spelling); got != want {
			t.Errorf("%s: got %s, want %s", spelling, got, want)
		}
		if again := androidLocale(want); again != want {
			t.Errorf("%s: twice gives %s", spelling, again)
		}
	}
}

func TestMatchOfLabels(t *testing.T) {
	languages := []Language{{"zh", "zh"}, {"zh-Hans", "zh-CN"}, {"de", "de"}}
	for _, c := range []struct{ output, entry, code, label, path string }{
		{"resources/{LANGUAGE}/{LABEL:file}", "resources/de/main.json", "de", "main.json", "resources/de/main.json"},
		{"resources/{LANGUAGE}/{LABEL:file}", "resources/zh-Hans/errors/x.json", "zh-Hans", "errors/x.json", "resources/zh-CN/errors/x.json"},
		{"{LANGUAGE}-{LABEL:file}.json", "zh-Hans-app.json", "zh-Hans", "app", "zh-CN-app.json"},
		{"{LANGUAGE}-{LABEL:file}.json", "zh-app.json", "zh", "app", "zh-app.json"},
		{"{LANGUAGE}-{LABEL:file}.json", "fr-app.json", "", "", ""},
		{"{LANGUAGE}/{LABEL:file}", "de/", "", "", ""},
		{"{LANGUAGE}/{LABEL:file}", "de/../../x", "", "", ""},
		{"{LANGUAGE}/{LABEL:file}", "de/a/../x", "", "", ""},
		{"{LANGUAGE}/{LABEL:file}", "de/.github/workflows/x.yml", "", "", ""},
		{"{LANGUAGE}/{LABEL:file}", "de//x", "", "", ""},
		{"{LANGUAGE}/{LABEL:file}", `de/a\b`, "", "", ""},
		{"{LANGUAGE}/.{LABEL:file}", "de/.git", "", "", ""},
		{"{LANGUAGE}/.{LABEL:file}", "de/.gitx", "de", "gitx", "de/.gitx"},
		{"{LANGUAGE}/x{LABEL:file}.json", "de/x.json", "", "", ""},
	} {
		tm := readTemplate(t, c.output)
		l, labelText, ok := tm.Match(c.entry, languages)
		if ok != (c.code != "") || l.Code != c.code || labelText != c.label {
			t.Errorf("%s, %s: got %q %q %v", c.output, c.entry, l.Code, labelText, ok)
		} else if ok && tm.Path(l, labelText) != c.path {
			t.Errorf("%s, %s: lies at %s, want %s", c.output, c.entry, tm.Path(l, labelText), c.path)
		}
	}
}

func TestBadTemplates(t *testing.T) {
	for text, says := range map[string]string{
		"{LANGUAGE":                   "without a }",
		"LANGUAGE}":                   "without a {",
		"{{LANGUAGE}}":                "without a }",
		"{LANG}":                      "did you mean {LANGUAGE}?",
		"{LOCALE:WINDOWS}":            "did you mean {LOCALE:IOS}?",
		"{}":                          "allowed are {LANGUAGE}",
		"{LABEL:}":                    "wants the prefix",
		"{LABEL:a:b}":                 "wants the prefix",
		"{LABEL:a}/{LABEL:b}":         "more than one",
		"a{DIR}/b":                    "between slashes",
		"a/{DIR}":                     "between slashes",
		"a/{DIR}{NAME}/{LANGUAGE}":    "between slashes",
		"{DIR}-{LANGUAGE}/{NAME}.txt": "between slashes",
	} {
		if _, err := ParseTemplate(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", text, err, says)
		}
	}
}

// A label alone would let the service choose any file of the repository.
func TestLabelAlone(t *testing.T) {
	for text, alone := range map[string]bool{
		"{LABEL:x}": true, "{LABEL:x}.json": true, "{LABEL:x}.{EXT}": true,
		"{LANGUAGE}/{LABEL:x}": false, "out/{LABEL:x}": false, "{LANGUAGE}-{LABEL:x}.json": false, "{NAME}.json": false,
	} {
		if tm, err := ParseTemplate(text); err != nil || tm.labelAlone() != alone {
			t.Errorf("%s: %v, %v", text, tm.labelAlone(), err)
		}
	}
}

func TestUnsafePaths(t *testing.T) {
	for _, p := range []string{
		"", "/a", "../a", "a/../b", "a/..", "./a", "a/./b", "a//b", "a/", `a\b`, "C:a", "~/a", "a\x00", "a\nb",
		".git", ".git/config", ".GIT/x", ".Git", "a/.git/x", ".git ", ".git.", ".git...", "git~1/x", ".g\u200cit/x", ".git::$INDEX_ALLOCATION/x",
		strings.Repeat("x", 1025),
		".gitignore", ".github/workflows/de.yml", ".GitHub/x", ".gitlab-ci.yml", ".gitmodules", "a/.gitattributes",
		".husky/de", "locsync.toml", "LOCSYNC.toml", ".github./x",
	} {
		if UnsafePath(p) == "" {
			t.Errorf("%q counts as safe", p)
		}
	}
	for _, p := range []string{"a", "a/b.json", ".gitx", "git/x", ".storybook/x", "a..b", "..a", "ä/ö", "values-b+sr+Latn/x", "a b/c"} {
		if why := UnsafePath(p); why != "" {
			t.Errorf("%q counts as unsafe: %s", p, why)
		}
	}
}

// drawTemplate yields templates that make sense, with the pattern and file that they are for.
func drawTemplate(t *rapid.T) (Template, Source) {
	word := rapid.StringMatching(`[a-z*\[]{1,4}`)
	text := "out/"
	if rapid.Bool().Draw(t, "dir") {
		text += "{DIR}/"
	}
	text += rapid.SampledFrom([]string{"{LANGUAGE}", "{LOCALE:IOS}.lproj", "values-{LOCALE:ANDROID}"}).Draw(t, "language")
	text += rapid.SampledFrom([]string{"/", "-", "/x/"}).Draw(t, "between")
	text += rapid.SampledFrom([]string{"{NAME}.{EXT}", "{NAME}", "{LABEL:file}", "{LABEL:file}.json"}).Draw(t, "name")
	tm, err := ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	folders := rapid.SliceOfN(word, 0, 3).Draw(t, "folders")
	s := Source{Name: word.Draw(t, "stem"), Ext: rapid.SampledFrom([]string{"", "json", "x"}).Draw(t, "ext"), Dir: strings.Join(folders, "/")}
	return tm, s
}

var someLanguages = []Language{{"de", "de"}, {"pt-BR", "pt_BR"}, {"zh-Hans", "zh-CN"}, {"zh", "zh"}, {"es-419", "es-419"}, {"sr-Latn", "b+sr+Latn"}}

// The laws of templates: what the service names a file, it is recognised by; what a template yields, its
// pattern for watching matches; and what is sent reads as the same template again.
func TestTemplateLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tm, s := drawTemplate(t)
		filled := tm.For(s)
		l := rapid.SampledFrom(someLanguages).Draw(t, "language")
		labelText := ""
		if tm.HasLabel() {
			labelText = rapid.StringMatching(`[a-z]{1,3}(/[a-z]{1,3})?(\.json)?`).Draw(t, "label")
		}
		entry := filled.Entry(l, labelText)
		got, gotLabel, ok := filled.Match(entry, someLanguages)
		if !ok || filled.Entry(got, gotLabel) != entry {
			t.Fatalf("%s: entry %s reads as %v, label %q, %v", filled, entry, got, gotLabel, ok)
		}
		if !tm.HasLabel() && got != l {
			t.Fatalf("%s: entry %s of %s reads as %s", filled, entry, l.Code, got.Code)
		}
		where := filled.Path(l, labelText)
		if glob := tm.Glob(l); !strings.Contains(labelText, "/") || strings.HasSuffix(tm.String(), "/{LABEL:file}") {
			if ok, err := doublestar.Match(glob, where); err != nil || !ok {
				t.Fatalf("%s: %s does not match %s (%v)", tm, where, glob, err)
			}
		}
		if path.Clean(where) != where {
			t.Fatalf("%s yields %s", tm, where)
		}
		again, err := ParseTemplate(filled.String())
		if err != nil || !slices.Equal(again.parts, filled.parts) {
			t.Fatalf("%s reads as %v, %v", filled, again, err)
		}
		if tm.String() != reread(t, tm.String()).String() {
			t.Fatalf("%s does not survive reading", tm)
		}
	})
}

func reread(t *rapid.T, text string) Template {
	tm, err := ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

// What ** matched, put back in place of **, is the file again.
func TestDirIsWhatStarsMatched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-c]{1,2}`)
		folders := rapid.SliceOfN(word, 0, 4).Draw(t, "folders")
		before := rapid.SampledFrom([]string{"", "a/", "a/b/", "*/", "{a,b/c}/"}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"*.json", "en/*.json", "*/x.json", "{en,de/en}/x.json"}).Draw(t, "after")
		file := strings.NewReplacer("*", "x", "{a,b/c}", "b/c", "{en,de/en}", "de/en").Replace(before + strings.Join(append(folders, ""), "/") + after)
		f := Files{Source: before + "**/" + after}
		s, ok := f.SourceFile(file)
		if !ok {
			t.Fatalf("%s does not match %s", file, f.Source)
		}
		back := Files{Source: strings.ReplaceAll(before+s.Dir+"/"+after, "//", "/")}
		if s.Dir == "" {
			back.Source = before + after
		}
		if _, ok := back.SourceFile(file); !ok {
			t.Fatalf("%s in %s: {DIR} is %q, and %s does not match", file, f.Source, s.Dir, back.Source)
		}
	})
}

func TestWatchPatternsMatchSourcesAndTargets(t *testing.T) {
	c := mustParse(t, smallest)
	want := []string{"locales/de/*.json", "locales/en/*.json", "locales/pt-BR/*.json"}
	if got := c.Projects[0].WatchPatterns(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestCollections(t *testing.T) {
	for _, c := range []struct{ collection, source, file, want string }{
		{"main", "en/*.json", "en/a.json", "main"},
		{"{NAME}", "en/*.json", "en/a.b.json", "a.b"},
		{"web-{DIR}-{EXT}", "**/en.yaml", "x/y/en.yaml", "web-x/y-yaml"},
		{"{DIR}", "**/en.yaml", "en.yaml", "main"},
		{"web/{DIR}/{NAME}", "**/en.yaml", "en.yaml", "web/en"},
		{"{DIR}/{NAME}", "**/en.yaml", "en.yaml", "en"},
		{"web/{DIR}", "**/en.yaml", "a/en.yaml", "web/a"},
	} {
		f := Files{Source: c.source, Collection: c.collection}
		s, ok := f.SourceFile(c.file)
		if got := f.CollectionOf(s); !ok || got != c.want {
			t.Errorf("%s of %s: got %q, want %q", c.collection, c.file, got, c.want)
		}
	}
}

func TestKeyPrefixes(t *testing.T) {
	f := Files{Source: "**/en.yaml", KeyPrefix: "{DIR}/{NAME}:"}
	for file, want := range map[string]string{"a/b/en.yaml": "a/b/en:", "en.yaml": "en:"} {
		if s, ok := f.SourceFile(file); !ok || f.KeyPrefixOf(s) != want {
			t.Errorf("%s: %q, want %q", file, f.KeyPrefixOf(s), want)
		}
	}
	for prefix, wrong := range map[string]string{"{LANGUAGE}/": "the placeholders of a key prefix are", `a\n`: "no control character",
		"{DIR}/": "{DIR} is what ** matches"} {
		if p := problemsOf(t, smallest+"key_prefix = \""+prefix+"\"\n"); len(p) != 1 || p[0].Key != "project.files.key_prefix" ||
			!strings.Contains(p[0].Message, wrong) {
			t.Errorf("%s: %v", prefix, p)
		}
	}
}

// A pattern may list more names than one name may be long; a path may not.
func TestLongPatterns(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("name,", 60) + "name"
	if why := globProblem("values/{" + long + "}.xml"); why != "" {
		t.Error(why)
	}
	if why := UnsafePath("values/" + long + ".xml"); !strings.Contains(why, "255 bytes") {
		t.Errorf("a name of %d bytes: %q", len(long)+4, why)
	}
}

// A pattern is compared with every name in every way that it lists: a short one could go on for ever.
func TestAlternatives(t *testing.T) {
	for glob, fits := range map[string]bool{
		"l/{" + strings.Repeat("a,", 500) + "b}.json": true, "{a,b}/{c,d}/*.json": true,
		strings.Repeat("{a,b}", 60) + ".json": false, strings.Repeat("{a,", 20) + strings.Repeat("}", 20) + ".json": false,
	} {
		if why := globProblem(glob); (why == "") != fits {
			t.Errorf("%.40s: %s", glob, why)
		}
	}
}
