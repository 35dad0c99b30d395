package imports

import (
	"context"
	"fmt"
	"testing"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/catalog"
)

func running(p *pass.Branch) *imports {
	return &imports{Run: New(p, new(report.ProjectPush), nil)}
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
				r := running(p)
				b.StartTimer()
				done := service.ImportResult{Status: "completed", Updated: 10 * n}
				if err := r.complete(context.Background(), j, done); err != nil {
					b.Fatal(err)
				}
				if len(r.Report.Problems) > 0 {
					b.Fatal(r.Report.Problems)
				}
			}
		})
	}
}

// BenchmarkSettleMany remembers what n imports that ran at once accepted, one after the other: each costs the same.
func BenchmarkSettleMany(b *testing.B) {
	for _, n := range []int{50, 200, 800} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := passtest.Branch(b, b.TempDir(), []string{"de"})
			for b.Loop() {
				b.StopTimer()
				var jobs []*ledger.Job
				for i := range n {
					j := &ledger.Job{ID: fmt.Sprint(i), Kind: pass.JobImport, Collection: "main", Language: "de", Service: "1"}
					to := ledger.Destination{Path: fmt.Sprintf("de/%d.json", i), Language: "de", Collection: "main",
						Kinds: []ledger.TargetMarks{ledger.Known}}
					f := ledger.JobFile{Name: to.Path, Memory: to}
					for k := range 200 {
						f.Units = append(f.Units, ledger.Text{Name: catalog.Name{Key: fmt.Sprint("key", k)}})
					}
					j.Files = []ledger.JobFile{f}
					jobs = append(jobs, j)
					if err := p.Memory().Remember(j); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
				for _, j := range jobs {
					err := running(p).complete(context.Background(), j, service.ImportResult{Status: "completed", Updated: 200})
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/import")
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
				if err := running(p).lose(context.Background(), j); err != nil {
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
