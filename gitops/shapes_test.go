package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// Remotes that are named, reached and fetched as people do: two passes, and git as the judge.
func TestRemotesOfEveryShape(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	moved := func(t *testing.T, bare, to string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.Rename(bare, to)); err != nil {
			t.Fatal(err)
		}
	}
	for name, setup := range map[string]func(t *testing.T, dir, bare string) (remote, at string){
		"a name with a slash": func(t *testing.T, dir, bare string) (string, string) {
			gittest.Git(t, dir, "remote", "rename", "origin", "up/stream")
			return "up/stream", bare
		},
		"without a refspec": func(t *testing.T, dir, bare string) (string, string) {
			gittest.Git(t, dir, "config", "--unset-all", "remote.origin.fetch")
			return "origin", bare
		},
		"a refspec of its own": func(t *testing.T, dir, bare string) (string, string) {
			gittest.Git(t, dir, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/theirs/*")
			return "origin", bare
		},
		"letters of every sort": func(t *testing.T, dir, bare string) (string, string) {
			to := filepath.Join(filepath.Dir(bare), "ünï%20 x", "©.git")
			moved(t, bare, to)
			gittest.Git(t, dir, "remote", "set-url", "origin", to)
			return "origin", to
		},
		"letters of every sort, http": func(t *testing.T, dir, bare string) (string, string) {
			to := filepath.Join(filepath.Dir(bare), "ünï%20©.git")
			moved(t, bare, to)
			address := gittest.Serve(t, to, gittest.Options{})
			gittest.Git(t, dir, "remote", "set-url", "origin",
				address[:strings.LastIndex(address, "/")]+"/%C3%BCn%C3%AF%2520%C2%A9.git")
			return "origin", to
		},
		"its HEAD is unborn": func(t *testing.T, dir, bare string) (string, string) {
			gittest.Git(t, bare, "symbolic-ref", "HEAD", "refs/heads/unborn")
			return "origin", bare
		},
		"its HEAD is a commit": func(t *testing.T, dir, bare string) (string, string) {
			gittest.Git(t, bare, "update-ref", "--no-deref", "HEAD", "main")
			return "origin", bare
		},
		"includeIf": func(t *testing.T, dir, bare string) (string, string) {
			more := filepath.Join(t.TempDir(), "more")
			gittest.Git(t, dir, "config", "--file", more, "url."+bare+".insteadOf", "short:x")
			gittest.Git(t, dir, "remote", "set-url", "origin", "short:x")
			gittest.Git(t, dir, "config", "includeIf.gitdir:"+filepath.Dir(dir)+"/**.path", more)
			return "origin", bare
		},
		"a tag beside the branch": func(t *testing.T, dir, bare string) (string, string) {
			gittest.Git(t, dir, "tag", "l10n")
			gittest.Git(t, dir, "tag", "main")
			gittest.Git(t, bare, "tag", "l10n", "main")
			return "origin", bare
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			remote, bare := setup(t, dir, gittest.Bare(t, dir))
			twice(t, open(t, dir, Options{Remote: remote}), dir, bare, "l10n")
			main := gittest.CommitTo(t, bare, "main", map[string]string{"later": "x"})
			tip := at(t, open(t, dir, Options{Remote: remote}), "l10n", "main")
			if tip.New() || tip.Base().Hash() != main {
				t.Errorf("new %v, base %s, not %s", tip.New(), tip.Base().Hash(), main)
			}
		})
	}
	t.Run("two addresses", func(t *testing.T) { // git pushes to both, of which one lease cannot hold
		t.Parallel()
		dir := gittest.Init(t, sample)
		bare := gittest.Bare(t, dir)
		second := gittest.Clone(t, bare, "--bare")
		gittest.Git(t, dir, "remote", "set-url", "--add", "origin", second)
		_, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "l10n", "main")
		if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "2 addresses") {
			t.Error(err)
		}
	})
}

// A server that refuses, and one day allows: what waits is kept, tried again, and arrives once.
func TestRefusedUntilItIsAllowed(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"http", "folder"} {
		s := serve(t, gittest.Options{})
		if kind == "folder" {
			gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
		}
		gittest.Hook(t, s.bare, "pre-receive", "test -e allowed || { echo frozen >&2; exit 1; }")
		r := open(t, s.dir, Options{Remote: "origin"})
		made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("a", "1"))
		for range 3 {
			waiting := must[*Tip](t)(r.Pending("l10n"))
			if _, err := r.Push(t.Context(), waiting); !errors.Is(err, ErrRefused) ||
				!strings.Contains(err.Error(), "frozen") {
				t.Errorf("%s: %v", kind, err)
			}
			gittest.Sound(t, s.dir)
			gittest.Sound(t, s.bare)
		}
		gittest.Write(t, s.bare, map[string]string{"allowed": ""})
		if result := push(t, r, must[*Tip](t)(r.Pending("l10n"))); !result.Pushed {
			t.Errorf("%+v", result)
		}
		if got := gittest.Git(t, s.bare, "log", "--format=%H", "main..l10n"); got != made.Hash() {
			t.Errorf("%s: the remote has %s", kind, got)
		}
	}
}

// Whatever index a working tree has, it follows the branch that it has checked out, and git status is clean.
func TestIndexesOfEverySort(t *testing.T) {
	t.Parallel()
	for name, commands := range map[string]string{
		"version 4, split, untracked cache": "update-index --index-version 4 --split-index --untracked-cache",
		"version 2, sparse":                 "sparse-checkout set --cone --sparse-index locales",
		"many files":                        "config feature.manyFiles true",
		"fsmonitor by a hook":               "config core.fsmonitor .git/hooks/watch",
		"skip hash":                         "config index.skipHash true",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			gittest.Hook(t, dir, "watch", `printf 'token\0/\0'`) // everything may have changed
			gittest.Git(t, dir, strings.Fields(commands)...)
			gittest.Git(t, dir, "status", "--porcelain")
			r := open(t, dir, Options{Remote: "origin"})
			for i := range 2 {
				made := commitOn(t, r, at(t, r, "main", "main"), "main", files("locales/fr/app.json", fmt.Sprint(i)))
				if result := push(t, r, made); result.Local != Followed || !result.Pushed {
					t.Errorf("%+v", result)
				}
				if out := gittest.Git(t, dir, "status", "--porcelain"); out != "" {
					t.Errorf("git status: %s", out)
				}
				if got := string(must[[]byte](t)(os.ReadFile(filepath.Join(dir,
					"locales/fr/app.json")))); got != fmt.Sprint(i) {
					t.Errorf("the file is %q", got)
				}
			}
			gittest.Sound(t, dir)
			gittest.Sound(t, bare)
		})
	}
}

// Names and links as people on other systems make them stay as they are, byte for byte.
func TestNamesOfEverySort(t *testing.T) {
	t.Parallel()
	const nfd, nfc, emoji = "de\u0301/a\u0308.json", "d\u00e9/\u00e4.json", "\U0001F1E9\U0001F1EA/\U0001F600.json"
	dir := gittest.Init(t, map[string]string{nfd: "1", emoji: "1", "shared/app.json": "1", " x /\u00a0": "1",
		"-n": "1", "a\tb": "1", `"q"`: "1"})
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "locales"), 0o777),
		os.Symlink("../shared", filepath.Join(dir, "locales/en"))); err != nil {
		t.Skip(err)
	}
	gittest.Commit(t, dir, "a link", nil)
	bare := gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin"})
	tip := at(t, r, "l10n", "main")
	if got, err := tip.ReadFile("locales/en/app.json"); string(got) != "1" {
		t.Errorf("through a link: %q, %v", got, err)
	}
	if _, err := r.Commit(t.Context(), tip, "l10n", files("locales/en/app.json", "2"), message("x")); !errors.Is(err,
		ErrPath) {
		t.Errorf("written through a link: %v", err)
	}
	push(t, r, commitOn(t, r, tip, "l10n", files(nfc, "2", emoji, "2", "de\u0301/new.json", "2")))
	got := strings.Split(gittest.Git(t, bare, "ls-tree", "-r", "-z", "--name-only", "l10n"), "\x00")
	want := strings.Split(gittest.Git(t, bare, "ls-tree", "-r", "-z", "--name-only", "main"), "\x00")
	if len(got) != len(want)+1 || !strings.Contains(strings.Join(got, "\n"), "de\u0301/new.json") {
		t.Errorf("%q", got)
	}
	for _, name := range []string{nfd, emoji} {
		if got := gittest.Git(t, bare, "cat-file", "blob", "l10n:"+name); got != "2" {
			t.Errorf("%q is %q", name, got)
		}
	}
	gittest.Sound(t, dir)
	gittest.Sound(t, bare)
}

// A blob that is not read costs no memory, and neither does what a fetch brings. Not parallel: it counts what this
// process allocates.
func TestLargeRepositories(t *testing.T) {
	gittest.Long(t)
	size, commits := gittest.Rounds(24, 300)<<20, gittest.Rounds(2_000, 20_000)
	large := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(large)
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	var in bytes.Buffer
	for i := range commits {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 1\nx\n", 1700000001+i)
		if i == 0 {
			in.WriteString("from refs/heads/main^0\n")
		}
		fmt.Fprintf(&in, "M 100644 inline f%d\ndata 2\n%02d\n", i%50, i%100)
	}
	fmt.Fprintf(&in,
		"commit refs/heads/main\ncommitter A <a@b> 1800000000 +0000\ndata 1\nx\nM 100644 inline large\ndata %d\n%s\n",
		size, large)
	gittest.Input(t, bare, in.Bytes(), "-c", "core.compression=0", "fast-import", "--quiet", "--big-file-threshold=1m")
	in.Reset()
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	r := open(t, dir, Options{Remote: "origin"})
	twice(t, r, dir, bare, "l10n")
	if spent := (allocated() - before) >> 20; spent > 12 {
		t.Errorf("%d MB for a blob of %d MB and %d commits", spent, size>>20, commits)
	}
	if info, err := at(t, r, "l10n", "main").Stat("large"); err != nil || info.Size() != int64(size) {
		t.Errorf("%v", err)
	}
}

// Tens of thousands of references, packed on both sides: a pass is right, and reads them a few times at most.
func TestManyReferences(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	n := gittest.Rounds(20_000, 200_000)
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	head := gittest.Git(t, dir, "rev-parse", "HEAD")
	const header = "# pack-refs with: peeled fully-peeled sorted \n"
	var heads, tracked, tags strings.Builder
	for i := range n {
		fmt.Fprintf(&heads, "%s refs/heads/b%06d\n", head, i)
		fmt.Fprintf(&tracked, "%s refs/remotes/origin/b%06d\n", head, i)
		fmt.Fprintf(&tags, "%s refs/tags/t%06d\n", head, i)
	}
	gittest.Write(t, dir, map[string]string{".git/packed-refs": header + tracked.String() + tags.String()})
	gittest.Write(t, bare, map[string]string{"packed-refs": header + heads.String() + head + " refs/heads/main\n"})
	r := open(t, dir, Options{Remote: "origin"})
	twice(t, r, dir, bare, "l10n")
	if got := len(must[map[string]hash](t)(r.repo.Refs.List("refs/remotes/origin/"))); got < n+2 {
		t.Errorf("%d references", got)
	}
	if got := strings.Count(gittest.Git(t, bare, "for-each-ref", "--format=x"), "x"); got != n+2 {
		t.Errorf("the remote has %d references", got)
	}
}
