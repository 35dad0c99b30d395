package budget

import "golang.org/x/sys/unix"

// bootClock also counts the time that the machine sleeps.
const bootClock = unix.CLOCK_BOOTTIME
