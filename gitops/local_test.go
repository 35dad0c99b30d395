package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/repository"
)

// Where the branch is checked out: a clean tree follows, with files and index; any other is left exactly as it is, and
// the result says why (G1).
func TestCheckedOut(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	type setup func(t *testing.T, dir string)
	cases := []struct {
		name  string
		setup setup
		local Local
		cause error
		why   string
	}{
		{"clean", func(*testing.T, string) {}, Followed, nil, ""},
		{"untracked files elsewhere", func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{"mine": "x"})
		}, Followed, nil, ""},
		{"changed", func(t *testing.T, dir string) { gittest.Write(t, dir, map[string]string{"README.md": "x"}) },
			Left, ErrDirty, "not committed"},
		{"staged", func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{"README.md": "x"})
			gittest.Git(t, dir, "add", "README.md")
		}, Left, ErrDirty, "not committed"},
		{"untracked file in the way", func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{"new/file": "mine"})
		}, Left, ErrDirty, "new/file"},
		{"index locked", func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/index.lock": ""})
		}, Left, ErrBusy, "index.lock"},
		{"mid-rebase", func(t *testing.T, dir string) {
			_, _ = gittest.TryGit(t, dir, "-c", "sequence.editor=sed -i s/pick/edit/", "rebase", "-q", "-i", "--root")
		}, Left, ErrBusy, "rebase"},
		{"mid-merge", func(t *testing.T, dir string) {
			gittest.Git(t, dir, "branch", "side")
			gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
			gittest.Git(t, dir, "reset", "-q", "--hard", "HEAD^")
			gittest.Git(t, dir, "checkout", "-q", "side")
			gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
			gittest.Git(t, dir, "checkout", "-q", "main")
			_, _ = gittest.TryGit(t, dir, "merge", "-q", "--no-commit", "--no-ff", "side")
		}, Left, ErrBusy, "merge"},
		{"mid-cherry-pick", func(t *testing.T, dir string) {
			gittest.Git(t, dir, "checkout", "-q", "-b", "side", "HEAD^")
			other := gittest.Commit(t, dir, "other", map[string]string{"second": "other"})
			gittest.Git(t, dir, "checkout", "-q", "main")
			_, _ = gittest.TryGit(t, dir, "cherry-pick", other)
		}, Left, ErrBusy, "cherry-pick"},
		{"mid-bisect", func(t *testing.T, dir string) { gittest.Git(t, dir, "bisect", "start") }, Left, ErrBusy,
			"bisect"},
		{"to be added", func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{"mine": "x"})
			gittest.Git(t, dir, "add", "-N", "mine")
		}, Left, ErrDirty, "not committed"},
		{"an ignored file in the way", func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/info/exclude": "new/\n", "new/file": "mine"})
		}, Left, ErrDirty, "new/file"},
		{"a folder in the way", func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{"new/file/x": "mine"})
		}, Left, ErrDirty, "new/file"},
		{"a file in the way of a folder", func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{"new": "mine"})
		}, Left, ErrDirty, "new"},
		{"in two trees", func(t *testing.T, dir string) {
			gittest.Git(t, dir, "worktree", "add", "-q", "-f", filepath.Join(t.TempDir(), "second"), "main")
		}, Left, ErrBusy, "second"},
		{"changed, and git told to overlook it", func(t *testing.T, dir string) {
			gittest.Git(t, dir, "update-index", "--assume-unchanged", "README.md")
			gittest.Write(t, dir, map[string]string{"README.md": "mine"})
		}, Followed, nil, ""},
		{"HEAD elsewhere", func(t *testing.T, dir string) {
			gittest.Git(t, dir, "checkout", "-q", "--detach", "HEAD^")
		}, Moved, nil, ""},
	}
	for _, c := range cases {
		for _, remote := range []string{"", "origin"} {
			t.Run(c.name+" "+remote, func(t *testing.T) {
				dir := gittest.Init(t, sample)
				gittest.Commit(t, dir, "second", map[string]string{"second": "x"})
				var bare string
				if remote != "" {
					bare = gittest.Bare(t, dir)
				}
				o := Options{Remote: remote}
				c.setup(t, dir)
				before, head := snapshot(t, dir), gittest.Git(t, dir, "rev-parse", "main")
				r := open(t, dir, o)
				made := commitOn(t, r, at(t, r, "main", "main"), "main", files("new/file", "translated\n",
					"locales/de/app.json", "new\n"))
				result := push(t, r, made)
				if result.Local != c.local || !errors.Is(result.Cause, c.cause) || !strings.Contains(result.Why,
					c.why) || result.Pushed != (remote != "") {
					t.Errorf("%+v", result)
				}
				waiting := must[*Tip](t)(r.Pending("main"))
				if c.local == Left {
					same(t, before, snapshot(t, dir))
					if got := gittest.Git(t, dir, "rev-parse", "main"); got != head {
						t.Errorf("the branch moved to %s", got)
					}
					if (waiting != nil) != (remote == "") {
						t.Errorf("waits: %v", waiting != nil)
					}
				} else {
					if c.local == Moved {
						same(t, before, snapshot(t, dir))
					} else if got := string(must[[]byte](t)(os.ReadFile(filepath.Join(dir,
						"new/file")))); got != "translated\n" {
						t.Errorf("the file is %q", got)
					}
					if out := gittest.Git(t, dir, "status", "--porcelain", "--untracked-files=no"); out != "" {
						t.Errorf("git status: %s", out)
					}
					if got := gittest.Git(t, dir, "rev-parse", "main"); got != made.Hash() || waiting != nil {
						t.Errorf("the branch is at %s, waits: %v", got, waiting != nil)
					}
				}
				if remote != "" {
					if got := gittest.Git(t, bare, "rev-parse", "main"); got != made.Hash() {
						t.Errorf("the remote has %s", got)
					}
				}
			})
		}
	}
}

// A commit that was left because the tree was dirty is delivered when it is clean again.
func TestLeftAndDeliveredLater(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Write(t, dir, map[string]string{"README.md": "x"})
	r := open(t, dir, Options{})
	made := commitOn(t, r, at(t, r, "main", ""), "main", files("a", "1"))
	if result := push(t, r, made); result.Local != Left {
		t.Fatalf("%+v", result)
	}
	gittest.Git(t, dir, "checkout", "-q", "README.md")
	if result := push(t, r, must[*Tip](t)(r.Pending("main"))); result.Local != Followed {
		t.Errorf("%+v", result)
	}
	// And when somebody committed meanwhile, it has to be computed again.
	gittest.Write(t, dir, map[string]string{"README.md": "x"})
	made = commitOn(t, r, at(t, r, "main", ""), "main", files("a", "2"))
	push(t, r, made)
	gittest.Git(t, dir, "commit", "-q", "-am", "mine")
	if _, err := r.Push(t.Context(), made); !errors.Is(err, ErrMoved) {
		t.Errorf("%v", err)
	}
}

// A hook that leaves something running keeps no tree from being seen to follow.
func TestFollowedWithHookInBackground(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Hook(t, dir, "post-merge", "while test -e .git/HEAD; do sleep 0.1; done &")
	r := open(t, dir, Options{})
	if result := push(t, r, commitOn(t, r, at(t, r, "main", ""), "main", files("a", "1"))); result.Local != Followed {
		t.Errorf("%+v", result)
	}
}

// With a remote the commit is delivered all the same, and the branch here follows it when its tree is clean again; past
// commits of others alone it does not.
func TestFollowLater(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin"})
	follows := func(want Local, cause error, tip string) {
		t.Helper()
		result, err := r.Follow(t.Context(), at(t, r, "main", ""), false)
		if err != nil || result.Local != want || !errors.Is(result.Cause, cause) {
			t.Errorf("%+v, %v", result, err)
		}
		if got := gittest.Git(t, dir, "rev-parse", "main"); got != tip {
			t.Errorf("the branch is at %s, want %s", got, tip)
		}
	}
	start := gittest.Git(t, dir, "rev-parse", "main")
	follows(Moved, nil, start)
	gittest.Write(t, dir, map[string]string{"README.md": "x"})
	made := commitOn(t, r, at(t, r, "main", ""), "main", files("a", "1"))
	if result := push(t, r, made); result.Local != Left {
		t.Fatalf("%+v", result)
	}
	before := snapshot(t, dir)
	follows(Left, ErrDirty, start)
	same(t, before, snapshot(t, dir))
	gittest.Git(t, dir, "checkout", "-q", "README.md")
	follows(Followed, nil, made.Hash())
	if got, err := os.ReadFile(filepath.Join(dir, "a")); string(got) != "1" {
		t.Errorf("the tree has %q, %v", got, err)
	}
	other := filepath.Join(t.TempDir(), "other")
	gittest.Git(t, dir, "clone", "-q", bare, other)
	gittest.Commit(t, other, "theirs", map[string]string{"theirs": "x"})
	gittest.Git(t, other, "push", "-q", "origin", "main")
	follows(Moved, nil, made.Hash())
	gittest.Commit(t, dir, "mine", map[string]string{"mine": "x"})
	follows(Moved, nil, gittest.Git(t, dir, "rev-parse", "HEAD"))
}

// A dry run says what becomes of the local branch when the same files are delivered, and moves nothing.
func TestFollowInADryRun(t *testing.T) {
	t.Parallel()
	for name, situation := range map[string]func(t *testing.T, dir string){
		"clean":      func(*testing.T, string) {},
		"dirty":      func(t *testing.T, dir string) { gittest.Write(t, dir, map[string]string{"README.md": "x"}) },
		"in the way": func(t *testing.T, dir string) { gittest.Write(t, dir, map[string]string{"new": "x"}) },
		"in a merge": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/MERGE_HEAD": "x"})
		},
		"elsewhere": func(t *testing.T, dir string) { gittest.Git(t, dir, "checkout", "-q", "-b", "mine") },
		"its own":   func(t *testing.T, dir string) { gittest.Commit(t, dir, "mine", map[string]string{"mine": "x"}) },
		"two trees": func(t *testing.T, dir string) {
			gittest.Git(t, dir, "worktree", "add", "-q", "--force", filepath.Join(t.TempDir(), "other"), "main")
		},
	} {
		for _, remote := range []string{"", "origin"} {
			t.Run(name+remote, func(t *testing.T) {
				t.Parallel()
				dir := gittest.Init(t, sample)
				gittest.Bare(t, dir)
				r := open(t, dir, Options{Remote: remote})
				situation(t, dir)
				tip := at(t, r, "main", "")
				before := snapshot(t, dir)
				preview := must[Preview](t)(r.Preview(t.Context(), tip, files("new", "1")))
				said, err := r.Follow(t.Context(), preview.Tip, true)
				if err != nil {
					t.Fatal(err)
				}
				same(t, before, snapshot(t, dir))
				did := push(t, r, commitOn(t, r, tip, "main", files("new", "1")))
				if said.Local != did.Local || said.Why != did.Why {
					t.Errorf("a dry run says %s: %s\nand it is %s: %s", said.Local, said.Why, did.Local, did.Why)
				}
			})
		}
	}
}

// A relative address of a remote is relative to the working tree that we are in, linked ones too, as for git.
func TestALinkedWorktreeWithARelativeRemote(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	linked := filepath.Join(filepath.Dir(dir), "linked")
	gittest.Git(t, dir, "worktree", "add", "-q", "-b", "side", linked)
	gittest.Git(t, dir, "remote", "set-url", "origin", must[string](t)(filepath.Rel(linked, bare)))
	gittest.Git(t, linked, "fetch", "-q")
	twice(t, open(t, filepath.Join(linked, "locales"), Options{Remote: "origin"}), linked, bare, "l10n")
}

func TestLinkedWorktrees(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "branch", "l10n")
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Git(t, dir, "worktree", "add", "-q", linked, "l10n")
	for _, from := range []string{dir, linked, filepath.Join(linked, "locales/de")} {
		r := open(t, from, Options{})
		before := snapshot(t, dir)
		tip := at(t, r, "l10n", "main")
		if paths := must[[]repository.Worktree](t)(r.repo.Holding("l10n")); len(paths) != 1 ||
			filepath.Base(paths[0].Path) != "linked" {
			t.Errorf("checked out in %v", paths)
		}
		made := commitOn(t, r, tip, "l10n", files("a", from))
		if result := push(t, r, made); result.Local != Followed {
			t.Errorf("%+v", result)
		}
		if got := string(must[[]byte](t)(os.ReadFile(filepath.Join(linked, "a")))); got != from {
			t.Errorf("the linked tree has %q", got)
		}
		same(t, before, snapshot(t, dir))
	}
	if err := os.RemoveAll(linked); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, Options{})
	made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("a", "gone"))
	if result := push(t, r, made); result.Local != Left || !strings.Contains(result.Why, "git worktree prune") {
		t.Errorf("%+v", result)
	}
	gittest.Git(t, dir, "worktree", "prune")
	if result := push(t, r, made); result.Local != Moved {
		t.Errorf("%+v", result)
	}
}

// What happens to the local branch between reading and pushing.
func TestLocalBranchMeanwhile(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	setup := func(t *testing.T) (string, *Repo, *Tip) {
		dir := gittest.Init(t, sample)
		gittest.Bare(t, dir)
		r := open(t, dir, Options{Remote: "origin"})
		push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
		return dir, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "2"))
	}
	t.Run("deleted", func(t *testing.T) {
		dir, r, made := setup(t)
		gittest.Git(t, dir, "branch", "-q", "-D", "l10n")
		if result := push(t, r, made); result.Local != Left || !strings.Contains(result.Why, "deleted") ||
			!result.Pushed {
			t.Errorf("%+v", result)
		}
		if out, err := gittest.TryGit(t, dir, "rev-parse", "--verify", "-q", "refs/heads/l10n"); err == nil {
			t.Errorf("it is back at %s", out)
		}
	})
	t.Run("committed to", func(t *testing.T) {
		dir, r, made := setup(t)
		gittest.Git(t, dir, "checkout", "-q", "l10n")
		mine := gittest.Commit(t, dir, "mine", map[string]string{"mine": "x"})
		if result := push(t, r, made); result.Local != Left || !errors.Is(result.Cause, ErrMoved) || !result.Pushed {
			t.Errorf("%+v", result)
		}
		if got := gittest.Git(t, dir, "rev-parse", "l10n"); got != mine {
			t.Errorf("it is at %s", got)
		}
	})
	t.Run("behind", func(t *testing.T) {
		dir, r, made := setup(t)
		gittest.Git(t, dir, "branch", "-q", "-f", "l10n", "main")
		if result := push(t, r, made); result.Local != Moved ||
			gittest.Git(t, dir, "rev-parse", "l10n") != made.Hash() {
			t.Errorf("%+v", result)
		}
	})
	t.Run("locked", func(t *testing.T) {
		dir, r, made := setup(t)
		gittest.Write(t, dir, map[string]string{".git/refs/heads/l10n.lock": ""})
		if result := push(t, r, made); result.Local != Left || !errors.Is(result.Cause, ErrBusy) || !result.Pushed {
			t.Errorf("%+v", result)
		}
	})
}

func TestHeadAndBusy(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	r := open(t, dir, Options{})
	first := gittest.Git(t, dir, "rev-parse", "HEAD")
	if branch, commit, err := r.Head(); branch != "main" || commit != first || err != nil || r.Busy() != "" {
		t.Errorf("%s %s %v %q", branch, commit, err, r.Busy())
	}
	gittest.Git(t, dir, "checkout", "-q", "--detach")
	if branch, commit, err := r.Head(); branch != "" || commit != first || err != nil {
		t.Errorf("%s %s %v", branch, commit, err)
	}
	gittest.Git(t, dir, "checkout", "-q", "--orphan", "fresh/one")
	if branch, commit, err := r.Head(); branch != "fresh/one" || commit != "" || err != nil {
		t.Errorf("%s %s %v", branch, commit, err)
	}
	gittest.Git(t, dir, "checkout", "-q", "-f", "main")
	gittest.Commit(t, dir, "two", map[string]string{"README.md": "two\n"})
	gittest.Git(t, dir, "checkout", "-q", "-b", "side", "HEAD^")
	gittest.Commit(t, dir, "three", map[string]string{"README.md": "three\n"})
	for _, c := range []struct {
		want string
		args []string
		end  []string
	}{
		{"rebase", []string{"rebase", "main"}, []string{"rebase", "--abort"}},
		{"rebase", []string{"rebase", "--apply", "main"}, []string{"rebase", "--abort"}},
		{"merge", []string{"merge", "main"}, []string{"merge", "--abort"}},
		{"cherry-pick", []string{"cherry-pick", "main"}, []string{"cherry-pick", "--abort"}},
		{"revert", []string{"revert", "--no-edit", "main"}, []string{"revert", "--abort"}},
		{"bisect", []string{"bisect", "start"}, []string{"bisect", "reset"}},
	} {
		_, _ = gittest.TryGit(t, dir, c.args...)
		if got := r.Busy(); got != c.want {
			t.Errorf("git %v: busy with %q", c.args, got)
		}
		gittest.Git(t, dir, c.end...)
		if got := r.Busy(); got != "" {
			t.Errorf("after git %v: busy with %q", c.end, got)
		}
	}
	gittest.Write(t, dir, map[string]string{".git/index.lock": ""})
	if got := r.Busy(); got != "index.lock" {
		t.Errorf("busy with %q", got)
	}
}
