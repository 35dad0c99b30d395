package ledgertest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// everything is what a ledger tells, by all ways of asking.
func everything(r ledger.Reader) (map[string]any, error) {
	all := make(map[string]any)
	var errs []error
	for _, scope := range []string{"app", "app#x"} {
		for _, kind := range []string{"known", "merged"} {
			for _, staged := range []bool{false, true} {
				like := ledger.Slot{Scope: scope, Kind: kind, Staged: staged}
				slots, err := r.Slots(like)
				errs = append(errs, err)
				all[fmt.Sprintf("slots %v", like)] = fmt.Sprint(slots)
				for _, path := range []string{"a", "b"} {
					slot := like.At(path, "de")
					marks, err := r.Marks(slot)
					has, herr := r.HasMarks(slot)
					errs = append(errs, err, herr)
					all[fmt.Sprintf("marks %v", slot)] = fmt.Sprint(has, marks == nil, marks)
				}
			}
			var records []string
			errs = append(errs, r.Records(ledger.Key{Scope: scope, Kind: kind}, func(id string, content []byte) error {
				records = append(records, id+"="+string(content))
				return nil
			}))
			all["records "+scope+" "+kind] = records
			for _, id := range []string{"1", "2", "3"} {
				content, err := r.Record(ledger.Key{Scope: scope, Kind: kind, ID: id})
				errs = append(errs, err)
				all["record "+scope+" "+kind+" "+id] = string(content)
			}
		}
	}
	return all, errors.Join(errs...)
}

// stepOfDraft makes one change in all of them, which must say the same of it.
func stepOfDraft(t *testing.T, rt *rapid.T, w []ledger.Writer) {
	scopes, kinds := rapid.SampledFrom([]string{"app", "app#x"}), rapid.SampledFrom([]string{"known", "merged"})
	slots := rapid.Custom(func(t *rapid.T) ledger.Slot {
		path := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "path")
		slot := at(scopes.Draw(t, "scope"), kinds.Draw(t, "kind"), path, "de")
		return slot.Stage(rapid.Bool().Draw(t, "staged"))
	})
	keys := rapid.Custom(func(t *rapid.T) ledger.Key {
		return ledger.Key{Scope: scopes.Draw(t, "scope"), Kind: kinds.Draw(t, "kind"),
			ID: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "id")}
	})
	var do func(w ledger.Writer) (bool, error)
	slot, to, key := slots.Draw(rt, "slot"), slots.Draw(rt, "to"), keys.Draw(rt, "key")
	marks := someMarks(rapid.IntRange(0, 2).Draw(rt, "marks"), 1)
	switch rapid.IntRange(0, 6).Draw(rt, "step") {
	case 0:
		do = func(w ledger.Writer) (bool, error) { return false, w.SetMarks(slot, marks) }
	case 1:
		do = func(w ledger.Writer) (bool, error) { return false, w.SetMarks(slot, catalog.Marks(nil).Pack()) }
	case 2:
		do = func(w ledger.Writer) (bool, error) { return false, w.DropMarks(slot) }
	case 3:
		do = func(w ledger.Writer) (bool, error) { return w.MoveMarks(slot, to) }
	case 4:
		do = func(w ledger.Writer) (bool, error) { return false, w.PutRecord(key, []byte(slot.Path)) }
	case 5:
		do = func(w ledger.Writer) (bool, error) { return false, w.DeleteRecord(key) }
	default:
		do = func(w ledger.Writer) (bool, error) { return false, w.Forget(key.Scope, key.Kind) }
	}
	first, err := do(w[0])
	must(t, err)
	for _, other := range w[1:] {
		if second, err := do(other); err != nil || second != first {
			rt.Fatalf("%v, %v instead of %v", second, err, first)
		}
	}
}

// Whatever is done to it, a draft tells what the ledger itself would tell, and the ledger below stays as it is.
func drafts(t *testing.T, below, model ledger.Store) {
	refused := errors.New("not to be made")
	rapid.Check(t, func(rt *rapid.T) {
		step := func(w ...ledger.Writer) { stepOfDraft(t, rt, w) }
		for _, s := range []ledger.Store{below, model} {
			must(t, s.Update(func(tx ledger.Writer) error {
				return errors.Join(tx.Forget("app"), tx.Forget("app#x"))
			}))
		}
		must(t, below.Update(func(a ledger.Writer) error {
			return model.Update(func(b ledger.Writer) error {
				for range rapid.IntRange(0, 4).Draw(rt, "before") {
					step(a, b)
				}
				return nil
			})
		}))
		before, err := everything(below)
		must(t, err)
		draft := ledger.Draft(ledger.Draft(below))
		for range rapid.IntRange(1, 4).Draw(rt, "updates") {
			fails := rapid.Bool().Draw(rt, "fails")
			err := draft.Update(func(a ledger.Writer) error {
				return model.Update(func(b ledger.Writer) error {
					for range rapid.IntRange(1, 4).Draw(rt, "steps") {
						step(a, b)
					}
					if fails {
						return refused
					}
					return nil
				})
			})
			if fails != errors.Is(err, refused) {
				rt.Fatal(err)
			}
			want, err := everything(model)
			must(t, err)
			got, err := everything(draft)
			must(t, err)
			if !maps.EqualFunc(got, want, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
				rt.Fatalf("the draft tells\n%v\ninstead of\n%v", got, want)
			}
		}
		if after, err := everything(below); err != nil || !reflect.DeepEqual(after, before) {
			rt.Fatalf("the ledger below has changed: %v\n%v\nbefore:\n%v", err, after, before)
		}
	})
}
