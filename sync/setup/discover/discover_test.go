package discover

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/config"
)

func TestCodeOf(t *testing.T) {
	for spelling, want := range map[string]string{
		"en": "en", "pt-BR": "pt-BR", "pt_BR": "pt-BR", "pt-br": "pt-BR", "pt-rBR": "pt-BR", "zh-CN": "zh-Hans", "zh_TW": "zh-Hant", "zh-rHK": "zh-Hant-HK", "zh-Hans": "zh-Hans", "zh_hans_cn": "zh-Hans-CN",
		"b+sr+Latn": "sr-Latn", "b+es+419": "es-419", "es-419": "es-419", "sr@latin": "sr-Latn",
		"ca@valencia": "ca-valencia", "iw": "he", "in": "id", "tl": "fil", "EN": "en", "DE": "de",
		"fil": "fil", "ast": "ast", "chs": "zh-Hans", "ptb": "pt-BR", "deu": "de",
		"": "", "app": "", "dev": "", "min": "", "log": "", "IO": "", "English": "", "en-": "", "-en": "", "en--US": "",
		"en-USA-x-y": "", "sw600dp": "", "night": "", "v21": "", "be@tarask": "", "xx": "", "en-XYZ1": "", "b+": "",
	} {
		if got := codeOf(spelling); got != want {
			t.Errorf("%q is %q, want %q", spelling, got, want)
		}
	}
}

// What a path spells is what the template yields again, in each of the placeholders.
func TestSpellingsComeBack(t *testing.T) {
	for _, c := range []struct{ file, placeholder string }{{"res/values-%s/strings.xml",
		"res/values-{LOCALE:ANDROID}/strings.xml"}, {"App/%s.lproj/L.strings",
		"App/{LOCALE:IOS}.lproj/L.strings"}, {"locales/%s.json", "locales/{LANGUAGE}.json"}} {
		template, err := config.ParseTemplate(c.placeholder)
		if err != nil {
			t.Fatal(err)
		}
		spellings := []string{"de", "pt-BR", "zh-Hans", "es-419", "zh-CN"}
		switch {
		case strings.Contains(c.file, "values"):
			spellings = []string{"de", "pt-rBR", "zh-rCN", "b+sr+Latn", "b+es+419", "iw", "in"}
		case strings.Contains(c.file, "json"):
			spellings = append(spellings, "pt_BR", "zh_hans", "sr@latin", "DE", "chs", "ca@valencia", "zh-cn")
		}
		for _, spelling := range spellings {
			name := fmt.Sprintf(c.file, spelling)
			found := spot(name)
			if len(found) != 1 {
				t.Fatalf("%s: %+v", name, found)
			}
			code := codeOf(found[0].spelling)
			if got := template.Path(config.Language{Code: code, Path: plainSpelling(found[0].spelling)},
				""); got != name {
				t.Errorf("%s comes back as %s", name, got)
			}
		}
	}
}

func find(t testing.TB, tracked, others string, o Options) Result {
	t.Helper()
	fsys := fstest.MapFS{}
	names := func(list string) []string {
		var all []string
		for _, entry := range strings.Fields(list) {
			name, text, given := strings.Cut(entry, "=")
			if !given {
				text = `{"a":"A"}`
			}
			if strings.HasSuffix(name, ".xml") {
				text = `<resources><string name="a">A</string></resources>`
			}
			fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
			all = append(all, name)
		}
		return all
	}
	return Find(fsys, Listing{Tracked: names(tracked), Others: names(others)}, o)
}

func (r *Result) lines() string {
	var all []string
	for _, g := range r.Groups {
		all = append(all, g.Source+" "+strings.Join(g.Languages, ","))
	}
	for _, l := range r.LeftOut {
		all = append(all, "not "+l.Path)
	}
	return strings.Join(all, "; ")
}

// Files that git does not track count where they are named like tracked ones, and where nothing is tracked.
func TestUntracked(t *testing.T) {
	for _, c := range []struct{ tracked, others, want string }{
		{"locales/en.json locales/de.json", "locales/fr.json", "locales/en.json en,de,fr"},
		{"locales/en.json", "scratch/locales/en.json scratch/locales/fr.json",
			"locales/en.json en; not scratch/locales/{LANGUAGE}.json"},
		{"src/package.json README.md", "locales/en.json locales/fr.json", "locales/en.json en,fr"},
		{"node_modules/a/locales/en.json spec/locales/en.json", "locales/en.json",
			"locales/en.json en; not spec/locales/en.json"},
	} {
		r := find(t, c.tracked, c.others, Options{})
		if got := r.lines(); got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.tracked, c.others, got, c.want)
		}
	}
}

// Files that are named after a country whose code a rare language has are in the language that their letters show.
func TestCountries(t *testing.T) {
	tree := `l/en.json={"a":"Settings"} l/de.json={"a":"Einstellungen"} `
	for _, c := range [][2]string{
		{`l/tw.json={"a":"設定"} l/kr.json={"a":"설정"} l/cz.json={"a":"Nastavení"}`, "l/en.json en,cs,de,ko,zh-Hant"},
		{`l/tw.json={"a":"Nhyehyɛe"}`, "l/en.json en,de,tw-Latn"},
		{`l/tw.json={"a":"設定"} l/zh_TW.json={"a":"設定"}`, "l/en.json en,de,zh-Hant; not l/tw.json"},
	} {
		r := find(t, tree+c[0], "", Options{})
		if got := r.lines(); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}

// A code that services do not have stays what it is where the one without its region would mean another file's
// language: Minecraft's en_pt is no translation of en_us into English.
func TestRegionsBesideTheLanguage(t *testing.T) {
	r := find(t, "lang/en_us.json lang/en_pt.json lang/de_de.json lang/az_az.json", "", Options{})
	if got, want := r.lines(), "lang/en_us.json en-US,az,de-DE,en-PT"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Languages that somebody chooses are spelled as the files of the group spell theirs, or those of its platform.
func TestChoose(t *testing.T) {
	r := find(t,
		"res/values/strings.xml res/values-zh-rCN/strings.xml ios/en.lproj/L.strings=\"a\"=\"A\"; ios/zh-Hans.lproj/L.strings=\"a\"=\"A\"; "+
			"web/locales/en.json web/locales/pt_br.json mail/locales/en.json mail/locales/de.json", "", Options{})
	r.Choose([]string{"de", "es-419", "fr-CA", "he", "zh-Hans", "zh-Hant"})
	var got []string
	for _, g := range r.Groups {
		line := g.Collection + ":"
		for _, code := range r.Targets {
			way := code
			for _, paths := range []map[string]string{r.Paths, g.Paths} {
				if paths[code] != "" {
					way = paths[code]
				}
			}
			line += " " + way
		}
		got = append(got, line)
	}
	want := []string{
		"ios: de es-419 fr-CA he zh-Hans zh-Hant",
		"mail: de es-419 fr-CA he zh-Hans zh-Hant",
		"android: de b+es+419 fr-CA he zh-CN zh-TW",
		"web: de es_419 fr_ca he zh_hans zh_hant",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for code := range r.Paths {
		if !slices.Contains(r.Targets, code) && code != r.Source {
			t.Errorf("%s is spelled and not chosen", code)
		}
	}
}

// The same tree gives the same result, in whatever order it is listed, and no name of a collection holds a language or
// belongs to two groups without need.
func TestNamesAreStable(t *testing.T) {
	parts := rapid.SampledFrom([]string{"web", "apps", "mobile", "src", "config", "public", "admin", "x y"})
	ends := rapid.SampledFrom([]string{"locales/%s.json", "locales/%s/app.json", "i18n/mail.%s.yml",
		"res/values-%s/strings.xml", "%s.lproj/L.strings"})
	rapid.Check(t, func(t *rapid.T) {
		fsys := fstest.MapFS{}
		for range rapid.IntRange(1, 6).Draw(t, "sets") {
			where := strings.Join(rapid.SliceOfNDistinct(parts, 0, 2, rapid.ID).Draw(t, "folders"), "/")
			end := ends.Draw(t, "end")
			for _, code := range []string{"en", "de", "pt-BR"} {
				name := strings.TrimPrefix(where+"/"+strings.Replace(fmt.Sprintf(end, code), "values-en", "values", 1),
					"/")
				text := map[string]string{"n": `{"a": "A"}`, "l": "a: A\n", "s": `"a" = "A";`}[name[len(name)-1:]]
				if strings.HasSuffix(name, ".xml") {
					text = `<resources><string name="a">A</string></resources>`
				}
				fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
			}
		}
		names := slices.Sorted(maps.Keys(fsys))
		first := Find(fsys, Listing{Tracked: names}, Options{})
		again := Find(fsys, Listing{Tracked: rapid.Permutation(names).Draw(t, "order")}, Options{})
		if fmt.Sprint(again) != fmt.Sprint(first) {
			t.Fatalf("%v\n%v", first, again)
		}
		owner := make(map[string]string)
		for _, g := range first.Groups {
			for word := range strings.FieldsFuncSeq(g.Collection,
				func(r rune) bool { return strings.ContainsRune("-/._", r) }) {
				if word == "en" || word == "de" {
					t.Errorf("the collection %s has a language in its name", g.Collection)
				}
			}
			f := config.Files{Source: g.Source, Collection: g.Collection}
			for _, file := range g.Files {
				s, ok := f.SourceFile(file)
				if !ok {
					t.Fatalf("%s does not match %s", file, g.Source)
				}
				if other := owner[f.CollectionOf(s)]; other != "" && other != file {
					t.Errorf("%s is the collection of %s and %s", f.CollectionOf(s), other, file)
				}
				owner[f.CollectionOf(s)] = file
			}
		}
	})
}

// deep is a file system without contents, as large as one likes.
type deep struct{ fstest.MapFS }

func (d deep) Lstat(name string) (fs.FileInfo, error) { return fs.Stat(d.MapFS, name) }

// BenchmarkFind looks at 100,000 files of a JavaScript repository, 2,000 of them resource files in twenty languages and
// four times as many other JSON files.
func BenchmarkFind(b *testing.B) {
	fsys := fstest.MapFS{}
	var names []string
	add := func(name, text string) {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644, ModTime: time.Unix(0, 0)}
		names = append(names, name)
	}
	for p := range 50 {
		for _, l := range common[:20] {
			add(fmt.Sprintf("packages/p%d/locales/%s/common.json", p, l), `{"a": {"b": "C", "d": "E"}}`)
			add(fmt.Sprintf("packages/p%d/locales/%s/more.json", p, l), `{"f": "G"}`)
		}
		for i := range 160 {
			add(fmt.Sprintf("packages/p%d/src/id/%d/data.json", p, i), `[]`)
		}
		for i := range 1800 {
			add(fmt.Sprintf("packages/p%d/src/%d/%d.ts", p, i%40, i), "")
		}
	}
	for b.Loop() {
		if r := Find(deep{fsys}, Listing{Tracked: names}, Options{}); len(r.Groups) != 50 {
			b.Fatal(len(r.Groups))
		}
	}
	b.ReportMetric(float64(len(names)), "files")
}

// Files that no configuration can name are not passed over in silence: each kind is left out by name, with its number.
func TestPathsThatNoConfigurationCanName(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{}
	var tracked []string
	for _, folder := range []string{"i18n/{x}", "i18n/q*", "ok", "node_modules/{y}/i18n"} {
		for _, language := range []string{"en", "de"} {
			name := folder + "/" + language + ".json"
			fsys[name] = &fstest.MapFile{Data: []byte(`{"a": "` + language + `"}`)}
			tracked = append(tracked, name)
		}
	}
	r := Find(fsys, Listing{Tracked: tracked}, Options{})
	if len(r.Groups) != 1 || len(r.LeftOut) != 2 {
		t.Fatalf("%d groups, left out %+v", len(r.Groups), r.LeftOut)
	}
	for i, want := range []string{"i18n/q*/{LANGUAGE}.json", "i18n/{x}/{LANGUAGE}.json"} {
		if l := r.LeftOut[i]; l.Path != want || l.Files != 2 || !strings.Contains(l.Reason,
			"no configuration can name") {
			t.Errorf("left out %+v, want %s", l, want)
		}
	}
}
