package gitops

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/sync/bound"
)

// Files of a git folder that are larger than any that git makes are named, and nothing is read of them.
func TestFilesWithoutMeasure(t *testing.T) {
	t.Parallel()
	for file, read := range map[string]func(r *Repo, tip *Tip) error{
		".git/refs/heads/l10n": func(r *Repo, _ *Tip) error { _, err := r.Branches.Has("l10n"); return err },
		".git/HEAD":            func(r *Repo, _ *Tip) error { _, _, err := r.Head(); return err },
		".git/rebase-merge/update-refs": func(r *Repo, _ *Tip) error {
			_, err := r.repo.Holding("other")
			return err
		},
		".git/worktrees/w/gitdir": func(r *Repo, _ *Tip) error { _, err := r.repo.Holding("main"); return err },
		".git/info/attributes":    func(_ *Repo, tip *Tip) error { return tip.Writable("locales/de/app.json") },
		".git/hooks/post-commit": func(r *Repo, _ *Tip) error {
			_, err := r.Hooks.Install(HookCommands{})
			return err
		},
		".git/hooks/post-merge": func(r *Repo, _ *Tip) error {
			_, err := r.Hooks.State(HookCommands{})
			return err
		},
		".git/hooks/post-merge.legacy": func(r *Repo, _ *Tip) error { _, err := r.Hooks.Uninstall(); return err },
	} {
		dir := gittest.Init(t, sample)
		r := open(t, dir, Options{})
		tip := at(t, r, "main", "")
		gittest.Write(t, dir, map[string]string{file: ""})
		name := filepath.Join(dir, file)
		if err := os.Truncate(name, 65<<20); err != nil {
			t.Fatal(err)
		}
		if err := read(r, tip); !bound.Is(err) || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// An object that is too large to be read has a size, is named where it is read, and holds up no other one.
func TestAnObjectWithoutMeasure(t *testing.T) {
	gittest.Long(t)
	dir := gittest.Init(t, sample)
	cmd := exec.Command("git", "-C", dir, "hash-object", "-w", "--stdin")
	cmd.Env, cmd.Stdin = gittest.Environ(), io.LimitReader(zeros{}, 257<<20)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	name, _ := object.Parse(strings.TrimSpace(string(out)))
	r := open(t, dir, Options{})
	if _, size, err := r.repo.Objects.Size(name); err != nil || size != 257<<20 {
		t.Errorf("%d %v", size, err)
	}
	if _, _, err := r.repo.Objects.Read(name); !bound.Is(err) {
		t.Errorf("read: %v", err)
	}
	if b, err := at(t, r, "main", "").ReadFile("locales/de/app.json"); err != nil || len(b) == 0 {
		t.Errorf("after it: %q %v", b, err)
	}
}

// A program that prints without an end is ended.
func TestAnAnswerWithoutMeasure(t *testing.T) {
	yes, err := exec.LookPath("yes")
	if err != nil {
		t.Skip(err)
	}
	git := &run.Program{Path: yes}
	if out, err := git.Run(t.Context(), run.Call{Args: []string{"y"}}); !bound.Is(err) || len(out) > 0 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// Hooks of a folder of this machine take the memory that they need; what a server sends is bounded.
func TestHooksOfAFolderHaveTheirMemory(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("sh", "-c", "ulimit -d").Output()
	if err != nil {
		t.Skip("no limits here")
	}
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	gittest.Hook(t, bare, "pre-receive", `cat >/dev/null; echo "data $(ulimit -d)" >&2`)
	r := open(t, dir, Options{Remote: "origin"})
	result, err := r.Push(t.Context(), commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
	if want := "data " + strings.TrimSpace(string(out)); err != nil || strings.Join(result.Said, "") != want {
		t.Errorf("%q, %v; want %q", result.Said, err, want)
	}
}
