package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
)

// settings is the configuration above the files of most tests.
const settings = `
source_language = "en"
target_languages = ["de", "fr"]
`

// world is a repository with a configuration.
type world struct {
	testing.TB
	dir string
	cfg *config.Project
}

// newWorld commits files to a new repository; project is what the configuration has in [[project]].
func newWorld(tb testing.TB, project string, files map[string]string) *world {
	tb.Helper()
	gittest.Need(tb)
	w := &world{TB: tb, dir: gittest.Init(tb, files)}
	c, err := config.Parse(filepath.Join(w.dir, "locsync.toml"), []byte("[[project]]\nname = \"app\"\n"+project))
	w.check(err)
	w.cfg = &c.Projects[0]
	return w
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// inspects checks the working tree.
func (w *world) inspects(o Options) report.ProjectCheck {
	w.Helper()
	repo, err := gitops.Open(w.Context(), w.dir, gitops.Options{})
	w.check(err)
	defer repo.Close()
	fsys, err := repo.Worktree()
	w.check(err)
	result, err := Project(w.Context(), w.cfg, repo, fsys, o, func(report.Doing) {})
	w.check(err)
	return result
}

// finds checks everything that a check reports: how each line begins.
func (w *world) finds(want ...string) {
	w.Helper()
	var got []string
	for _, p := range w.inspects(Options{}).Problems {
		got = append(got, p.Bracketed())
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		w.Errorf("have\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every kind of problem, with its place: a translation's at the translation's value.
func TestFindsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+`
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
skip_checks = ["printf:free/*"]
[[project.files]]
source = "values/strings.xml"
output = "values-{LOCALE:ANDROID}/strings.xml"
collection = "android"
[[project.files]]
source = "ios/en.strings"
output = "ios/{LOCALE:IOS}.strings"
`, map[string]string{
		"locales/en/app.json":    "{\n  \"a\": \"Hello %s\",\n  \"b\": \"B\",\n  \"twice\": \"one\",\n  \"twice\": \"two\",\n  \"free/x\": \"%d\"\n}\n",
		"locales/de/app.json":    "{\n  \"a\": \"Hallo\",\n  \"b\": \"B\",\n  \"gone\": \"weg\",\n  \"free/x\": \"kein\"\n}\n",
		"locales/fr/app.json":    "{\n  \"a\": \"Bonjour %s\",\n  \"b\" \"B\"\n}\n",
		"locales/en/broken.json": "{\n  \"a\": \"A\n",
		"locales/en/nested.json": "{\n  \"menu\": {\"x\": \"X\"},\n  \"a\": \"A\"\n}\n",
		"locales/de/stray.json":  "{}\n",
		"values/strings.xml": "<resources>\n  <string name=\"q\">it's</string>\n  <plurals name=\"n\">\n    <item quantity=\"one\">%d file</item>\n" +
			"    <item quantity=\"other\">%d files</item>\n  </plurals>\n</resources>\n",
		"values-de/strings.xml": "<resources>\n  <plurals name=\"n\">\n    <item quantity=\"other\">%d Dateien</item>\n  </plurals>\n</resources>\n",
	})
	at := w.cfg.Files[2].Problem("source", "")
	w.finds(
		fmt.Sprintf("%s:%d:1", at.File, at.Line)+`: warning: "project.files.source": no file matches "ios/en.strings" (patterns are relative to the repository; correct it, or take the entry out)`,
		`locales/de/app.json:2:8: "a" (de): it lacks %s, which the source has (correct the translation; if it is meant so, add skip_checks = ["printf:a"] to its [[project.files]])`,
		`locales/de/app.json:4:11: warning: "gone" (de): translates a key that the source does not have (it stays; locsync pull --prune takes it out)`,
		`locales/de/stray.json: warning: (de): no source file that "locales/en/*.json" matches is the source of this translation (bring the source file back, or remove this one; it is left alone)`,
		`locales/en/app.json:5:12: "twice" (en): is in this file twice with different texts, "one" and "two" (neither is sent until one is left)`,
		`locales/en/broken.json:2:10: a line end inside a string`,
		`locales/en/nested.json:2:11: "menu" (en): holds further values and the flat format has no keys for those (set format to the structured one of its kind)`,
		`locales/fr/app.json:3:7: expected a colon`,
		`values-de/strings.xml:3:28: warning: "n" (de): the plural lacks the form "one"`,
		`values/strings.xml:2:3: "q" (en): an apostrophe`,
	)
}

// A pattern of .gitignore that covers translations is named; not where git has the file all the same, and not behind a link.
func TestOfIgnoredFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+`
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, map[string]string{"en/a.json": `{"a": "A"}`, "en/b.json": `{"b": "B"}`, "de/a.json": `{"a": "A"}`})
	w.check(os.WriteFile(filepath.Join(w.dir, ".gitignore"), []byte("# built\n/de/\n"), 0o644))
	if err := os.Symlink("de", filepath.Join(w.dir, "fr")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	result := w.inspects(Options{})
	var got []string
	for _, p := range result.Problems {
		if p.Code == report.CodeIgnored {
			got = append(got, p.Bracketed())
		}
	}
	want := []string{`de/b.json: warning: git ignores it: "/de/" in .gitignore:2 (take it out of that pattern, so that git add sees it)`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What cannot be read, and what would not be written, is named; the rest is checked all the same.
func TestOfStrangeFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+`
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, map[string]string{"en/a.json": `{"a": "A"}`, "en/b.json": `{"b": "B"}`, "de/a.json/x": "a folder", "real/b.json": `{}`})
	if err := os.Symlink("real", filepath.Join(w.dir, "fr")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	w.check(os.Symlink(filepath.Join(t.TempDir(), "outside.json"), filepath.Join(w.dir, "de", "b.json")))
	w.check(os.WriteFile(filepath.Join(w.dir, "..", "outside.json"), []byte("{}"), 0o644))
	w.check(os.Symlink(filepath.Join("..", "..", "outside.json"), filepath.Join(w.dir, "en", "c.json")))
	result := w.inspects(Options{})
	var got []string
	for _, p := range result.Problems {
		got = append(got, p.File+" "+p.Code+" "+p.Severity)
	}
	if want := []string{"de/a.json unreadable error", "de/b.json unreadable error", "en/c.json unreadable error", "fr/a.json unreadable error", "fr/b.json unreadable error", "fr/c.json unreadable error"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q\n%v", got, want, result.Problems)
	}
	if keys := result.Keys; keys != 2 {
		t.Errorf("%d keys", keys)
	}
	for _, p := range result.Problems {
		if p.Remedy == "" {
			t.Errorf("nothing says what to do: %v", p)
		}
	}
}

// A folder behind a link that leads out of the repository, or to itself, is named; all else is checked.
func TestLinkedFolders(t *testing.T) {
	t.Parallel()
	for _, target := range []string{filepath.Join("..", "..", "outside"), "itself"} {
		w := newWorld(t, `source_language = "en"
target_languages = ["de", "fr", "it"]
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
[[project.files]]
source = "app/**/*.properties"
output = "{LANGUAGE}/{DIR}/{NAME}.properties"
collection = "app"
[[project.files]]
source = "names/c.yaml"
output = "names/{LANGUAGE}/{LABEL:names}.yaml"
collection = "names"
[[project.files]]
source = "it/*.strings"
output = "strings/{LANGUAGE}/{NAME}.strings"
collection = "strings"
`, map[string]string{"en/a.json": `{"a": "A"}`, "app/x/b.properties": "b=B\n", "names/c.yaml": "c: C\n",
			"de/a.json": `{"a": "{x}"}`})
		for _, link := range []string{"fr", "it", "names/fr"} {
			to := target
			if target == "itself" {
				to = filepath.Base(link)
			}
			if err := os.Symlink(to, filepath.Join(w.dir, link)); err != nil {
				t.Skip("no symbolic links here: ", err)
			}
		}
		var got []string
		for _, p := range w.inspects(Options{}).Problems {
			got = append(got, p.File+" "+p.Code+" "+p.Severity)
		}
		want := []string{"de/a.json names error", "fr/a.json unreadable error", "fr/x/b.properties unreadable error",
			"it unreadable error", "it/a.json unreadable error", "it/x/b.properties unreadable error",
			"names/fr unreadable error"}
		if !slices.Equal(got, want) {
			t.Errorf("a link to %s: %q, want %q", target, got, want)
		}
	}
}

// Nothing matches at all: that is an error of its own.
func TestNoFileMatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+`
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
`, map[string]string{"README": "x"})
	result := w.inspects(Options{})
	if p := result.Problems; len(p) != 1 || p[0].Severity != report.Error || p[0].Code != "pattern" || p[0].Line == 0 {
		t.Errorf("%+v", p)
	}
}

// Benchmark: a thousand files of a hundred keys each.
func Benchmark(b *testing.B) {
	files := map[string]string{}
	for i := range 100 {
		for _, l := range []string{"en", "de", "fr", "es", "it", "ja", "nl", "pl", "pt", "ru"} {
			var text strings.Builder
			text.WriteString("{\n")
			for k := range 100 {
				fmt.Fprintf(&text, "  \"key_%d\": \"A text of %%s in %s, number {n} of file %d\",\n", k, l, i)
			}
			text.WriteString("  \"last\": \"x\"\n}\n")
			files[fmt.Sprintf("locales/%s/file_%d.json", l, i)] = text.String()
		}
	}
	w := newWorld(b, `
source_language = "en"
target_languages = ["de", "fr", "es", "it", "ja", "nl", "pl", "pt", "ru"]
[project.pull]
remote = ""
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, files)
	for b.Loop() {
		result := w.inspects(Options{})
		if p := result; len(p.Files) != 1000 || len(p.Problems) != 0 {
			b.Fatalf("%d files, %v", len(p.Files), p.Problems)
		}
	}
	b.ReportMetric(1000, "files/op")
}

// Languages that a translation service is known not to have are named all at once, with what to write instead; the embedded one takes them.
func TestNamesUnknownLanguages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `source_language = "en"
target_languages = ["az-AZ", "zh", "zh-Hant", "gsw", "de"]
[project.pull]
remote = ""
[project.language_paths]
zh = "zh_CN"
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`, map[string]string{"en.json": `{"a": "A"}`, "az-AZ.json": `{"a": "B"}`})
	at := w.cfg.Problem("target_languages", "")
	place := fmt.Sprintf("%s:%d:1: warning: ", at.File, at.Line)
	const unknown = " is not among the languages that a translation service is known to have "
	w.finds(
		place+`"project.target_languages" (az-AZ): az-AZ`+unknown+`(write "az" in target_languages, and az = "az-AZ" in [project.language_paths])`,
		place+`"project.target_languages" (zh): zh`+unknown+`(write "zh-Hans" in target_languages, and "zh-Hans" = "zh_CN" in [project.language_paths])`,
		place+`"project.target_languages" (gsw): gsw`+unknown+`(take it out of target_languages before you use such a service: its files then stay as they are)`,
	)
}

// What a format does not carry is told once for all files of the project, and is not a problem.
func TestNamesWhatIsLost(t *testing.T) {
	commented := `{
  // For you
  "a": "A"
}`
	w := newWorld(t, settings+`
[[project.files]]
source = "en/*.jsonc"
format = "json"
output = "{LANGUAGE}/{NAME}.jsonc"
collection = "{NAME}"
`, map[string]string{"en/a.jsonc": commented, "en/b.jsonc": commented, "de/a.jsonc": `{"a": "A"}`})
	result := w.inspects(Options{})
	if len(result.Losses) != 1 || len(result.Losses[0].Lost) != 1 || len(result.Problems) > 0 {
		t.Errorf("%+v, %+v", result.Losses, result.Problems)
	}
}

// A problem of a text in a string catalog is at the text, not at the string unit that has it.
func TestLineInStringCatalog(t *testing.T) {
	catalog := `{
  "sourceLanguage" : "en",
  "strings" : {
    "%@ left" : {
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "es bleibt"
          }
        }
      }
    },
    "%lld items" : {
      "localizations" : {
        "de" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "ein Ding"
                }
              },
              "other" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "Dinge"
                }
              }
            }
          }
        },
        "en" : {
          "variations" : {
            "plural" : {
              "other" : { "stringUnit" : { "state" : "translated", "value" : "%lld items" } }
            }
          }
        }
      }
    }
  },
  "version" : "1.0"
}
`
	w := newWorld(t, `source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "Localizable.xcstrings"
`, map[string]string{"Localizable.xcstrings": catalog})
	var at []string
	for _, p := range w.inspects(Options{}).Problems {
		at = append(at, fmt.Sprintf("%d:%d", p.Line, p.Column))
	}
	if fmt.Sprint(at) != "[9:23 28:29]" {
		t.Errorf("problems are at %v", at)
	}
}
