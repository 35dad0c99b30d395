package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A lock is one process's at a time, also where it is the file itself; what else has the lock's name is refused.
func TestLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.toml")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, lock := range map[string]func(context.Context, string) (func(),
		error){"beside": Lock, "itself": lockItself} {
		unlock, err := lock(t.Context(), file)
		if err != nil {
			t.Fatal(name, err)
		}
		late, cancel := context.WithTimeout(t.Context(), 3*lockRetry)
		if _, err := lock(late, file); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: locked twice: %v", name, err)
		}
		cancel()
		unlock()
		again, err := lock(t.Context(), file)
		if err != nil {
			t.Fatal(name, err)
		}
		again()
	}
	target := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Symlink(target, filepath.Join(filepath.Dir(file), ".a.toml.lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(t.Context(), file); err == nil {
		t.Error("a symbolic link is taken for a lock")
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("a file elsewhere was made")
	}
}

// A file that is written anew keeps its mode and the links to it; one whose writing fails stays as it was.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a.toml"), filepath.Join(dir, "link.toml")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o640), os.Symlink("a.toml", link)); err != nil {
		t.Fatal(err)
	}
	put := func(f *os.File) error {
		_, err := f.WriteString("new")
		return err
	}
	broken := errors.New("broken")
	if err := Write(link, func(*os.File) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "old" {
		t.Errorf("after a failure: %q, %v", got, err)
	}
	if err := errors.Join(Write(link, put), Write(filepath.Join(dir, "b.toml"), put)); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"a.toml": 0o640, "b.toml": 0o644, "link.toml": os.ModeSymlink} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || info.Mode()&os.ModeSymlink != mode&os.ModeSymlink || mode.IsRegular() && info.Mode() != mode {
			t.Errorf("%s: %v, %v, want %v", name, info, err, mode)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "new" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// A file below a folder keeps its mode, and is not written through a link that has the name of the temporary file.
func TestWriteBelow(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	err = errors.Join(root.WriteFile("a.json", []byte("old"), 0o600), root.WriteFile("other", []byte("other"), 0o644),
		root.Symlink("other", "a.json.locsync-new"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteBelow(root, "a.json", []byte("new")), WriteBelow(root, "b/c.json", []byte("new"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.json": "new", "b/c.json": "new", "other": "other"} {
		if got, err := root.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if info, err := root.Lstat("a.json"); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := root.Lstat("a.json.locsync-new"); !errors.Is(err, os.ErrNotExist) {
		t.Error("left behind:", err)
	}
}
