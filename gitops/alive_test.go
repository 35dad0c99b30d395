package gitops

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// What reads much of a repository beats with every file and folder, whichever way it is read, and around every
// call that silence ends.
func TestAlive(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("folder%d/file", i)] = "text"
	}
	signs := 0
	r := open(t, gittest.Init(t, files), Options{Alive: func() { signs++ }})
	since := func() int { n := signs; signs = 0; return n }
	if since() == 0 {
		t.Error("none from opening it")
	}
	tip, err := r.At(t.Context(), "main", "main")
	if err != nil || since() < 2 {
		t.Errorf("%v, or none around a call", err)
	}
	if err := r.Clone.Verify(t.Context()); err != nil || since() < 2 {
		t.Errorf("%v, or none around a look at the history", err)
	}
	tree, err := r.Worktree()
	if err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]fs.FS{"commit": tip, "working tree": tree} {
		err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error { return err })
		if n := since(); err != nil || n < 20 {
			t.Errorf("%s: %v, %d signs of life from 20 folders", name, err, n)
		}
		for file := range files {
			if _, err := fs.ReadFile(fsys, file); err != nil {
				t.Error(err)
			}
		}
		if n := since(); n < 20 {
			t.Errorf("%s: %d signs of life from 20 files", name, n)
		}
	}
}
