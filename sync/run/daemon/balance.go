package daemon

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/pass/engine"
)

// balancePause is the least time between two attempts to read the account's balance.
const balancePause = 10 * time.Minute

// watchBalance keeps the account's balance known until ctx ends, beside all passes: none waits for it or fails with it.
// A service that does not tell it is asked once.
func watchBalance(ctx context.Context, log *zap.Logger, used func() *engine.Engine) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	var asked time.Time
	var of, silent string
	for {
		e := used()
		changed := e.Changed()
		id := engine.BalanceOf(e.Config)
		due := id != of || time.Since(asked) >= balancePause
		if id != "" && id != silent && due && engine.Speaks(e) {
			of, asked = id, time.Now()
			kept, err := engine.AskBalance(ctx, e)
			switch {
			case err == nil || ctx.Err() != nil:
			case !kept:
				silent = id
				log.Info("the translation service does not tell the account's balance; it is not asked again", zap.Error(err))
			default:
				log.Debug("the account's balance cannot be read now", zap.Error(err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-tick.C:
		}
	}
}
