package heartbeat

import (
	"context"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
)

// Within returns what f returns. ok is false where f has not returned when patience is over or ctx ends: it goes on
// then, on a goroutine of its own, and whatever it still does has to be harmless. It is for calls that no timeout ends,
// such as those to a file system that does not answer; each that is given up keeps a thread, so that they must not be
// made again and again.
func Within[T any](ctx context.Context, patience time.Duration, f func() T) (result T, ok bool) {
	type outcome struct {
		result T
		fault  *fault.Error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.fault = fault.Of(recover())
			done <- o
		}()
		o.result = f()
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case o := <-done:
		if o.fault != nil {
			panic(o.fault)
		}
		return o.result, true
	case <-late.C:
	case <-ctx.Done():
	}
	return result, false
}
