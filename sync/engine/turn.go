package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/service"
)

// Each loop of a project, each watcher and each pass for a command has a heartbeat (see package heartbeat). The
// loop's also beats for its passes; one that waits for its turn rests. A hang before the loop has ended a pass is one
// since the start: starting again would not cure it, and would stop the other projects.

// beats is the context of work that beats with h: between the steps of the engine, around what git does, and in what the service is asked.
func beats(ctx context.Context, h *heartbeat.Heart) context.Context {
	return service.Alive(heartbeat.With(ctx, h), h.Expect)
}

// turnstile lets one pass of a project through at a time.
type turnstile struct {
	taken  chan struct{}                   // one slot: who has the turn
	holder atomic.Pointer[heartbeat.Heart] // of who has it
}

func newTurnstile() *turnstile { return &turnstile{taken: make(chan struct{}, 1)} }

// blocked returns an error where nobody's turn comes any more, because the pass that has it hangs.
func (p *project) blocked() error {
	if still, hangs := p.mu.holder.Load().Still(); hangs {
		return fmt.Errorf("project %q: a pass of it is under way and hangs: %s; see whether the disk or mount that its repository lies on answers, or start the daemon again", p.branch.Project.Name, still)
	}
	return nil
}

// lookAtHolder is how often a command that waits for its turn sees whether that still comes.
const lookAtHolder = time.Second

// turn waits until nobody else makes a pass of the project. done ends the turn. It is an error where ctx ends before, and for a command, which is told and does not wait
// with it, where the pass that has the turn hangs.
func (p *project) turn(ctx context.Context, passOf string) (_ context.Context, done func(), err error) {
	own, used := heartbeat.From(ctx), p.engine.using()
	own.Rest()
	if err := p.wait(ctx, own == nil); err != nil {
		used()
		return ctx, nil, err
	}
	h := own
	if own == nil {
		h = p.engine.Hearts.Try(fmt.Sprintf("the %s of project %q that a command asked for", passOf, p.branch.Project.Name), p.proven.Load)
		ctx = beats(ctx, h)
	}
	h.Beat()
	p.mu.holder.Store(h)
	return ctx, func() {
		p.mu.holder.Store(nil)
		if own == nil {
			h.End()
		}
		<-p.mu.taken
		used()
	}, nil
}

// wait waits for the turn.
func (p *project) wait(ctx context.Context, command bool) error {
	look := time.NewTicker(lookAtHolder)
	defer look.Stop()
	for {
		if command {
			if err := p.blocked(); err != nil {
				return err
			}
		}
		select {
		case p.mu.taken <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
	}
}
