package gitops

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
)

// rawTree is a tree as its bytes say, whatever git thinks of it.
func rawTree(mode, name string, h hash) []byte {
	return append([]byte(mode+" "+name+"\x00"), h.Bytes()...)
}

// commitTree stores trees, the last one as the root of a new commit on main.
func commitTree(t *testing.T, dir string, trees ...[]byte) {
	t.Helper()
	for i, tree := range trees {
		root := gittest.Input(t, dir, tree, "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
		if i == len(trees)-1 {
			gittest.Git(t, dir, "update-ref", "refs/heads/main",
				gittest.Git(t, dir, "commit-tree", "-m", "hostile", root))
		}
	}
}

// The names of entries that fsck refuses make a tree that cannot be read, those that it lets pass do not, and no walk
// into such a tree goes on for ever.
func TestNamesThatNoGitMakes(t *testing.T) {
	t.Parallel()
	names := []string{"", ".", "..", ".git", ".GIT", ".gIt", "git~1", "GIT~1", ".git ", ".git.", ".git . .",
		".g\u200cit", "\ufeff.git", "\u202e.Git",
		".git:x", "git~1.", ".git\\x", "a\\.git", "a/b", "/", "a", "...", ".gitx", "git", "git~2", ".github",
		".gitignore", "xgit~1", "a\\b", "\u00fc", ". "}
	for _, name := range names {
		t.Run(strconv.Quote(name), func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			below := hashOf(gittest.Git(t, dir, "rev-parse", "main:locales"))
			folder := object.SHA1.New(object.Tree, rawTree("40000", name, below))
			commitTree(t, dir, folder.Data, rawTree("40000", "locales", folder.Name))
			said, err := gittest.TryGit(t, dir, "fsck", "--strict")
			tip := local(t, dir)
			found, walk := doublestar.Glob(tip, "locales/**/app.json", doublestar.WithFailOnIOErrors())
			switch {
			case err != nil && walk == nil:
				t.Errorf("read, and %v was found; fsck says %s", found, said)
			case err == nil && walk != nil:
				t.Errorf("refused: %v", walk)
			case err != nil && !strings.Contains(walk.Error(), "damaged tree"):
				t.Error(walk)
			}
		})
	}
}

// A few small objects can be a tree without an end for everyone who walks it: equal folders in equal folders, and one
// in the other thousands of times.
func TestWalksThatWouldNotEnd(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	file := object.SHA1.New(object.Blob, []byte("x"))
	for name, levels := range map[string]struct{ deep, wide int }{"wide": {10, 10}, "deep": {30_000, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			tip := local(t, dir)
			tip.files.FS.Extra = map[hash]object.Object{file.Name: file}
			o := object.SHA1.New(object.Tree, rawTree("100644", "app.json", file.Name))
			for range levels.deep {
				tip.files.FS.Extra[o.Name] = o
				var next []byte
				for i := range levels.wide {
					next = append(next, rawTree("40000", strconv.Itoa(i), o.Name)...)
				}
				o = object.SHA1.New(object.Tree, next)
			}
			tip.files.FS.Extra[o.Name], tip.files.FS.Root = o, o.Name
			if _, err := doublestar.Glob(tip, "**/app.json", doublestar.WithFailOnIOErrors()); err == nil {
				t.Error("it was walked to its end")
			}
			n := 0
			_ = fs.WalkDir(tip, ".", func(string, fs.DirEntry, error) error { n++; return nil })
			if n > 20_000_000 {
				t.Errorf("%d entries", n)
			}
		})
	}
}

// What a commit removes is the path that was named, byte for byte. A file that is renamed in letter case only stays.
func TestRemovedIsWhatWasNamed(t *testing.T) {
	t.Parallel()
	const nfc, nfd = "d\u00e4.json", "da\u0308.json"
	for name, c := range map[string]struct {
		there string
		files map[string][]byte
		want  string
	}{
		"in another case":            {"de/App.json", files("de/app.json", ""), "de/App.json=1"},
		"in another composition":     {nfd, files(nfc, ""), nfd + "=1"},
		"a folder in another case":   {"DE/app.json", files("de/app.json", ""), "DE/app.json=1"},
		"exactly":                    {"de/App.json", files("de/App.json", ""), ""},
		"renamed in case":            {"de/app.json", files("de/app.json", "", "de/App.json", "2"), "de/App.json=2"},
		"renamed in case, unchanged": {"de/App.json", files("de/App.json", "", "de/app.json", "1"), "de/app.json=1"},
		"renamed below another case": {"DE/app.json", files("DE/app.json", "", "de/app.json", "2"), "DE/app.json=2"},
		"written, twin removed":      {"de/App.json", files("de/app.json", "", "de/App.json", "2"), "de/App.json=2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, map[string]string{"keep": "k", c.there: "1"})
			r := open(t, dir, Options{})
			tip := at(t, r, "main", "")
			for path, content := range c.files {
				if len(content) == 0 {
					c.files[path] = nil
				}
			}
			made, err := r.Commit(t.Context(), tip, "main", c.files, message("x"))
			hash := tip.Hash()
			if err == nil {
				hash = made.Hash()
			}
			want := "keep=k"
			if c.want != "" {
				want = c.want + " " + want
			}
			var got []string
			for _, path := range strings.Split(gittest.Git(t, dir, "ls-tree", "-r", "-z", "--name-only", hash),
				"\x00") {
				if path != "" {
					got = append(got, path+"="+gittest.Git(t, dir, "show", hash+":"+path))
				}
			}
			if s := strings.Join(got, " "); s != want {
				t.Errorf("the tree has %s, not %s (%v)", s, want, err)
			}
			gittest.Sound(t, dir)
		})
	}
}
