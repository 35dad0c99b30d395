package push

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/tree"
)

// BenchmarkScanAndDiff reads 1,000 files of 100 keys and compares them with what was pushed: what a push costs that
// finds nothing.
func BenchmarkScanAndDiff(b *testing.B) {
	fsys := fstest.MapFS{}
	size := 0
	for i := range 1000 {
		text := passtest.JSONFile(100, "English", i)
		size += len(text)
		fsys[fmt.Sprintf("locales/en/file%04d.json", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	p := passtest.Branch(b, b.TempDir(), []string{"de"})
	t, err := tree.Find(fsys, p.Project, nil)
	if err != nil {
		b.Fatal(err)
	}
	err = p.Ledger.Update(func(tx ledger.Writer) error {
		for _, s := range t.Sources {
			if err := tx.SetMarks(p.Memory().PushedSlot(s.ID()), s.Texts.Marks()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		t, err := tree.Find(fsys, p.Project, nil)
		if err != nil {
			b.Fatal(err)
		}
		r := plansFor(p, t).sources
		situation, err := r.read(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		plan, err := planSources(situation)
		if err == nil {
			err = r.apply(plan)
		}
		if err != nil {
			b.Fatal(err)
		}
		if len(plan.shipments) > 0 {
			b.Fatalf("%d imports for nothing", len(plan.shipments))
		}
	}
}

// BenchmarkScanAndDiffFloor is the least that the same can cost: hashing the same bytes.
func BenchmarkScanAndDiffFloor(b *testing.B) {
	var all [][]byte
	size := 0
	for i := range 1000 {
		all = append(all, []byte(passtest.JSONFile(100, "English", i)))
		size += len(all[i])
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, data := range all {
			_ = sha256.Sum256(data)
		}
	}
}

// bigImport is an import of n files of one collection, ten keys each, that were all accepted before with other texts.
func bigImport(b *testing.B, p *pass.Branch, n, edition int) *ledger.Job {
	b.Helper()
	j := &ledger.Job{ID: "big", Kind: pass.JobImport, Collection: "main", Language: "en", Service: "1"}
	err := p.Ledger.Update(func(tx ledger.Writer) error {
		for i := range n {
			path := fmt.Sprintf("locales/en/file%05d.json", i)
			var units []ledger.Text
			before := make(catalog.Marks)
			for k := range 10 {
				name := catalog.Name{Key: fmt.Sprintf("file%05d.key%d", i, k)}
				units = append(units, ledger.Text{Name: name, Mark: catalog.MarkOf(fmt.Sprint("now", edition))})
				before[name] = catalog.MarkOf(fmt.Sprint("before", edition))
			}
			if err := tx.SetMarks(p.Memory().PushedSlot(ledger.Source{Collection: "main", Path: path}), before); err != nil {
				return err
			}
			to := ledger.Destination{Path: path, Collection: "main"}
			j.Files = append(j.Files, ledger.JobFile{Name: path, Memory: to, Units: units})
		}
		return ledger.Jobs.Put(tx, p.StateName(), j.ID, *j)
	})
	if err != nil {
		b.Fatal(err)
	}
	return j
}

// BenchmarkSettle remembers what an import of n files accepted. It is to grow with n as BenchmarkSettleFloor does.
func BenchmarkSettle(b *testing.B) {
	for _, n := range importSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := passtest.Branch(b, b.TempDir(), []string{"de"})
			for edition := 0; b.Loop(); edition++ {
				b.StopTimer()
				j := bigImport(b, p, n, edition)
				r := newState(p, Options{})
				b.StartTimer()
				done := service.ImportResult{Status: "completed", Updated: 10 * n}
				if err := (&imports{state: r}).settle(context.Background(), j, done); err != nil {
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
			p := passtest.Branch(b, b.TempDir(), []string{"de"})
			for edition := 0; b.Loop(); edition++ {
				b.StopTimer()
				j := bigImport(b, p, n, edition)
				b.StartTimer()
				if err := (&imports{state: newState(p, Options{})}).doubt(context.Background(), j); err != nil {
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
			p := passtest.Branch(b, b.TempDir(), []string{"de"})
			for edition := 0; b.Loop(); edition++ {
				b.StopTimer()
				j := bigImport(b, p, n, edition)
				b.StartTimer()
				err := p.Ledger.Update(func(tx ledger.Writer) error {
					for _, f := range j.Files {
						slot := p.Memory().PushedSlot(ledger.Source{Collection: "main", Path: f.Memory.Path})
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

var importSizes = []int{500, 1000, 2000, 4000}

func plansFor(p *pass.Branch, t *tree.Tree) *pushing {
	run := begin(p, Options{})
	run.tree = t
	return run
}
