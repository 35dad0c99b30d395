package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
)

func local(t testing.TB, dir string) *Tip {
	t.Helper()
	return at(t, open(t, dir, Options{}), "main", "")
}

func TestTipShowsWhatGitHolds(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	for link, to := range map[string]string{
		"link.md": "README.md", "locales/here": "de", "locales/up.md": "../README.md", "out": "/etc/passwd", "away": "../../etc/passwd", "round": "round"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "scripts/run.sh"), 0o777); err != nil {
		t.Fatal(err)
	}
	sub := gittest.Init(t, sample)
	gittest.Git(t, dir, "submodule", "add", "-q", sub, "module")
	gittest.Commit(t, dir, "links", nil)
	tip := local(t, dir)

	mode := func(name string) fs.FileMode { return must[fs.FileInfo](t)(tip.Stat(name)).Mode() }
	for name, want := range map[string]fs.FileMode{"README.md": 0o644, "scripts/run.sh": 0o755,
		"link.md": fs.ModeSymlink | 0o777,
		"locales": fs.ModeDir | 0o755, "module": fs.ModeDir | 0o755, "locales/here/app.json": 0o644,
		".": fs.ModeDir | 0o755} {
		if got := mode(name); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
	for _, name := range []string{"link.md", "locales/up.md"} {
		if got := must[[]byte](t)(tip.ReadFile(name)); string(got) != sample["README.md"] {
			t.Errorf("%s reads %q", name, got)
		}
	}
	if got := must[[]byte](t)(fs.ReadFile(tip, "locales/here/app.json")); string(got) != sample["locales/de/app.json"] {
		t.Errorf("through a linked folder: %q", got)
	}
	if got := must[string](t)(tip.ReadLink("locales/here")); got != "de" {
		t.Errorf("the link says %q", got)
	}
	for _, name := range []string{"out", "away", "round", "missing", "README.md/x",
		"module/README.md", "locales/missing/x"} {
		if _, err := tip.ReadFile(name); err == nil {
			t.Errorf("%s could be read", name)
		}
	}
	for _, name := range []string{"missing", "locales/missing/x", "module/x", "away"} {
		if _, err := tip.ReadFile(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list := must[[]fs.DirEntry](t)(tip.ReadDir("module")); len(list) != 0 {
		t.Errorf("the submodule holds %v", list)
	}
	if info := must[fs.FileInfo](t)(tip.Stat("locales/en/app.json")); info.Size() != int64(len(sample["locales/en/app.json"])) || info.ModTime().Unix() != 1700000000 {
		t.Errorf("size %d, time %s", info.Size(), info.ModTime())
	}
	if got := must[[]string](t)(fs.Glob(tip, "locales/*/app.json")); !slices.Equal(got, []string{"locales/de/app.json",
		"locales/en/app.json", "locales/here/app.json"}) {
		t.Errorf("glob finds %v", got)
	}
}

func TestTipIsAFileSystem(t *testing.T) {
	t.Parallel()
	tip := local(t, gittest.Init(t, sample))
	var names []string
	for name := range sample {
		names = append(names, name)
	}
	if err := fstest.TestFS(tip, names...); err != nil {
		t.Error(err)
	}
}

// A name in another composition or letter case finds the file that is there; two that differ only so find only
// themselves.
func TestNamesThatDifferInCaseOnly(t *testing.T) {
	t.Parallel()
	const nfc, nfd = "d\u00e4nisch.json", "da\u0308nisch.json"
	dir := gittest.Init(t, map[string]string{"l10n/" + nfd: "1", "l10n/pt-BR/app.json": "2",
		"two/De.json": "3", "two/de.json": "4"})
	r := open(t, dir, Options{})
	tip := at(t, r, "main", "")
	for name, want := range map[string]string{"l10n/" + nfc: "1", "l10n/pt-br/APP.json": "2",
		"two/de.json": "4", "two/De.json": "3"} {
		if got, err := tip.ReadFile(name); string(got) != want {
			t.Errorf("%s reads %q, %v", name, got, err)
		}
	}
	if _, err := tip.ReadFile("two/DE.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one of two: %v", err)
	}
	made := commitOn(t, r, tip, "main", files("l10n/"+nfc, "11", "l10n/pt-br/app.json", "22",
		"l10n/PT-BR/new.json", "33"))
	if got := gittest.Git(t, dir, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", made.Hash()); got !=
		strings.Join([]string{"l10n/" + nfd, "l10n/pt-BR/app.json", "l10n/pt-BR/new.json",
			"two/De.json", "two/de.json"}, "\n") {
		t.Errorf("the tree has\n%s", got)
	}
}

func TestTipIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	dir := gittest.History(t, "sha1", 20)
	gittest.Git(t, dir, "config", "filter.x.smudge", "cat") // so that attributes are looked at
	tip := local(t, dir)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_ = fs.WalkDir(tip, ".", func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					_, err = tip.ReadFile(strings.ToUpper(path))
				}
				if err != nil {
					t.Error(err)
				}
				return nil
			})
		})
	}
	wg.Wait()
}

// empty is a tip without files, on which every path is new.
func empty(t *testing.T, dir string) *Tip {
	t.Helper()
	r := open(t, dir, Options{}).repo
	return &Tip{repo: r, files: content.New(r, hash{}, time.Time{}, nil)}
}

// Law: what may be written, git's own strict check lets through.
func TestPathsThatGitTakes(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	blob := gittest.Git(t, dir, "rev-parse", "HEAD:README.md")
	tip := empty(t, dir)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringMatching(`[.gGiItT~1 :\x{200c}\\/a-cé"*-]{1,9}|\.?\.git[. :a]{0,2}|git~[12]|con(\.x)?`).Draw(rt, "name")
		if tip.Writable(name) != nil {
			return
		}
		parts := strings.Split(name, "/")
		id, mode, kind := blob, "100644", "blob"
		for i := len(parts) - 1; i >= 0; i-- {
			o := object.SHA1.New(object.Tree, object.EncodeTree([]object.Entry{{Name: parts[i],
				Mode: map[string]uint32{"100644": object.ModeFile, "040000": object.ModeDir}[mode], Hash: hashOf(id)}}))
			f := filepath.Join(t.TempDir(), "tree")
			if err := os.WriteFile(f, o.Data, 0o666); err != nil {
				rt.Fatal(err)
			}
			id = gittest.Git(t, dir, "hash-object", "-w", "--literally", "-t", "tree", f)
			mode, kind = "040000", "tree"
		}
		_ = kind
		commit := gittest.Git(t, dir, "commit-tree", "-m", "x", id)
		gittest.Git(t, dir, "update-ref", "refs/heads/probe", commit)
		if out, err := gittest.TryGit(t, dir, "fsck", "--strict", "--no-dangling", "--no-progress"); err != nil ||
			out != "" {
			rt.Fatalf("%q passed, and git says %s", name, out)
		}
	})
}

func hashOf(s string) hash {
	h, _ := object.Parse(s)
	return h
}

func TestPathsThatAreRefused(t *testing.T) {
	t.Parallel()
	tip := empty(t, gittest.Init(t, sample))
	for _, name := range []string{"", ".", "..", "../x", "/x", "a//b", "a/./b", "a/../b", "a/", `a\b`, "a\x00b",
		"a\nb", ".git/config", ".GIT/x",
		"x/.git/hooks/y", ".g\u200cit/x", ".git. /x", "git~1/x", "GIT~1", ".git::$INDEX_ALLOCATION/x", "con",
		"aux.json", "locales/NUL .json", "com1.x", "COM²",
		"a.", "a ", "a:b", "a?", strings.Repeat("x", 256), strings.Repeat("x/", 2001) + "x"} {
		if err := tip.Writable(name); !errors.Is(err, ErrPath) {
			t.Errorf("%.40q: %v", name, err)
		}
	}
	for _, name := range []string{".github/workflows/x.yml", "a.git", ".gitignore", "com0", "console", "nul-l",
		"values-pt-rBR/strings.xml", "日本語/ファイル.json", "a b/c"} {
		if err := tip.Writable(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestWorktree(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Write(t, dir, map[string]string{"README.md": "changed\r\n", "nested/.git/config": "x", "nested/file": "y"})
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("s"), 0o666); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"in": "README.md", "out": outside, "config": ".git/config", "git": ".git",
		"locales/de/up": "../../locales/../git", "inner": "nested/.git/config"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	tree := must[fs.FS](t)(open(t, dir, Options{}).Worktree())
	if !reflect.ValueOf(tree).Comparable() {
		t.Error("what is remembered of a tree is found by comparison")
	}
	for name, want := range map[string]string{"README.md": "changed\r\n", "in": "changed\r\n", "nested/file": "y"} {
		if got, err := fs.ReadFile(tree, name); string(got) != want {
			t.Errorf("%s reads %q, %v", name, got, err)
		}
	}
	for _, name := range []string{".git", ".git/config", ".git/HEAD", "nested/.git", "nested/.git/config", "out",
		".GIT/HEAD", "config", "git", "git/HEAD", "locales/de/up", "locales/de/up/config", "inner"} {
		if _, err := fs.ReadFile(tree, name); err == nil {
			t.Errorf("%s could be read", name)
		}
		if _, err := fs.Stat(tree, name); err == nil {
			t.Errorf("%s can be seen", name)
		}
		if list, err := fs.ReadDir(tree, name); err == nil {
			t.Errorf("%s lists %v", name, list)
		}
	}
	info := must[fs.FileInfo](t)(fs.Lstat(tree, "in"))
	if info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is %s", info.Mode())
	}
	var seen []string
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		seen = append(seen, path)
		return err
	})
	if err != nil || slices.ContainsFunc(seen, func(s string) bool { return strings.Contains(s, ".git") }) ||
		!slices.Contains(seen, "locales/de/app.json") {
		t.Errorf("walked %v, %v", seen, err)
	}
	if to, err := fs.ReadLink(tree, "git"); err != nil || to != ".git" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	for _, link := range []string{"out", "config", "git", "locales/de/up",
		"inner"} { // a file system whose entries all can be opened, for its laws
		os.Remove(filepath.Join(dir, link))
	}
	if err := fstest.TestFS(tree, "README.md", "locales/de/app.json"); err != nil {
		t.Error(err)
	}
}

func TestWorktreeOfABareRepository(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	r := open(t, gittest.Bare(t, dir), Options{})
	if _, err := r.Worktree(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

// Law: a path with links leads in a commit to the file that it leads to on disk, or to none in both. Where it would
// leave the repository it leads to none.
func TestLinksLeadWhereTheyLeadOnDisk(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Init(t, sample), Options{})
	folders := []string{".", "a", "a/b", "c"}
	rapid.Check(t, func(rt *rapid.T) {
		extra := map[hash]object.Object{}
		put := func(k object.Kind, data []byte) hash {
			o := object.SHA1.New(k, data)
			extra[o.Name] = o
			return o.Name
		}
		above, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		disk := filepath.Join(above, "repository")
		trees := map[string][]object.Entry{}
		for _, folder := range folders {
			at := filepath.Join(disk, folder)
			if err := errors.Join(os.MkdirAll(at, 0o777), os.WriteFile(filepath.Join(at, "f"),
				[]byte(folder), 0o666)); err != nil {
				rt.Fatal(err)
			}
			trees[folder] = []object.Entry{{Name: "f", Mode: object.ModeFile, Hash: put(object.Blob, []byte(folder))}}
		}
		if err := os.WriteFile(filepath.Join(above, "f"), []byte("outside"), 0o666); err != nil {
			rt.Fatal(err)
		}
		var names []string
		for i := range rapid.IntRange(1, 8).Draw(rt, "links") {
			folder, name := rapid.SampledFrom(folders).Draw(rt, "folder"), fmt.Sprint("l", i)
			parts := rapid.SliceOfN(rapid.SampledFrom([]string{"..", "..", ".", "a", "b", "c", "f", "l0", "l1", "l2",
				"l3"}), 1, 5).Draw(rt, "target")
			target := strings.Join(parts, "/")
			if err := os.Symlink(target, filepath.Join(disk, folder, name)); err != nil {
				t.Skip(err)
			}
			trees[folder] = append(trees[folder], object.Entry{Name: name, Mode: object.ModeLink,
				Hash: put(object.Blob, []byte(target))})
			names = append(names, path.Join(folder, name))
		}
		trees["a"] = append(trees["a"], object.Entry{Name: "b", Mode: object.ModeDir,
			Hash: put(object.Tree, object.EncodeTree(trees["a/b"]))})
		trees["."] = append(trees["."], object.Entry{Name: "a", Mode: object.ModeDir,
			Hash: put(object.Tree, object.EncodeTree(trees["a"]))}, object.Entry{Name: "c", Mode: object.ModeDir,
			Hash: put(object.Tree, object.EncodeTree(trees["c"]))})
		root := put(object.Tree, object.EncodeTree(trees["."]))
		tip := content.New(r.repo, root, time.Time{}, extra).FS
		for _, name := range names {
			for _, below := range []string{"", "/f", "/b/f", "/l0", "/l1/f"} {
				onDisk, derr := os.ReadFile(filepath.Join(disk, name+below))
				got, err := tip.ReadFile(name + below)
				if outside := string(onDisk) == "outside"; (err == nil) != (derr == nil && !outside) || err == nil &&
					string(got) != string(onDisk) {
					rt.Errorf("%s is %q (%v), on disk %q (%v)", name+below, got, err, onDisk, derr)
				}
			}
		}
	})
}
