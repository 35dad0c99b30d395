package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/run"
)

// brings says that a request asks for a pack, by either version of the protocol.
func brings(r *http.Request) bool {
	if !gittest.IsFetch(r) {
		return false
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return bytes.Contains(body, []byte("command=fetch")) || !bytes.Contains(body, []byte("command="))
}

// largeRemote is a bare repository with 2.4 MB that cannot be compressed, so that a twentieth of it is more than a
// packet of the side band, which git takes whole; and the commit.
func largeRemote(t *testing.T) (bare, commit string) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{1})
	files := map[string]string{}
	for i := range 6 {
		b := make([]byte, 400<<10)
		_, _ = source.Read(b)
		files[fmt.Sprintf("large/%d", i)] = string(b)
	}
	dir := gittest.Init(t, files)
	bare = gittest.Bare(t, dir)
	gittest.Git(t, bare, "config", "uploadpack.allowFilter", "true")
	gittest.Git(t, bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	gittest.Git(t, bare, "repack", "-adq")
	return bare, gittest.Git(t, dir, "rev-parse", "HEAD")
}

// serveLarge serves it, with a fault in what it brings for as long as the switch is on.
func serveLarge(t *testing.T, bare string, f gittest.Fault) (address string, broken *atomic.Bool) {
	broken = new(atomic.Bool)
	return gittest.Serve(t, bare, gittest.Options{Fault: func(r *http.Request, _ int) *gittest.Fault {
		if !broken.Load() || !brings(r) {
			return nil
		}
		return &f
	}}), broken
}

// patience is Silence in the tests below. They wait more than they work, and so all at once, when everything is
// prepared.
const patience = 1500 * time.Millisecond

func TestSlowAndSilent(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	bare, commit := largeRemote(t)
	var waits []func()
	for name, f := range map[string]gittest.Fault{"slow": {Trickle: patience / 10},
		"silent in the middle": {CutReply: 1 << 20, HangReply: true}, "never answered": {Delay: time.Hour}} {
		waits = append(waits, slowFetch(t, name, f, bare, commit))
	}
	waits = append(waits, slowHook(t))
	waits = append(waits, slowBlob(t, bare), slowLargeFiles(t), slowTree(t), slowPartialTree(t),
		hangingHook(t, "http"), hangingHook(t, "git"))
	var wg sync.WaitGroup
	for _, wait := range waits {
		wg.Go(wait)
	}
	wg.Wait()
}

// A fetch over a slow line takes longer than Silence and arrives; one that stops in the middle, or is never answered,
// ends after Silence, says for how long nothing came, how far it was and where, and leaves a repository that is sound.
// A heart hears the first and not the others.
func slowFetch(t *testing.T, name string, f gittest.Fault, bare, want string) func() {
	address, broken := serveLarge(t, bare, f)
	broken.Store(true)
	dir := gittest.Init(t, nil)
	gittest.Git(t, dir, "remote", "add", "origin", address)
	var told atomic.Int32
	r := open(t, dir, Options{Remote: "origin", Silence: patience, Alive: func() { told.Add(1) }})
	return func() {
		told.Store(0)
		began := time.Now()
		tip, err := r.At(t.Context(), "main", "")
		took := time.Since(began)
		gittest.Sound(t, dir)
		if f.Trickle > 0 {
			if err != nil || tip.Hash() != want || took < patience*5/4 || told.Load() < 6 {
				t.Errorf("%s: %v after %s, told %d times", name, err, took, told.Load())
			}
			return
		}
		silent, ok := errors.AsType[*Silent](err)
		if !ok || took < patience || took > 20*patience || silent.For < patience ||
			!strings.Contains(err.Error(), "http://127.0.0.1") {
			t.Errorf("%s: %v after %s, told %d times", name, err, took, told.Load())
			return
		}
		if f.CutReply > 0 && !strings.HasPrefix(silent.Last, "Receiving objects: ") {
			t.Errorf("%s: not how far it was: %v", name, err)
		}
		broken.Store(false)
		r.repo.Options.Silence = time.Minute
		if tip, err := r.At(t.Context(), "main", ""); err != nil || tip.Hash() != want {
			t.Errorf("%s: the next one: %v", name, err)
		}
	}
}

// A push waits for as long as the hooks at the other end say something, however long they take.
func slowHook(t *testing.T) func() {
	s := serve(t, gittest.Options{})
	gittest.Hook(t, s.bare, "pre-receive",
		"cat >/dev/null; printf 'on Windows\\r\\n' >&2; for i in 1 2 3 4 5 6 7 8; do echo checking $i >&2; sleep 0.25; done")
	r := open(t, s.dir, Options{Remote: "origin", Silence: patience})
	made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
	return func() {
		began := time.Now()
		result, err := r.Push(t.Context(), made)
		if took := time.Since(began); err != nil || took < patience*5/4 {
			t.Errorf("%v after %s", err, took)
		}
		if said := strings.Join(result.Said,
			"; "); said != "on Windows; checking 1; checking 2; checking 3; checking 4; checking 5; checking 6; checking 7; checking 8" {
			t.Errorf("said %q", said)
		}
	}
}

// A hook that says nothing is given up, also where its server says all the time that the connection is to stay up.
func hangingHook(t *testing.T, scheme string) func() {
	s := serve(t, gittest.Options{})
	if scheme == "git" {
		address := fmt.Sprintf("git://127.0.0.1:%d/%s", gittest.Daemon(t, filepath.Dir(s.bare)).Port,
			filepath.Base(s.bare))
		gittest.Git(t, s.dir, "remote", "set-url", "origin", address)
	}
	gittest.Git(t, s.bare, "config", "receive.keepAlive", "1")
	gittest.Hook(t, s.bare, "pre-receive", "cat >/dev/null; sleep 6")
	r := open(t, s.dir, Options{Remote: "origin", Silence: patience})
	made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
	return func() {
		if _, err := r.Push(t.Context(), made); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a hook that hangs, %s: %v", scheme, err)
		}
	}
}

// A single large file that a partial clone left out: git says nothing before it has it whole, but the pack grows.
func slowBlob(t *testing.T, bare string) func() {
	address, broken := serveLarge(t, bare, gittest.Fault{Trickle: patience / 10})
	r := partialClone(t, t.Context(), address, Options{Silence: patience})
	tip := at(t, r, "main", "")
	broken.Store(true)
	return func() {
		began := time.Now()
		err := tip.Prefetch(t.Context(), func(path string) bool { return path == "large" },
			func(path string) bool { return path == "large/0" })
		if took := time.Since(began); err != nil || took < patience*5/4 {
			t.Errorf("a blob: %v after %s", err, took)
		}
		broken.Store(false)
		if b, err := tip.ReadFile("large/0"); err != nil || len(b) != 400<<10 {
			t.Errorf("a blob: %d bytes, %v", len(b), err)
		}
	}
}

// The files of git LFS, which tells of them in a file of its own.
func slowLargeFiles(t *testing.T) func() {
	dir := gittest.Init(t, map[string]string{".gitattributes": "*.json filter=large\n*.txt filter=hangs",
		"a.json": "{}\n", "a.txt": "text"})
	gittest.Git(t, dir, "config", "filter.large.smudge",
		`for i in 1 2 3 4 5 6 7 8; do echo download $i/8 >> "$GIT_LFS_PROGRESS"; sleep 0.25; done; cat`)
	gittest.Git(t, dir, "config", "filter.hangs.smudge", "sleep 60")
	tip := at(t, open(t, dir, Options{Silence: patience}), "main", "")
	return func() {
		began := time.Now()
		if b, err := tip.ReadFile("a.json"); err != nil || string(b) != "{}\n" || time.Since(began) < patience*5/4 {
			t.Errorf("a large file: %q %v after %s", b, err, time.Since(began))
		}
		if _, err := tip.ReadFile("a.txt"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a filter that hangs: %v", err)
		}
	}
}

// A working tree that follows later is given up as well when a filter hangs.
func slowTree(t *testing.T) func() {
	dir := gittest.Init(t, map[string]string{".gitattributes": "*.txt filter=hangs", "README.md": "x"})
	gittest.Git(t, dir, "config", "filter.hangs.clean", "cat")
	gittest.Git(t, dir, "config", "filter.hangs.smudge", "cat")
	gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin", Silence: patience})
	gittest.Write(t, dir, map[string]string{"README.md": "y"})
	if result := push(t, r, commitOn(t, r, at(t, r, "main", ""), "main", files("a.txt", "1"))); result.Local != Left {
		t.Fatalf("%+v", result)
	}
	gittest.Git(t, dir, "checkout", "-q", "README.md")
	gittest.Git(t, dir, "config", "filter.hangs.smudge", "sleep 60")
	tip := at(t, r, "main", "")
	return func() {
		result, err := r.Follow(t.Context(), tip, false)
		if !errors.Is(err, context.DeadlineExceeded) || result.Local != Left {
			t.Errorf("a tree that hangs: %+v, %v", result, err)
		}
	}
}

// A working tree of a partial clone follows for as long as what it checks out arrives.
func slowPartialTree(t *testing.T) func() {
	bare, _ := largeRemote(t)
	address, broken := serveLarge(t, bare, gittest.Fault{Trickle: patience / 10})
	dir := filepath.Join(t.TempDir(), "clone")
	gittest.Git(t, bare, "clone", "-q", "--filter=blob:none", "--sparse", address, dir)
	r := open(t, dir, Options{Remote: "origin", Silence: patience})
	gittest.Git(t, dir, "sparse-checkout", "set", "--no-cone", "/large/0", "/a")
	other := filepath.Join(t.TempDir(), "other")
	gittest.Git(t, bare, "clone", "-q", bare, other)
	large, err := os.ReadFile(filepath.Join(other, "large", "1"))
	if err != nil {
		t.Fatal(err)
	}
	gittest.Commit(t, other, "theirs", map[string]string{"large/0": string(large[1:])})
	gittest.Git(t, other, "push", "-q", "origin", "main")
	made := commitOn(t, r, at(t, r, "main", ""), "main", files("a", "1"))
	return func() {
		broken.Store(true)
		began := time.Now()
		result, err := r.Push(t.Context(), made)
		if took := time.Since(began); err != nil || result.Local != Followed || took < patience*5/4 {
			t.Errorf("a tree of a partial clone: %+v, %v after %s", result, err, took)
		}
	}
}

// partialClone is a clone of ours, without blobs.
func partialClone(t *testing.T, ctx context.Context, address string, o Options) *Repo {
	t.Helper()
	r := must[*Repo](t)(OpenClone(ctx, filepath.Join(t.TempDir(), "clone.git"), address, o))
	t.Cleanup(func() { r.Close() })
	return r
}

// Reading a file has no context of its own: it ends with the one that the repository was opened with. What the fetch
// has left goes when it is old enough.
func TestReadsEnd(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	bare, _ := largeRemote(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	address, broken := serveLarge(t, bare, gittest.Fault{CutReply: 200 << 10, HangReply: true})
	r := partialClone(t, ctx, address, Options{})
	tip := at(t, r, "main", "")
	broken.Store(true)
	done := make(chan error, 1)
	go func() {
		_, err := tip.ReadFile("large/1")
		done <- err
	}()
	objects := filepath.Join(r.repo.Facts.CommonDir, "objects")
	for len(run.UnfinishedPacks(objects)) == 0 {
		select {
		case err := <-done:
			t.Fatalf("it did not hang: %v", err)
		default:
		}
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrUnfetched) {
			t.Errorf("%v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
	left := run.UnfinishedPacks(objects)
	if len(left) == 0 {
		t.Fatal("an interrupted fetch leaves nothing any more; sweepFetches is needed no more")
	}
	again := func() {
		must[*Repo](t)(OpenClone(t.Context(), r.repo.Facts.CommonDir, r.repo.Settings.Get("remote.origin.url"),
			Options{})).Close()
	}
	if again(); len(run.UnfinishedPacks(objects)) != len(left) {
		t.Error("a pack was taken away that may be in use")
	}
	old := time.Now().Add(-2 * time.Hour)
	for _, e := range left {
		if err := os.Chtimes(filepath.Join(objects, "pack", e.Name()), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if again(); len(run.UnfinishedPacks(objects)) != 0 {
		t.Errorf("%v is left", run.UnfinishedPacks(objects))
	}
}

// A call that is cancelled ends at once. What it started is asked to end, so that it can put away its locks, and ends
// also if it does not want to.
func TestCancelled(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("no way to see that a process is gone")
	}
	s := serve(t, gittest.Options{})
	began, ended := filepath.Join(s.dir, ".git", "began"), filepath.Join(s.dir, ".git", "ended")
	script := fmt.Sprintf("#!/bin/sh\ntrap 'touch %s' TERM\n(trap '' TERM; while :; do sleep 0.1; done) &\necho $! > %s.new\nmv %s.new %s\nwhile :; do wait; done\n", ended, began, began, began)
	gittest.Write(t, s.dir, map[string]string{".git/ssh": script})
	if err := os.Chmod(filepath.Join(s.dir, ".git", "ssh"), 0o777); err != nil {
		t.Fatal(err)
	}
	gittest.Git(t, s.dir, "remote", "set-url", "origin", "ssh://git@127.0.0.1/x.git")
	gittest.Git(t, s.dir, "config", "core.sshCommand", filepath.Join(s.dir, ".git", "ssh"))
	r := open(t, s.dir, Options{Remote: "origin"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := r.At(ctx, "main", "")
		done <- err
	}()
	var pid []byte
	for len(pid) == 0 {
		pid, _ = os.ReadFile(began)
	}
	cancel()
	at := time.Now()
	if err := <-done; !errors.Is(err, context.Canceled) || time.Since(at) > 8*time.Second {
		t.Errorf("%v after %s", err, time.Since(at))
	}
	if _, err := os.Stat(ended); err != nil {
		t.Error("it was not asked to end")
	}
	for late := time.Now().Add(5 * time.Second); ; {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") { // killed, and not waited for here
			break
		}
		if time.Now().After(late) {
			t.Fatal("what it started runs on")
		}
	}
}
