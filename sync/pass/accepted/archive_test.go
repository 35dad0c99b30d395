package accepted

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Each key is archived once. One that the source has again is sent, and archived once more when it is lost again.
func TestArchive(t *testing.T) {
	w := newWorld(t)
	var told []string
	var fails error
	archive := func() {
		t.Helper()
		err := w.store.Archive(w.compare(false), func(collection string, keys []string) error {
			told = append(told, fmt.Sprint(collection, keys))
			return fails
		})
		if !errors.Is(err, fails) {
			t.Fatal(err)
		}
	}
	want := func(calls ...string) {
		t.Helper()
		if !slices.Equal(told, calls) {
			t.Errorf("archived %q, want %q", told, calls)
		}
		told = nil
	}
	write := func(keys string) { w.files["en/a.json"].Data = []byte(keys) }
	w.write("en/a.json", 3)
	w.accept()
	archive()
	want()
	write(`{"a0": "T0 of en/a.json"}`)
	fails = errors.New("no")
	archive()
	want("main[a1 a2]")
	fails = nil
	archive()
	want("main[a1 a2]")
	archive()
	want()
	if got := w.compare(false).Orphans(); len(got) != 2 {
		t.Errorf("what is archived counts as removed: %v", got)
	}
	write(`{"a0": "T0 of en/a.json", "a1": "T1 of en/a.json"}`)
	if got := w.pending(w.compare(false)); !slices.Equal(got, []string{"a1"}) {
		t.Errorf("a key that is back: %q are pending", got)
	}
	archive() // which follows a push
	want()
	if got := w.pending(w.compare(false)); len(got) != 0 {
		t.Errorf("%q are pending after they were sent", got)
	}
	write(`{"a0": "T0 of en/a.json"}`)
	archive()
	want("main[a1]")
	// A key whose translations have yet to follow to another one waits.
	write(`{"b": "T0 of en/a.json"}`)
	from := ledger.Rename{Path: "en/a.json", Collection: "main", From: catalog.Name{Key: "a0"}, To: catalog.Name{Key: "b"}}
	rename := func(change func(tx ledger.Writer) error) {
		t.Helper()
		if err := w.store.Ledger.Update(change); err != nil {
			t.Fatal(err)
		}
	}
	rename(func(tx ledger.Writer) error { return ledger.Renames.Put(tx, "app", from.ID(), from) })
	archive()
	want()
	rename(func(tx ledger.Writer) error { return ledger.Renames.Delete(tx, "app", from.ID()) })
	archive()
	want("main[a0]")
	// So do the keys of a file that moves to another collection.
	at := ledger.Source{Collection: "old", Path: "en/a.json"}
	move := ledger.Move{From: at, To: ledger.Source{Collection: "main", Path: "en/a.json"}}
	for _, sent := range []bool{false, true} {
		move.Sent = sent
		rename(func(tx ledger.Writer) error {
			return errors.Join(ledger.Moves.Put(tx, "app", move.ID(), move),
				tx.SetMarks(ledger.Pushed.Of("app", at), catalog.Marks{{Key: "b"}: catalog.MarkOf("T0")}))
		})
		archive()
		if sent {
			want("old[b]")
		} else {
			want()
		}
	}
}

// At a service with several clients the base branch decides, whatever the tree has: what it has lost since it was looked
// at last is archived, once, and what it has again is back.
func TestArchiveByBase(t *testing.T) {
	w := newWorld(t)
	var base *tree.Tree
	w.store.Archives = ByBase
	w.store.Base = func(*tree.Tree) map[string]map[string]bool { return KeysOf(base) }
	write := func(keys string) { w.files["en/a.json"] = &fstest.MapFile{Data: []byte(keys)} }
	const both, one = `{"a": "A", "b": "B"}`, `{"a": "A"}`
	for i, step := range []struct {
		base, tree string
		archived   []string // by this step
		pending    []string // before it
	}{
		{base: one, tree: one, pending: []string{"a"}},
		{base: one, tree: both, pending: []string{"b"}},  // of a branch
		{base: one, tree: one},                           // of another clone, which never had it
		{base: both, tree: both},                         // merged
		{base: both, tree: one},                          // a branch that takes it out
		{base: one, tree: both},                          // it has it, ahead of the base
		{base: both, tree: both},                         // again
		{base: one, tree: one, archived: []string{"b"}},  // the base branch has lost it
		{base: one, tree: one},                           // once
		{base: one, tree: both},                          // a branch has it again
		{base: both, tree: both, pending: []string{"b"}}, // merged
		{base: both, tree: both},
		{base: one, tree: one, archived: []string{"b"}},
		{base: `{"a": "A", "c": "C"}`, tree: `{"a": "A", "c": "C"}`, pending: []string{"c"}},
		{base: `{"a": "A", "d": "C"}`, tree: `{"a": "A", "d": "C"}`, pending: []string{"d"}}, // renamed
	} {
		write(step.base)
		found, err := tree.Find(maps.Clone(w.files), w.store.Project, nil)
		if err != nil {
			t.Fatal(err)
		}
		base = found
		write(step.tree)
		if got := w.pending(w.compare(false)); !slices.Equal(got, step.pending) {
			t.Errorf("step %d: %q are pending, want %q", i, got, step.pending)
		}
		err = w.store.Ledger.Update(func(tx ledger.Writer) error { // what it accepted, it keeps
			return ledger.Amend(tx, ledger.Pushed.Of("app", found.Sources[0].ID()), func(marks catalog.Marks) {
				maps.Copy(marks, w.compare(false).Tree.Sources[0].Texts.Marks())
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		a := w.compare(false)
		lost, more, err := w.store.Lost(a, KeysOf(base))
		if err == nil {
			err = w.store.SeeBase(a, base, lost, more)
		}
		if err != nil || more || !slices.Equal(lost["main"], step.archived) {
			t.Errorf("step %d: archives %q (%v), want %q: %v", i, lost, more, step.archived, err)
		}
	}
}
