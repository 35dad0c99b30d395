package tree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

const jsonFiles = `
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
`

func project(t testing.TB, files string) *config.Project {
	t.Helper()
	c, err := config.Parse("locsync.toml", []byte("[[project]]\nname = \"app\"\nsource_language = \"en\"\n"+
		"target_languages = [\"de\"]\n"+files))
	if err != nil {
		t.Fatal(err)
	}
	return &c.Projects[0]
}

// found is the tree of files, given as path and content.
func found(t testing.TB, cfg *config.Project, files ...string) *Tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	tree, err := Find(fsys, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// problems are those of a tree, as file, key and code.
func problems(tree *Tree) []string {
	var all []string
	for _, p := range tree.Problems {
		all = append(all, fmt.Sprint(p.File, " ", p.Key, " ", p.Code))
	}
	slices.Sort(all)
	return all
}

func TestClashes(t *testing.T) {
	for name, test := range map[string]struct {
		settings, one, two string
		clash              []string // of file and key
	}{
		"different texts in two files": {jsonFiles, `{"a": "A", "b": "B"}`, `{"a": "X"}`,
			[]string{"en/1.json a", "en/2.json a"}},
		"the same text in two files":  {jsonFiles, `{"a": "A"}`, `{"a": "A"}`, nil},
		"different texts in one file": {jsonFiles, `{"a": "A", "a": "X"}`, `{}`, []string{"en/1.json a"}},
		"collections of their own":    {jsonFiles + "collection = \"{NAME}\"\n", `{"a": "A"}`, `{"a": "X"}`, nil},
		"a text that is the beginning of another key": {jsonFiles + "format = \"structured-json\"\n",
			`{"a": "A"}`, `{"a": {"b": "B"}}`, []string{"en/1.json a", "en/2.json a/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree := found(t, project(t, test.settings), "en/1.json", test.one, "en/2.json", test.two)
			var want []string
			for _, at := range test.clash {
				want = append(want, at+" "+report.CodeClash)
				path, key, _ := strings.Cut(at, " ")
				for _, s := range tree.Sources {
					if s.Path == path && (s.Texts.Keys()[key] || !s.All.Keys()[key]) {
						t.Errorf("%s: %q is in Texts, or not in All", path, key)
					}
				}
			}
			if got := problems(tree); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// A file that cannot be read has a problem, and nothing is concluded from what it lacks.
func TestBrokenFile(t *testing.T) {
	tree := found(t, project(t, jsonFiles), "en/1.json", `{"a": `, "en/2.json", `{"b": "B"}`)
	broken, whole := tree.Sources[0], tree.Sources[1]
	if !broken.Broken() || whole.Broken() || !broken.MayHave("any") || whole.MayHave("any") || !whole.MayHave("b") {
		t.Errorf("%+v, %+v", broken, whole)
	}
	if len(tree.Problems) != 1 || tree.Problems[0].File != "en/1.json" || tree.Problems[0].Line != 1 {
		t.Errorf("problems %+v", tree.Problems)
	}
	for _, s := range tree.Sources {
		if tree.Of(s.Bundle) != s {
			t.Errorf("%s is not of its bundle", s.Path)
		}
	}
}

// A file that may not be read is a problem of its own.
func TestForbiddenFile(t *testing.T) {
	fsys := fstest.MapFS{"en/1.json": {Data: []byte(`{"a": "A"}`)}, "en/2.json": {Data: []byte(`{"b": "B"}`)}}
	tree, err := Find(forbidding{fsys, "en/1.json"}, project(t, jsonFiles), nil)
	if err != nil || len(tree.Sources) != 2 || len(tree.Problems) != 1 || tree.Problems[0].Code != report.CodeRead {
		t.Errorf("%+v, %v", tree, err)
	}
}

// Source files that were pushed are not gone where their folder is now behind a link that leads out of the tree.
func TestPushedBehindLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join("..", "outside"), filepath.Join(dir, "en")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tree, err := FindPushed(root.FS(), project(t, jsonFiles), []ledger.Slot{{Path: "en/1.json"}}, nil)
	if err != nil || len(tree.Sources) != 1 || tree.Sources[0].Path != "en/1.json" || len(tree.Problems) != 2 ||
		tree.Problems[0].File != "en" || tree.Problems[1].File != "en/1.json" {
		t.Errorf("%+v, %v", tree, err)
	}
}

type forbidding struct {
	fs.FS
	path string
}

func (f forbidding) Open(name string) (fs.File, error) {
	if name == f.path {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.FS.Open(name)
}

// Two files that have a key may translate it differently: each is told of the other.
func TestSharedKeys(t *testing.T) {
	cfg := project(t, jsonFiles)
	tree := found(t, cfg, "en/1.json", `{"a": "A", "b": "B"}`, "en/2.json", `{"a": "A", "b": "B"}`, "en/3.json",
		`{"c": "C"}`,
		"de/1.json", `{"a": "one", "b": "both"}`, "de/2.json", `{"a": "two"}`, "de/3.json", `{"c": "three"}`)
	shared, err := tree.SharedIn(tree.FS, cfg.Targets())
	if err != nil {
		t.Fatal(err)
	}
	if got := shared.Beside("de/1.json", "de", "a"); got != "de/2.json" {
		t.Errorf("beside de/1.json: %q", got)
	}
	if got := shared.Beside("de/2.json", "de", "a"); got != "de/1.json" {
		t.Errorf("beside de/2.json: %q", got)
	}
	if got := shared.Beside("de/1.json", "de", "b") + shared.Beside("de/3.json", "de", "c"); got != "" {
		t.Errorf("divided without another translation: %q", got)
	}
	two := tree.Sources[1].Bundle
	if got := shared.Elsewhere(two, cfg.Targets()[0], "de/2.json", "b"); !slices.Equal(got, []string{"de/1.json"}) {
		t.Errorf("elsewhere: %q", got)
	}
	if shared.Translates(two, "de", "de/2.json", "b") || !shared.Translates(two, "de", "de/1.json", "b") {
		t.Error("a file translates b that does not, or one does not that does")
	}
}

// The texts of a tree are not changed by those who add to them.
func TestTextsStay(t *testing.T) {
	cfg := project(t, jsonFiles)
	tree := found(t, cfg, "en/1.json", `{"a": "A", "b": "B", "c": "C"}`)
	target := bundle.Known(tree.Bundles(), cfg.Targets())[0]
	texts, ok := tree.SourceTexts(target)
	one := append(texts, catalog.Unit{Name: catalog.Name{Key: "x"}})
	two := append(texts, catalog.Unit{Name: catalog.Name{Key: "y"}})
	if !ok || len(texts) != 3 || one[3].Key != "x" || two[3].Key != "y" {
		t.Errorf("%v and %v share their memory", one, two)
	}
}

// What is wrong with texts that are the beginning of others is said in the same words every time.
func TestProblemsHaveAnOrder(t *testing.T) {
	cfg := project(t, `
[[project.files]]
source = "en/*.yaml"
format = "structured-yaml"
output = "{LANGUAGE}/{NAME}.yaml"
`)
	first := ""
	for range 30 {
		tree := found(t, cfg, "en/a.yaml", "menu: Menu\nfile: File\n",
			"en/b.yaml", "menu:\n  open: Open\n  close: Close\n  more:\n    x: X\n",
			"en/c.yaml", "menu:\n  more: More\nfile:\n  z: Z\n  a: A\n")
		said := fmt.Sprint(tree.Problems)
		if first == "" {
			first = said
		}
		if said != first || !strings.Contains(said, `"menu/close"`) {
			t.Fatalf("%s\nand before\n%s", said, first)
		}
	}
}

// Keys are unsourced that no file has, neither as they are nor as forms of a plural; of files that cannot be read
// nothing is known.
func TestUnsourced(t *testing.T) {
	for _, row := range []struct{ one, two, theirs, want string }{
		{`{"a": "A"}`, `{"b": "B"}`, "a b", ""},
		{`{"a": "A"}`, `{"b": "B"}`, "z a y b", "y z"},
		{`{"n_one": "1", "n_other": "2"}`, `{"b": "B"}`, "n_few n_other m_few", "m_few"},
		{`{"a": "A"}`, `{"a": "X"}`, "a c", "c"}, // which two files have otherwise
		{`{"a": "A"}`, `{"b": `, "c", ""},
		{`{"a": "A"}`, `{"b": "B"}`, "", ""},
	} {
		tree := found(t, project(t, jsonFiles), "en/1.json", row.one, "en/2.json", row.two)
		var theirs catalog.Catalog
		for key := range strings.FieldsSeq(row.theirs) {
			theirs = append(theirs, catalog.Unit{Name: catalog.Name{Key: key}, Text: "Text"})
		}
		theirs = append(theirs, catalog.Unit{Name: catalog.Name{Key: "blank"}})
		same := func(*bundle.Bundle, config.Language) catalog.Catalog { return theirs }
		each := func(*bundle.Bundle, config.Language) catalog.Catalog { return slices.Clone(theirs) }
		for _, answer := range []func(*bundle.Bundle, config.Language) catalog.Catalog{same, each} {
			got := tree.Unsourced(bundle.Groups(tree.Bundles())[0], answer)
			if strings.Join(got, " ") != row.want {
				t.Errorf("%s and %s beside %s: %q, want %q", row.one, row.two, row.theirs, got, row.want)
			}
		}
	}
}

// BenchmarkUnsourced finds what only the service has, beside 250 to 4,000 files of 25 keys each: a key costs the same.
// The floor is a set of all keys.
func BenchmarkUnsourced(b *testing.B) {
	for _, files := range []int{250, 1000, 4000} {
		var all []string
		theirs := catalog.Catalog{{Name: catalog.Name{Key: "only there"}, Text: "Text"}}
		for i := range files {
			var texts strings.Builder
			for k := range 25 {
				key := fmt.Sprintf("%d.%d", i, k)
				theirs = append(theirs, catalog.Unit{Name: catalog.Name{Key: key}, Text: "Text"})
				fmt.Fprintf(&texts, "%q: \"Text\",", key)
			}
			all = append(all, fmt.Sprintf("en/%d.json", i), "{"+strings.TrimSuffix(texts.String(), ",")+"}")
		}
		tree := found(b, project(b, jsonFiles), all...)
		group := bundle.Groups(tree.Bundles())[0]
		b.Run(fmt.Sprintf("%d files", files), func(b *testing.B) {
			for b.Loop() {
				got := tree.Unsourced(group, func(*bundle.Bundle, config.Language) catalog.Catalog { return theirs })
				if len(got) != 1 {
					b.Fatal(got)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(theirs)), "ns/key")
		})
		b.Run(fmt.Sprintf("%d files, floor", files), func(b *testing.B) {
			for b.Loop() {
				theirs.Keys()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(theirs)), "ns/key")
		})
	}
}
