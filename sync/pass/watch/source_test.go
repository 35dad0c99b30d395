package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// beside starts another watcher on a tree, with the source of the first.
func (s *watching) beside(root string) *watching {
	s.Helper()
	o := s.w.o
	o.Root = root
	w, err := New(o)
	s.must(err)
	w.from = s.w.from
	other := &watching{T: s.T, w: w, root: root, looks: make(chan struct{}, 1000)}
	other.run()
	other.expect("the first look")
	return other
}

func (s *source) size() (queues, folders int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queues), len(s.folders)
}

// Many watchers take one queue of the kernel. Each hears of its own tree, two of one tree both do, and one that ends
// takes nothing from the others.
func TestWatchersShareAQueue(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"locales/*.json"}, []string{"locales/en.json"}, nil)
	var others []*watching
	for range 20 {
		root := t.TempDir()
		s.must(os.Mkdir(filepath.Join(root, "locales"), 0o755))
		others = append(others, s.beside(root))
	}
	same := s.beside(s.root)
	if queues, folders := s.w.from.size(); queues != 1 || folders != 42 {
		t.Errorf("%d queues, %d folders", queues, folders)
	}
	s.write("locales/en.json", "changed")
	s.expect("a change")
	same.expect("a change in the tree of two")
	for _, other := range others {
		other.none("a change in another tree")
	}
	others[3].write("locales/en.json", "{}")
	others[3].expect("a new file")
	s.none("a new file in another tree")

	same.stop()
	s.write("locales/en.json", "changed again")
	s.expect("a change after the other watcher ended")
	s.w.from.fail(errors.New("something broke"))
	s.expect("a failure of the queue")
	others[3].expect("a failure of the queue")
}

// A folder that has several paths is heard of by each of them.
func TestFolderOfSeveralPaths(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"locales/*.json"}, []string{"locales/en.json"}, nil)
	var others []*watching
	for i := range 3 {
		link := filepath.Join(t.TempDir(), fmt.Sprint("link", i))
		if err := os.Symlink(s.root, link); err != nil {
			t.Skip("no links here")
		}
		others = append(others, s.beside(link))
	}
	all := append(others, s)
	for round := range 2 {
		s.write("locales/en.json", fmt.Sprint("changed ", round))
		for _, one := range all {
			one.expect("a change")
		}
	}
	others[0].stop()
	s.write("locales/de.json", "{}")
	for _, one := range all[1:] {
		one.expect("a change after one of the paths is watched no more")
	}
	// the folder is another one of the same name, and a new one of another
	s.must(os.Rename(s.path("locales"), s.path("away")))
	s.write("locales/fr.json", "{}")
	for _, one := range all[1:] {
		one.expect("another folder")
	}
	s.write("locales/fr.json", "changed")
	for _, one := range all[1:] {
		one.expect("a change in it")
	}
}

// The last watcher closes the queues, and the next one opens others.
func TestSourceIsOpenWhileItIsRead(t *testing.T) {
	t.Parallel()
	s := newSource()
	var h, other hints
	h.wake, other.wake = make(chan struct{}, 1), make(chan struct{}, 1)
	dir := t.TempDir()
	for range 3 {
		if err := errors.Join(s.join(&h), s.join(&other), s.add(dir, &h), s.add(dir, &other)); err != nil {
			t.Fatal(err)
		}
		h.paths = map[string]bool{}
		other.paths = map[string]bool{}
		s.leave(&other, map[string]bool{dir: true})
		if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		select {
		case <-h.wake:
		case <-time.After(soon):
			t.Fatal("no event came")
		}
		s.leave(&h, map[string]bool{dir: true})
		if queues, folders := s.size(); queues+folders > 0 {
			t.Errorf("%d queues, %d folders are left", queues, folders)
		}
	}
	if err := s.add(filepath.Join(dir, "none"), &h); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
