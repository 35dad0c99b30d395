package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// elsewhere is a repository that is cloned: over http with a password, or as a folder.
type elsewhere struct {
	dir, bare, address string
	requests           atomic.Int32
	down               atomic.Bool
	o                  Options
}

func newElsewhere(t *testing.T, kind string) *elsewhere {
	t.Helper()
	e := &elsewhere{dir: gittest.Init(t, sample)}
	for i := range 20 {
		gittest.Write(t, e.dir, map[string]string{fmt.Sprintf("big/%d/file.txt", i): strings.Repeat(fmt.Sprint(i),
			1000), fmt.Sprintf("locales/en/%d.json", i): fmt.Sprintf("{\"a\": \"%d\"}\n", i)})
	}
	gittest.Git(t, e.dir, "add", "-A")
	gittest.Git(t, e.dir, "commit", "-q", "-m", "more")
	gittest.Git(t, e.dir, "branch", "-m", "trunk") // no name that is guessed
	e.bare = gittest.Bare(t, e.dir)
	gittest.Git(t, e.bare, "config", "uploadpack.allowFilter", "true")
	gittest.Git(t, e.bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	if kind == "folder" {
		e.address = "file://" + e.bare
		return e
	}
	e.o.Username, e.o.Password = "me", "secret"
	e.address = gittest.Serve(t, e.bare, gittest.Options{User: "me", Password: "secret",
		Fault: func(r *http.Request, _ int) *gittest.Fault {
			e.requests.Add(1)
			if e.down.Load() {
				return &gittest.Fault{Status: http.StatusServiceUnavailable}
			}
			return nil
		}})
	return e
}

func (e *elsewhere) clone(t testing.TB, dir string) *Repo {
	t.Helper()
	r := must[*Repo](t)(OpenClone(t.Context(), dir, e.address, e.o))
	t.Cleanup(func() { r.Close() })
	return r
}

func TestClone(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"http", "folder"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			e := newElsewhere(t, kind)
			dir := filepath.Join(t.TempDir(), "state", "clones", "app.git")
			r := e.clone(t, dir)
			if branch, _, _ := r.Head(); branch != "trunk" || !r.Facts().Bare || r.Facts().Partial != (kind == "http") {
				t.Errorf("HEAD names %q; %+v", branch, r.Facts())
			}
			tip := at(t, r, "l10n", "")
			before := e.requests.Load()
			enter := func(folder string) bool { return strings.HasPrefix(folder+"/", "locales/") }
			if err := tip.Prefetch(t.Context(), enter,
				func(path string) bool { return strings.HasSuffix(path, ".json") }); err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				if got, err := fs.ReadFile(tip, fmt.Sprintf("locales/en/%d.json", i)); err != nil ||
					string(got) != fmt.Sprintf("{\"a\": \"%d\"}\n", i) {
					t.Fatalf("%q, %v", got, err)
				}
			}
			if kind == "http" {
				// git asks without a password first, then for the capabilities, then for the blobs.
				if n := e.requests.Load() - before; n == 0 || n > 4 {
					t.Errorf("%d requests for 20 blobs", n)
				}
				if h, err := tip.files.FS.Lookup("big/3/file.txt", true); err != nil || r.repo.Objects.Has(h.Hash) {
					t.Errorf("a blob that nobody wanted is here, or %v", err)
				}
			}
			if got, err := fs.ReadFile(tip, "big/3/file.txt"); err != nil || len(got) != 1000 { // on demand
				t.Errorf("%d bytes, %v", len(got), err)
			}
			made := commitOn(t, r, tip, "l10n", files("locales/de/app.json", "{}\n"))
			push(t, r, made)
			if got := gittest.Git(t, e.bare, "rev-parse", "l10n"); got != made.Hash() {
				t.Errorf("the remote has %s, want %s", got, made.Hash())
			}
			r.Close()
			config := string(must[[]byte](t)(os.ReadFile(filepath.Join(dir, "config"))))
			if strings.Contains(config, "secret") || strings.Contains(config, "me@") {
				t.Errorf("the configuration says %s", config)
			}

			// Opened again there is no branch of its own: what the remote deletes stays deleted.
			gittest.Git(t, e.bare, "branch", "-D", "l10n")
			r = e.clone(t, dir)
			if tip := at(t, r, "l10n", ""); !tip.New() {
				t.Errorf("the branch came back as %s", tip.Hash())
			}
			gittest.Git(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD",
				"refs/remotes/origin/trunk") // git 2.48 makes one
			if err := r.Clone.Maintain(t.Context()); err != nil {
				t.Error(err)
			}
			gittest.Git(t, dir, "symbolic-ref", "-d", "refs/remotes/origin/HEAD")
			if left := must[map[string]hash](t)(r.repo.Refs.List("refs/remotes/origin/")); len(left) != 1 {
				t.Errorf("tracked are %v", left)
			}
			if err := r.Clone.Verify(t.Context()); err != nil {
				t.Error(err)
			}
			if tip := must[*Tip](t)(r.Seen("trunk", "trunk")); tip.Hash() != gittest.Git(t,
				e.bare, "rev-parse", "trunk") {
				t.Errorf("seen is %s", tip.Hash())
			}
			if _, err := r.Seen("other", "other"); !errors.Is(err, ErrNoBranch) {
				t.Errorf("got %v", err)
			}
			// The default branch is renamed.
			gittest.Git(t, e.bare, "branch", "-m", "trunk", "main")
			if changed, err := r.Clone.RefreshHead(t.Context()); err != nil || !changed {
				t.Errorf("%v, %v", changed, err)
			}
			if branch, _, _ := r.Head(); branch != "main" {
				t.Errorf("HEAD names %q", branch)
			}
		})
	}
}

// A clone that could not be made leaves nothing; one that is damaged is told from one whose remote is down, and made
// again.
func TestCloneIsMadeAgain(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	e := newElsewhere(t, "http")
	parent := t.TempDir()
	dir := filepath.Join(parent, "app.git")
	e.down.Store(true)
	if _, err := OpenClone(t.Context(), dir, e.address, e.o); err == nil || errors.Is(err, ErrDamaged) {
		t.Fatalf("got %v", err)
	}
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Fatalf("left: %v", left)
	}
	e.down.Store(false)
	for name, damage := range map[string]func(r *Repo){
		"no HEAD":       func(*Repo) { os.Remove(filepath.Join(dir, "HEAD")) },
		"empty config":  func(*Repo) { os.WriteFile(filepath.Join(dir, "config"), nil, 0o600) },
		"broken config": func(*Repo) { os.WriteFile(filepath.Join(dir, "config"), []byte("[core\n"), 0o600) },
		"no packs":      func(*Repo) { os.RemoveAll(filepath.Join(dir, "objects", "pack")) },
		"garbled packs": func(*Repo) { garble(t, filepath.Join(dir, "objects", "pack", "*.pack")) },
		"truncated refs": func(*Repo) {
			os.WriteFile(filepath.Join(dir, "refs", "remotes", "origin", "trunk"), nil, 0o600)
		},
	} {
		r := e.clone(t, dir)
		at(t, r, "l10n", "")
		r.Close()
		damage(r)
		e.down.Store(true) // nothing of this needs the remote
		r, err := OpenClone(t.Context(), dir, e.address, e.o)
		if err == nil {
			err = r.Clone.Verify(t.Context())
			r.Close()
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := RemoveClone(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		e.down.Store(false)
	}
	e.clone(t, dir)
	if left, _ := os.ReadDir(parent); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// What the remote has from a git of long ago is no damage, beside which a missing object is one.
func TestOldFaultsAreNoDamage(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t, "folder")
	commit := fmt.Sprintf("tree %s\nparent %s\nauthor Ada 1 +0000\ncommitter Ada 1 +0000\n\nx\n",
		gittest.Git(t, e.bare, "rev-parse", "trunk^{tree}"), gittest.Git(t, e.bare, "rev-parse", "trunk"))
	old := gittest.Input(t, e.bare, []byte(commit), "hash-object", "-t", "commit", "--literally", "-w", "--stdin")
	gittest.Git(t, e.bare, "update-ref", "refs/heads/trunk", old)
	dir := filepath.Join(t.TempDir(), "app.git")
	r := e.clone(t, dir)
	at(t, r, "l10n", "")
	if err := r.Clone.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if out, err := gittest.TryGit(t, dir, "fsck"); err == nil {
		t.Errorf("git says nothing about it: %s", out)
	}
	gittest.Git(t, dir, "update-ref", "refs/remotes/origin/x", old)
	gittest.Write(t, dir, map[string]string{"refs/remotes/origin/x": strings.Repeat("1", 40) + "\n"})
	if err := r.Clone.Verify(t.Context()); !errors.Is(err, ErrDamaged) {
		t.Errorf("a missing commit: %v", err)
	}
}

func garble(t testing.TB, pattern string) {
	t.Helper()
	packs, err := filepath.Glob(pattern)
	if err != nil || len(packs) == 0 {
		t.Fatal("no packs", err)
	}
	for _, name := range packs {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 12; i < len(data)-20; i += 7 {
			data[i] ^= 0x55
		}
		if err := errors.Join(os.Chmod(name, 0o600), os.WriteFile(name, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// Deliveries add a pack each; maintenance keeps them few, and what waits in the outbox survives it.
func TestCloneIsMaintained(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"http", "folder"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			e := newElsewhere(t, kind)
			dir := filepath.Join(t.TempDir(), "app.git")
			r := e.clone(t, dir)
			deliveries := gittest.Rounds(24, 60) // git repacks from about twenty
			for i := range deliveries {
				tip := at(t, r, "l10n", "")
				push(t, r, commitOn(t, r, tip, "l10n", files("locales/de/app.json",
					fmt.Sprintf("{\"a\": \"%d\"}\n", i))))
			}
			waiting := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("locales/fr/app.json", "{}\n"))
			packs := func() int {
				list, _ := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
				return len(list)
			}
			before := packs()
			if err := r.Clone.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if after := packs(); before < deliveries || after > 4 {
				t.Errorf("%d packs before, %d after", before, after)
			}
			r.Close()
			r = e.clone(t, dir)
			if err := r.Clone.Verify(t.Context()); err != nil {
				t.Error(err)
			}
			pending := must[*Tip](t)(r.Pending("l10n"))
			if pending == nil || pending.Hash() != waiting.Hash() {
				t.Fatalf("what waits is %v", pending)
			}
			push(t, r, pending)
			if got := gittest.Git(t, e.bare, "rev-parse", "l10n"); got != waiting.Hash() {
				t.Errorf("the remote has %s", got)
			}
			gittest.Sound(t, e.bare)
		})
	}
}
