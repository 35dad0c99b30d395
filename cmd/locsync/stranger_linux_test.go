package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
)

// inShell runs a line of a shell in a folder and returns its exit code and what it said on standard error.
func inShell(t *testing.T, dir, line string, env ...string) (int, string) {
	t.Helper()
	var said strings.Builder
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Stderr, cmd.Env = dir, &said, append(os.Environ(), env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), said.String()
}

// A result that does not arrive, since the disk is full, is a failure that may pass, and is told once; a reader who has
// seen enough is none.
func TestLostResult(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	dir := shelf(t)
	for _, command := range []string{"version", "version --json", "help push",
		"completion bash", "status", "status --json"} {
		code, said := inShell(t, dir, "exec locsync "+command+" >/dev/full")
		if code != report.ExitLater || strings.Count(said, "no space left on device") != 1 {
			t.Errorf("%s: exit code %d, %q", command, code, said)
		}
		if code, said := inShell(t, dir, "locsync "+command+" | head -c 1 >/dev/null"); code != 0 || said != "" {
			t.Errorf("%s to a reader who has enough: exit code %d, %q", command, code, said)
		}
		if code, said := inShell(t, dir, "exec locsync "+command+" >&-"); code != 0 || said != "" {
			t.Errorf("%s without a standard output: exit code %d, %q", command, code, said)
		}
	}
}

// A person in a folder that is gone, or without a folder for temporary files, is told so, or helped.
func TestMissingFolders(t *testing.T) {
	t.Parallel()
	dir := shelf(t)
	for _, command := range []string{"status", "push", "init", "demo --dir x"} {
		code, said := inShell(t, t.TempDir(), "mkdir gone; cd gone; rmdir ../gone; exec locsync "+command)
		if code != report.ExitWrong || !strings.Contains(said, "change into one that is there") {
			t.Errorf("%s: exit code %d, %q", command, code, said)
		}
	}
	if code, said := inShell(t, dir, "exec locsync status >/dev/null",
		"TMPDIR=/nonexistent"); code != report.ExitLater ||
		!strings.Contains(said, "let TMPDIR name one that can be written") {
		t.Errorf("exit code %d, %q", code, said)
	}
	state := filepath.Join(dir, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if code, said := inShell(t, dir, "exec locsync status >/dev/null", "TMPDIR=/nonexistent"); code != 0 || said != "" {
		t.Errorf("with a state: exit code %d, %q", code, said)
	}
	if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if code, said := inShell(t, dir, "exec locsync check --config state"); code != report.ExitWrong ||
		!strings.Contains(said, "is a folder; --config names the file in it") {
		t.Errorf("exit code %d, %q", code, said)
	}
	if code, said := inShell(t, dir, "exec locsync demo --dir locsync.toml/demo"); code != report.ExitWrong ||
		!strings.Contains(said, "name another one with --dir") {
		t.Errorf("exit code %d, %q", code, said)
	}
}

// What is not for this user stays so until it is changed; a disk may have room again, and a network that says the
// same may let us through.
func TestErrorsOfFiles(t *testing.T) {
	at := func(why error) error {
		return fmt.Errorf("open state: %w", &fs.PathError{Op: "open", Path: "state.db", Err: why})
	}
	for _, c := range []struct {
		err  error
		code int
	}{
		{at(syscall.EACCES), report.ExitWrong}, {at(syscall.EPERM), report.ExitWrong}, {at(syscall.EROFS),
			report.ExitWrong},
		{at(syscall.ENOSPC), report.ExitLater}, {at(syscall.EIO), report.ExitLater},
		{misuse(at(syscall.ENOSPC)), report.ExitLater},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EPERM)}, report.ExitLater},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EACCES)}, report.ExitLater},
	} {
		var said strings.Builder
		if code := (&app{out: &said, err: &said}).exit(c.err); code != c.code {
			t.Errorf("%v: %d, want %d", c.err, code, c.code)
		}
	}
}

// A pipe instead of a file is refused, and not waited for; so is an argument that a script left empty.
func TestNoFile(t *testing.T) {
	t.Parallel()
	dir := shelf(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{"pipe": "pipe is not a regular file", "state": "there is no file",
		".": "is a directory; name its files"} {
		if f, _, err := files.Open(filepath.Join(dir, path)); f != nil || err == nil ||
			!strings.Contains(err.Error(), says) || !process.Lasting(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, args := range [][]string{{"memories", "create", ""}, {"glossary", "export", "default", ""},
		{"tasks", "assign", "x", ""}} {
		if why := refused(t, args...); !strings.Contains(why, "needs") {
			t.Errorf("%q: %s", args, why)
		}
	}
}
