//go:build unix

package run

import (
	"fmt"
	"os/exec"
	"syscall"
)

// ownGroup makes the program the head of a session: ssh or a hook that it started ends with it, and none of them
// finds a terminal to ask on.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// limit bounds the memory of a program, and of each that it starts, and the files that they write: a shell sets what
// they inherit, before any of them begins. Files that are mapped do not count as memory.
func limit(cmd *exec.Cmd) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return // git needs one as well, and says so
	}
	const blocks = 512 // bytes, in which POSIX counts
	limits := fmt.Sprintf(`ulimit -d %d 2>/dev/null; ulimit -f %d 2>/dev/null; exec "$@"`, mostMemory>>10,
		mostFile/blocks)
	cmd.Args = append([]string{"sh", "-c", limits, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
}

// killGroup ends what is left of a program that was asked to end.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
