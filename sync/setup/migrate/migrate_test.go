package migrate

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/sync/config"
)

const canary = "canary-of-a-secret"

// configurations are examples of each tool, with what is read of them.
var configurations = map[string]struct {
	text, source string
	targets      []string
	entries      []string // sources -> targets
	outputs      []string // where a configuration of ours can say them; "" where not
	notes        []string // keys
	answers      []string // in the order of flags
}{
	".smartcat": {text: "{\n\t\"Server\": \"https://us.smartcat.com\",\n\t\"Workspace\": \"w\", \"Project\": \"p\",\n\t" +
		"\"ApiToken\": \"" + canary + "\",\n\t\"Language\": \"de\"\n}", notes: []string{"ApiToken", "Language"},
		answers: []string{"account-id 3 w", "project-id 3 p", "url 2 https://us.smartcat.com"}},
	"crowdin.yml": {text: `
api_token_env: ` + canary + `
base_path: ./app
languages_mapping: &mapping
  two_letters_code: {pt-BR: pt}
files: [
  {"source": "/res/values/strings.xml", "translation": "/res/values-%android_code%/%original_file_name%", languages_mapping: *mapping},
  {"source": "/i18n/en/**/*.json", "translation": "/i18n/%locale%/**/%file_name%.%file_extension%", "dest": "/x", "future": 1}
]`, entries: []string{"app/res/values/strings.xml -> app/res/values-*/*", "app/i18n/en/**/*.json -> app/i18n/*/**/*.*"},
		outputs: []string{"app/res/values-{LOCALE:ANDROID}/{NAME}.{EXT}", "app/i18n/{LANGUAGE}/{DIR}/{NAME}.{EXT}"},
		notes:   []string{"api_token_env", "dest", "future"}},
	".tolgeerc": {text: `{"projectId": 4, "apiKey": "` + canary + `", "patterns": ["src/**"],
	"push": {"filesTemplate": "./i18n/{namespace}/{languageTag}.json", "language": "en"},
	"pull": {"path": "./i18n", "languages": ["de", "pt_BR"], "states": ["REVIEWED"]}}`, source: "en",
		targets: []string{"de", "pt-BR"}, entries: []string{" -> i18n/*/*.json"}, outputs: []string{""},
		notes: []string{"projectId", "apiKey", "patterns", "states"}},
	".tolgeerc.yml": {text: "push: {files: [{path: i18n/app/en.json, language: en}]}\n" +
		"pull: {path: ./i18n, fileStructureTemplate: '{namespace}/{languageTag}.json'}\n",
		entries: []string{" -> i18n/app/en.json", " -> i18n/*/*.json"}, outputs: []string{"", ""}},
	".tolgeerc.json": {text: `{"pull": {"path": "out", "fileStructureTemplate": "{namespace}/{languageTag}.{extension}"}}`,
		entries: []string{" -> out/*/*.*"}, outputs: []string{""}},
	"lokalise2.yml": {text: "token: " + canary +
		"\nproject-id: x\ndownload:\n  unzip-to: .\n  bundle-structure: l/%LANG_ISO%.%FORMAT%\n",
		entries: []string{" -> l/*.*"}, outputs: []string{""}, notes: []string{"token", "project-id"}},
	".phraseapp.yml": {text: "phraseapp:\n  access_token: " + canary + `
  push:
    sources:
    - file: ./lang/<locale_code>/<tag>.json
      params: {file_format: simple_json, tags: a, odd: 1}
  pull:
    targets:
    - file: "./lang/de/auth.json"
`, entries: []string{" -> lang/*/*.json", " -> lang/de/auth.json"}, outputs: []string{"", ""}, notes: []string{"access_token", "tags", "odd"}},
	".tx/config": {text: "[main]\nhost = h\n; a comment\n[a.b]\nsource_file = ui/Base.lproj/L.strings\n" +
		"file_filter = ui/<lang>.lproj/L.strings\nsource_lang = en_GB\nminimum_perc = 5\n", source: "en-GB",
		entries: []string{"ui/Base.lproj/L.strings -> ui/*.lproj/L.strings"},
		outputs: []string{"ui/{LOCALE:IOS}.lproj/L.strings"}, notes: []string{"host", "minimum_perc"}},
	"i18n.json": {text: "{\n\t\"locale\": {\"source\": \"en\", \"targets\": [\"zh-Hans\"]},\n\t\"buckets\": {\"json\": {\"include\": " +
		"[\"a/[locale].json\", {\"path\": \"b/[locale]/x.json\", \"delimiter\": \"-\"}], \"lockedKeys\": [\"k\"]}},\n" +
		"\t\"provider\": {\"id\": \"" + canary + "\"}}", source: "en", targets: []string{"zh-Hans"},
		entries: []string{" -> a/*.json", " -> b/*/x.json"}, outputs: []string{"a/{LANGUAGE}.json", "b/{LANGUAGE}/x.json"}, notes: []string{"lockedKeys", "provider"}},
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range configurations {
		fsys := fstest.MapFS{"deep/" + name: {Data: []byte(c.text)}, name: {Data: []byte(c.text)}}
		if got := Detect(fstest.MapFS{name: fsys[name]}); got != name {
			t.Errorf("%s: detected %q", name, got)
		}
		for _, folder := range []string{"", "deep/"} {
			f, err := Read(fsys, folder+name)
			if err != nil {
				t.Fatal(err)
			}
			var entries, notes []string
			for _, e := range f.Entries {
				entries = append(entries, e.Source+" -> "+e.Targets)
			}
			for _, n := range f.Notes {
				notes = append(notes, n.Key)
			}
			for i, e := range f.Entries {
				if c.outputs[i] != "" && e.Output != folder+c.outputs[i] || c.outputs[i] == "" && e.Output != "" {
					t.Errorf("%s: the output is %q, want %q", folder+name, e.Output, c.outputs[i])
				}
			}
			want := slices.Clone(c.entries)
			for i, e := range want {
				source, targets, _ := strings.Cut(e, " -> ")
				if source != "" {
					source = folder + source
				}
				want[i] = source + " -> " + folder + targets
			}
			var answers []string
			for _, flag := range slices.Sorted(maps.Keys(f.Answers)) {
				answers = append(answers, fmt.Sprint(flag, " ", f.Answers[flag].Line, " ", f.Answers[flag].Value))
			}
			if !slices.Equal(answers, c.answers) {
				t.Errorf("%s: answers %q", folder+name, answers)
			}
			if f.Source != c.source || !slices.Equal(f.Targets, c.targets) || !slices.Equal(entries, want) ||
				!slices.Equal(notes, c.notes) {
				t.Errorf("%s: read %+v\nentries %q\nnotes %q", folder+name, f, entries, notes)
			}
			if strings.Contains(fmt.Sprint(f.Notes), canary) {
				t.Errorf("%s: a note quotes a secret: %v", name, f.Notes)
			}
		}
	}
}

// Each setting of .smartcat may be missing.
func TestSmartcatWithout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                                  "map[] []",
		`{"Server": ""}`:                      "map[] [line 1: Server: it has no text]",
		`{"Server": "https://x"}`:             "map[url:{1 Server https://x}] []",
		`{"Workspace": ["w"], "Server": "h"}`: "map[url:{1 Server h}] [line 1: Workspace: it has no text]",
		`{"Project": "p"}`: "map[project-id:{1 Project p} url:{1 Server https://smartcat.com}] [line 1: Server: it is not " +
			"in the file; https://smartcat.com is assumed, so give --url where the account is at another server]",
	} {
		f, err := Read(fstest.MapFS{".smartcat": {Data: []byte(text)}}, ".smartcat")
		if got := fmt.Sprint(f.Answers, f.Notes); err != nil || got != want {
			t.Errorf("%s: %s, %v\nwant %s", text, got, err, want)
		}
	}
	folder := fstest.MapFS{".smartcat/config": {Data: []byte("x")}}
	if got := Detect(folder); got != "" {
		t.Errorf("a folder is taken for the configuration: %q", got)
	}
}

// A resource file with the name of a configuration is none.
func TestDetectsNoResourceFile(t *testing.T) {
	t.Parallel()
	if got := Detect(fstest.MapFS{"i18n.json": {Data: []byte(`{"save": "Save"}`)}}); got != "" {
		t.Errorf("detected %q", got)
	}
}

// Each note says on which line its setting is.
func TestLines(t *testing.T) {
	t.Parallel()
	for name, c := range configurations {
		f, err := Read(fstest.MapFS{name: {Data: []byte(c.text)}}, name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(c.text, "\n")
		for _, n := range f.Notes {
			if n.Line < 1 || n.Line > len(lines) || !strings.Contains(lines[n.Line-1], n.Key) {
				t.Errorf("%s: %s is not on line %d", name, n.Key, n.Line)
			}
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	f := Found{Entries: []Entry{{Line: 3, Source: "en/*.json", Targets: "*/*.json", Exclude: []string{"*/no.json"}},
		{Line: 9, Targets: "one.json"}}}
	for name, want := range map[string]bool{"en/a.json": true, "de/a.json": true, "de/no.json": false, "one.json": true,
		"a/b/c.json": false} {
		if f.Covers(name) != want {
			t.Errorf("%s: covered is not %t", name, want)
		}
	}
	if !(&Found{}).Covers("anything") || f.LineOf("one.json") != 9 || f.LineOf("none") != 0 {
		t.Error("what names nothing covers all")
	}
	if !f.Writes("en/a.json", "de/a.json") || f.Writes("en/a.json", "de/deep/a.json") || !f.Writes("one.json", "x") {
		t.Error("where translations are written is wrong")
	}
}

// Patterns of another tool leave out translations by the spellings of languages, and name folders as a person means it.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, translation, ignore string
		is, isNot                   []string // sources
		output                      string
	}{
		{"/L/*.xlf", "/L/%two_letters_code%.%original_file_name%", "/**/%two_letters_code%.%original_file_name%",
			[]string{"L/locallang.xlf", "L/locallang_be.xlf"}, []string{"L/de.locallang.xlf", "L/pt_BR.locallang.xlf"},
			"L/{LANGUAGE}.{NAME}.{EXT}"},
		{"**/*.resx", "/%original_path%/%file_name%.%locale%.resx", "**/*.%locale%.resx",
			[]string{"a/Main.Form.resx", "b/c/Main.resx"}, []string{"a/Main.Form.de.resx", "b/c/Main.zh-Hans.resx"},
			"{PATH}/{NAME}.{LANGUAGE}.resx"},
		{"/values/*.xml", "/values-%android_code%/%original_file_name%", "/values-%android_code%/*.xml",
			[]string{"values/a.xml"}, []string{"values-de/a.xml"}, "values-{LOCALE:ANDROID}/{NAME}.{EXT}"},
		{"p/**/**/i18n/t.json", "p/**/**/i18n/%two_letters_code%.json", "none", []string{"p/a/b/i18n/t.json"},
			[]string{"p/a/i18n/de.json"}, "p/{DIR}/i18n/{LANGUAGE}.json"},
		{"/app/i18n/en-US", "/app/i18n/%locale%/%original_file_name%", "none", []string{"app/i18n/en-US/a.json"},
			[]string{"app/i18n/en-US", "app/i18n/de/a.json"}, "app/i18n/{LANGUAGE}/{NAME}.{EXT}"},
	} {
		text := fmt.Sprintf("files:\n  - source: %q\n    translation: %q\n    ignore: [%q]\n", c.source, c.translation, c.ignore)
		f, err := Read(fstest.MapFS{"crowdin.yml": {Data: []byte(text)}}, "crowdin.yml")
		if err != nil {
			t.Fatal(err)
		}
		e := f.Entries[0]
		isSource := func(name string) bool {
			return config.Patterns{e.Source}.Match(name) && !config.Patterns(e.Exclude).Match(name)
		}
		for _, name := range c.is {
			if !isSource(name) {
				t.Errorf("%s, but not %v: %s is no source", e.Source, e.Exclude, name)
			}
		}
		for _, name := range c.isNot {
			if isSource(name) {
				t.Errorf("%s, but not %v: %s is a source", e.Source, e.Exclude, name)
			}
			if f.Translates(name) == (c.ignore == "none" && name == "app/i18n/en-US") {
				t.Errorf("%s: whether it is a translation is wrong", name)
			}
		}
		if e.Output != c.output {
			t.Errorf("%s: the output is %s", c.source, e.Output)
		}
	}
}

// Whatever is in a file, it is read or refused, and its paths stay in the tree.
func FuzzRead(f *testing.F) {
	for name, c := range configurations {
		f.Add(name, c.text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if !slices.ContainsFunc(tools, func(x tool) bool { return slices.Contains(x.files, name) }) {
			return
		}
		found, err := Read(fstest.MapFS{name: {Data: []byte(text)}}, name)
		again, aerr := Read(fstest.MapFS{name: {Data: []byte(text)}}, name)
		if (err == nil) != (aerr == nil) || !reflect.DeepEqual(found, again) {
			t.Fatalf("read twice: %+v and %+v", found, again)
		}
		for _, e := range found.Entries {
			for _, pattern := range append([]string{e.Source, e.Targets}, e.Exclude...) {
				if strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "../") {
					t.Errorf("%q leaves the tree", pattern)
				}
			}
			found.Covers("a/b.json")
		}
	})
}
