//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/run/process"
)

// temporary runs commands that have a temporary folder to themselves.
type temporary struct {
	t   *testing.T
	dir string
	env []string
}

func newTemporary(t *testing.T) *temporary {
	t.Helper()
	gittest.Need(t)
	x := &temporary{t: t, dir: t.TempDir()}
	home := t.TempDir()
	x.env = append(os.Environ(), "TMPDIR="+x.dir, "HOME="+home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "LOCSYNC_BUDGET_DIR="+filepath.Join(home, "run"))
	return x
}

func (x *temporary) start(dir string, args ...string) *exec.Cmd {
	x.t.Helper()
	exe, err := exec.LookPath("locsync")
	if err != nil {
		x.t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir, cmd.Env = dir, x.env
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// left are the names of what lies in the temporary folder, without their numbers.
func (x *temporary) left() []string {
	x.t.Helper()
	entries, err := os.ReadDir(x.dir)
	if err != nil {
		x.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimRight(e.Name(), "0123456789"))
	}
	return names
}

func (x *temporary) until(what string, holds func() bool) {
	x.t.Helper()
	for end := time.Now().Add(guard); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			x.t.Fatalf("never: %s; there is %q", what, x.left())
		}
	}
}

// A pull that is killed while a filter of git's works for it leaves the filter's folder. A later one removes it when it
// is old enough to be left over, and nothing else.
func TestKilledProcessLeavesNothingForGood(t *testing.T) {
	x := newTemporary(t)
	repo := gittest.Init(t, map[string]string{"locales/en.json": "{\n  \"a\": \"Apple\"\n}\n",
		".gitattributes": "locales/de.json filter=slow\n",
		"locsync.toml": "[service]\nurl = \"embedded\"\n[[project]]\nname = \"app\"\nid = \"00000000-0000-0000-0000-000000000000\"\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n" +
			"[project.pull]\ncompletion_state = \"draft\"\n[[project.files]]\nsource = \"locales/en.json\"\noutput = \"locales/{LANGUAGE}.json\"\n"})
	pid := filepath.Join(t.TempDir(), "pid")
	gittest.Git(t, repo, "config", "filter.slow.clean", "echo $$ >'"+pid+"'; exec sleep 60")
	if err := x.start(repo, "push").Wait(); err != nil {
		t.Fatal(err)
	}
	pull := x.start(repo, "pull")
	var filter int
	x.until("the filter runs", func() bool {
		text, _ := os.ReadFile(pid)
		filter, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return filter > 0
	})
	if err := pull.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = pull.Wait()
	if err := syscall.Kill(filter, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if left := x.left(); !slices.Equal(left, []string{"locsync-filter-"}) {
		t.Fatalf("the killed pull left %q", left)
	}
	gittest.Git(t, repo, "config", "filter.slow.clean", "cat")
	old := time.Now().Add(-process.LeftoverAge - time.Minute)
	for _, other := range []string{"locsync-demo-123", "locsync-filter-notes", "filter-123", "locsync-1000"} {
		path := filepath.Join(x.dir, other)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	runs := func() []string {
		t.Helper()
		if err := x.start(repo, "pull").Wait(); err != nil {
			t.Fatal(err)
		}
		return x.left()
	}
	others := []string{"filter-", "locsync-", "locsync-demo-", "locsync-filter-notes"}
	if left := runs(); !slices.Equal(left, slices.Insert(slices.Clone(others), 3, "locsync-filter-")) {
		t.Fatalf("a young folder may be in use: %q", left)
	}
	found, err := filepath.Glob(filepath.Join(x.dir, "locsync-filter-[0-9]*"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := os.Chtimes(found[0], old, old); err != nil {
		t.Fatal(err)
	}
	if left := runs(); !slices.Equal(left, others) {
		t.Fatalf("left is %q, want %q", left, others)
	}
}

// A demo that is interrupted before its story is told takes its folder along.
func TestInterruptedDemoLeavesNothing(t *testing.T) {
	x := newTemporary(t)
	demo := x.start(t.TempDir(), "demo")
	x.until("the demo has begun", func() bool { return len(x.left()) > 0 })
	if err := demo.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := demo.Wait(); err == nil {
		t.Fatal("the demo did not end early")
	}
	if left := x.left(); len(left) > 0 {
		t.Fatalf("it leaves %q", left)
	}
}
