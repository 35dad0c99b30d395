//go:build !linux

package cluster

import "time"

// sleepTime is for how long this machine has slept since its start; it cannot be told here.
func sleepTime() time.Duration { return 0 }
