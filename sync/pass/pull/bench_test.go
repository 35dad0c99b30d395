package pull

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/bundle"
)

const (
	benchLanguages = 50
	benchFiles     = 20
	benchKeys      = 500
)

// BenchmarkMergeAndCommit merges the translations of 20 files of 500 keys into 50 languages and commits them: first
// all new, then one value in a hundred changed in every file.
func BenchmarkMergeAndCommit(b *testing.B) {
	var languages []string
	for c := range benchLanguages {
		languages = append(languages, fmt.Sprintf("de-%03d", 100+c))
	}
	dir := b.TempDir()
	gittest.Git(b, dir, "init", "-q", "-b", "main")
	for f := range benchFiles {
		path := fmt.Sprintf("locales/en/file%02d.json", f)
		gittest.Write(b, dir, map[string]string{path: passtest.JSONFile(benchKeys, "English", 0)})
	}
	gittest.Git(b, dir, "add", "-A")
	gittest.Git(b, dir, "commit", "-q", "-m", "start")
	p := passtest.Branch(b, dir, languages)
	edition := 1
	for _, step := range []string{"all new", "one in a hundred changed"} {
		b.Run(step, func(b *testing.B) {
			b.ReportAllocs()
			size := benchLanguages * benchFiles * len(passtest.JSONFile(benchKeys, "aa", 1))
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

func mergeAndCommit(b *testing.B, p *pass.Branch, edition int) {
	b.Helper()
	ctx := context.Background()
	repo, err := gitops.Open(ctx, p.Config.Resolve(p.Project.Repository), gitops.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer repo.Close()
	p.Repo = repo
	run := begin(p, Options{})
	tip, err := repo.At(ctx, "l10n", "main")
	if err != nil {
		b.Fatal(err)
	}
	t, err := tree.Find(tip, p.Project, nil)
	if err != nil {
		b.Fatal(err)
	}
	run.to.tip, run.to.base = tip, tip.Base()
	run.merging.tree, run.merging.shared = t, t.NewShared()
	if err := errors.Join(run.merging.readMoves(b.Context(), tip), run.merging.begin(b.Context(), nil)); err != nil {
		b.Fatal(err)
	}
	var done []*merged
	for _, target := range bundle.Known(t.Bundles(), p.Project.Targets()) {
		src := passtest.JSONFile(benchKeys, target.Language.Code, edition)
		f, err := target.Sources[0].Parse([]byte(src), target.Language)
		if err != nil {
			b.Fatal(err)
		}
		m, err := run.merging.merge(b.Context(), pass.Translated{Target: target, Texts: bundle.Texts(f)})
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
	if len(run.account.report.Files) != benchLanguages*benchFiles {
		b.Fatalf("%d files changed: %v", len(run.account.report.Files), run.account.report.Problems)
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
				language := fmt.Sprintf("de-%03d", 100+c)
				files[fmt.Sprintf("locales/%s/file%02d.json", language, f)] = passtest.JSONFile(benchKeys, language, edition)
			}
			gittest.Write(b, dir, files)
		}
	}
	b.SetBytes(int64(benchLanguages * benchFiles * len(passtest.JSONFile(benchKeys, "aa", 1))))
	edition := 0
	for b.Loop() {
		b.StopTimer()
		edition++
		write(edition)
		b.StartTimer()
		for _, args := range [][]string{
			{"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "x"},
		} {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = dir, gittest.Environ()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	}
}
