//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the head of a session: ssh or a hook that it started ends with it, and none of them
// finds a terminal to ask on.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killGroup ends what is left of a program that was asked to end.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
