package gitops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
)

// twice is two passes, the second over the first; both arrive, and git finds nothing to say on either side.
func twice(t *testing.T, r *Repo, dir, remote, branch string) {
	t.Helper()
	for i := range 2 {
		made := commitOn(t, r, at(t, r, branch, "main"), branch, files("locales/de/app.json",
			fmt.Sprintf("{\"n\": %d}\n", i)))
		if result := push(t, r, made); !result.Pushed {
			t.Errorf("%+v", result)
		}
		if got := gittest.Git(t, remote, "rev-parse", "refs/heads/"+branch); got != made.Hash() {
			t.Errorf("the remote has %s, not %s", got, made.Hash())
		}
		if waits := must[*Tip](t)(r.Pending(branch)); waits != nil {
			t.Error("the commit still waits")
		}
	}
	gittest.Sound(t, dir)
	gittest.Sound(t, remote)
}

// A local branch that stands in the way of ours never holds up the delivery.
func TestLocalBranchesNeverBlockDelivery(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(t *testing.T, dir string){
		"below, a file": func(t *testing.T, dir string) { gittest.Git(t, dir, "branch", "l10n/x") },
		"below, packed": func(t *testing.T, dir string) {
			gittest.Git(t, dir, "branch", "l10n/x")
			gittest.Git(t, dir, "pack-refs", "--all")
		},
		"a symbolic reference": func(t *testing.T, dir string) {
			gittest.Git(t, dir, "symbolic-ref", "refs/heads/l10n", "refs/heads/main")
		},
		"held by a rebase": rebaseThatUpdates,
		"a lock": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/refs/heads/l10n.lock": ""})
		},
		"a worktree that is gone": func(t *testing.T, dir string) { gone(t, dir) },
		"a worktree on a disk that is not mounted": func(t *testing.T, dir string) {
			gone(t, dir, "--lock")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			setup(t, dir)
			r := open(t, dir, Options{Remote: "origin"})
			before, _ := gittest.TryGit(t, dir, "rev-parse", "refs/heads/l10n")
			for i := range 2 {
				made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("a", fmt.Sprint(i)))
				if result := push(t, r, made); !result.Pushed || result.Local != Left || result.Why == "" {
					t.Errorf("%+v", result)
				}
				if got := gittest.Git(t, bare, "rev-parse", "l10n"); got != made.Hash() {
					t.Errorf("the remote has %s", got)
				}
			}
			if after, _ := gittest.TryGit(t, dir, "rev-parse", "refs/heads/l10n"); after != before {
				t.Errorf("l10n was %s and is %s", before, after)
			}
			gittest.Sound(t, bare)
		})
	}
}

// rebaseThatUpdates stops in the middle of git rebase --update-refs, which will move l10n at its end.
func rebaseThatUpdates(t *testing.T, dir string) {
	gittest.Git(t, dir, "checkout", "-q", "-b", "stack")
	gittest.Commit(t, dir, "one", map[string]string{"one": "1"})
	gittest.Git(t, dir, "branch", "l10n")
	gittest.Commit(t, dir, "two", map[string]string{"two": "2"})
	gittest.Git(t, dir, "push", "-q", "origin", "l10n")
	_, _ = gittest.TryGit(t, dir, "-c", "sequence.editor=sed -i '1s/pick/edit/'", "rebase", "-q",
		"-i", "--update-refs", "main")
	if _, err := os.Stat(filepath.Join(dir, ".git", "rebase-merge", "update-refs")); err != nil {
		t.Skip("this git has no rebase --update-refs")
	}
}

func gone(t *testing.T, dir string, options ...string) {
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Git(t, dir, "branch", "l10n")
	gittest.Git(t, dir, "push", "-q", "origin", "l10n")
	gittest.Git(t, dir, append(append([]string{"worktree", "add", "-q"}, options...), linked, "l10n")...)
	if err := os.RemoveAll(linked); err != nil {
		t.Fatal(err)
	}
}

// A remote that is pushed to elsewhere: base comes from the one, the branch lives at the other, and both are whole.
func TestForks(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"folder", "http"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			upstream := gittest.Bare(t, dir)
			fork := filepath.Join(t.TempDir(), "fork.git")
			gittest.Git(t, "", "init", "-q", "--bare", fork)
			address := func(bare string) string {
				if kind == "folder" {
					return bare
				}
				return gittest.Serve(t, bare, gittest.Options{})
			}
			gittest.Git(t, dir, "remote", "set-url", "origin", address(upstream))
			gittest.Git(t, dir, "remote", "set-url", "--push", "origin", address(fork))
			r := open(t, dir, Options{Remote: "origin"})
			twice(t, r, dir, fork, "l10n")
			other := gittest.Clone(t, upstream)
			main := gittest.Commit(t, other, "later", map[string]string{"later": "x"})
			gittest.Git(t, other, "push", "-q", "origin", "main")
			tip := at(t, r, "l10n", "main")
			if tip.New() || tip.Base().Hash() != main {
				t.Errorf("new %v, base %s", tip.New(), tip.Base().Hash())
			}
			m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), never))
			made := commitOn(t, r, m.Tip, "l10n", files("a", "b"))
			push(t, r, made)
			if got := gittest.Git(t, fork, "log", "-1", "--format=%H", "l10n"); got != made.Hash() {
				t.Errorf("the fork has %s", got)
			}
			if out := gittest.Git(t, upstream, "for-each-ref", "refs/heads/l10n"); out != "" {
				t.Errorf("upstream has %s", out)
			}
			gittest.Sound(t, fork)
			gittest.Git(t, dir, "config", "--add", "remote.origin.pushurl", upstream)
			if _, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "l10n", "main"); !errors.Is(err,
				ErrUnsupported) || !strings.Contains(err.Error(), "2 addresses") {
				t.Errorf("several addresses: %v", err)
			}
		})
	}
}

// The rules of a remote that is a folder count, and those of the repository about what is fetched.
func TestRulesOfBothSides(t *testing.T) {
	t.Parallel()
	for name, config := range map[string][2]string{"size": {"receive.maxInputSize", "10"},
		"hidden": {"receive.hideRefs", "refs/heads/l10n"}} {
		dir := gittest.Init(t, sample)
		bare := gittest.Bare(t, dir)
		gittest.Git(t, bare, "config", config[0], config[1])
		r := open(t, dir, Options{Remote: "origin"})
		made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("a", "1"))
		if _, err := r.Push(t.Context(), made); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
		gittest.Sound(t, bare)
	}
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	folder := object.SHA1.New(object.Tree, rawTree("100644", ".git",
		hashOf(gittest.Git(t, bare, "rev-parse", "main:README.md"))))
	commitTree(t, bare, folder.Data)
	gittest.Git(t, dir, "config", "transfer.fsckObjects", "true")
	if _, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "l10n", "main"); err == nil ||
		!strings.Contains(err.Error(), "hasDotgit") {
		t.Errorf("a tree that fsck refuses was taken: %v", err)
	}
}

// Repositories of every age, shape and condition: two passes, and git as the judge.
func TestSituations(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, setup := range map[string]func(t *testing.T, dir, bare string){
		"index v4, split, untracked cache": func(t *testing.T, dir, _ string) {
			gittest.Git(t, dir, "update-index", "--index-version", "4", "--split-index", "--untracked-cache")
		},
		"fsmonitor": func(t *testing.T, dir, _ string) { gittest.Git(t, dir, "config", "core.fsmonitor", "true") },
		"replaced": func(t *testing.T, dir, _ string) {
			gittest.Git(t, dir, "replace", gittest.Git(t, dir, "rev-parse", "HEAD:README.md"),
				gittest.Git(t, dir, "rev-parse", "HEAD:locales/en/app.json"))
		},
		"grafts": func(t *testing.T, dir, _ string) {
			gittest.Commit(t, dir, "two", map[string]string{"two": "2"})
			gittest.Git(t, dir, "push", "-q", "origin", "main")
			gittest.Write(t, dir, map[string]string{".git/info/grafts": gittest.Git(t, dir, "rev-parse", "HEAD") +
				"\n"})
		},
		"objects elsewhere": func(t *testing.T, dir, _ string) {
			other, err := os.MkdirTemp("/dev/shm", "locsync-objects-")
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { os.RemoveAll(other) })
			gittest.Git(t, dir, "repack", "-adq")
			if out, err := gittest.Shell(t, dir,
				"cp -r .git/objects/. "+other+" && rm -rf .git/objects && ln -s "+other+" .git/objects"); err != nil {
				t.Skip(out)
			}
		},
		"packed-refs is a link": func(t *testing.T, dir, _ string) {
			gittest.Git(t, dir, "branch", "x")
			gittest.Git(t, dir, "pack-refs", "--all")
			if out, err := gittest.Shell(t, dir,
				"mv .git/packed-refs .git/real && ln -s real .git/packed-refs"); err != nil {
				t.Skip(out)
			}
			t.Cleanup(func() {
				if info, err := os.Lstat(filepath.Join(dir, ".git", "packed-refs")); err != nil ||
					info.Mode()&os.ModeSymlink == 0 {
					t.Error("the link was replaced")
				}
			})
		},
		"configuration that only git reads": func(t *testing.T, dir, _ string) {
			old := string(must[[]byte](t)(os.ReadFile(filepath.Join(dir, ".git/config"))))
			gittest.Write(t, dir, map[string]string{".git/config": "\ufeff" + old +
				"[user] name = J\xfcrgen\n[branch.main]\n\tremote = origin\n[gui.x]\n\ty = 1\n[x \"a\tb\"]\n\tz = 1\n" +
				"[core] bare = false\n"})
		},
		"names that are not UTF-8": func(t *testing.T, dir, _ string) {
			gittest.Commit(t, dir, "latin1", map[string]string{"locales/de/m\xfcll.json": "{}", "caf\xe9/x": "y"})
			gittest.Git(t, dir, "push", "-q", "origin", "main")
			t.Cleanup(func() {
				if out := gittest.Git(t, dir, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only",
					"refs/remotes/origin/l10n"); !strings.Contains(out, "m\xfcll") ||
					!strings.Contains(out, "caf\xe9/x") {
					t.Errorf("lost a name: %q", out)
				}
			})
		},
		"commit-graph, bitmap, cruft": func(t *testing.T, dir, _ string) {
			gittest.Git(t, dir, "commit-graph", "write", "--reachable")
			gittest.Git(t, dir, "repack", "-adq", "--cruft", "--write-midx")
			gittest.Git(t, dir, "multi-pack-index", "write", "--bitmap")
		},
		"cyclic and quoted alternates": func(t *testing.T, dir, bare string) {
			gittest.Write(t, dir, map[string]string{".git/objects/info/alternates": "# x\n\"" + bare +
				"/objects\"\n" + dir + "/.git/objects\n"})
		},
		"relative alternates, and one with a space": func(t *testing.T, dir, bare string) {
			lender := filepath.Join(t.TempDir(), "a lender")
			gittest.Git(t, "", "clone", "-q", "--bare", "--no-hardlinks", bare, lender)
			gittest.Git(t, "", "clone", "-q", "--bare", "--no-hardlinks", bare, lender+".2")
			near := must[string](t)(filepath.Rel(filepath.Join(dir, ".git/objects"), lender+".2/objects"))
			gittest.Write(t, dir, map[string]string{".git/objects/info/alternates": lender + "/objects\n" + near +
				"\n"})
			gittest.Git(t, dir, "repack", "-adlq")
			gittest.Git(t, dir, "prune-packed", "-q")
		},
		"empty reference files": func(t *testing.T, dir, _ string) { gittest.Git(t, dir, "pack-refs", "--all") },
		"pushed through a mirror's settings": func(t *testing.T, dir, _ string) {
			gittest.Git(t, dir, "config", "remote.origin.mirror", "true")
		},
		"a relative address": func(t *testing.T, dir, bare string) {
			gittest.Git(t, dir, "remote", "set-url", "origin", must[string](t)(filepath.Rel(dir, bare)))
		},
		"insteadOf": func(t *testing.T, dir, bare string) {
			gittest.Git(t, dir, "remote", "set-url", "origin", "short:x")
			gittest.Git(t, dir, "config", "url."+bare+".insteadOf", "short:x")
		},
		"failing hooks here": func(t *testing.T, dir, _ string) {
			for _, hook := range []string{"pre-commit", "commit-msg", "pre-push", "prepare-commit-msg"} {
				gittest.Hook(t, dir, hook, "echo $0 >&2; exit 1")
			}
		},
		"failing hooks elsewhere": func(t *testing.T, dir, _ string) {
			for _, hook := range []string{"pre-commit", "commit-msg", "pre-push", "prepare-commit-msg"} {
				gittest.Hook(t, dir, hook, "echo $0 >&2; exit 1")
			}
			elsewhere := filepath.Join(t.TempDir(), "hooks")
			if err := os.Rename(filepath.Join(dir, ".git/hooks"), elsewhere); err != nil {
				t.Fatal(err)
			}
			gittest.Git(t, dir, "config", "core.hooksPath", elsewhere)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			setup(t, dir, bare)
			before := snapshot(t, dir)
			r := open(t, dir, Options{Remote: "origin"})
			twice(t, r, dir, bare, "l10n")
			if got := string(must[[]byte](t)(at(t, r, "l10n",
				"main").ReadFile("README.md"))); got != sample["README.md"] {
				t.Errorf("README.md reads %q", got)
			}
			same(t, before, snapshot(t, dir))
		})
	}
}

// Partial clones of every depth: what was left out is brought when it is read, trees and commits too.
func TestPartialClonesOfEveryDepth(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{"blob:none", "blob:limit=10", "tree:0"} {
		t.Run(filter, func(t *testing.T) {
			t.Parallel()
			source := gittest.Init(t, sample)
			bare := gittest.Bare(t, source)
			gittest.Git(t, bare, "config", "uploadpack.allowFilter", "true")
			gittest.Git(t, bare, "config", "uploadpack.allowAnySHA1InWant", "true")
			dir := gittest.Clone(t, "file://"+bare, "--filter="+filter)
			r := open(t, dir, Options{Remote: "origin"})
			twice(t, r, dir, bare, "l10n")
			gittest.Commit(t, source, "base moves on", map[string]string{"locales/en/app.json": "{\"b\": 1}\n",
				"src/deep/x": "y"})
			gittest.Git(t, source, "push", "-q", "origin", "main")
			tip := at(t, r, "l10n", "main")
			m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), never))
			if m.State != Joined {
				t.Fatalf("%s %v", m.State, m.Conflicts)
			}
			push(t, r, commitOn(t, r, m.Tip, "l10n", files("a", "b")))
			reads(t, at(t, r, "main", "main"), source)
			gittest.Sound(t, dir)
			gittest.Sound(t, bare)
		})
	}
}

// While git packs references in a loop, a listing and a look see every one of them.
func TestListingRacesPackRefs(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
	r := open(t, dir, Options{})
	head := gittest.Git(t, dir, "rev-parse", "HEAD")
	for i := range 40 {
		gittest.Git(t, dir, "update-ref", fmt.Sprintf("refs/heads/b%d", i), head)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = gittest.TryGit(t, dir, "pack-refs", "--all", "--prune")
		}()
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			all := must[map[string]hash](t)(r.repo.Refs.List("refs/heads/"))
			if len(all) != i+2 {
				t.Fatalf("%d of %d references", len(all), i+2)
			}
			if _, ok, err := r.repo.Refs.Read(fmt.Sprintf("refs/heads/b%d", i)); !ok || err != nil {
				t.Fatalf("b%d is not there: %v", i, err)
			}
		}
	}
}

// Hooks and filters see none of our secrets, neither in their environment nor in that of the git program that starts
// them.
func TestChildrenGetNoSecrets(t *testing.T) {
	const dump = "env; cat /proc/$PPID/environ 2>/dev/null; "
	for _, how := range []string{"path", "http", "partial clone"} {
		t.Run(how, func(t *testing.T) {
			dir := gittest.Init(t, map[string]string{".gitattributes": "*.f filter=f\n", "README.md": "x"})
			bare := gittest.Bare(t, dir)
			gittest.Git(t, bare, "config", "uploadpack.allowFilter", "true")
			gittest.Git(t, bare, "config", "uploadpack.allowAnySHA1InWant", "true")
			if how != "path" {
				address := gittest.Serve(t, bare, gittest.Options{User: "ada", Password: "canary"})
				gittest.Git(t, dir, "remote", "set-url", "origin", address)
			}
			if how == "partial clone" {
				gittest.Git(t, dir, "config", "remote.origin.promisor", "true")
				gittest.Git(t, dir, "config", "remote.origin.partialclonefilter", "blob:none")
				gittest.Git(t, dir, "config", "extensions.partialClone", "origin")
			}
			other := gittest.Clone(t, bare)
			gittest.Commit(t, other, "x", map[string]string{"x": "y"})
			gittest.Git(t, other, "push", "-q")
			logs := t.TempDir()
			log := func(name string) string { return filepath.Join(logs, name) }
			gittest.Git(t, dir, "config", "filter.f.clean", "{ "+dump+"} >> "+log("clean")+"; cat")
			gittest.Git(t, dir, "config", "filter.f.smudge", "{ "+dump+"} >> "+log("smudge")+"; cat")
			gittest.Hook(t, dir, "reference-transaction", "{ "+dump+"} >> "+log("transaction"))
			gittest.Hook(t, dir, "pre-push", "{ "+dump+"} >> "+log("pre-push"))
			gittest.Hook(t, bare, "post-receive", "{ "+dump+"} >> "+log("receive"))
			Withhold("SERVICE_PASSWORD")
			for _, name := range []string{"SERVICE_PASSWORD", "LOCSYNC_API_KEY",
				"LOCSYNC_WEBHOOK_SECRET", "CREDENTIALS_DIRECTORY",
				"NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS"} {
				t.Setenv(name, "canary")
			}
			r := open(t, dir, Options{Remote: "origin", Username: "ada", Password: "canary"})
			push(t, r, commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("a.f", "1")))
			tip := at(t, r, "l10n", "main")
			if text, err := tip.ReadFile("a.f"); err != nil || string(text) != "1" {
				t.Errorf("the file is %q %v", text, err)
			}
			seen := []string{"clean", "smudge", "transaction"}
			if how == "path" { // else the server has the environment of this test
				seen = append(seen, "receive")
			}
			for _, name := range seen {
				got := string(must[[]byte](t)(os.ReadFile(log(name))))
				if got == "" || strings.Contains(got, "canary") {
					t.Errorf("%s: %d bytes of environment, with our secrets: %v", name, len(got), strings.Contains(got, "canary"))
				}
			}
		})
	}
}
