package daemon

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/pass/engine"
)

// stalePause is the least time between two times that projects are asked for: each end of a pass would go through
// thousands of them.
const stalePause = 2 * time.Second

// countStale keeps the counts of stale translations known until ctx ends, beside all passes: none waits for it or fails
// with it. It begins when the first pass has ended.
func countStale(ctx context.Context, log *zap.Logger, used func() *engine.Engine) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	changed := used().Changed()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed: // a pass may have ended, for which a project was left
		case <-tick.C:
		}
		if !wait(ctx, stalePause) {
			return
		}
		e := used()
		changed = e.Changed()
		if err := engine.CountStale(ctx, e); err != nil && ctx.Err() == nil {
			log.Debug("stale translations cannot be counted now", zap.Error(err))
		}
	}
}
