package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// console is a program at a terminal of its own, as a person sits at one: keys go in, what is shown comes out.
type console struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File

	seen  lockedBuffer
	more  chan struct{} // something was shown
	ended chan struct{} // it has ended, and all that it showed is in seen
}

// atConsole starts a program at a terminal of that many columns. What it writes to standard output goes to out, where
// that is not nil; to the terminal else.
func atConsole(t *testing.T, cmd *exec.Cmd, columns int, out *os.File) *console {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be had here: %v", err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	must(err)
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	must(err)
	c := &console{t: t, cmd: cmd, keys: keys, more: make(chan struct{}, 1), ended: make(chan struct{})}
	c.resize(columns)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
	if out != nil {
		cmd.Stdout = out
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(cmd.Start())
	must(screen.Close())
	go func() {
		defer close(c.ended)
		buf := make([]byte, 4096)
		for {
			n, err := keys.Read(buf)
			_, _ = c.seen.Write(buf[:n])
			select {
			case c.more <- struct{}{}:
			default:
			}
			if err != nil { // EIO: the terminal is not open any more
				_ = cmd.Wait() // how it ended, its state says
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-c.ended
		_ = keys.Close()
	})
	return c
}

// inColours starts a program at a terminal that has colours, but for what the settings say.
func inColours(t *testing.T, cmd *exec.Cmd, columns int, settings ...string) *console {
	t.Helper()
	cmd.Env = append(append(cmd.Env, "TERM=xterm-256color", "NO_COLOR="), settings...)
	return atConsole(t, cmd, columns, nil)
}

func (c *console) resize(columns int) {
	c.t.Helper()
	if err := unix.IoctlSetWinsize(int(c.keys.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: uint16(columns)}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *console) types(keys string) {
	c.t.Helper()
	if _, err := c.keys.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// raw is everything that was sent to the terminal.
func (c *console) raw() string { return c.seen.String() }

var escapes = regexp.MustCompile("\x1b(\\[[0-9;?]*[a-zA-Z]|[=>]|\\][^\a]*\a)")

// text is raw without what only moves and colours.
func (c *console) text() string { return escapes.ReplaceAllString(c.raw(), "") }

// until waits until what was shown since start matches, and returns where the match ends.
func (c *console) until(pattern string, start int) int {
	c.t.Helper()
	want := regexp.MustCompile(pattern)
	late := time.After(guard)
	for {
		if text := c.text(); len(text) >= start {
			if at := want.FindStringIndex(text[start:]); at != nil {
				return start + at[1]
			}
		}
		select {
		case <-c.more:
		case <-late:
			c.t.Fatalf("%q was never shown; what was shown is %q", pattern, strings.TrimSpace(c.text()))
		}
	}
}

// wait waits for the program's end and gives its exit code.
func (c *console) wait() int {
	c.t.Helper()
	select {
	case <-c.ended:
		return c.cmd.ProcessState.ExitCode()
	case <-time.After(guard):
		c.t.Fatalf("it does not end; what was shown is %q", c.text())
		return -1
	}
}
