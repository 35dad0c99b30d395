package push

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/pass/tree"
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
		if len(plan.All) > 0 {
			b.Fatalf("%d imports for nothing", len(plan.All))
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

func plansFor(p *pass.Branch, t *tree.Tree) *push {
	run := begin(p, Options{})
	run.tree = t
	return run
}
