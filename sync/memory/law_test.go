package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

const project = "app@123"

// clone is a repository with a ledger.
type clone struct {
	tb        testing.TB
	dir       string
	ledger    ledger.Store
	repo      *gitops.Repo
	where     gitops.Keeping
	languages []string
	files     string // the settings of its files; "" for JSON
	now       time.Time
}

func newClone(tb testing.TB, dir, remote string) *clone {
	tb.Helper()
	c := &clone{tb: tb, dir: dir, where: gitops.KeepRef, now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)}
	store, err := boltledger.Open(tb.TempDir())
	c.must(err)
	tb.Cleanup(func() { _ = store.Close() })
	c.ledger = Track(store)
	c.repo, err = gitops.Open(tb.Context(), dir, gitops.Options{Remote: remote})
	c.must(err)
	tb.Cleanup(func() { _ = c.repo.Close() })
	return c
}

func (c *clone) must(err error) {
	c.tb.Helper()
	if err != nil {
		c.tb.Fatal(err)
	}
}

func (c *clone) memory() *Memory {
	return &Memory{Ledger: c.ledger, Project: project, Called: "app", Subject: "abc", Kept: c.repo.Kept("app", c.where),
		Log: zap.NewNop(), Now: func() time.Time { return c.now }}
}

func (c *clone) begin() { c.tb.Helper(); c.must(c.memory().Begin(c.tb.Context(), false)) }

func (c *clone) end() {
	c.tb.Helper()
	m := c.memory()
	c.must(m.End(c.tb.Context(), func() ([]Line, error) { return c.lines(m), nil }))
}

func (c *clone) lines(m *Memory) []Line {
	line := Line{}
	var err error
	line.Branch, err = m.Kept.Published("l10n")
	c.must(err)
	line.Source, err = m.Kept.Published("main")
	c.must(err)
	source, err := m.Kept.Folder(line.Source, ".")
	c.must(err)
	line.Layout, err = LayoutOf(settings(c.tb, c.languages, c.files), source)
	c.must(err)
	return []Line{line}
}

func settings(tb testing.TB, languages []string, files string) *config.Project {
	tb.Helper()
	if files == "" {
		files = `source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"`
	}
	if languages == nil {
		languages = []string{"de", "fr"}
	}
	list, _ := json.Marshal(languages)
	cfg, err := config.Parse(filepath.Join(tb.TempDir(), "locsync.toml"), []byte(`[service]
url = "embedded"
[[project]]
name = "app"
source_language = "en"
target_languages = `+string(list)+`
[[project.files]]
`+files+"\n"))
	if err != nil {
		tb.Fatal(err)
	}
	return &cfg.Projects[0]
}

// content is everything that travels of a ledger.
func content(tb testing.TB, r ledger.Reader) map[string]string {
	tb.Helper()
	all := make(map[string]string)
	marks, records, err := r.Kinds(project)
	if err != nil {
		tb.Fatal(err)
	}
	for _, kind := range marks {
		slots, err := r.Slots(ledger.Slot{Scope: project, Kind: kind})
		if err != nil {
			tb.Fatal(err)
		}
		for _, s := range slots {
			found, err := r.Marks(s)
			if err != nil {
				tb.Fatal(err)
			}
			if travels(kind) {
				all[fmt.Sprint(kind, " ", s.Path, " ", s.Language)] = string(found.Encode())
			}
		}
	}
	for _, kind := range records {
		err := r.Records(ledger.Key{Scope: project, Kind: kind}, func(id string, content []byte) error {
			if travels(kind) {
				all["record "+kind+" "+id] = string(content)
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

func same(t interface {
	Helper()
	Errorf(string, ...any)
}, got, want map[string]string) {
	t.Helper()
	for _, k := range slices.Sorted(maps.Keys(union(got, want))) {
		if got[k] != want[k] {
			t.Errorf("%s:\n%q, want\n%q", k, got[k], want[k])
		}
	}
}

// jsonOf are texts as a file has them.
func jsonOf(texts map[string]string) string {
	b, _ := json.MarshalIndent(texts, "", "  ")
	return string(b) + "\n"
}

func marksOf(texts map[string]string) catalog.Marks {
	marks := make(catalog.Marks)
	for k, v := range texts {
		marks[catalog.Name{Key: k}] = catalog.MarkOf(v)
	}
	return marks
}

var kindsOfTargets = []ledger.TargetMarks{ledger.Merged, ledger.Known, ledger.Seen, ledger.Seen.In("l10n"), ledger.Sent,
	ledger.Delivered, ledger.Made, ledger.Filler, ledger.Further}

// What one ledger saves, another one loads, whatever the texts of the trees are: record by record the same.
func TestWhatIsSavedIsLoaded(t *testing.T) {
	gittest.Need(t)
	texts := rapid.MapOfN(rapid.StringMatching(`[a-d](\x00)?é?`), rapid.StringMatching(`[A-C]{0,2}`), 0, 5)
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{}
		for _, path := range []string{"en/a.json", "de/a.json", "fr/a.json", "en/b.json"} {
			files[path] = jsonOf(texts.Draw(rt, path))
		}
		dir := gittest.Init(t, files)
		gittest.Bare(t, dir)
		gittest.Git(t, dir, "push", "-q", "origin", "main", "main:l10n")
		gittest.Git(t, dir, "fetch", "-q", "origin")
		one := newClone(t, dir, "origin")
		for range rapid.IntRange(1, 3).Draw(rt, "passes") {
			one.begin()
			for range rapid.IntRange(0, 8).Draw(rt, "writes") {
				draw(rt, one, files, texts)
			}
			one.end()
			for how, option := range map[string]string{"full": "--no-local", "shallow": "--depth=1",
				"partial": "--filter=blob:none"} {
				origin := gittest.Git(t, dir, "remote", "get-url", "origin")
				gittest.Git(t, origin, "config", "uploadpack.allowFilter", "true")
				two := newClone(t, gittest.Clone(t, "file://"+origin, option), "origin")
				two.begin()
				same(rt, content(t, two.ledger), content(t, one.ledger))
				before := gittest.Git(t, origin, "for-each-ref")
				two.end()
				if after := gittest.Git(t, origin, "for-each-ref"); after != before {
					rt.Errorf("%s: a clone that learned nothing moves\n%s to\n%s", how, before, after)
				}
			}
		}
	})
}

// draw makes one change of a ledger.
func draw(rt *rapid.T, c *clone, files map[string]string, texts *rapid.Generator[map[string]string]) {
	rt.Helper()
	path := rapid.SampledFrom(slices.Sorted(maps.Keys(files))).Draw(rt, "path")
	marks := make(catalog.Marks)
	if rapid.Bool().Draw(rt, "agreed") {
		var now map[string]string
		_ = json.Unmarshal([]byte(files[path]), &now)
		marks = marksOf(now)
	}
	maps.Copy(marks, marksOf(texts.Draw(rt, "more")))
	language, _, _ := strings.Cut(path, "/")
	err := error(nil)
	switch rapid.IntRange(0, 5).Draw(rt, "what") {
	case 0:
		err = ledger.Conflicts.Put(c.ledger, project, ledger.ConflictID(path, "de", "k"),
			ledger.Conflict{Path: path, Key: rapid.StringMatching(`[<a]`).Draw(rt, "key"), Language: "de"})
	case 1:
		err = ledger.SeenAt.Put(c.ledger, project, ledger.SeenID(""), rapid.StringMatching(`[0-9a-f]{4}`).Draw(rt, "commit"))
	case 2:
		err = c.ledger.SetMarks(ledger.Pushed.Of(project, ledger.Source{Collection: "main", Path: path}), marks)
	case 3:
		err = c.ledger.SetMarks(ledger.SourceSeen.In("main").Of(project, ledger.Source{Collection: "main"}), marks)
	default:
		kind := rapid.SampledFrom(kindsOfTargets).Draw(rt, "kind")
		slot := kind.Of(project, path, language)
		switch {
		case rapid.IntRange(0, 9).Draw(rt, "drop") == 0:
			err = c.ledger.DropMarks(slot)
		case slot.Kind == ledger.Known.Of("", "", "").Kind:
			err = ledger.Amend(c.ledger, slot, func(history catalog.Marks) {
				for n, m := range marks {
					ledger.Learn(history, n, m)
				}
			})
		default:
			err = c.ledger.SetMarks(slot, marks)
		}
	}
	if err != nil {
		rt.Fatal(err)
	}
}
