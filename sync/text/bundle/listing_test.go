package bundle

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/fstest"
)

// failing is a tree of which one folder cannot be listed.
type failing struct {
	fstest.MapFS
	folder string
	err    error
}

func (f failing) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.folder {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: f.err}
	}
	return f.MapFS.ReadDir(name)
}

func (f failing) Stat(name string) (fs.FileInfo, error) {
	if path.Dir(name) == f.folder {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: f.err}
	}
	return fs.Stat(f.MapFS, name)
}

func (f failing) Lstat(name string) (fs.FileInfo, error) { return f.Stat(name) }

func (f failing) ReadLink(string) (string, error) { return "", fs.ErrInvalid }

// A folder that is damaged fails the search, whose files would count as deleted otherwise, also where the pattern is
// one file's name. One that may not be read has none, as ever, and below a file there is nothing.
func TestFoldersThatCannotBeListed(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"locales/a/app.json": {}, "locales/b/app.json": {}}
	for err, want := range map[error]int{errors.New("damaged tree"): -1, fs.ErrPermission: 1, syscall.ENOTDIR: 1} {
		patterns := map[string]int{"locales/**/app.json": want, "locales/{a,b}/app.json": want,
			"locales/b/app.json": min(want, 0)}
		for pattern, want := range patterns {
			found, failed := Glob(failing{files, "locales/b", err}, pattern)
			if (want < 0) != errors.Is(failed, err) || want >= 0 && len(found) != want {
				t.Errorf("%v: %s: %v, %v", err, pattern, found, failed)
			}
		}
	}
}

// A name that is not UTF-8 keeps its file or folder out, and nothing else.
func TestNamesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"en/app.json", "en/m\xfcll.json", "\xff/app.json"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
			os.WriteFile(path, []byte("{}"), 0o666)); err != nil {
			t.Skip(err)
		}
	}
	found, err := Glob(os.DirFS(dir), "**/*.json")
	if err != nil || !slices.Equal(found, []string{"en/app.json", "en/m\xfcll.json"}) {
		t.Errorf("%q, %v", found, err)
	}
	p := project(t, "[[project.files]]\nsource = \"*/*.json\"\noutput = \"{LANGUAGE}-{NAME}.json\"\n")
	bundles, problems, err := Find(os.DirFS(dir), p)
	if err != nil || len(bundles) != 1 || len(problems) != 2 || problems[0].File != "en/m\xfcll.json" ||
		problems[1].File != "\xff" {
		t.Errorf("%d bundles, %v, %v", len(bundles), problems, err)
	}
	if unreadable("en/app.json") != "" || unreadable("en/m\xfcll.json") == "" {
		t.Error("the wrong one is kept out")
	}
}

// counted is a tree that counts how often each folder is listed.
type counted struct {
	fstest.MapFS
	listed map[string]int
}

func (c counted) ReadDir(name string) ([]fs.DirEntry, error) {
	c.listed[name]++
	return c.MapFS.ReadDir(name)
}

// A search below ** lists a folder that holds nothing of ours once: a tree may have many.
func TestFoldersAreListedOnce(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"**/en.json", "**/locales/en.json", "**/locales/*.json", "src/**/en/*.json"} {
		c := counted{fstest.MapFS{"src/a/x.go": {}, "src/b/c/x.go": {}, "src/b/c/locales/en.json": {},
			"src/b/d/y": {}, "src/d/en/x.json": {}},
			make(map[string]int)}
		if _, err := Glob(c, pattern); err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{"src/a", "src/b", "src/b/d"} {
			if c.listed[folder] != 1 {
				t.Errorf("%s lists %s %d times", pattern, folder, c.listed[folder])
			}
		}
	}
}
