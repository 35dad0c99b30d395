package gittest

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A repository that git has made once is made again by writing the same files: most tests begin with one of a few, and
// a process costs more than all of its files. What is kept is kept in memory, so that nothing is left on the disk.
var (
	kept   sync.Map // from contents (a string) to a *template
	madeBy sync.Map // from a folder to the *template it was made from
)

type template struct {
	sync.Mutex
	dir        string // where git made it
	work       folder // with its .git
	bare       folder // its bare clone, or nil
	bareDir    string
	configured folder // its references and configuration after git made bare its remote
}

// folder is everything below a directory: names with their content, directories with a nil one.
type folder map[string]file

type file struct {
	mode    fs.FileMode
	content []byte
}

// ofReferences are the files in which a repository keeps its references and its configuration, until they are packed.
var ofReferences = []string{".git/HEAD", ".git/config", ".git/refs", ".git/logs"}

// mostKept bounds the contents of which a repository is kept.
const mostKept = 1 << 16

func templateOf(t testing.TB, files map[string]string) *template {
	key, size := new(strings.Builder), 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		size += len(files[name])
		key.WriteString(name + "\x00" + files[name] + "\x00")
	}
	if size > mostKept || len(files) > 100 {
		return nil
	}
	t.Helper()
	found, _ := kept.LoadOrStore(key.String(), new(template))
	return found.(*template)
}

// make writes the repository into an empty folder. The first one is git's work.
func (m *template) make(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	m.Lock()
	defer m.Unlock()
	if m.work == nil {
		initialize(t, dir, "sha1", files)
		m.dir, m.work = dir, read(t, dir)
	} else {
		m.work.write(t, dir, "", "")
		if len(files) > 0 {
			Git(t, dir, "update-index", "-q", "--refresh") // the index knows each file's inode
		}
	}
	madeBy.Store(dir, m)
	t.Cleanup(func() { madeBy.Delete(dir) })
}

// addBare does what clone, remote add and fetch of git did when they were first asked, where the repository's
// references and configuration are still those that it was made with.
func (m *template) addBare(t testing.TB, dir, bare string) {
	t.Helper()
	m.Lock()
	defer m.Unlock()
	if m.bare == nil {
		cloneBare(t, dir, bare)
		m.dir, m.bareDir, m.bare = dir, bare, read(t, bare)
		m.configured = folder{}
		for _, name := range append(slices.Clone(ofReferences), ".git/FETCH_HEAD") {
			m.configured.read(t, dir, name)
		}
		return
	}
	m.bare.write(t, bare, m.dir, dir)
	// FETCH_HEAD is without
	m.configured.write(t, dir, strings.TrimSuffix(m.bareDir, ".git"), strings.TrimSuffix(bare, ".git"))
}

// untouched says whether references and configuration are as they were made.
func (m *template) untouched(t testing.TB, dir string) bool {
	now := folder{}
	for _, name := range ofReferences {
		now.read(t, dir, name)
	}
	for name, f := range now {
		was, ok := m.work[name]
		if !ok || !bytes.Equal(was.content, f.content) {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(dir, ".git", "packed-refs"))
	return err != nil
}

func read(t testing.TB, dir string) folder {
	t.Helper()
	all := folder{}
	all.read(t, dir, ".")
	return all
}

// read adds what is below one name of a directory, if it is there.
func (all folder) read(t testing.TB, dir, below string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, below), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == "." {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := file{mode: info.Mode()}
		if !d.IsDir() {
			f.content, err = os.ReadFile(path)
		}
		all[name] = f
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// write puts everything below a directory, with another path in the texts that git writes paths into.
func (all folder) write(t testing.TB, dir, was, is string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) { // a directory comes before what is in it
		f, path := all[name], filepath.Join(dir, name)
		if f.mode.IsDir() {
			if err := os.MkdirAll(path, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		content := f.content
		if base := filepath.Base(name); was != "" && (base == "config" || base == "FETCH_HEAD") {
			content = bytes.ReplaceAll(content, []byte(was), []byte(is))
		}
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, f.mode.Perm()); err != nil {
			t.Fatal(err)
		}
	}
}
