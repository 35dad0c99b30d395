package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/service"
)

// Each loop of a project, each watcher and each pass for a command has a heartbeat (see package heartbeat). The
// loop's also beats for its passes; one that waits for the lock rests. A hang before the loop has ended a pass is one
// since the start: starting again would not cure it, and would stop the other projects.

// beats is the context of work that beats with h: between the steps of the engine, around what git does, and in what
// the service is asked.
func beats(ctx context.Context, h *heartbeat.Part) context.Context {
	return service.Alive(heartbeat.With(ctx, h), h.Expect)
}

// passLock lets one pass of a project through at a time. Engines before and after a reload share it.
type passLock struct {
	project string                         // its name
	taken   chan struct{}                  // one slot: the pass that has the lock
	holder  atomic.Pointer[heartbeat.Part] // of the pass that has it
}

// blocked returns an error where no pass can begin any more, because the one that has the lock hangs.
func (l *passLock) blocked() error {
	if still, hangs := l.holder.Load().Still(); hangs {
		return fmt.Errorf("project %q: a pass of it is under way and hangs: %s; see whether the disk or mount that its "+
			"repository is on answers, or start the daemon again", l.project, still)
	}
	return nil
}

// holderPollInterval is how often a command that waits for the lock sees whether the pass that has it hangs.
const holderPollInterval = time.Second

// begin waits until no other pass of the project is made; done lets the next one through. It is an error where ctx ends
// before, and for a command, which does not wait with it, where the pass that has the lock hangs. The pass of a command
// gets a heartbeat of its own.
func (l *passLock) begin(ctx context.Context, part func() *heartbeat.Part) (_ context.Context, done func(), err error) {
	own := heartbeat.From(ctx)
	own.Rest()
	if err := l.wait(ctx, own == nil); err != nil {
		return ctx, nil, err
	}
	h := own
	if own == nil {
		h = part()
		ctx = beats(ctx, h)
	}
	h.Beat()
	l.holder.Store(h)
	return ctx, func() {
		l.holder.Store(nil)
		if own == nil {
			h.End()
		}
		<-l.taken
	}, nil
}

// wait waits for the lock.
func (l *passLock) wait(ctx context.Context, command bool) error {
	ticker := time.NewTicker(holderPollInterval)
	defer ticker.Stop()
	for {
		if command {
			if err := l.blocked(); err != nil {
				return err
			}
		}
		select {
		case l.taken <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
