package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// Several publishers, each with its own clone or sharing one, and a person with git, commit to one branch of one
// remote: every commit that was reported as delivered is in the branch, in one line (G3, G4, G5).
func TestManyPublishers(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"http", "folder", "one clone"} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, gittest.Options{})
			const publishers = 4
			each := gittest.Rounds(1, 6)
			var repos []*Repo
			for range publishers {
				dir := s.dir
				if kind != "one clone" {
					dir = gittest.Clone(t, s.bare)
				}
				if kind == "http" {
					gittest.Git(t, dir, "remote", "set-url", "origin",
						gittest.Git(t, s.dir, "remote", "get-url", "origin"))
				}
				repos = append(repos, open(t, dir, Options{Remote: "origin"}))
			}
			var mu sync.Mutex
			delivered := map[string]bool{}
			var wg sync.WaitGroup
			for i, r := range repos {
				wg.Go(func() {
					for n := range each {
						hash, err := publish(t, r, fmt.Sprintf("%d/%d", i, n))
						if err != nil {
							t.Errorf("%d/%d: %v", i, n, err)
							return
						}
						mu.Lock()
						delivered[hash] = true
						mu.Unlock()
					}
				})
			}
			for n := range each { // and a person
				theirs := gittest.Clone(t, s.bare)
				for try := 0; ; try++ {
					gittest.Git(t, theirs, "fetch", "-q", "origin")
					from := "origin/main"
					if _, err := gittest.TryGit(t, theirs, "rev-parse", "--verify", "-q", "origin/l10n"); err == nil {
						from = "origin/l10n"
					}
					gittest.Git(t, theirs, "checkout", "-q", "--detach", from)
					hash := gittest.Commit(t, theirs, "by hand", map[string]string{"by hand": fmt.Sprint(n)})
					if _, err := gittest.TryGit(t, theirs, "push", "-q", "origin", "HEAD:refs/heads/l10n"); err == nil {
						mu.Lock()
						delivered[hash] = true
						mu.Unlock()
						break
					}
					if try == 100 {
						t.Fatal("a person's push never got through")
					}
				}
			}
			wg.Wait()
			line := strings.Fields(gittest.Git(t, s.bare, "log", "--format=%H", "main..l10n"))
			if len(line) != (publishers+1)*each || len(delivered) != (publishers+1)*each {
				t.Errorf("%d commits in the branch, %d reported", len(line), len(delivered))
			}
			for _, h := range line {
				delete(delivered, h)
			}
			if len(delivered) > 0 {
				t.Errorf("lost: %v", delivered)
			}
			if merges := gittest.Git(t, s.bare, "log", "--merges", "--format=%H", "main..l10n"); merges != "" {
				t.Errorf("not one line: %s", merges)
			}
			gittest.Sound(t, s.bare)
			for _, r := range repos {
				gittest.Sound(t, r.Facts().GitDir)
			}
		})
	}
}

// publish is the engine's loop: build on the tip, deliver, and begin again when the branch moved. It gives the commit
// that brought the file. Where publishers share a clone, one may find its commit delivered, or dropped, by another.
func publish(t *testing.T, r *Repo, name string) (string, error) {
	var last error
	late := time.Now().Add(2 * time.Minute) // git holds its locks for as long as the disk takes
	for time.Now().Before(late) {
		tip, err := r.At(t.Context(), "l10n", "")
		if err != nil {
			return "", err
		}
		if _, err := fs.Stat(tip, name); err == nil {
			return "", errors.New("it is there already")
		}
		made, err := r.Commit(t.Context(), tip, "l10n", files(name, name), message(name))
		if err == nil {
			if _, err = r.Push(t.Context(), made); err == nil {
				return made.Hash(), nil
			}
		}
		if !errors.Is(err, ErrMoved) && !errors.Is(err, ErrBusy) {
			return "", err
		}
		last = err
		if made != nil { // ours waits, and cannot be delivered
			if err := r.Drop("l10n"); err != nil && !errors.Is(err, ErrMoved) {
				return "", err
			}
		}
		time.Sleep(time.Millisecond)
	}
	return "", fmt.Errorf("no luck: %w", last)
}

// External collection of garbage, all along: no object that a reference needs is lost, at any moment (G2).
func TestGarbageIsCollectedMeanwhile(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"folder", "http"} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, gittest.Options{})
			if kind == "folder" {
				gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			// At the remote the danger is git's own: its receive-pack is not safe beside --prune=now.
			wg.Go(func() {
				for ctx.Err() == nil {
					_, _ = gittest.TryGit(t, s.dir, "gc", "-q", "--prune=now")
					_, _ = gittest.TryGit(t, s.dir, "repack", "-adq")
					_, _ = gittest.TryGit(t, s.dir, "pack-refs", "--all", "--prune")
				}
			})
			r := open(t, s.dir, Options{Remote: "origin"})
			other := open(t, gittest.Clone(t, s.bare), Options{Remote: "origin"})
			count := gittest.Rounds(3, 20)
			for i := range count {
				if _, err := pass(t, other, "other", files("other", fmt.Sprint(i))); err != nil {
					t.Errorf("another branch: %v", err)
				}
				if _, err := publish(t, r, fmt.Sprint(i)); err != nil {
					t.Errorf("%d: %v", i, err)
				}
				at(t, r, "other", "")
			}
			cancel()
			wg.Wait()
			gittest.Sound(t, s.dir)
			gittest.Sound(t, s.bare)
			if n := gittest.Git(t, s.bare, "rev-list", "--count", "main..l10n"); n != fmt.Sprint(count) {
				t.Errorf("%s commits arrived", n)
			}
		})
	}
}
