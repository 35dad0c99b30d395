package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Temporary files are in a folder of this process, which goes when it is done; one that a process left that was killed
// goes as well, and TMPDIR wins.
func TestInMemory(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	was := os.TempDir()
	InMemory()()
	if os.TempDir() != was {
		t.Fatalf("TMPDIR was %s and is %s", was, os.TempDir())
	}

	os.Unsetenv("TMPDIR")
	left := filepath.Join(inMemory, memoryName+strconv.Itoa(gone.Process.Pid))
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Skipf("NOTE: there is no folder in memory here: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(left) })
	done := InMemory()
	dir := os.Getenv("TMPDIR")
	if dir == "" {
		t.Skipf("%s has no room for the files of tests", inMemory)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what another process left is there: %v", err)
	}
	if made, err := os.MkdirTemp("", ""); err != nil || filepath.Dir(made) != dir {
		t.Errorf("a temporary folder is %s, not in %s: %v", made, dir, err)
	}
	done()
	if _, err := os.Stat(dir); !os.IsNotExist(err) || os.Getenv("TMPDIR") != "" {
		t.Errorf("%s is there afterwards: %v", dir, err)
	}
}
