//go:build !unix

package resourcetest

import "time"

// spent is the time that has passed, where the processor's cannot be had.
func spent() time.Duration { return time.Since(begun) }
