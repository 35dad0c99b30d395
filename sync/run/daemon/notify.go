package daemon

import (
	"context"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/run/notify"
)

const (
	// notifyEvery is how often it is seen whether a fact has become old enough to be told.
	notifyEvery = time.Minute
	// notifyPause is the least time between two statuses for messages.
	notifyPause = 10 * time.Second
)

// notifier tells people what changes, in a goroutine of its own: no pass waits for a receiver.
type notifier struct {
	log      *zap.Logger
	store    ledger.Store
	engine   func() *engine.Engine
	receiver atomic.Pointer[notify.Receiver] // nil for none
}

// run tells until ctx ends. A new status is made when something changed; in between only time passes.
func (n *notifier) run(ctx context.Context) {
	tick := time.NewTicker(notifyEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		used, changed := n.engine(), (<-chan struct{})(nil)
		if n.receiver.Load() != nil {
			changed = used.Changed()
			n.tell(ctx, used, true)
		}
		for again := false; !again; {
			select {
			case <-ctx.Done():
				return
			case <-changed:
				again = true
				select {
				case <-ctx.Done():
				case <-time.After(notifyPause):
				}
			case <-tick.C:
				if again = n.engine() != used; !again { // else the configuration was read again
					n.tell(ctx, used, false)
				}
			}
		}
	}
}

func (n *notifier) tell(ctx context.Context, from *engine.Engine, fresh bool) {
	receiver := n.receiver.Load()
	if receiver == nil || !engine.Speaks(from) {
		return
	}
	now := from.LastStatus()
	if fresh && !engine.Many(from) {
		now = from.Status(ctx)
	}
	if ctx.Err() != nil {
		return // a status that was cut short tells nothing
	}
	if err := receiver.Tell(ctx, n.store, now, time.Now()); err != nil {
		n.log.Error("cannot record which messages were sent", zap.Error(err))
	}
}
