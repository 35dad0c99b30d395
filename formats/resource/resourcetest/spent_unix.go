//go:build unix

package resourcetest

import (
	"syscall"
	"time"
)

// spent is the processor time that this process has used: on a busy machine the clock would mostly count what others
// do.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return time.Since(begun)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
