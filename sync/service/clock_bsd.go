//go:build unix && !linux

package service

import "golang.org/x/sys/unix"

const bootClock = unix.CLOCK_MONOTONIC
