package oracle_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// file is a resource file that the grammars accept, and how both readers read it.
type file struct {
	name string
	rule oracle.Rule
	*resource.File
}

var formatsOf = map[string][]string{ // by the corpus's name for it, the formats that read it
	"json": {"json", "structured-json"}, "yaml": {"yaml",
		"structured-yaml"}, "ios-strings": {"ios-strings"}, "android-xml": {"android-xml"},
}

func parse(t testing.TB, rule oracle.Rule, name string, src []byte) (file, bool) {
	t.Helper()
	format, ok := formats.Named(rule.Format)
	if !ok {
		t.Fatalf("no format %s", rule.Format)
	}
	f, err := format.Parse(resource.Keys{Separator: rule.Separator, Roots: rule.Roots}, src)
	return file{name, rule, f}, err == nil
}

// corpus is every real file that is no garbage, in each format that fits it.
func corpus(t testing.TB) []file {
	t.Helper()
	var all []file
	for of, names := range formatsOf {
		for _, real := range resourcetest.Corpus(t, of) {
			for _, format := range names {
				roots := []string{real.Language, strings.ReplaceAll(real.Language, "-", "_"), "en", "de", "fr"}
				f, ok := parse(t, oracle.Rule{Format: format, Roots: roots}, format+" "+real.Name, real.Src)
				if ok != (real.Expect != "refuse") {
					t.Fatalf("%s: accepted %v, its manifest says %s", real.Name, ok, real.Expect)
				}
				if ok {
					all = append(all, f)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return all
}

// edges is every edge case that the grammars accept, in each format that fits it.
func edges(t testing.TB) []file {
	t.Helper()
	var all []file
	for folder, names := range map[string][]string{"jsonfile": {"json", "structured-json"},
		"yamlfile":    {"yaml", "structured-yaml"},
		"stringsfile": {"ios-strings"}, "androidxml": {"android-xml"}} {
		paths, err := filepath.Glob(filepath.Join("..", folder, "testdata", "edge", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		flat, err := filepath.Glob(filepath.Join("..", folder, "testdata", "edge", "*"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, path := range append(paths, flat...) {
			if info, err := os.Stat(path); err != nil || info.IsDir() || strings.HasSuffix(path, ".tsv") {
				continue
			}
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n++
			for _, format := range names {
				if f, ok := parse(t, oracle.Rule{Format: format, Roots: []string{"en", "de", "no"}}, format+" "+path,
					src); ok {
					all = append(all, f)
				}
			}
		}
		if n < 30 {
			t.Fatalf("only %d edge cases of %s were found", n, folder)
		}
	}
	return all
}

// agree compares what the two readers see: the same texts under the same keys in the same order.
func agree(t testing.TB, f file) int {
	t.Helper()
	leaves, err := f.rule.Read(f.Bytes())
	if err != nil {
		t.Errorf("%s: accepted, and the second reader refuses it: %v", f.name, err)
		return 0
	}
	leaves = slices.DeleteFunc(leaves, func(l oracle.Leaf) bool { return !l.Keyed })
	n, i := 0, 0
	for e := range f.Entries() {
		if f.Node(e.Node).Meta {
			continue
		}
		if i == len(leaves) {
			t.Errorf("%s: %q is not there to the second reader", f.name, e.Key)
			return n
		}
		l := leaves[i]
		i++
		if l.Key != e.Key || l.Form != e.Form {
			t.Errorf("%s: %q [%s], to the second reader %q [%s]", f.name, e.Key, e.Form, l.Key, l.Form)
			return n
		}
		if e.Kind == resource.Text && (l.Kind != oracle.Text || l.Text != e.Text) && !foreign(f, e) {
			t.Errorf("%s: %q is %q, kind %d %q to the second reader", f.name, e.Key, e.Text, l.Kind, l.Text)
		}
		n++
	}
	if i != len(leaves) {
		t.Errorf("%s: %q is there to the second reader only", f.name, leaves[i].Key)
	}
	return n
}

// foreign is a text that the library cannot decode: characters of NeXTSTEP, which it keeps as they are spelled.
func foreign(f file, e resource.Entry) bool {
	return f.rule.Format == "ios-strings" && strings.Contains(f.Node(e.Node).Value.Of(f.Source()), `\2`) ||
		f.rule.Format == "ios-strings" && strings.Contains(f.Node(e.Node).Value.Of(f.Source()), `\3`)
}

func TestReadsEdges(t *testing.T) {
	t.Parallel()
	for _, f := range edges(t) {
		agree(t, f)
	}
}

func TestReadsCorpus(t *testing.T) {
	t.Parallel()
	files, entries := 0, 0
	for _, f := range corpus(t) {
		files++
		entries += agree(t, f)
	}
	t.Logf("%d entries of %d files", entries, files)
	if least := 95_000; entries < least && (resourcetest.All() || entries < least/10) {
		t.Errorf("only %d entries were compared", entries)
	}
}
