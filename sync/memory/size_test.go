package memory

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Half a million texts that are agreed on cost less than 100 kB, and five that change less than 10 kB.
func TestSizes(t *testing.T) {
	gittest.Long(t)
	const sources, languages, keys = 25, 40, 500
	files, names := map[string]string{}, make([]string, languages)
	texts := func(language string, file int, changed int) (all map[string]string) {
		all = make(map[string]string, keys)
		for k := range keys {
			all[fmt.Sprintf("screen%d.title.%d", file, k)] = fmt.Sprintf("text %d of %d in %s", k, file, language)
		}
		for k := range changed {
			all[fmt.Sprintf("screen%d.title.%d", file, k)] += " changed"
		}
		return all
	}
	for l := range languages {
		names[l] = fmt.Sprintf("q%c%c", 'a'+l/26, 'a'+l%26)
	}
	for f := range sources {
		files[fmt.Sprintf("en/f%d.json", f)] = jsonOf(texts("en", f, 0))
		for _, l := range names {
			files[fmt.Sprintf("%s/f%d.json", l, f)] = jsonOf(texts(l, f, 0))
		}
	}
	dir := gittest.Init(t, files)
	gittest.Git(t, dir, "branch", "l10n", "main")
	c := newClone(t, dir, "")
	c.languages = names
	remember := func(file, changed int) {
		source := marksOf(texts("en", file, 0))
		at := ledger.Source{Collection: "main", Path: fmt.Sprintf("en/f%d.json", file)}
		c.must(c.ledger.SetMarks(ledger.Pushed.Of(project, at), source))
		for _, l := range names {
			if changed > 0 && l != names[0] {
				continue
			}
			path, marks := fmt.Sprintf("%s/f%d.json", l, file), marksOf(texts(l, file, changed))
			c.must(c.ledger.Update(func(tx ledger.Writer) error {
				for _, kind := range []ledger.TargetMarks{ledger.Merged, ledger.Seen, ledger.Seen.In("l10n"), ledger.Sent,
					ledger.Delivered} {
					c.must(tx.SetMarks(kind.Of(project, path, l), marks))
				}
				c.must(tx.SetMarks(ledger.Made.Of(project, path, l), source))
				return ledger.Amend(tx, ledger.Known.Of(project, path, l), func(history catalog.Marks) {
					for n, m := range marks {
						ledger.Learn(history, n, m)
					}
				})
			}))
		}
	}
	for f := range sources {
		remember(f, 0)
	}
	c.begin()
	c.end()
	first := gittest.Git(t, dir, "rev-parse", "refs/locsync/app")
	size := sizeOf(t, dir, first, "main")
	t.Logf("%d texts: %d bytes", sources*languages*keys, size)
	if size > 100_000 {
		t.Errorf("%d bytes for texts that are all agreed on", size)
	}
	fresh := newClone(t, dir, "")
	began := time.Now()
	fresh.begin()
	t.Logf("loaded in %v", time.Since(began))
	same(t, content(t, fresh.ledger), content(t, c.ledger))
	remember(7, 5)
	gittest.Write(t, dir, map[string]string{"qaa/f7.json": jsonOf(texts("qaa", 7, 5))})
	gittest.Git(t, dir, "commit", "-qam", "five")
	gittest.Git(t, dir, "branch", "-f", "l10n", "main")
	c.begin()
	c.end()
	second := gittest.Git(t, dir, "rev-parse", "refs/locsync/app")
	size = sizeOf(t, dir, second, first)
	t.Logf("five changed: %d bytes", size)
	if size > 10_000 {
		t.Errorf("%d bytes for five texts", size)
	}
}

// Translations that were sent, and of which no branch has any yet, cost no more.
func TestSizeBeforeThereIsABranch(t *testing.T) {
	gittest.Need(t)
	files, en, de := map[string]string{}, make(map[string]string), make(map[string]string)
	for k := range 2000 {
		en[fmt.Sprintf("screen.title.%d", k)] = fmt.Sprintf("text %d", k)
		de[fmt.Sprintf("screen.title.%d", k)] = fmt.Sprintf("Text %d", k)
	}
	files["en/f.json"], files["qaa/f.json"] = jsonOf(en), jsonOf(de)
	dir := gittest.Init(t, files)
	c := newClone(t, dir, "")
	c.languages = []string{"qaa"}
	c.must(c.ledger.SetMarks(ledger.Pushed.Of(project, ledger.Source{Collection: "main", Path: "en/f.json"}), marksOf(en)))
	c.must(c.ledger.Update(func(tx ledger.Writer) error {
		c.must(tx.SetMarks(ledger.Made.Of(project, "qaa/f.json", "qaa"), marksOf(en)))
		return tx.SetMarks(ledger.Delivered.Of(project, "qaa/f.json", "qaa"), marksOf(de))
	}))
	c.begin()
	c.end()
	size := sizeOf(t, dir, gittest.Git(t, dir, "rev-parse", "refs/locsync/app"), "main")
	t.Logf("%d texts: %d bytes", len(de), size)
	if size > 5000 {
		t.Errorf("%d bytes for texts that are in the base branch", size)
	}
	fresh := newClone(t, dir, "")
	fresh.begin()
	same(t, content(t, fresh.ledger), content(t, c.ledger))
}

// Texts that are agreed on are not stored, however their keys are spelled: behind a prefix, or as plurals whose forms
// the file has under keys of their own.
func TestNothingIsStoredOfTextsThatAreAgreedOn(t *testing.T) {
	gittest.Need(t)
	for name, of := range map[string]struct{ files, path, en, de string }{
		"prefix": {"source = \"**/en.json\"\noutput = \"{DIR}/{LANGUAGE}.json\"\nkey_prefix = \"{DIR}/\"", "app/%s.json",
			`{"a": "One", "b": "Two"}`, `{"a": "Eins", "b": "Zwei"}`},
		"i18next": {"source = \"**/en.json\"\noutput = \"{DIR}/{LANGUAGE}.json\"\nkey_prefix = \"x.\"", "app/%s.json",
			`{"a": "A", "n_one": "{{count}} file", "n_other": "{{count}} files"}`,
			`{"a": "B", "n_one": "{{count}} Datei", "n_other": "{{count}} Dateien", "old_one": "Eins", "old_other": "Zwei"}`},
		"rails": {"source = \"app/en.yml\"\nformat = \"structured-yaml\"\noutput = \"app/{LANGUAGE}.yml\"", "app/%s.yml",
			"en:\n  a: A\n  n:\n    one: One file\n    other: \"%{count} files\"\n",
			"de:\n  a: B\n  n:\n    one: Eine Datei\n    other: \"%{count} Dateien\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			source, target := fmt.Sprintf(of.path, "en"), fmt.Sprintf(of.path, "de")
			dir := gittest.Init(t, map[string]string{source: of.en, target: of.de})
			bundles, problems, err := bundle.Find(os.DirFS(dir), settings(t, []string{"de"}, of.files))
			if err != nil || len(problems) > 0 || len(bundles) != 1 {
				t.Fatal(bundles, problems, err)
			}
			b := bundles[0]
			marks := func(path string, l config.Language) catalog.Marks {
				f, problem, err := b.Read(os.DirFS(dir), path, l)
				if err != nil || problem != nil {
					t.Fatal(problem, err)
				}
				return bundle.Texts(f).Marks()
			}
			c := newClone(t, dir, "")
			c.languages, c.files = []string{"de"}, of.files
			c.must(c.ledger.SetMarks(ledger.Pushed.Of(project, ledger.Source{Collection: "main", Path: source}),
				marks(source, b.Source)))
			de := marks(target, config.Language{Code: "de", Path: "de"})
			if len(de) < 2 {
				t.Fatal(de)
			}
			c.must(c.ledger.SetMarks(ledger.Delivered.Of(project, target, "de"), de))
			made := make(catalog.Marks)
			for n := range de {
				if digest, is := catalog.Digests(marks(source, b.Source))[catalog.Name{Key: n.Key}]; is {
					made[catalog.Name{Key: n.Key}] = digest
				}
			}
			c.must(c.ledger.SetMarks(ledger.Made.Of(project, target, "de"), made))
			c.begin()
			c.end()
			stored := gittest.Git(t, dir, "ls-tree", "-r", "--name-only", "refs/locsync/app", "abc/main/marks/")
			for _, file := range strings.Fields(stored) {
				marks := gittest.Git(t, dir, "show", "refs/locsync/app:"+file)
				if strings.Contains(marks, `"set":`) || strings.Contains(marks, `"gone":`) {
					t.Error(marks)
				}
			}
			fresh := newClone(t, dir, "")
			fresh.begin()
			same(t, content(t, fresh.ledger), content(t, c.ledger))
		})
	}
}

// What one kind of marks lacks of a file is stored once, however many kinds lack it; texts that are blank, or have no
// source text, not at all.
func TestExceptionsAreStoredOnce(t *testing.T) {
	gittest.Need(t)
	texts := map[string]string{"a": "Eins", "b": "Zwei", "open": "Drei", "orphan": "Vier", "blank": ""}
	dir := gittest.Init(t, map[string]string{"de/f.json": jsonOf(texts),
		"en/f.json": `{"a": "1", "b": "2", "open": "3", "blank": "4"}`})
	c := newClone(t, dir, "")
	for _, key := range []string{"open", "orphan", "blank"} {
		delete(texts, key)
	}
	agreed, history := marksOf(texts), make(catalog.Marks)
	for n, m := range agreed {
		ledger.Learn(history, n, m)
	}
	for _, kind := range []ledger.TargetMarks{ledger.Merged, ledger.Delivered, ledger.Seen} {
		c.must(c.ledger.SetMarks(kind.Of(project, "de/f.json", "de"), agreed))
	}
	for _, kind := range []ledger.TargetMarks{ledger.Known, ledger.Sent} {
		c.must(c.ledger.SetMarks(kind.Of(project, "de/f.json", "de"), history))
	}
	c.begin()
	c.end()
	stored := gittest.Git(t, dir, "grep", "-h", "", "refs/locsync/app", "--", "abc/main/marks")
	one := catalog.Marks{catalog.Name{Key: "open"}: {}}.Encode()
	gone := `"gone":"` + base64.StdEncoding.EncodeToString(one) + `"`
	if strings.Count(stored, `"gone":`) != 1 || !strings.Contains(stored, gone) || strings.Contains(stored, `"set":`) {
		t.Error(stored)
	}
	fresh := newClone(t, dir, "")
	fresh.begin()
	same(t, content(t, fresh.ledger), content(t, c.ledger))
}

// sizeOf is how many bytes are sent of what a commit has beyond another one, and beyond what main has.
func sizeOf(tb testing.TB, dir, commit, without string) int {
	tb.Helper()
	pack := gittest.Git(tb, dir, "-c", "pack.threads=1", "rev-list", "--objects", "--disk-usage", commit, "--not", without,
		"main")
	n, err := strconv.Atoi(pack)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}
