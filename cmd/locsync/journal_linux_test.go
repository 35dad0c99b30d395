package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// stream is the two ends of what a process has in place of standard error, as systemd makes it; each read of one is one
// write of the other. name is how systemd names it to the process.
func stream(t *testing.T) (ours, theirs *os.File, name string) {
	t.Helper()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs = os.NewFile(uintptr(ends[0]), "ours"), os.NewFile(uintptr(ends[1]), "theirs")
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	var is syscall.Stat_t
	if err := syscall.Fstat(ends[1], &is); err != nil {
		t.Fatal(err)
	}
	return ours, theirs, fmt.Sprintf("%d:%d", is.Dev, is.Ino)
}

// ran runs a program to its end, with something else meanwhile, and returns what it wrote, each write by itself, and
// its exit code.
func ran(t *testing.T, cmd *exec.Cmd, ours, theirs *os.File, meanwhile func()) (written []string, code int) {
	t.Helper()
	cmd.Stderr = theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended by itself
	theirs.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buf := make([]byte, 1<<16)
		for {
			n, err := ours.Read(buf)
			if n == 0 || err != nil {
				return
			}
			written = append(written, string(buf[:n]))
		}
	}()
	meanwhile()
	<-ended
	_ = cmd.Wait() // its code says it
	return written, cmd.ProcessState.ExitCode()
}

var (
	inJournal = regexp.MustCompile(`^(<[3467]>[^\n]*\n)+$`)
	timed     = regexp.MustCompile(`\d\d:\d\d:\d\d`)
)

// What a daemon says to the journal is there with its priority, line by line: its log, and the errors that end it or
// that it goes on after.
func TestJournal(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	w.env = append(w.env, "NOTIFY_SOCKET=") // here systemd does not listen
	all := func(written []string) string { return strings.Join(written, "") }

	ours, theirs, name := stream(t)
	cmd := w.command("run", "--log-level", "debug")
	cmd.Env = append(cmd.Env, "JOURNAL_STREAM="+name)
	written, code := ran(t, cmd, ours, theirs, func() {
		w.until("the first push", func() bool { return w.called("/import") > 1 })
		w.check(os.WriteFile(w.repo+"/locsync.toml", []byte("nonsense = 1\n"), 0o600))
		w.check(cmd.Process.Signal(syscall.SIGHUP))
		w.until("the end", func() bool {
			_, metrics := w.get("/metrics")
			return strings.Contains(metrics, "locsync_config_last_reload_successful 0")
		})
		w.check(cmd.Process.Signal(syscall.SIGTERM))
	})
	for _, record := range written {
		if !inJournal.MatchString(record) || timed.MatchString(record) {
			t.Errorf("a record in the journal: %q", record)
		}
	}
	for _, want := range []string{"<6>running {", "<6>pushed {",
		"<3>the new configuration is not used; the old one stays {", "<6>ending\n"} {
		if !strings.Contains(all(written), want) {
			t.Errorf("%q is not in %q", want, all(written))
		}
	}
	if code != report.ExitDone {
		t.Errorf("exit code %d", code)
	}

	// A configuration with two mistakes, and a command line with one, end it; each line says that it is an error.
	w.check(os.WriteFile(w.repo+"/locsync.toml", []byte("nonsense = 1\nmore = 2\n"), 0o600))
	for args, lines := range map[string]int{"run": 2, "run --no-such-flag": 1} {
		ours, theirs, name := stream(t)
		cmd := w.command(strings.Fields(args)...)
		cmd.Env = append(cmd.Env, "JOURNAL_STREAM="+name)
		written, code := ran(t, cmd, ours, theirs, func() {})
		if len(written) != 1 || !inJournal.MatchString(all(written)) || strings.Count(all(written), "<3>") < lines ||
			code != report.ExitWrong {
			t.Errorf("%s: code %d, %q", args, code, written)
		}
	}

	// Standard error that is not the journal's, though there is one, is for people.
	ours, theirs, name = stream(t)
	cmd = w.command("run", "--no-such-flag")
	cmd.Env = append(cmd.Env, "JOURNAL_STREAM="+name+"1")
	if written, _ := ran(t, cmd, ours, theirs, func() {}); !strings.HasPrefix(all(written), "locsync: ") {
		t.Errorf("not in the journal: %q", written)
	}
}
