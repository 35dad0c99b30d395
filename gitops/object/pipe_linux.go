package object

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen lets a pipe hold a large file, so that both ends wait less often for each other. Where it may not, it stays
// as it is.
func widen(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
