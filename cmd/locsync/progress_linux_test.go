package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/terminal"
)

// A person at a terminal sees what long work is about, and in the end only its result; without a terminal one sees
// only the result from the begin.
func TestProgressAtATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  []string
		args []string
		pipe bool // standard output is no terminal
		show bool
	}{
		{name: "person", show: true},
		{name: "results into a file", pipe: true, show: true},
		{name: "NO_COLOR", env: []string{"NO_COLOR=1"}},
		{name: "dumb", env: []string{"TERM=dumb"}},
		{name: "CI", env: []string{"CI=true"}},
		{name: "json", args: []string{"--json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newDaemonWorld(t)
			hold := w.holdOn("/import")
			cmd := w.command(append([]string{"push", "--log-level", "info"}, c.args...)...)
			cmd.Env = append(append(cmd.Env, "TERM=xterm", "NO_COLOR=", "CI="), c.env...)
			cmd.Stdout, cmd.Stderr = nil, nil
			var out *os.File
			if c.pipe {
				var err error
				out, err = os.Create(filepath.Join(t.TempDir(), "out"))
				w.check(err)
				defer out.Close()
			}
			s := atConsole(t, cmd, 60, out)
			<-hold.reached
			if c.show {
				at := s.until(`app: sending 1 .*%.*\(0/1\)`, 0)
				s.resize(30)
				s.until(`app: sending`, at)
			}
			hold.release()
			if code := s.wait(); code != 0 {
				t.Fatalf("exit code %d: %s", code, s.text())
			}
			if shows := strings.Contains(s.raw(), terminal.Erase); shows != c.show {
				t.Errorf("progress shown: %t, want %t:\n%q", shows, c.show, s.raw())
			}
			if !c.pipe && c.show {
				if rest := s.raw()[strings.LastIndex(s.raw(),
					terminal.Erase):]; !strings.HasPrefix(strings.Join(strings.Fields(escapes.ReplaceAllString(rest,
					"")), " "), "app: sent 2 values in 1 import locales/") {
					t.Errorf("the result does not stand alone: %q", rest)
				}
			}
		})
	}
}
