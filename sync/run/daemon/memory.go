package daemon

import (
	"context"
	"time"
)

const (
	// restAfter is for how long nothing must have changed before memory is given back: a pass follows another one soon.
	restAfter = 10 * time.Second
	// restLatest is after what time memory is given back although work goes on: the repetitions of several projects
	// follow each other or overlap, and none of them is near the end.
	restLatest = 30 * time.Second
)

// atRest calls release once nothing has been done for a while, each time that something was. The garbage collector
// keeps what a pass needed at most, and a daemon rests most of its life.
func atRest(ctx context.Context, changed func() <-chan struct{}, busy func() bool, release func()) {
	for {
		next := waitForRest(ctx, changed, busy)
		if ctx.Err() != nil {
			return
		}
		release()
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
	}
}

// waitForRest returns when nothing is done and nothing changed for restAfter, and at the latest after restLatest. The
// channel is closed with the next change.
func waitForRest(ctx context.Context, changed func() <-chan struct{}, busy func() bool) <-chan struct{} {
	latest := time.NewTimer(restLatest)
	defer latest.Stop()
	for {
		next := changed()
		quiet := time.NewTimer(restAfter)
		select {
		case <-ctx.Done():
			return next
		case <-latest.C:
			return next
		case <-next:
			quiet.Stop()
		case <-quiet.C:
			if !busy() {
				return next
			}
		}
	}
}
