package gitops

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// A branch that was checked out and left again is noticed, though HEAD is what it was; so is one of another name at the
// same commit. Reading the status, which writes nothing, is no change.
func TestGitAtRestIsNoticed(t *testing.T) {
	dir := gittest.Init(t, map[string]string{"a": "main\n"})
	gittest.Git(t, dir, "checkout", "-q", "-b", "other")
	gittest.Commit(t, dir, "other", map[string]string{"a": "other\n"})
	gittest.Git(t, dir, "checkout", "-q", "main")
	r, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read := func() Checkout {
		t.Helper()
		l, err := r.Checkout()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	now, index := time.Now(), filepath.Join(dir, ".git", "index") // however slowly git has written it
	if err := os.Chtimes(index, now, now); err != nil {
		t.Fatal(err)
	}
	before := read()
	if wait := before.Fresh(); wait <= 0 || wait > rest {
		t.Errorf("git has just written, and %v are waited", wait)
	}
	if !before.Same(read()) {
		t.Error("nothing happened, and the looks differ")
	}
	for _, c := range []struct {
		what string
		args [][]string
	}{
		{"there and back", [][]string{{"checkout", "-q", "other"}, {"checkout", "-q", "main"}}},
		{"another name", [][]string{{"checkout", "-q", "-b", "twin"}}},
		{"a reset", [][]string{{"reset", "-q", "--hard", "other"}}},
		{"detached", [][]string{{"checkout", "-q", "--detach"}}},
	} {
		before := read()
		for _, args := range c.args {
			gittest.Git(t, dir, args...)
		}
		if before.Same(read()) {
			t.Errorf("%s is not noticed", c.what)
		}
	}
	time.Sleep(rest)
	if wait := read().Fresh(); wait != 0 {
		t.Errorf("git is quiet, and %v are waited", wait)
	}
}
