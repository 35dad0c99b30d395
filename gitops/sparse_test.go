package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// What a sparse checkout leaves out is in the working tree as the index has it, and what is deleted there is gone.
func TestWorktreeOfASparseCheckout(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"locales/en.json": "1", "locales/deep/de.json": "2", "a": "3", "b/c": "4"})
	gittest.Git(t, dir, "sparse-checkout", "set", "--no-cone", "/*", "!/locales/")
	if _, err := os.Stat(filepath.Join(dir, "locales")); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the checkout is not sparse: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, dir, map[string]string{"locales/new.json": "5"})
	fsys := must[fs.FS](t)(open(t, dir, Options{}).Worktree())
	var got []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		got = append(got, name+" "+string(text))
		return err
	})
	want := []string{"b/c 4", "locales/deep/de.json 2", "locales/en.json 1", "locales/new.json 5"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := fs.Stat(fsys, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a deleted file: %v", err)
	}
}
