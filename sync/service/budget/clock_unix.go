//go:build unix

package budget

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is a clock that all processes of this machine read alike and that cannot be set.
func sinceBoot() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(bootClock, &ts); err != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(ts.Nano())
}
