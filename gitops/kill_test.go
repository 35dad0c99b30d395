package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// killedPass is what the test binary does when it is started as a victim: one pass in a repository, which ends without
// a word at the nth step of writing. Called from TestMain.
func killedPass(dir, remote, branch, at string) {
	n, err := strconv.Atoi(at)
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
	fail(err)
	r, err := Open(context.Background(), dir, Options{Remote: remote})
	fail(err)
	r.repo.Step = func(name string) {
		if n--; n == 0 {
			fmt.Println(name)
			p, err := os.FindProcess(os.Getpid())
			fail(errors.Join(err, p.Kill()))
			time.Sleep(time.Minute) // the signal is on its way
		}
	}
	tip, err := r.At(context.Background(), branch, "")
	fail(err)
	made, err := r.Commit(context.Background(), tip, branch, victimFiles(), message("killed"))
	fail(err)
	_, err = r.Push(context.Background(), made)
	fail(err)
}

func victimFiles() map[string][]byte {
	return files("locales/de/app.json", "killed\n", "locales/fr/x", "y")
}

// Killed at any step of writing, a pass leaves repositories that git finds sound, nothing of the user's touched, and a
// next pass that ends where an uninterrupted one would have: one commit, delivered (G1, G2, G8).
func TestKilledAtEveryStep(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	for _, kind := range []string{"folder", "http", "local"} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, gittest.Options{})
			remote := "origin"
			switch kind {
			case "folder":
				gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
			case "local":
				remote = ""
			}
			gittest.Write(t, s.dir, map[string]string{"README.md": "changed\n"})
			before := snapshot(t, s.dir)
			var steps []string
			for n := 1; ; n++ {
				branch := fmt.Sprintf("l10n-%d", n)
				cmd := exec.Command(self, "-test.run=^$")
				cmd.Env = append(os.Environ(), "LOCSYNC_TEST_VICTIM="+s.dir, "LOCSYNC_TEST_REMOTE="+remote,
					"LOCSYNC_TEST_STEP="+strconv.Itoa(n), "LOCSYNC_TEST_BRANCH="+branch)
				out, err := cmd.CombinedOutput()
				if err == nil {
					break
				}
				if cmd.ProcessState.ExitCode() != -1 {
					t.Fatalf("step %d: %v %s", n, err, out)
				}
				step := strings.TrimSpace(string(out))
				steps = append(steps, step)
				gittest.Sound(t, s.dir)
				if strings.HasPrefix(step, "remote") { // the other steps do not write there
					gittest.Sound(t, s.bare)
				}
				same(t, before, snapshot(t, s.dir))

				r := open(t, s.dir, Options{Remote: remote})
				made, err := pass(t, r, branch, victimFiles())
				if err != nil {
					t.Fatalf("after %q: %v", step, err)
				}
				if kind != "local" {
					if got := gittest.Git(t, s.bare, "log", "--format=%H", "main.."+branch); got != made.Hash() {
						t.Errorf("after %q the remote's branch is %q, not %s", step, got, made.Hash())
					}
				}
				if got := gittest.Git(t, s.dir, "log", "--format=%H", "main.."+branch, "--"); got != made.Hash() {
					t.Errorf("after %q the branch is %q, not %s", step, got, made.Hash())
				}
				if waiting := must[*Tip](t)(r.Pending(branch)); waiting != nil {
					t.Errorf("after %q a commit waits", step)
				}
				for _, pattern := range []string{".git/refs/heads/*.lock", ".git/refs/locsync-outbox/*.lock",
					".git/refs/remotes/origin/*.lock"} {
					if left, _ := filepath.Glob(filepath.Join(s.dir, pattern)); len(left) > 0 {
						t.Errorf("after %q: %v", step, left)
					}
				}
				r.Close()
			}
			gittest.Sound(t, s.bare)
			if len(steps) < 8 {
				t.Errorf("only %d steps: %v", len(steps), steps)
			}
			t.Logf("killed at %v", steps)
		})
	}
}
