//go:build unix

package gitops

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
)

// counted is a git program that notes each of its runs in a file.
func counted(t *testing.T) (program string, runs func() []string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, log := filepath.Join(dir, "git"), filepath.Join(dir, "runs")
	gittest.Write(t, dir, map[string]string{"git": fmt.Sprintf("#!/bin/sh\necho \"$*\" >>%s\nexec %s \"$@\"\n", log, git)})
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	return program, func() []string {
		text, err := os.ReadFile(log)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		_ = os.Remove(log) // it may not be there
		return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
	}
}

// A repository that was opened and looked at is opened and looked at again without a git program. Passes, which build on
// a tip, read it anew: a commit that is gone is an error there.
func TestAViewAgainTakesNoProgram(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	program, runs := counted(t)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, ".git", "config"), old, old); err != nil {
		t.Fatal(err)
	}
	look := func() error {
		r, err := Open(t.Context(), dir, Options{Git: program})
		if err != nil {
			return err
		}
		defer r.Close()
		tip, err := r.Seen("l10n", "main")
		if err != nil {
			return err
		}
		if in, err := r.History.Contains(tip.Hash(), tip.Hash()); err != nil || !in {
			return fmt.Errorf("the tip is not in its own history: %w", err)
		}
		return nil
	}
	if err := look(); err != nil {
		t.Fatal(err)
	}
	if first := runs(); len(first) > 3 { // git version, git config, git cat-file
		t.Errorf("the first view took %q", first)
	}
	if err := look(); err != nil {
		t.Fatal(err)
	}
	if again := runs(); len(again) > 0 {
		t.Errorf("another view took %q", again)
	}

	commit := gittest.Git(t, dir, "rev-parse", "HEAD")
	if err := os.Remove(filepath.Join(dir, ".git", "objects", commit[:2], commit[2:])); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, Options{})
	if _, err := r.At(t.Context(), "l10n", "main"); !errors.Is(err, object.ErrMissing) {
		t.Errorf("a pass over a commit that is gone: %v", err)
	}
	objects := filepath.Join(dir, ".git", "objects")
	for _, err := range []error{os.Rename(objects, objects+".away"), os.Mkdir(objects, 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := look(); !errors.Is(err, object.ErrMissing) {
		t.Errorf("a view of a repository that was made anew: %v", err)
	}
}
