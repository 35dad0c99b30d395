package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/service"
)

// The hearts of a project (see package heartbeat): one is its loop's, which also beats for the passes that the loop makes; one its watcher's; and a pass that
// somebody else asked for has one of its own. A part that waits for its turn rests, because the one that has the turn beats.
//
// Until the loop has come to the end of a pass, a hang is one from the beginning (see heartbeat.Set.Try): what hangs at the first touch hangs at the next start as
// well, and starting again and again would only take the other projects along.

// beats is the context of work that beats with h: between the steps of the engine, around what git does, and in what the service is asked.
func beats(ctx context.Context, h *heartbeat.Heart) context.Context {
	return service.Alive(heartbeat.With(ctx, h), h.Expect)
}

// turnstile lets one pass of a project through at a time.
type turnstile struct {
	sync.Mutex
	holder atomic.Pointer[heartbeat.Heart] // of who has the turn
}

// blocked returns an error where nobody's turn comes any more, because the pass that has it hangs: commands are told, and do not wait with it.
func (p *project) blocked() error {
	if still, hangs := p.mu.holder.Load().Still(); hangs {
		return fmt.Errorf("project %q: a pass of it is under way and hangs: %s; see whether the disk or mount that its repository lies on answers, or start the daemon again", p.cfg.Name, still)
	}
	return nil
}

// turn waits until nobody else makes a pass of the project. done ends the turn.
func (p *project) turn(ctx context.Context, pass string) (_ context.Context, done func()) {
	own, used := heartbeat.From(ctx), p.using()
	own.Rest()
	p.mu.Lock()
	if own != nil {
		own.Beat()
		p.mu.holder.Store(own)
		return ctx, func() {
			p.mu.holder.Store(nil)
			p.mu.Unlock()
			used()
		}
	}
	h := p.Hearts.Try(fmt.Sprintf("the %s of project %q that a command asked for", pass, p.cfg.Name), p.proven.Load)
	p.mu.holder.Store(h)
	return beats(ctx, h), func() {
		p.mu.holder.Store(nil)
		h.End()
		p.mu.Unlock()
		used()
	}
}
