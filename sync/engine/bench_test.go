package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/ledger/boltledger"
	"github.com/locsync/locsync/sync/tree"
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

// BenchmarkScanAndDiff reads 1,000 files of 100 keys and compares them with what was pushed: what a push costs that finds nothing.
func BenchmarkScanAndDiff(b *testing.B) {
	fsys := fstest.MapFS{}
	size := 0
	for i := range 1000 {
		text := jsonFile(100, "English", i)
		size += len(text)
		fsys[fmt.Sprintf("locales/en/file%04d.json", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	p := benchProject(b, b.TempDir(), []string{"de"})
	t, err := tree.Find(fsys, p.branch.Project, nil)
	if err != nil {
		b.Fatal(err)
	}
	err = p.branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, s := range t.Sources {
			if err := tx.SetMarks(p.branch.pushedSlot(s.ID()), s.Texts.Marks()); err != nil {
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
		t, err := tree.Find(fsys, p.branch.Project, nil)
		if err != nil {
			b.Fatal(err)
		}
		plan, err := (&pushing{branch: p.branch, tree: t}).planSources(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if len(plan.shipments) > 0 {
			b.Fatalf("%d imports for nothing", len(plan.shipments))
		}
	}
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
			if err := tx.SetMarks(p.branch.pushedSlot(s.ID()), s.Texts.Marks()); err != nil {
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

// BenchmarkScanAndDiffFloor is the least that the same can cost: hashing the same bytes.
func BenchmarkScanAndDiffFloor(b *testing.B) {
	var all [][]byte
	size := 0
	for i := range 1000 {
		all = append(all, []byte(jsonFile(100, "English", i)))
		size += len(all[i])
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, data := range all {
			_ = sha256.Sum256(data)
		}
	}
}

const (
	benchLanguages = 50
	benchFiles     = 20
	benchKeys      = 500
)

// BenchmarkMergeAndCommit merges the translations of 20 files of 500 keys into 50 languages and commits them: first all new, then one value in a
// hundred changed in every file.
func BenchmarkMergeAndCommit(b *testing.B) {
	var languages []string
	for c := range benchLanguages {
		languages = append(languages, fmt.Sprintf("%c%c", 'a'+c/26, 'a'+c%26))
	}
	dir := b.TempDir()
	gittest.Git(b, dir, "init", "-q", "-b", "main")
	for f := range benchFiles {
		gittest.Write(b, dir, map[string]string{fmt.Sprintf("locales/en/file%02d.json", f): jsonFile(benchKeys, "English", 0)})
	}
	gittest.Git(b, dir, "add", "-A")
	gittest.Git(b, dir, "commit", "-q", "-m", "start")
	p := benchProject(b, dir, languages)
	edition := 1
	for _, step := range []string{"all new", "one in a hundred changed"} {
		b.Run(step, func(b *testing.B) {
			b.ReportAllocs()
			size := benchLanguages * benchFiles * len(jsonFile(benchKeys, "aa", 1))
			b.SetBytes(int64(size))
			for b.Loop() {
				if step == "all new" {
					gittest.TryGit(b, dir, "update-ref", "-d", "refs/heads/l10n")
				}
				edition++
				mergeAndCommit(b, p, edition)
			}
		})
	}
}

func mergeAndCommit(b *testing.B, p *project, edition int) {
	b.Helper()
	ctx := context.Background()
	if err := p.open(ctx); err != nil {
		b.Fatal(err)
	}
	defer p.close()
	run := newPull(p.branch, PullOptions{})
	tip, err := run.branch.Repo.At(ctx, "l10n", "main")
	if err != nil {
		b.Fatal(err)
	}
	t, err := tree.Find(tip, run.branch.Project, nil)
	if err != nil {
		b.Fatal(err)
	}
	run.tip, run.base = tip, tip.Base()
	var done []*merged
	for _, target := range bundle.Known(t.Bundles(), p.branch.Project.Targets()) {
		f, err := target.Sources[0].Parse([]byte(jsonFile(benchKeys, target.Language.Code, edition)), target.Language)
		if err != nil {
			b.Fatal(err)
		}
		m, err := run.merge(b.Context(), t, translated{target, bundle.Texts(f)}, tip.New())
		if err != nil {
			b.Fatal(err)
		}
		if m != nil {
			done = append(done, m)
		}
	}
	if err := run.commit(ctx, tip, nil, done); err != nil {
		b.Fatal(err)
	}
	if len(run.report.Files) != benchLanguages*benchFiles {
		b.Fatalf("%d files changed: %v", len(run.report.Files), run.report.Problems)
	}
}

// BenchmarkMergeAndCommitFloor is what git itself takes to add and commit the same files.
func BenchmarkMergeAndCommitFloor(b *testing.B) {
	dir := b.TempDir()
	gittest.Git(b, dir, "init", "-q", "-b", "main")
	write := func(edition int) {
		for c := range benchLanguages {
			files := make(map[string]string)
			for f := range benchFiles {
				language := fmt.Sprintf("%c%c", 'a'+c/26, 'a'+c%26)
				files[fmt.Sprintf("locales/%s/file%02d.json", language, f)] = jsonFile(benchKeys, language, edition)
			}
			gittest.Write(b, dir, files)
		}
	}
	b.SetBytes(int64(benchLanguages * benchFiles * len(jsonFile(benchKeys, "aa", 1))))
	edition := 0
	for b.Loop() {
		b.StopTimer()
		edition++
		write(edition)
		b.StartTimer()
		for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "x"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = dir, gittest.Environ()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	}
}
