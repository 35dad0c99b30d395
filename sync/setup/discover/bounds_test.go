//go:build unix

package discover

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// wild makes a tree with what should be in no tree: pipes, sockets and circles of links that are named like resource
// files, a folder that is deeper than a path can be long, a file that is larger than memory.
func wild(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string {
		check(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		names = append(names, name)
		return filepath.Join(dir, name)
	}
	for name, text := range map[string]string{"locales/en.json": `{"a": "A"}`, "locales/de.json": `{"a": "A"}`,
		"huge/locales/de.json": `{"a": "A"}`, "manifest.json": "{}"} {
		check(os.WriteFile(at(name), []byte(text), 0o600))
	}
	check(syscall.Mkfifo(at("locales/fr.json"), 0o600))
	check(syscall.Mkfifo(at("config/application.rb"), 0o600))
	check(os.Symlink("it.json", at("locales/it.json")))
	check(os.Symlink("..", at("locales/es")))
	names = append(names, "locales/es/locales/en.json")
	check(os.Symlink("../en.json", at("locales/nl/app.json")))
	check(os.Truncate(createdAt(t, at("huge/locales/en.json")), 1<<40))
	check(os.Truncate(createdAt(t, at("App.xcodeproj/project.pbxproj")), 1<<40))
	if listener, err := net.Listen("unix", filepath.Join(dir, "locales",
		"ja.json")); err == nil { // a path of a socket is at most 108 bytes long
		t.Cleanup(func() { listener.Close() })
		names = append(names, "locales/ja.json")
	}
	deep, err := os.OpenRoot(dir)
	check(err)
	for range 30 {
		name := strings.Repeat("d", 200)
		check(deep.Mkdir(name, 0o755))
		next, err := deep.OpenRoot(name)
		check(err)
		check(deep.Close())
		deep = next
	}
	check(deep.Close())
	return dir, names
}

func createdAt(t *testing.T, path string) string {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Nothing in a tree keeps the look from its end or from what is sound, and what is left out is named.
func TestWildTree(t *testing.T) {
	dir, names := wild(t)
	fsys := os.DirFS(dir)
	r := Find(fsys, Listing{Tracked: names}, Options{})
	said := r.lines()
	if !strings.HasPrefix(said, "locales/en.json en,de; not ") ||
		!strings.Contains(said, "not huge/locales/{LANGUAGE}.json") {
		t.Error(said)
	}
	for _, l := range r.LeftOut {
		wants := map[string]string{"huge/locales/{LANGUAGE}.json": "huge/locales/en.json: it has 1048576 MB",
			"App.xcodeproj/project.pbxproj": "may say what the source language is"}[l.Path]
		if wants == "" || !strings.Contains(l.Reason, wants) {
			t.Errorf("left out %+v", l)
		}
	}
}

// A folder that may not be read is named, also where git tracks files in it, and the rest is found.
func TestClosedFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"locales/en.json", "closed/locales/en.json", "closed/locales/de.json"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"a": "A"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fsys := closing{os.DirFS(dir), "closed"}
	r := Find(fsys, Listing{Tracked: []string{"closed/locales/de.json", "closed/locales/en.json", "locales/en.json"}},
		Options{})
	if len(r.Groups) != 1 || len(r.LeftOut) != 1 || !strings.HasPrefix(r.LeftOut[0].Path, "closed/") ||
		!strings.HasSuffix(r.LeftOut[0].Reason, "cannot be looked into: permission denied") {
		t.Errorf("%+v", r)
	}
}

// closing is a file system with a folder that may not be read: the superuser, whom tests may run as, may read all of a
// real one.
type closing struct {
	fs.FS
	folder string
}

func (c closing) refuse(op, name string) error {
	if name == c.folder && op == "open" || strings.HasPrefix(name, c.folder+"/") {
		return &fs.PathError{Op: op, Path: name, Err: syscall.EACCES}
	}
	return nil
}

func (c closing) Open(name string) (fs.File, error) {
	if err := c.refuse("open", name); err != nil {
		return nil, err
	}
	return c.FS.Open(name)
}

func (c closing) Lstat(name string) (fs.FileInfo, error) {
	if err := c.refuse("lstat", name); err != nil {
		return nil, err
	}
	return fs.Lstat(c.FS, name)
}

func (c closing) ReadLink(name string) (string, error) { return fs.ReadLink(c.FS, name) }

// Where there is more than can be read the rest is named.
func TestBoundsOfDiscovery(t *testing.T) {
	fsys := fstest.MapFS{}
	var listing Listing
	big := []byte(`{"a": "` + strings.Repeat("A", mostOfAFile-100) + `"}`)
	for i := range 6 {
		name := fmt.Sprintf("p%d/locales/en.json", i)
		fsys[name] = &fstest.MapFile{Data: big, Mode: 0o644}
		listing.Tracked = append(listing.Tracked, name)
	}
	r := Find(fsys, listing, Options{})
	if len(r.Groups) != 4 || len(r.LeftOut) != 2 || !strings.Contains(r.LeftOut[0].Reason,
		"is not looked at: p4/locales/en.json: the others have 128 MB already") {
		t.Errorf("%d groups, left out %+v", len(r.Groups), r.LeftOut)
	}
}

// BenchmarkGenerated finds the files of a generated tree, each in a folder of its own and each beside all others:
// twice the files take twice the time.
func BenchmarkGenerated(b *testing.B) {
	for _, shape := range []string{"p%05d/locales/en.json", "locales/en/f%05d.json",
		"locales/en/d%05d/x.json", "api/%05d/id/x.json"} {
		for _, n := range []int{2000, 4000} {
			fsys := fstest.MapFS{}
			var listing Listing
			for i := range n {
				name := fmt.Sprintf(shape, i)
				fsys[name] = &fstest.MapFile{Data: []byte(`{"a":"A"}`), Mode: 0o644}
				listing.Tracked = append(listing.Tracked, name)
			}
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(shape, "/", "_"), n), func(b *testing.B) {
				for b.Loop() {
					Find(fsys, listing, Options{})
				}
			})
		}
	}
}
