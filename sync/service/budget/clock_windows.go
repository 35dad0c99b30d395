package budget

import (
	"time"

	"golang.org/x/sys/windows"
)

// sinceBoot is a clock that all processes of this machine read alike and that cannot be set. It ticks
// every 16 ms or so; the margin of the budget is a dozen times that.
func sinceBoot() time.Duration { return windows.DurationSinceBoot() }
