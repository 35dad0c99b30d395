package engine

import (
	"fmt"
	"os"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/pass/tree"
	"go.uber.org/zap"
)

// benchProject is a project over a new repository, with nothing behind the service.
func benchProject(b *testing.B, dir string, languages []string) *project {
	b.Helper()
	store, err := boltledger.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	return New(Parts{Config: passtest.Config(b, dir, languages), State: store, Log: zap.NewNop()}).projects[0]
}

// BenchmarkStatus looks at 1,000 source files of 100 keys, all of them pushed, and their translations into one language.
func BenchmarkStatus(b *testing.B) {
	dir := b.TempDir()
	gittest.Git(b, dir, "init", "-q", "-b", "main")
	for i := range 1000 {
		text := passtest.JSONFile(100, "English", i)
		gittest.Write(b, dir, map[string]string{fmt.Sprintf("locales/en/file%04d.json", i): text, fmt.Sprintf("locales/de/file%04d.json", i): text})
	}
	gittest.Git(b, dir, "add", "-A")
	gittest.Git(b, dir, "commit", "-q", "-m", "start")
	p := benchProject(b, dir, []string{"de"})
	fsys := os.DirFS(dir)
	t, err := tree.Find(fsys, p.branch.Project, nil)
	if err != nil {
		b.Fatal(err)
	}
	err = p.branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, s := range t.Sources {
			if err := tx.SetMarks(p.branch.Memory().PushedSlot(s.ID()), s.Texts.Marks()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if s := p.view.now(b.Context()); s.Pending != 0 || s.Languages[0].Keys != 100_000 {
			b.Fatalf("%d pending, %+v", s.Pending, s.Languages)
		}
	}
}
