//go:build amd64

package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// traced runs a victim under ptrace and kills it as it is about to make the nth change of the file system that a later process could see: a
// sync, a rename, a new or removed name. It returns what these changes were, up to the last one that was reached, and whether
// the victim was killed. 0 kills never, so that one run tells how many there are.
//
// A kill as a step begins is a kill after the one before it; what the victim had written by then stays written, as after any kill -9. Programs that the
// victim starts are not traced: they outlive it, as they would elsewhere.
func traced(s *scene, passes string, at int) (steps []string, killed bool, err error) {
	runtime.LockOSThread() // a tracer is a thread, and so is its tracee's parent
	defer runtime.UnlockOSThread()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, false, err
	}
	defer null.Close()
	process, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-test.run=^$"}, &os.ProcAttr{Env: s.environ(passes),
		Files: []*os.File{null, null, null}, Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true}})
	if err != nil {
		return nil, false, err
	}
	pid := process.Pid
	defer func() { _ = process.Release() }()
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &ws, syscall.WALL, nil); err != nil {
		return nil, false, err
	}
	const exitKill = 0x100000
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD|exitKill); err != nil {
		return nil, false, err
	}
	known := map[int]bool{pid: true}
	thread, deliver := pid, 0
	for {
		_ = syscall.PtraceSyscall(thread, deliver) // one that is dead is waited for next
		deliver = 0
		if thread, err = wait(-pid, &ws); err != nil {
			return steps, killed, fmt.Errorf("wait: %w", err)
		}
		switch {
		case thread == pid && (ws.Exited() || ws.Signaled()):
			if ws.Exited() && ws.ExitStatus() != 0 && !killed {
				err = fmt.Errorf("the victim failed by itself: status %d", ws.ExitStatus())
			}
			return steps, killed, err
		case !ws.Stopped():
		case ws.StopSignal() == syscall.SIGTRAP|0x80:
			if what := step(thread); what != "" && !killed {
				steps = append(steps, strings.ReplaceAll(what, s.root+"/", ""))
				if len(steps) == at {
					killed = true
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		case ws.StopSignal() == syscall.SIGTRAP && ws.TrapCause() > 0:
		case ws.StopSignal() == syscall.SIGSTOP && !known[thread]:
			known[thread] = true
		default:
			deliver = int(ws.StopSignal())
		}
	}
}

func wait(pid int, ws *syscall.WaitStatus) (int, error) {
	for {
		thread, err := syscall.Wait4(pid, ws, syscall.WALL, nil)
		if err != syscall.EINTR {
			return thread, err
		}
	}
}

// step names the change that a thread is about to make; "" when it makes none.
func step(thread int) string {
	var regs syscall.PtraceRegs
	const notYet = ^uint64(38) + 1 // -ENOSYS: what stands for the result while the call begins
	if err := syscall.PtraceGetRegs(thread, &regs); err != nil || regs.Rax != notYet {
		return ""
	}
	file := func(fd uint64) string {
		name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, fd))
		return name
	}
	text := func(at uint64) string {
		b := make([]byte, 512)
		n, _ := syscall.PtracePeekData(thread, uintptr(at), b)
		name, _, _ := bytes.Cut(b[:n], []byte{0})
		return string(name)
	}
	switch regs.Orig_rax {
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		return "sync " + file(regs.Rdi)
	case syscall.SYS_RENAME:
		return "rename to " + text(regs.Rsi)
	case syscall.SYS_RENAMEAT, 316:
		return "rename to " + text(regs.R10)
	case syscall.SYS_LINK:
		return "link " + text(regs.Rsi)
	case syscall.SYS_LINKAT:
		return "link " + text(regs.R10)
	case syscall.SYS_UNLINK:
		return "remove " + text(regs.Rdi)
	case syscall.SYS_UNLINKAT:
		return "remove " + filepath.Base(text(regs.Rsi))
	case syscall.SYS_OPENAT:
		if regs.Rdx&syscall.O_CREAT != 0 && regs.Rdx&syscall.O_EXCL != 0 {
			return "create " + filepath.Base(text(regs.Rsi))
		}
	}
	return ""
}

const canTrace = true
