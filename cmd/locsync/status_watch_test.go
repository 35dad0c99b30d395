//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
)

// What a terminal gets when a status that is watched has a screen of its own, and when that ends.
const (
	ownScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	givenBack = "\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// At a terminal the status is drawn on a screen of its own, anew when something or the window's size changes, and
// Ctrl-C gives back the screen that was there.
func TestWatchStatusAtATerminal(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.command("status", "--watch")
	x := inColours(t, cmd, 80)
	shows := func(what string) func() bool {
		pattern := regexp.MustCompile(what)
		return func() bool { return pattern.MatchString(x.raw()) }
	}
	w.until("the first picture", shows(`2 values wait`))
	first := x.raw()
	if !strings.HasPrefix(first, ownScreen) || strings.Contains(first, "\x1b[?1049l") ||
		!strings.Contains(first, "\x1b[33m") {
		t.Errorf("the first picture: %q", first)
	}
	w.write("locales/en.json", `{"a": "A", "b": "B", "c": "C"}`)
	w.until("another picture", shows(`3 values wait`))
	if n := strings.Count(x.raw(), "░"); n == 0 || n%20 != 0 {
		t.Errorf("bars of %d in all", n)
	}
	x.resize(130)
	w.until("a wider picture", shows(strings.Repeat("░", 40)))
	w.check(cmd.Process.Signal(syscall.SIGTSTP)) // as Ctrl-Z does in a shell
	w.until("a stop", func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		return err == nil && strings.Contains(string(state), ") T ") && strings.HasSuffix(x.raw(), givenBack)
	})
	w.check(cmd.Process.Signal(syscall.SIGCONT))
	w.until("the picture again", func() bool {
		return strings.Count(x.raw(), ownScreen) == 2 && !strings.HasSuffix(x.raw(), ownScreen)
	})
	x.types("\x03") // Ctrl-C
	if code := x.wait(); code != report.ExitDone {
		t.Errorf("exit code %d after Ctrl-C", code)
	}
	if last := x.raw(); !strings.HasSuffix(last, givenBack) || strings.Count(last, ownScreen) != 2 {
		t.Errorf("the end: %q", last[max(0, len(last)-200):])
	}
}

// A terminal that knows no escape sequences gets none, one that wants no colours no colours.
func TestStatusAtATerminalThatIsPlain(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	for _, setting := range []string{"TERM=dumb", "NO_COLOR=1"} {
		cmd := w.command("status")
		x := inColours(t, cmd, 80, setting)
		if code := x.wait(); code != report.ExitDone {
			t.Errorf("%s: exit code %d", setting, code)
		}
		if text := x.raw(); strings.Contains(text, "\x1b") || !strings.Contains(text, "2 values wait") ||
			!strings.Contains(text, "░") {
			t.Errorf("%s: %q", setting, text)
		}
	}
}

// At a terminal the report is broken where it ends, and a locale without the characters that texts have is told of.
func TestDoctorAtATerminal(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.command("doctor", "--offline")
	x := inColours(t, cmd, 70, "LC_ALL=C")
	if code := x.wait(); code != report.ExitDone {
		t.Errorf("exit code %d", code)
	}
	text := x.text()
	if !strings.Contains(text, "warning  terminal") || !strings.Contains(text, "C.UTF-8") || text == x.raw() {
		t.Errorf("%q", x.raw())
	}
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		line = line[strings.LastIndexByte(line, '\r')+1:] // over what was there of progress
		if n := terminal.Columns(strings.TrimSuffix(line, "\n")); n > 70 &&
			len(strings.Fields(line)) > 3 { // level, check, and one word that is longer
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// In a pipe each change is a document: a line of JSON, or text below the time.
func TestWatchStatusInAPipe(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	daemon := w.start()
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
	cmd := w.command("status", "--watch", "--json")
	pipe, err := cmd.StdoutPipe()
	w.check(err)
	w.check(cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(pipe)
	pending := -1
	next := func() {
		t.Helper()
		line, err := lines.ReadString('\n')
		w.check(err)
		var s report.Status
		if err := json.Unmarshal([]byte(line), &s); err != nil || len(s.Projects) != 1 {
			t.Fatalf("%v in %q", err, line)
		}
		pending = s.Projects[0].Pending
	}
	for pending != 0 {
		next()
	}
	w.write("locales/en.json", `{"a": "A", "b": "B", "c": "C"}`)
	for pending != 1 {
		next()
	}
	w.check(daemon.Process.Kill()) // without it the command looks for itself
	w.write("locales/en.json", `{"a": "A", "b": "B", "c": "C", "d": "D"}`)
	for pending != 2 {
		next()
	}
	w.check(cmd.Process.Signal(os.Interrupt))
	w.check(cmd.Wait())

	text := w.command("status", "--watch")
	var out lockedBuffer
	text.Stdout = &out
	w.check(text.Start())
	t.Cleanup(func() { _ = text.Process.Kill() })
	w.until("text", func() bool {
		return strings.Contains(out.String(), "problem") || strings.Contains(out.String(), "LANGUAGE")
	})
	w.check(text.Process.Signal(syscall.SIGTERM))
	w.check(text.Wait())
	if !regexp.MustCompile(`^-- \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\napp: 2 values wait`).MatchString(out.String()) ||
		strings.Contains(out.String(), "\x1b") {
		t.Errorf("%q", out.String())
	}
}
