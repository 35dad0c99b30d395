//go:build unix && !linux

package budget

import "golang.org/x/sys/unix"

const bootClock = unix.CLOCK_MONOTONIC
