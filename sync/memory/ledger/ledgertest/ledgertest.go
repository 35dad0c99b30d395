// Package ledgertest has the tests that every ledger must pass, whatever it keeps its records in: what a call has
// stored is there, in order, whole or not at all. It is for tests only.
package ledgertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Make makes an empty ledger; what it returns opens that, as often as it was closed.
type Make func(t testing.TB) (open func() (s ledger.Store, closed func()))

// Run runs all tests over ledgers of one implementation.
func Run(t *testing.T, empty Make) {
	t.Run("what was stored is there after reopening", func(t *testing.T) { reopens(t, empty(t)) })
	for name, test := range map[string]func(*testing.T, ledger.Store){
		"slots and records are listed in order": listsInOrder,
		"an update happens whole or not at all": updatesWhole,
		"a record of another shape is an error": otherShape,
		"moved and forgotten":                   movedAndForgotten,
		"updates are made one after the other":  countsUp,
		"a transaction reads while it lists":    readsWhileListing,
		"keys and contents may hold anything":   holdsAnything,
	} {
		t.Run(name, func(t *testing.T) {
			s, closed := empty(t)()
			defer closed()
			test(t, s)
		})
	}
	t.Run("a draft tells what the ledger would tell", func(t *testing.T) {
		below, closed := empty(t)()
		defer closed()
		model, closedToo := empty(t)()
		defer closedToo()
		drafts(t, below, model)
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// at is the slot of a target file.
func at(scope, kind, path, language string) ledger.Slot {
	return ledger.Slot{Scope: scope, Kind: kind, Path: path, Language: language}
}

func put[T any](w ledger.Writer, scope, kind, id string, value T) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return w.PutRecord(ledger.Key{Scope: scope, Kind: kind, ID: id}, content)
}

func get[T any](r ledger.Reader, scope, kind, id string) (value T, ok bool, err error) {
	content, err := r.Record(ledger.Key{Scope: scope, Kind: kind, ID: id})
	if err != nil || content == nil {
		return value, false, err
	}
	return value, true, json.Unmarshal(content, &value)
}

func list[T any](r ledger.Reader, scope, kind string) (values []T, err error) {
	err = r.Records(ledger.Key{Scope: scope, Kind: kind}, func(_ string, content []byte) error {
		var value T
		if err := json.Unmarshal(content, &value); err != nil {
			return err
		}
		values = append(values, value)
		return nil
	})
	return values, err
}

func remove(w ledger.Writer, scope, kind, id string) error {
	return w.DeleteRecord(ledger.Key{Scope: scope, Kind: kind, ID: id})
}

// someMarks are n marks as a file of n keys has them; seed changes the texts, not the keys.
func someMarks(n, seed int) catalog.Marks {
	marks := make(catalog.Marks, n)
	for i := range n {
		key := fmt.Sprintf("screen/settings/section%02d/label%03d", i/20, i)
		marks[catalog.Name{Key: key}] = catalog.MarkOf(fmt.Sprint("text ", i, " ", seed))
	}
	return marks
}

type pastPush struct {
	At   time.Time `json:"at"`
	Keys int       `json:"keys"`
}

var aSlot = at("app", "known", "locales/en/app.json", "en")

func reopens(t *testing.T, open func() (ledger.Store, func())) {
	s, closed := open()
	marks := someMarks(50, 1)
	must(t, s.SetMarks(aSlot, marks))
	must(t, s.SetMarks(at("app", "merged", "", ""), nil))
	must(t, s.SetMarks(at("app", "packed", "", ""), marks.Pack()))
	past := pastPush{time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), 3}
	must(t, put(s, "app", "past", "push", past))
	closed()

	s, closed = open()
	defer closed()
	if aside, _ := s.Rebuilt(); aside != "" {
		t.Errorf("a sound store was put aside as %s", aside)
	}
	for _, slot := range []ledger.Slot{aSlot, at("app", "packed", "", "")} {
		if got, err := s.Marks(slot); err != nil || !maps.Equal(got, marks) {
			t.Errorf("%s: got %d marks, %v", slot.Kind, len(got), err)
		}
	}
	if got, err := s.Marks(at("app", "merged", "", "")); err != nil || got == nil || len(got) != 0 {
		t.Errorf("an empty set came back as %v, %v", got, err)
	}
	if got, err := s.Marks(at("app", "merged", "", "de")); err != nil || got != nil {
		t.Errorf("a slot that was never set came back as %v, %v", got, err)
	}
	if got, ok, err := get[pastPush](s, "app", "past", "push"); err != nil || !ok || got != past {
		t.Errorf("got %v, %v, %v", got, ok, err)
	}
	if _, ok, err := get[pastPush](s, "app", "past", "pull"); err != nil || ok {
		t.Errorf("a record that was never put is there: %v", err)
	}
}

func listsInOrder(t *testing.T, s ledger.Store) {
	want := []ledger.Slot{at("app", "known", "a", ""), at("app", "known", "a", "de"),
		at("app", "known", "a/b", "de"), at("app", "known", "b", "de")}
	for i := range want {
		must(t, s.SetMarks(want[len(want)-1-i], nil))
	}
	for _, other := range []ledger.Slot{at("app", "known2", "x", ""), at("app", "know", "x", ""),
		at("app2", "known", "x", ""), at("ap", "pknown", "x", "")} {
		must(t, s.SetMarks(other, nil))
	}
	if got, err := s.Slots(ledger.Slot{Scope: "app", Kind: "known"}); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	must(t, s.DropMarks(want[1]))
	must(t, s.DropMarks(want[1]))
	if got, err := s.Slots(ledger.Slot{Scope: "app", Kind: "known"}); err != nil || len(got) != 3 {
		t.Errorf("after dropping one: %v, %v", got, err)
	}
	for _, id := range []string{"b", "a", "c"} {
		must(t, put(s, "app", "jobs", id, id+id))
	}
	must(t, put(s, "app", "jobs2", "x", "x"))
	must(t, remove(s, "app", "jobs", "c"))
	must(t, remove(s, "app", "jobs", "c"))
	if got, err := list[string](s, "app", "jobs"); err != nil || !slices.Equal(got, []string{"aa", "bb"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func updatesWhole(t *testing.T, s ledger.Store) {
	must(t, s.SetMarks(aSlot, someMarks(3, 1)))
	stop := errors.New("stop")
	err := s.Update(func(tx ledger.Writer) error {
		must(t, tx.SetMarks(aSlot, someMarks(3, 2)))
		must(t, put(tx, "app", "jobs", "1", 1))
		if got, err := tx.Marks(aSlot); err != nil || !maps.Equal(got, someMarks(3, 2)) {
			t.Errorf("a transaction does not see its own change: %v", err)
		}
		if _, ok, err := get[int](tx, "app", "jobs", "1"); err != nil || !ok {
			t.Errorf("a transaction does not see its own record: %v", err)
		}
		return stop
	})
	if err != stop {
		t.Errorf("got %v, want the function's own error", err)
	}
	if got, err := s.Marks(aSlot); err != nil || !maps.Equal(got, someMarks(3, 1)) {
		t.Errorf("half an update is there: %v", err)
	}
	if jobs, err := ledger.Jobs.List(s, "app"); err != nil || len(jobs) != 0 {
		t.Errorf("half an update is there: %v, %v", jobs, err)
	}
	must(t, s.Update(func(tx ledger.Writer) error {
		must(t, put(tx, "app", "jobs", "1", 1))
		must(t, remove(tx, "app", "jobs", "1"))
		return tx.DropMarks(aSlot)
	}))
	if got, err := s.Marks(aSlot); err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func otherShape(t *testing.T, s ledger.Store) {
	must(t, put(s, "app", "jobs", "1", "text"))
	if _, _, err := ledger.Jobs.Get(s, "app", "1"); err == nil || !strings.Contains(err.Error(), "jobs 1") {
		t.Errorf("got %v", err)
	}
	if _, err := ledger.Jobs.List(s, "app"); err == nil {
		t.Error("got no error")
	}
	if err := put(s, "app", "jobs", "2", func() {}); err == nil {
		t.Error("a function became JSON")
	}
}

// model is what a ledger must hold.
type model struct {
	slots   map[ledger.Slot]catalog.Marks
	records map[[3]string]int
}

var (
	modelScopes = []string{"app", "app#a", "app#a\x00", "app#ab"}
	modelKinds  = []string{"known", "staged known", "known\x00"}
	modelPaths  = []string{"", "a.json"}
)

// Against a map: whatever is stored, moved and forgotten, each slot holds what the last of it says, and projects whose
// names begin alike are told apart.
func movedAndForgotten(t *testing.T, s ledger.Store) {
	rapid.Check(t, func(t *rapid.T) {
		for _, scope := range modelScopes {
			if err := s.Update(func(tx ledger.Writer) error { return tx.Forget(scope) }); err != nil {
				t.Fatal(err)
			}
		}
		m := model{make(map[ledger.Slot]catalog.Marks), make(map[[3]string]int)}
		for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
			if err := s.Update(func(tx ledger.Writer) error { return m.step(t, tx, step) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.View(func(tx ledger.Reader) error { return m.compare(t, tx) }); err != nil {
			t.Fatal(err)
		}
	})
}

func drawSlot(t *rapid.T, label string) ledger.Slot {
	return at(rapid.SampledFrom(modelScopes).Draw(t, label), rapid.SampledFrom(modelKinds).Draw(t, label),
		rapid.SampledFrom(modelPaths).Draw(t, label), "de")
}

// step changes the ledger and the model alike.
func (m model) step(t *rapid.T, tx ledger.Writer, step int) error {
	switch rapid.SampledFrom([]string{"marks", "record", "move", "move", "forget"}).Draw(t, "step") {
	case "marks":
		at := drawSlot(t, "at")
		m.slots[at] = someMarks(rapid.IntRange(0, 3).Draw(t, "marks"), step)
		return tx.SetMarks(at, m.slots[at])
	case "record":
		at := drawSlot(t, "at")
		m.records[[3]string{at.Scope, at.Kind, at.Path}] = step
		return put(tx, at.Scope, at.Kind, at.Path, step)
	case "move":
		from, to := drawSlot(t, "from"), drawSlot(t, "to")
		marks, there := m.slots[from]
		moved, err := tx.MoveMarks(from, to)
		if moved != there {
			t.Fatalf("%v is there: %v, moved: %v", from, there, moved)
		}
		if there {
			delete(m.slots, from)
			m.slots[to] = marks
		}
		return err
	default:
		scope := rapid.SampledFrom(modelScopes).Draw(t, "project")
		keep := rapid.SliceOfDistinct(rapid.SampledFrom(modelKinds), rapid.ID[string]).Draw(t, "keep")
		maps.DeleteFunc(m.slots, func(at ledger.Slot, _ catalog.Marks) bool {
			return at.Scope == scope && !slices.Contains(keep, at.Kind)
		})
		maps.DeleteFunc(m.records, func(at [3]string, _ int) bool {
			return at[0] == scope && !slices.Contains(keep, at[1])
		})
		return tx.Forget(scope, keep...)
	}
}

// compare fails where the ledger does not hold what the model does.
func (m model) compare(t *rapid.T, tx ledger.Reader) error {
	for _, scope := range modelScopes {
		for _, kind := range modelKinds {
			there, err := tx.Slots(ledger.Slot{Scope: scope, Kind: kind})
			if err != nil {
				return err
			}
			var want []ledger.Slot
			for at, marks := range m.slots {
				if at.Scope == scope && at.Kind == kind {
					want = append(want, at)
					if got, err := tx.Marks(at); err != nil || !maps.Equal(got, marks) {
						t.Fatalf("%v holds %v, want %v; %v", at, got, marks, err)
					}
				}
			}
			slices.SortFunc(want, func(a, b ledger.Slot) int { return strings.Compare(a.Path, b.Path) })
			if !slices.Equal(there, want) {
				t.Fatalf("slots %v, want %v", there, want)
			}
			for _, id := range modelPaths {
				got, ok, err := get[int](tx, scope, kind, id)
				want, there := m.records[[3]string{scope, kind, id}]
				if err != nil || ok != there || got != want {
					t.Fatalf("record %q %q %q holds %v %v, want %v %v; %v", scope, kind, id, got, ok, want, there, err)
				}
			}
		}
	}
	return nil
}

// Each update sees what the one before has written.
func countsUp(t *testing.T, s ledger.Store) {
	const writers, times = 4, 10
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range times {
				err := s.Update(func(tx ledger.Writer) error {
					n, _, err := get[int](tx, "app", "count", "n")
					if err != nil {
						return err
					}
					return put(tx, "app", "count", "n", n+1)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n, _, err := get[int](s, "app", "count", "n"); err != nil || n != writers*times {
		t.Errorf("%d updates are counted of %d; %v", n, writers*times, err)
	}
}

func readsWhileListing(t *testing.T, s ledger.Store) {
	for _, id := range []string{"a", "b"} {
		must(t, put(s, "app", "jobs", id, id))
	}
	must(t, s.Update(func(tx ledger.Writer) error {
		must(t, put(tx, "app", "jobs", "c", "c"))
		n := 0
		must(t, tx.Records(ledger.Key{Scope: "app", Kind: "jobs"}, func(id string, _ []byte) error {
			n++
			_, ok, err := get[string](tx, "app", "jobs", id)
			if !ok {
				t.Errorf("%s is listed and not there", id)
			}
			return err
		}))
		if n != 3 {
			t.Errorf("%d records are listed, want 3", n)
		}
		return nil
	}))
}

// Marks and records under long names, with zero bytes and with bytes outside of UTF-8.
func holdsAnything(t *testing.T, s ledger.Store) {
	long := strings.Repeat("a long path/", 1000)
	for _, id := range []string{"", "\x00", "\xff\xfe", "a\x00b", long + "1", long + "2"} {
		key := ledger.Key{Scope: "app", Kind: "jobs", ID: id}
		must(t, s.PutRecord(key, []byte("\x00\xff"+id)))
		must(t, s.SetMarks(at("app", "known", id, "de"), someMarks(2, len(id))))
		if got, err := s.Record(key); err != nil || string(got) != "\x00\xff"+id {
			t.Errorf("%.20q holds %.20q; %v", id, got, err)
		}
		if got, err := s.Marks(at("app", "known", id, "de")); err != nil || !maps.Equal(got, someMarks(2, len(id))) {
			t.Errorf("%.20q has %d marks; %v", id, len(got), err)
		}
	}
	if got, err := s.Slots(at("app", "known", "", "")); err != nil || len(got) != 6 {
		t.Errorf("%d slots; %v", len(got), err)
	}
	must(t, s.PutRecord(ledger.Key{Scope: "app", Kind: "jobs", ID: "empty"}, nil))
	if got, err := s.Record(ledger.Key{Scope: "app", Kind: "jobs", ID: "empty"}); err != nil || got == nil {
		t.Errorf("an empty record is %v; %v", got, err)
	}
}
