package daemon

import (
	"context"
	"time"
)

// restAfter is for how long nothing must have changed before memory is given back: a pass follows another one soon.
const restAfter = 10 * time.Second

// atRest calls release once nothing has been done for a while, each time that something was. The garbage collector
// keeps what a pass needed at most, and a daemon rests most of its life.
func atRest(ctx context.Context, changed func() <-chan struct{}, busy func() bool, release func()) {
	for {
		next := changed()
		quiet := time.NewTimer(restAfter)
		select {
		case <-ctx.Done():
		case <-next:
			quiet.Stop()
			continue
		case <-quiet.C:
		}
		if ctx.Err() == nil && !busy() {
			release()
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
	}
}
