package cluster

import (
	"time"

	"golang.org/x/sys/unix"
)

// sleepTime is for how long this machine has slept since its start.
func sleepTime() time.Duration {
	var awake, all unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &all) != nil {
		return 0
	}
	return time.Duration(all.Nano() - awake.Nano())
}
