package repository

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/run"
)

// A repository whose files stay as they are is opened again without a git program, and every change of what git's answers
// come from is seen: its configuration, the user's, a file that they include, where it is, its format.
func TestRecall(t *testing.T) {
	gittest.Need(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	for _, kind := range []string{"a working tree", "a folder in it", "bare", "no system's configuration"} {
		t.Run(kind, func(t *testing.T) {
			if kind == "no system's configuration" {
				t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			}
			top := t.TempDir()
			dir := top
			config := filepath.Join(top, ".git", "config")
			switch kind {
			case "bare":
				gittest.Git(t, top, "init", "--quiet", "--bare", top)
				config = filepath.Join(top, "config")
			default:
				gittest.Git(t, top, "init", "--quiet", top)
			}
			if kind == "a folder in it" {
				dir = filepath.Join(top, "sub")
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			old := time.Now().Add(-time.Hour)
			age := func(files ...string) {
				t.Helper()
				for _, file := range files {
					old = old.Add(time.Second)
					if err := os.Chtimes(file, old, old); err != nil {
						t.Fatal(err)
					}
				}
			}
			programs := 0
			open := func() *Repository {
				t.Helper()
				programs = 0
				ctx := run.Tracing(t.Context(), func(run.Command) func(time.Duration, error) {
					programs++
					return func(time.Duration, error) {}
				})
				r, err := Open(ctx, dir, Options{})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			again := func(want string) {
				t.Helper()
				for _, settled := range []bool{false, true} {
					if got := open().Settings.Get("test.value"); got != want || settled != (programs == 0) {
						t.Errorf("settled %v: %q after %d git programs, want %q", settled, got, programs, want)
					}
				}
			}
			age(config)
			again("")
			gittest.Git(t, top, "config", "test.value", "one")
			open()
			if open(); programs == 0 {
				t.Error("a configuration that changed just now was taken for settled")
			}
			age(config)
			again("one")
			global := filepath.Join(home, ".gitconfig")
			if err := os.WriteFile(global, []byte("[test]\n\tvalue = user\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(global)
			age(global)
			again("one") // the repository's counts
			included := filepath.Join(home, "more")
			if err := os.WriteFile(included, []byte("[test]\n\tvalue = included\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			gittest.Git(t, top, "config", "include.path", included)
			age(config, included)
			for range 2 {
				if got := open().Settings.Get("test.value"); got != "included" || programs == 0 {
					t.Errorf("%q after %d git programs", got, programs)
				}
			}
			gittest.Git(t, top, "config", "--unset", "include.path")
			age(config)
			again("one")
			if kind == "bare" {
				return
			}
			gittest.Git(t, top, "config", "core.repositoryformatversion", "99")
			age(config)
			if _, err := Open(context.Background(), dir, Options{}); err == nil {
				t.Error("a format that git refuses is opened")
			}
		})
	}
}
