package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/ledger/boltledger"
	"github.com/locsync/locsync/sync/tree"
	"go.uber.org/zap"
)

// jsonFile is a flat file of n keys, about 50 bytes each; edition changes every hundredth value.
func jsonFile(n int, language string, edition int) string {
	var b strings.Builder
	b.WriteString("{\n")
	for i := range n {
		e := 0
		if i%100 == 0 {
			e = edition
		}
		comma := ","
		if i == n-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "  \"screen.section.key%04d\": \"A text in %s, number %d.%d\"%s\n", i, language, i, e, comma)
	}
	b.WriteString("}\n")
	return b.String()
}

// benchProject is a project over a new repository, with nothing behind the service.
func benchProject(b *testing.B, dir string, languages []string) *project {
	b.Helper()
	cfg, err := config.Parse(filepath.Join(dir, "locsync.toml"), fmt.Appendf(nil, `
[[project]]
name = "bench"
source_language = "en"
target_languages = [%s]
[project.pull]
remote = ""
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, `"`+strings.Join(languages, `", "`)+`"`))
	if err != nil {
		b.Fatal(err)
	}
	store, err := boltledger.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	return New(Parts{Config: cfg, State: store, Log: zap.NewNop()}).projects[0]
}

// BenchmarkStatus looks at 1,000 source files of 100 keys, all of them pushed, and their translations into one language.
func BenchmarkStatus(b *testing.B) {
	dir := b.TempDir()
	gittest.Git(b, dir, "init", "-q", "-b", "main")
	for i := range 1000 {
		text := jsonFile(100, "English", i)
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
			if err := tx.SetMarks(p.branch.PushedSlot(s.ID()), s.Texts.Marks()); err != nil {
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
		if s := p.statusNow(b.Context()); s.Pending != 0 || s.Languages[0].Keys != 100_000 {
			b.Fatalf("%d pending, %+v", s.Pending, s.Languages)
		}
	}
}
