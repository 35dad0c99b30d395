package repository

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"pgregory.net/rapid"
)

// Clones go least recently used first, until the others are small enough: never one in use, never one whose commit
// waits to be delivered. One that went is made again when it is needed.
func TestClonesAreBounded(t *testing.T) {
	gittest.Need(t)
	seed := gittest.Init(t, map[string]string{"big.txt": strings.Repeat("not compressed away ", 10)})
	address := gittest.Serve(t, gittest.Bare(t, seed), gittest.Options{})
	folder := t.TempDir()
	c := cacheOf(folder)
	now := time.Now().Truncate(time.Second)
	open := func(n int) *gitops.Repo {
		t.Helper()
		dir := filepath.Join(folder, fmt.Sprint(n, ".git"))
		done := c.use(dir)
		repo, err := gitops.OpenClone(t.Context(), dir, address, gitops.Options{})
		if err != nil {
			t.Fatal(err)
		}
		repo.OnClose(done)
		c.touch(dir, now)
		return repo
	}
	shut := func(repo *gitops.Repo) {
		t.Helper()
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}
	for n := range 4 {
		now = now.Add(time.Hour)
		shut(open(n))
	}
	there := func() (names string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names += e.Name() + " "
		}
		return names
	}
	shrink := func(most int64, want string) {
		t.Helper()
		now = now.Add(lookAgain)
		removed, err := c.shrink(t.Context(), most, now)
		if err != nil {
			t.Error(err)
		}
		if got := there(); got != want {
			t.Errorf("there are %s, want %s; removed %v", got, want, removed)
		}
	}
	size := sizeOf(filepath.Join(folder, "0.git"))
	if size < 100 {
		t.Fatalf("a clone has %d bytes", size)
	}
	shrink(10*size, "0.git 1.git 2.git 3.git ")
	shrink(3*size+size/2, "1.git 2.git 3.git ")
	used := open(1)
	gittest.Git(t, filepath.Join(folder, "2.git"), "fetch", "-q", "origin")
	gittest.Git(t, filepath.Join(folder, "2.git"), "update-ref", "refs/locsync-outbox/l10n", "refs/remotes/origin/main")
	if err := os.Chtimes(filepath.Join(folder, "2.git"), now.Add(-time.Hour), now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	shrink(0, "1.git 2.git ")
	if removed, err := c.shrink(t.Context(), 0, now); len(removed) > 0 || err != nil {
		t.Errorf("looked again at once: %v, %v", removed, err)
	}
	shut(used)
	shrink(0, "2.git ")
	shut(open(1))
	if err := os.Mkdir(filepath.Join(folder, "5.git.gone"), 0o700); err != nil { // the process was killed there
		t.Fatal(err)
	}
	shrink(10*size, "1.git 2.git ")
}

// Whatever is opened and closed, when: what stays fits, or cannot go.
func TestClonesAreBoundedWhatever(t *testing.T) {
	gittest.Need(t)
	root := t.TempDir()
	rounds := 0
	rapid.Check(t, func(rt *rapid.T) {
		rounds++
		folder := filepath.Join(root, fmt.Sprint(rounds))
		c := cacheOf(folder)
		now := time.Unix(1_800_000_000, 0)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			rt.Fatal(err)
		}
		open := map[string][]func(){}
		last := map[string]time.Time{}
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			now = now.Add(time.Minute)
			dir := filepath.Join(folder, rapid.SampledFrom([]string{"a.git", "b.git", "c.git"}).Draw(rt, "clone"))
			switch rapid.IntRange(0, 2).Draw(rt, "step") {
			case 0:
				done := c.use(dir)
				if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
					gittest.Git(t, root, "init", "-q", "--bare", dir)
				}
				if err := os.WriteFile(filepath.Join(dir, "data"), make([]byte, 100_000), 0o600); err != nil {
					rt.Fatal(err)
				}
				c.touch(dir, now)
				open[dir], last[dir] = append(open[dir], done), now
			case 1:
				if n := len(open[dir]); n > 0 {
					open[dir][n-1]()
					open[dir] = open[dir][:n-1]
				}
			case 2:
				most := int64(rapid.IntRange(0, 4).Draw(rt, "most")) * 120_000
				before, _ := filepath.Glob(filepath.Join(folder, "*.git"))
				if _, err := c.shrink(t.Context(), most, now); err != nil {
					rt.Fatal(err)
				}
				after, _ := filepath.Glob(filepath.Join(folder, "*.git"))
				var total int64
				for _, dir := range after {
					total += sizeOf(dir)
				}
				for _, dir := range before {
					stays := slices.Contains(after, dir)
					if !stays && len(open[dir]) > 0 {
						rt.Fatalf("%s was in use", dir)
					}
					for _, other := range after {
						if !stays && len(open[other]) == 0 && last[other].Before(last[dir]) {
							rt.Fatalf("%s went, and %s, which was used before it, stays", dir, other)
						}
					}
					if stays && len(open[dir]) == 0 && total > most {
						rt.Fatalf("%s stays, and all are %d bytes, of %d", dir, total, most)
					}
				}
			}
		}
	})
}
