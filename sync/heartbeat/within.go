package heartbeat

import (
	"context"
	"time"
)

// Within returns what f returns. ok is false where f has not returned when patience is over or ctx ends: it goes on
// then, on a goroutine of its own, and whatever it still does has to be harmless. It is for calls that no timeout ends,
// such as those to a file system that does not answer; each that is given up keeps a thread, so that they must not be
// made again and again.
func Within[T any](ctx context.Context, patience time.Duration, f func() T) (result T, ok bool) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case result = <-done:
		return result, true
	case <-late.C:
	case <-ctx.Done():
	}
	return result, false
}
