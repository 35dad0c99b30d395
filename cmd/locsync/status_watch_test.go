//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/locsync/locsync/sync/engine"
)

// terminal is a pseudo-terminal of our own; what is written at it comes into shown.
type terminal struct {
	t      *testing.T
	master *os.File
	shown  lockedBuffer
	ended  chan struct{}
}

// atTerminal starts a program at a new terminal of that size.
func (w *daemonWorld) atTerminal(cmd *exec.Cmd, columns, rows int, settings ...string) *terminal {
	w.t.Helper()
	return atTerminal(w.t, cmd, columns, rows, settings...)
}

func atTerminal(t *testing.T, cmd *exec.Cmd, columns, rows int, settings ...string) *terminal {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no terminal can be had: %v", err)
	}
	x := &terminal{t: t, master: os.NewFile(uintptr(fd), "master"), ended: make(chan struct{})}
	check(unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	check(err)
	x.resize(columns, rows)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	check(err)
	defer slave.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Env = append(append(cmd.Env, "TERM=xterm-256color", "NO_COLOR="), settings...)
	check(cmd.Start())
	go func() {
		defer close(x.ended)
		buf := make([]byte, 4096)
		for {
			n, err := x.master.Read(buf) // ends with the last program at the terminal
			_, _ = x.shown.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		<-x.ended
		x.master.Close()
	})
	return x
}

func (x *terminal) resize(columns, rows int) {
	x.t.Helper()
	if err := unix.IoctlSetWinsize(int(x.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(columns), Row: uint16(rows)}); err != nil {
		x.t.Fatal(err)
	}
}

// At a terminal the status is drawn on a screen of its own, anew when something or the window's size changes, and Ctrl-C gives back the screen that was there.
func TestWatchStatusAtATerminal(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.command("status", "--watch")
	x := w.atTerminal(cmd, 80, 24)
	shows := func(what string) func() bool {
		pattern := regexp.MustCompile(what)
		return func() bool { return pattern.MatchString(x.shown.String()) }
	}
	w.until("the first picture", shows(`2 values wait`))
	first := x.shown.String()
	if !strings.HasPrefix(first, enterScreen) || strings.Contains(first, "\x1b[?1049l") || !strings.Contains(first, "\x1b[33m") {
		t.Errorf("the first picture: %q", first)
	}
	w.write("locales/en.json", `{"a": "A", "b": "B", "c": "C"}`)
	w.until("another picture", shows(`3 values wait`))
	if n := strings.Count(x.shown.String(), "░"); n == 0 || n%20 != 0 {
		t.Errorf("bars of %d in all", n)
	}
	x.resize(130, 24)
	w.until("a wider picture", shows(strings.Repeat("░", 40)))
	w.check(cmd.Process.Signal(syscall.SIGTSTP)) // as Ctrl-Z does in a shell
	w.until("a stop", func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		return err == nil && strings.Contains(string(state), ") T ") && strings.HasSuffix(x.shown.String(), leaveScreen)
	})
	w.check(cmd.Process.Signal(syscall.SIGCONT))
	w.until("the picture again", func() bool {
		return strings.Count(x.shown.String(), enterScreen) == 2 && !strings.HasSuffix(x.shown.String(), enterScreen)
	})
	_, err := x.master.Write([]byte{3}) // Ctrl-C
	w.check(err)
	w.check(cmd.Wait())
	<-x.ended
	if last := x.shown.String(); !strings.HasSuffix(last, leaveScreen) || strings.Count(last, enterScreen) != 2 {
		t.Errorf("the end: %q", last[max(0, len(last)-200):])
	}
}

// A terminal that knows no escape sequences gets none, one that wants no colours no colours.
func TestStatusAtATerminalThatIsPlain(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	for _, setting := range []string{"TERM=dumb", "NO_COLOR=1"} {
		cmd := w.command("status")
		x := w.atTerminal(cmd, 80, 24, setting)
		w.check(cmd.Wait())
		<-x.ended
		if text := x.shown.String(); strings.Contains(text, "\x1b") || !strings.Contains(text, "2 values wait") || !strings.Contains(text, "░") {
			t.Errorf("%s: %q", setting, text)
		}
	}
}

// At a terminal the report is broken where it ends, and a locale without the characters that texts have is told of.
func TestDoctorAtATerminal(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.command("doctor", "--offline")
	x := w.atTerminal(cmd, 70, 24, "LC_ALL=C")
	w.check(cmd.Wait())
	<-x.ended
	text := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(x.shown.String(), "")
	if !strings.Contains(text, "warning  terminal") || !strings.Contains(text, "C.UTF-8") || text == x.shown.String() {
		t.Errorf("%q", x.shown.String())
	}
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "")) {
		if n := columns(strings.TrimSuffix(line, "\n")); n > 70 && len(strings.Fields(line)) > 3 { // level, check, and one word that is longer
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
		var s engine.Status
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
	if !regexp.MustCompile(`^-- \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\napp: 2 values wait`).MatchString(out.String()) || strings.Contains(out.String(), "\x1b") {
		t.Errorf("%q", out.String())
	}
}
