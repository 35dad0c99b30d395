package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/service"
)

// bigImport is an import of n files of one collection, ten keys each, that were all accepted before with other texts.
func bigImport(b *testing.B, p *project, n, edition int) *ledger.Job {
	b.Helper()
	j := &ledger.Job{ID: "big", Kind: jobImport, Collection: "main", Language: "en", Service: "1"}
	err := p.branch.Ledger.Update(func(tx ledger.Writer) error {
		for i := range n {
			path := fmt.Sprintf("locales/en/file%05d.json", i)
			var units []ledger.Text
			before := make(catalog.Marks)
			for k := range 10 {
				name := catalog.Name{Key: fmt.Sprintf("file%05d.key%d", i, k)}
				units = append(units, ledger.Text{Name: name, Mark: catalog.MarkOf(fmt.Sprint("now", edition))})
				before[name] = catalog.MarkOf(fmt.Sprint("before", edition))
			}
			if err := tx.SetMarks(p.branch.pushedSlot(ledger.Source{Collection: "main", Path: path}), before); err != nil {
				return err
			}
			j.Files = append(j.Files, ledger.JobFile{Name: path, Memory: ledger.Destination{Path: path, Collection: "main"}, Units: units})
		}
		return ledger.Jobs.Put(tx, p.branch.stateName(), j.ID, *j)
	})
	if err != nil {
		b.Fatal(err)
	}
	return j
}

var importSizes = []int{500, 1000, 2000, 4000}

// BenchmarkSettle remembers what an import of n files accepted. It is to grow with n as BenchmarkSettleFloor does.
func BenchmarkSettle(b *testing.B) {
	for _, n := range importSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := benchProject(b, b.TempDir(), []string{"de"})
			for edition := 0; b.Loop(); edition++ {
				b.StopTimer()
				j := bigImport(b, p, n, edition)
				r := newPush(p.branch, PushOptions{})
				b.StartTimer()
				if err := r.settle(context.Background(), j, service.ImportResult{Status: "completed", Updated: 10 * n}); err != nil {
					b.Fatal(err)
				}
				if len(r.report.Problems) > 0 {
					b.Fatal(r.report.Problems)
				}
			}
		})
	}
}

// BenchmarkDoubt forgets an import of n files of which it is not known whether it was carried out.
func BenchmarkDoubt(b *testing.B) {
	for _, n := range importSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := benchProject(b, b.TempDir(), []string{"de"})
			for edition := 0; b.Loop(); edition++ {
				b.StopTimer()
				j := bigImport(b, p, n, edition)
				b.StartTimer()
				if err := newPush(p.branch, PushOptions{}).doubt(context.Background(), j); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSettleFloor reads and writes the same n slots, and nothing else.
func BenchmarkSettleFloor(b *testing.B) {
	for _, n := range importSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := benchProject(b, b.TempDir(), []string{"de"})
			for edition := 0; b.Loop(); edition++ {
				b.StopTimer()
				j := bigImport(b, p, n, edition)
				b.StartTimer()
				err := p.branch.Ledger.Update(func(tx ledger.Writer) error {
					for _, f := range j.Files {
						slot := p.branch.pushedSlot(ledger.Source{Collection: "main", Path: f.Memory.Path})
						marks, err := tx.Marks(slot)
						if err != nil {
							return err
						}
						for _, u := range f.Units {
							marks[u.Name] = u.Mark
						}
						if err := tx.SetMarks(slot, marks); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Bookkeeping that is interrupted ends after the piece that it is at, keeps what it did, and can be made again.
func TestSettleIsInterruptedBetweenPieces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
	p := w.projects[0]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	var steps []stateStep
	for range 5 {
		steps = append(steps, func(tx ledger.Writer) (int, error) {
			done++
			if done == 2 {
				cancel()
			}
			return pieceWeight, tx.SetMarks(ledger.Slot{Scope: "app", Kind: "step", Path: fmt.Sprint(done)}, catalog.Marks{})
		})
	}
	finished := false
	last := func(ledger.Writer) error { finished = true; return nil }
	if err := p.branch.inPieces(ctx, steps, last); !errors.Is(err, context.Canceled) || finished {
		t.Fatalf("it ended with %v, finished %v", err, finished)
	}
	if slots, err := w.store.Slots(ledger.Slot{Scope: "app", Kind: "step"}); err != nil || len(slots) != 2 {
		t.Errorf("%d steps are kept, want 2: %v", len(slots), err)
	}
	if err := p.branch.inPieces(t.Context(), steps, last); err != nil || !finished {
		t.Errorf("it ended with %v, finished %v", err, finished)
	}
}
