package accepted

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
)

// world is a project, a ledger, and the files that the project has.
type world struct {
	*testing.T
	store *Store
	files fstest.MapFS
	now   time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c, err := config.Parse("locsync.toml", []byte("[[project]]\nname = \"app\"\nsource_language = \"en\"\n"+
		"target_languages = [\"de\"]\n[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	state, err := boltledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { state.Close() })
	w := &world{T: t, files: fstest.MapFS{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w.store = &Store{Ledger: state, Scope: "app", Project: &c.Projects[0], Run: "one", Rescan: time.Minute,
		Now: func() time.Time { return w.now }}
	return w
}

// write gives en/NAME.json that many keys: "NAME0" with the text "T0 of PATH", and so on.
func (w *world) write(path string, keys int) {
	var pairs []string
	name := strings.TrimSuffix(strings.TrimPrefix(path, "en/"), ".json")
	for i := range keys {
		pairs = append(pairs, fmt.Sprintf(`"%s%d": "T%d of %s"`, name, i, i, path))
	}
	w.files[path] = &fstest.MapFile{Data: []byte("{" + strings.Join(pairs, ", ") + "}")}
}

func (w *world) compare(force bool) *Sources {
	w.Helper()
	t, err := tree.Find(w.files, w.store.Project, nil)
	if err != nil {
		w.Fatal(err)
	}
	a, err := w.store.Compare(t, force)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

// accept has the service accept everything.
func (w *world) accept() {
	w.Helper()
	err := w.store.Ledger.Update(func(tx ledger.Writer) error {
		for _, s := range w.compare(false).Tree.Sources {
			if err := tx.SetMarks(ledger.Pushed.Of("app", s.ID()), s.Texts.Marks()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) pending(a *Sources) (all []string) {
	for _, s := range a.Tree.Sources {
		keys, _, _ := a.Pending(s)
		for key := range keys {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

func TestPending(t *testing.T) {
	w := newWorld(t)
	w.write("en/a.json", 2)
	if got := w.pending(w.compare(false)); !slices.Equal(got, []string{"a0", "a1"}) {
		t.Errorf("before: %q", got)
	}
	w.accept()
	w.files["en/a.json"].Data = []byte(`{"a0": "another", "a2": "new"}`)
	a := w.compare(false)
	if got := w.pending(a); !slices.Equal(got, []string{"a0", "a2"}) {
		t.Errorf("after: %q", got)
	}
	if got := a.Orphans(); len(got) != 1 || got[0].Key != "a1" || got[0].Code != report.CodeRemoved {
		t.Errorf("removed: %v", got)
	}
	w.files["en/a.json"].Data = []byte(`{"a0": `)
	if a := w.compare(false); len(w.pending(a))+len(a.Removed()) != 0 {
		t.Errorf("of a file that cannot be read: pending %q, removed %v", w.pending(a), a.Removed())
	}
}

// A key that is in another file of its collection now is not sent again, and is remembered with that file.
func TestKeysThatAreElsewhere(t *testing.T) {
	w := newWorld(t)
	w.write("en/a.json", 3)
	w.write("en/b.json", 1)
	w.accept()
	w.files["en/b.json"].Data = []byte(`{"b0": "T0 of en/b.json", "a2": "T2 of en/a.json"}`)
	w.files["en/a.json"].Data = []byte(`{"a0": "T0 of en/a.json", "a1": "T1 of en/a.json"}`)
	a := w.compare(false)
	if got := w.pending(a); len(got)+len(a.Removed()) != 0 {
		t.Errorf("pending %q, removed %v", got, a.Removed())
	}
	if err := w.store.Adopt(a); err != nil {
		t.Fatal(err)
	}
	b, err := w.store.Ledger.Marks(ledger.Pushed.Of("app", ledger.Source{Collection: "main", Path: "en/b.json"}))
	if err != nil || b[catalog.Name{Key: "a2"}] != catalog.MarkOf("T2 of en/a.json") {
		t.Errorf("%v %v", b, err)
	}
}

// The guard: a file that lost most of its keys is held back, and one that is missing is gone at the second pass, but
// not where many are.
func TestGuard(t *testing.T) {
	w := newWorld(t)
	w.write("en/a.json", 20)
	for i := range 9 {
		w.write(fmt.Sprintf("en/b%d.json", i), 2)
	}
	w.accept()
	w.write("en/a.json", 5)
	if a := w.compare(false); len(a.Held) != 1 || len(a.Removed()) != 0 || len(a.Holdings()) != 1 {
		t.Errorf("held %v, removed %v, problems %v", a.Held, a.Removed(), a.Problems)
	}
	if a := w.compare(true); len(a.Held) != 0 || len(a.Orphans()) != 15 {
		t.Errorf("with force: held %v, removed %v", a.Held, a.Removed())
	}
	w.write("en/a.json", 20)

	gone := ledger.Source{Collection: "main", Path: "en/b1.json"}
	delete(w.files, gone.Path)
	a := w.compare(false)
	if !slices.Equal(a.Missed, []ledger.Source{gone}) || !a.Held[gone] || len(a.Gone)+len(a.Problems) != 0 {
		t.Errorf("missed %v, held %v, gone %v", a.Missed, a.Held, a.Gone)
	}
	if err := ledger.Missing.Put(w.store.Ledger, "app", gone.ID(), ledger.Absence{At: w.now, Run: "one"}); err != nil {
		t.Fatal(err)
	}
	if a := w.compare(false); len(a.Gone)+len(a.Missed) != 0 || !a.Held[gone] {
		t.Errorf("at once: gone %v, missed %v", a.Gone, a.Missed)
	}
	w.now = w.now.Add(w.store.Rescan)
	if a := w.compare(false); !slices.Equal(a.Gone, []ledger.Source{gone}) || len(a.Held) != 0 {
		t.Errorf("a rescan later: gone %v, held %v", a.Gone, a.Held)
	}
	w.files = fstest.MapFS{"en/a.json": w.files["en/a.json"]}
	if a := w.compare(false); len(a.Gone) != 0 || len(a.Holdings()) != 9 {
		t.Errorf("nearly all: gone %v, problems %v", a.Gone, a.Problems)
	}
}

// A file that is elsewhere under another name moved; where it could have become two, that is said and not guessed.
func TestMoves(t *testing.T) {
	w := newWorld(t)
	w.write("en/a.json", 4)
	w.accept()
	whole := w.files["en/a.json"]
	w.files = fstest.MapFS{"en/z.json": whole}
	a := w.compare(false)
	if len(a.Moves) != 1 || a.Moves[0].From.Path != "en/a.json" || a.Moves[0].To.Path != "en/z.json" || !a.Moves[0].Sent {
		t.Errorf("moves %+v", a.Moves)
	}
	if got := w.pending(a); len(got)+len(a.Problems) != 0 {
		t.Errorf("pending %q, problems %v", got, a.Problems)
	}
}

// A file that no entry of the configuration names any more is given up at once: none of its keys is removed, and
// nothing is held back.
func TestDropped(t *testing.T) {
	w := newWorld(t)
	w.write("en/a.json", 1)
	w.write("en/b.json", 20)
	w.accept()
	files := &w.store.Project.Files[0]
	files.Exclude = append(files.Exclude, "en/b.json")
	a := w.compare(false)
	if len(a.Removed()) != 0 || len(a.Orphans()) != 0 || len(a.Problems) != 0 || len(a.Held) != 0 {
		t.Errorf("removed %v, problems %v, held %v", a.Removed(), a.Problems, a.Held)
	}
	b := ledger.Source{Collection: w.compare(false).Tree.Sources[0].Collection, Path: "en/b.json"}
	if !slices.Contains(a.Gone, b) {
		t.Errorf("gone: %v", a.Gone)
	}
	if p, dropped := a.Dropped(b, 20); !dropped || !strings.Contains(p.Problem, "20 keys") {
		t.Errorf("%v, %t", p, dropped)
	}
}
