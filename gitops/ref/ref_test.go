package ref

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
)

// commits makes a line of n commits that no reference names and gives them oldest first.
func commits(t testing.TB, dir string, n int) []object.Name {
	t.Helper()
	if out, err := gittest.TryGit(t, dir, "hash-object", "-w", "-t", "tree", os.DevNull); err != nil {
		t.Fatal(out)
	}
	var list []object.Name
	args := []string{"commit-tree", object.SHA1.New(object.Tree, nil).Name.String(), "-m"}
	for i := range n {
		with := append(append([]string(nil), args...), fmt.Sprint(i))
		if i > 0 {
			with = append(with, "-p", list[i-1].String())
		}
		h, _ := object.Parse(gittest.Git(t, dir, with...))
		list = append(list, h)
	}
	return list
}

func bareRefs(t testing.TB) (string, *Store) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r.git")
	gittest.Git(t, "", "init", "-q", "--bare", dir)
	return dir, storeIn(t, dir)
}

func storeIn(t testing.TB, common string) *Store {
	t.Helper()
	git, err := run.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return &Store{Git: git, Dir: common, Now: time.Now, Step: func(string) {}}
}

// byGit is the same store, read as one whose references are no files.
func byGit(s *Store) *Store {
	return &Store{Git: s.Git, Dir: s.Dir, Now: s.Now, Step: s.Step, ByGit: true}
}

// Law: our moves, git's moves and git's packing of references, in any order, end in the state that a map would have.
func TestRefsAgreeWithGit(t *testing.T) {
	t.Parallel()
	t.Run("files", func(t *testing.T) {
		dir, files := bareRefs(t)
		agree(t, dir, files)
	})
	t.Run("by git", func(t *testing.T) {
		dir, files := bareRefs(t)
		agree(t, dir, byGit(files))
	})
}

func agree(t *testing.T, dir string, r *Store) {
	values := commits(t, dir, 3)
	names := []string{"refs/heads/a", "refs/heads/b/c", "refs/heads/b/d", "refs/locsync/a",
		"refs/heads/a/x", "refs/heads/b"}
	rapid.Check(t, func(rt *rapid.T) {
		for _, name := range names {
			if h, ok, _ := r.Read(name); ok {
				if err := r.Swap(t.Context(), name, h, object.Name{}, ""); err != nil {
					rt.Fatal("clearing up: ", err)
				}
			}
		}
		model := map[string]object.Name{}
		clash := func(name string) bool {
			for other := range model {
				if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
					return true
				}
			}
			return false
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			name := rapid.SampledFrom(names).Draw(rt, "name")
			value := rapid.SampledFrom(values).Draw(rt, "value")
			old := model[name]
			switch op := rapid.SampledFrom([]string{"swap", "swap", "stale", "remove", "git update", "git delete",
				"git pack"}).Draw(rt, "op"); op {
			case "swap":
				err := r.Swap(t.Context(), name, old, value, "")
				if clash(name) != (err != nil) {
					rt.Fatalf("swap %s beside %v: %v", name, model, err)
				}
				if err == nil {
					model[name] = value
				}
			case "stale":
				if err := r.Swap(t.Context(), name, object.SHA1.New(object.Blob, nil).Name, value, ""); err == nil {
					rt.Fatalf("%s moved from a value it did not have", name)
				}
				if old != (object.Name{}) {
					if err := r.Swap(t.Context(), name, object.Name{}, value, ""); !errors.Is(err, ErrMoved) {
						rt.Fatalf("%s was created though it exists: %v", name, err)
					}
				}
			case "remove":
				if old == (object.Name{}) {
					continue
				}
				if err := r.Swap(t.Context(), name, value, object.Name{}, ""); (err == nil) != (value == old) {
					rt.Fatalf("remove %s at %s, being at %s: %v", name, value, old, err)
				}
				if value == old {
					delete(model, name)
				}
			case "git update":
				out, err := gittest.TryGit(t, dir, "update-ref", name, value.String())
				if clash(name) != (err != nil) {
					rt.Fatalf("git update-ref %s beside %v: %v %s", name, model, err, out)
				}
				if err == nil {
					model[name] = value
				}
			case "git delete":
				if out, err := gittest.TryGit(t, dir, "update-ref", "-d", name); err != nil && old != (object.Name{}) {
					rt.Fatalf("git update-ref -d %s: %s", name, out)
				}
				delete(model, name)
			case "git pack":
				gittest.Git(t, dir, "pack-refs", "--all", "--prune")
			}
		}
		ours, err := r.List("refs/")
		if err != nil {
			rt.Fatal(err)
		}
		theirs := map[string]object.Name{}
		for line := range strings.Lines(gittest.Git(t, dir, "for-each-ref", "--format=%(objectname) %(refname)")) {
			value, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			theirs[name], _ = object.Parse(value)
		}
		for _, name := range names {
			one, _, err := r.Read(name)
			if err != nil || one != model[name] || ours[name] != model[name] || theirs[name] != model[name] {
				rt.Fatalf("%s: read %s, listed %s, git %s, model %s, %v", name, one, ours[name],
					theirs[name], model[name], err)
			}
		}
	})
}

// Our swaps race git's on one reference, with git packing references and readers all along: every success is a real
// one, and no reader sees anything but a commit.
func TestSwapRacesGit(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir, r := bareRefs(t)
	line := commits(t, dir, 40)
	const ref = "refs/heads/race"
	if err := r.Swap(t.Context(), ref, object.Name{}, line[0], ""); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(gittest.Rounds(1, 20))*time.Second)
	defer cancel()
	// Each mover goes from what it reads to the next in the circle; had a move been lost, two movers would have gone
	// from the same value and the number of moves would not lead to the last value.
	next := func(h object.Name) object.Name {
		for i := range line {
			if line[i] == h {
				return line[(i+1)%len(line)]
			}
		}
		t.Errorf("%s is at %s", ref, h)
		return line[0]
	}
	var moves atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for ctx.Err() == nil {
				now, _, err := r.Read(ref)
				if err != nil {
					t.Errorf("read: %v", err)
					return
				}
				switch err := r.Swap(context.Background(), ref, now, next(now), ""); {
				case err == nil:
					moves.Add(1)
				case !errors.Is(err, ErrMoved) && !errors.Is(err, ErrBusy):
					t.Errorf("swap: %v", err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for ctx.Err() == nil {
			now, _, _ := r.Read(ref)
			if _, err := gittest.TryGit(t, dir, "update-ref", ref, next(now).String(), now.String()); err == nil {
				moves.Add(1)
			}
		}
	})
	wg.Go(func() {
		for ctx.Err() == nil {
			_, _ = gittest.TryGit(t, dir, "pack-refs", "--all")
			time.Sleep(300 * time.Millisecond)
		}
	})
	wg.Go(func() {
		for ctx.Err() == nil {
			if out, err := gittest.TryGit(t, dir, "rev-parse", "--verify", ref); err != nil {
				t.Errorf("git saw no value: %s", out)
				return
			}
		}
	})
	wg.Wait()
	last, _, err := r.Read(ref)
	if want := line[int(moves.Load())%len(line)]; err != nil || last != want {
		t.Errorf("%d moves were reported, and the reference is at %s, not %s: moves were lost (%v)",
			moves.Load(), last, want, err)
	}
	if least := int64(gittest.Rounds(2, 20)); moves.Load() < least {
		t.Errorf("only %d moves", moves.Load())
	}
	gittest.Sound(t, dir)
}

func TestALockOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir, r := bareRefs(t)
	v := commits(t, dir, 2)
	lock := filepath.Join(dir, "refs/heads/x.lock")
	gittest.Write(t, dir, map[string]string{"refs/heads/x.lock": ""})
	err := r.Swap(t.Context(), "refs/heads/x", object.Name{}, v[0], "")
	if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "remove the file") {
		t.Errorf("swap under a lock: %v", err)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error("the lock of somebody else was removed")
	}
	time.AfterFunc(50*time.Millisecond, func() { os.Remove(lock) })
	if err := r.Swap(t.Context(), "refs/heads/x", object.Name{}, v[0], ""); err != nil {
		t.Errorf("swap after the lock went: %v", err)
	}
}

// A machine that stopped leaves the lock of a reference. Only we move those in the outbox; others may be in use.
func TestALockThatAStoppedMachineLeft(t *testing.T) {
	t.Parallel()
	dir, r := bareRefs(t)
	v := commits(t, dir, 1)
	for name, goes := range map[string]bool{"refs/locsync/a/x": true,
		"refs/locsync/new": false, "refs/heads/x": false} {
		lock := filepath.Join(dir, name+".lock")
		gittest.Write(t, dir, map[string]string{name + ".lock": ""})
		if old := time.Now().Add(-time.Hour); name != "refs/locsync/new" {
			if err := os.Chtimes(lock, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Sweep(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(lock); goes != errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", lock, err)
		}
		if err := r.Swap(t.Context(), name, object.Name{}, v[0], ""); goes != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Damage is never read as absence, whatever way references are read.
func TestADamagedReference(t *testing.T) {
	t.Parallel()
	dir, r := bareRefs(t)
	v := commits(t, dir, 1)
	for _, content := range []string{"", "rubbish\n"} {
		gittest.Write(t, dir, map[string]string{"refs/heads/x": content})
		for _, r := range []*Store{r, byGit(r)} {
			if h, ok, err := r.Read("refs/heads/x"); ok || err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("%q by git %v: %s %v %v", content, r.ByGit, h, ok, err)
			}
			if err := r.Swap(t.Context(), "refs/heads/x", object.Name{}, v[0], ""); err == nil {
				t.Errorf("%q by git %v: it was moved", content, r.ByGit)
			}
		}
	}
}

func TestBranchNamesThatClash(t *testing.T) {
	t.Parallel()
	dir, r := bareRefs(t)
	v := commits(t, dir, 1)
	gittest.Git(t, dir, "update-ref", "refs/heads/a", v[0].String())
	for _, packed := range []bool{false, true} {
		if packed {
			gittest.Git(t, dir, "pack-refs", "--all", "--prune")
		}
		err := r.Swap(t.Context(), "refs/heads/a/b", object.Name{}, v[0], "")
		if err == nil || !strings.Contains(err.Error(), "another branch name") {
			t.Errorf("a/b beside a, packed %v: %v", packed, err)
		}
	}
	if out := gittest.Git(t, dir, "for-each-ref", "--format=%(refname)"); out != "refs/heads/a" {
		t.Errorf("references are now %q", out)
	}
}

// Reference logs are written where git writes them, and in a form that git reads.
func TestReferenceLogs(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"README.md": "x"})
	files := storeIn(t, filepath.Join(dir, ".git"))
	head, _ := object.Parse(gittest.Git(t, dir, "rev-parse", "HEAD"))
	for branch, r := range map[string]*Store{"b": files, "c": byGit(files)} {
		for _, name := range []string{"refs/heads/" + branch, "refs/locsync/" + branch} {
			if err := r.Swap(t.Context(), name, object.Name{}, head, "locsync:\nsubject"); err != nil {
				t.Fatal(err)
			}
		}
		got := gittest.Git(t, dir, "log", "-g", "--format=%gd %gs %gn %ge", branch)
		if got != branch+"@{0} locsync: subject locsync locsync@localhost" {
			t.Errorf("git reads %q", got)
		}
		if _, err := os.Stat(filepath.Join(dir, ".git/logs/refs/locsync", branch)); err == nil {
			t.Error("the outbox has a log")
		}
	}
}

// What HEAD names is read in both ways alike.
func TestHead(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"README.md": "x"})
	files := storeIn(t, filepath.Join(dir, ".git"))
	head, _ := object.Parse(gittest.Git(t, dir, "rev-parse", "HEAD"))
	for _, detached := range []bool{false, true} {
		if detached {
			gittest.Git(t, dir, "checkout", "-q", "--detach")
		}
		for _, r := range []*Store{files, byGit(files)} {
			symbolic, h, err := r.Head(files.Dir)
			if err != nil || detached != (h == head) || detached != (symbolic == "") || !detached &&
				symbolic != "refs/heads/main" {
				t.Errorf("detached %v: %q %s %v", detached, symbolic, h, err)
			}
		}
	}
}

func TestReferenceNames(t *testing.T) {
	t.Parallel()
	dir, _ := bareRefs(t)
	rapid.Check(t, func(rt *rapid.T) {
		name := "refs/heads/" + rapid.StringMatching(`[a-c./~^:?*\[\\@{ \x01é-]{1,8}(\.lock)?`).Draw(rt, "name")
		_, err := gittest.TryGit(t, dir, "check-ref-format", name)
		if (CheckName(name) == nil) != (err == nil) {
			rt.Fatalf("%q: ours %v, git's %v", name, CheckName(name), err)
		}
	})
}
