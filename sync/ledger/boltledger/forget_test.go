package boltledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

// Against a map: whatever is stored, moved and forgotten, each place holds what the last of it says, and projects
// whose names begin alike are told apart.
func TestMovedAndForgotten(t *testing.T) {
	s, err := Open(t.TempDir())
	must(t, err)
	defer s.Close()
	rapid.Check(t, func(t *rapid.T) {
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		projects, kinds := []string{"app", "app#a", "app#a\x00", "app#ab"}, []string{"known", "staged known", "known\x00"}
		for _, p := range projects {
			must(s.Update(func(tx ledger.Writer) error { return tx.Forget(p) }))
		}
		slots, records := make(map[ledger.Slot]catalog.Marks), make(map[[3]string]int)
		slot := func(label string) ledger.Slot {
			return at(rapid.SampledFrom(projects).Draw(t, label), rapid.SampledFrom(kinds).Draw(t, label), rapid.SampledFrom([]string{"", "a.json"}).Draw(t, label), "de")
		}
		for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
			must(s.Update(func(tx ledger.Writer) error {
				switch rapid.SampledFrom([]string{"marks", "record", "move", "move", "forget"}).Draw(t, "step") {
				case "marks":
					at := slot("at")
					slots[at] = someMarks(rapid.IntRange(0, 3).Draw(t, "marks"), step)
					return tx.SetMarks(at, slots[at])
				case "record":
					at := slot("at")
					records[[3]string{at.Scope, at.Kind, at.Path}] = step
					return put(tx, at.Scope, at.Kind, at.Path, step)
				case "move":
					from, to := slot("from"), slot("to")
					marks, there := slots[from]
					moved, err := tx.MoveMarks(from, to)
					if moved != there {
						t.Fatalf("%v is there: %v, moved: %v", from, there, moved)
					}
					if there {
						delete(slots, from)
						slots[to] = marks
					}
					return err
				default:
					project, keep := rapid.SampledFrom(projects).Draw(t, "project"), rapid.SliceOfDistinct(rapid.SampledFrom(kinds), rapid.ID[string]).Draw(t, "keep")
					maps.DeleteFunc(slots, func(at ledger.Slot, _ catalog.Marks) bool {
						return at.Scope == project && !slices.Contains(keep, at.Kind)
					})
					maps.DeleteFunc(records, func(at [3]string, _ int) bool { return at[0] == project && !slices.Contains(keep, at[1]) })
					return tx.Forget(project, keep...)
				}
			}))
		}
		must(s.View(func(tx ledger.Reader) error {
			for _, p := range projects {
				for _, kind := range kinds {
					there, err := tx.Slots(ledger.Slot{Scope: p, Kind: kind})
					must(err)
					var want []ledger.Slot
					for at, marks := range slots {
						if at.Scope == p && at.Kind == kind {
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
					for _, id := range []string{"", "a.json"} {
						got, ok, err := get[int](tx, p, kind, id)
						want, there := records[[3]string{p, kind, id}]
						if err != nil || ok != there || got != want {
							t.Fatalf("record %q holds %v, want %v; %v", []string{p, kind, id}, fmt.Sprint(got, ok), fmt.Sprint(want, there), err)
						}
					}
				}
			}
			return nil
		}))
	})
}
