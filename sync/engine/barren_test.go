package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/branches"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/ledger"
	"pgregory.net/rapid"
)

// Law: whatever is committed, the files that are found without looking into barren folders are the files that are found by looking everywhere.
func TestBarrenFoldersHideNothing(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, settings+"[project.push]\nsource = \"main\"\n"+`
[[project.files]]
source = "**/en/*.json"
output = "{DIR}/{LANGUAGE}/{NAME}.json"
[[project.files]]
source = "conf/*.yaml"
output = "out/{LANGUAGE}/{NAME}.yaml"
`, map[string]string{"src/a/x.txt": "x", "src/b/c/x.txt": "x"})
		p := w.projects[0]
		var did []string
		for step := range rapid.IntRange(2, 8).Draw(rt, "commits") {
			for range rapid.IntRange(1, 3).Draw(rt, "changes") {
				folder := rapid.SampledFrom([]string{"src", "src/a", "src/b", "src/b/c", "conf", "lib"}).Draw(rt, "folder")
				change := rapid.SampledFrom([]string{"/en/app.json", "/en/app.json", "/x.txt", "/app.yaml", "/deep/er/en/b.json", "remove", "link"}).Draw(rt, "change")
				did = append(did, folder+" "+change)
				switch change {
				case "remove":
					_, _ = gittest.TryGit(t, w.dir, "rm", "-rq", "--ignore-unmatch", folder)
				case "link": // a folder that stands for another one
					w.link(strings.Repeat("../", 1+strings.Count(folder, "/"))+"lib/en", folder+"/en")
				default:
					if !strings.Contains(change, "/en/") || !w.isLink(folder+"/en") {
						w.write(folder+change, fmt.Sprintf("a: \"%d\"\n", step))
					}
				}
			}
			w.git("add", "-A")
			w.git("commit", "-q", "--allow-empty", "-m", "by a person")
			repo, err := p.repository.Open(t.Context())
			w.check(err)
			branch := branches.With(p.branch, p.branch.Project, repo)
			tip, err := repo.At(t.Context(), "main", "main")
			w.check(err)
			want, wantProblems, err := bundle.Find(tip, p.branch.Project)
			w.check(err)
			for range 2 {
				got, problems, err := branch.FindSources(tip)
				w.check(err)
				if !slices.EqualFunc(got, want, func(a, b *bundle.Bundle) bool { return a.Path == b.Path }) || !slices.Equal(problems, wantProblems) {
					rt.Fatalf("after %v: found %v, %v; want %v, %v", did, paths(got), problems, paths(want), wantProblems)
				}
			}
			p.repository.Close(repo)
		}
	})
}

func paths(bundles []*bundle.Bundle) (all []string) {
	for _, b := range bundles {
		all = append(all, b.Path)
	}
	return all
}

func (w *world) isLink(path string) bool {
	info, err := os.Lstat(filepath.Join(w.dir, path))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

// link makes a symbolic link where nothing stands.
func (w *world) link(to, path string) {
	w.tb.Helper()
	at := filepath.Join(w.dir, path)
	w.check(os.MkdirAll(filepath.Dir(at), 0o755))
	if _, err := os.Lstat(at); err != nil {
		w.check(os.Symlink(to, at))
	}
}

// BenchmarkFindInCommit looks for source files by ** in a repository of 20,000 files, in all folders and without the barren ones.
func BenchmarkFindInCommit(b *testing.B) {
	dir := b.TempDir()
	gittest.Git(b, dir, "init", "-q", "-b", "main")
	commit(b, dir, 20000, "")
	p := benchProject(b, dir, []string{"de"})
	p.branch.Project.Push.Source, p.branch.Project.Files[0].Source = "main", "**/en/*.json"
	repo, err := p.repository.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer p.repository.Close(repo)
	branch := branches.With(p.branch, p.branch.Project, repo)
	for name, forget := range map[string]bool{"everywhere": true, "without barren folders": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if forget {
					if err := ledger.Emptied.Delete(branch.Ledger, branch.StateName(), "main"); err != nil {
						b.Fatal(err)
					}
				}
				tip, err := repo.At(b.Context(), "main", "main")
				if err != nil {
					b.Fatal(err)
				}
				if found, _, err := branch.FindSources(tip); err != nil || len(found) != 1 {
					b.Fatal(found, err)
				}
			}
		})
	}
}
