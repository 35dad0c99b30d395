package engine

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/bound/heartbeat"
)

// A daemon of thousands of projects begins with all of them at once. Each opens its repository by git programs, so that
// without an order none of them came to an end for minutes: first every project is seen to work, a few at a time, and
// then the first pushes are made, a few at a time. So are pulls that many projects have the same schedule for.

// slots let a few projects do something at once.
type slots struct {
	taken    chan struct{}
	patience time.Duration // how long a slot is kept at most: what hangs keeps others waiting for no longer

	mu      sync.Mutex
	waiting int           // projects that have no slot yet
	none    chan struct{} // is closed when none waits any more; nil before the first one
}

const (
	// slotPatience is that of the slots at the beginning.
	slotPatience = 5 * time.Second
	// pullsAtOnce are made on schedule, and pullPatience is that of their slots: most of a pull is waiting for the
	// service, whose budget is there for all.
	pullsAtOnce  = 32
	pullPatience = time.Minute
	// pushPatience is how long first pushes wait for projects that were not seen to work yet.
	pushPatience = time.Minute
	// waitingBeat is how often a project that waits for a slot tells that it lives.
	waitingBeat = 10 * time.Second
)

// take waits for a slot, which done gives back, or the slots' patience.
func (t *slots) take(ctx context.Context, beat *heartbeat.Part) (done func()) {
	t.wait()
	defer t.got()
	alive := time.NewTicker(waitingBeat)
	defer alive.Stop()
	for {
		select {
		case t.taken <- struct{}{}:
			return t.kept()
		case <-ctx.Done():
			return func() {}
		case <-alive.C:
			beat.Expect(2 * waitingBeat)
		}
	}
}

// kept is what take returns for a slot that was taken.
func (t *slots) kept() (done func()) {
	leave := sync.OnceFunc(func() { <-t.taken })
	late := time.AfterFunc(t.patience, leave)
	return func() {
		late.Stop()
		leave()
	}
}

func (t *slots) wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == 0 {
		t.none = make(chan struct{})
	}
	t.waiting++
}

func (t *slots) got() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting--
	if t.waiting == 0 {
		close(t.none)
	}
}

// ended is closed when no project waits.
func (t *slots) ended() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.none
}

// order is that in which the projects of a process begin, and make their scheduled pulls.
type order struct{ proofs, pushes, pulls slots }

func newOrder() *order {
	slotsOf := func(n int, patience time.Duration) slots {
		return slots{taken: make(chan struct{}, n), patience: patience}
	}
	few := max(4, 2*runtime.GOMAXPROCS(0))
	return &order{slotsOf(few, slotPatience), slotsOf(few, slotPatience), slotsOf(pullsAtOnce, pullPatience)}
}

// firstPush waits until a project may make its first push; done tells that it was made.
func (o *order) firstPush(ctx context.Context, beat *heartbeat.Part) (done func()) {
	alive, late := time.NewTicker(waitingBeat), time.NewTimer(pushPatience)
	defer alive.Stop()
	defer late.Stop()
	for waits := true; waits; {
		beat.Expect(2 * waitingBeat)
		select {
		case <-o.proofs.ended():
			waits = false
		case <-late.C:
			waits = false
		case <-ctx.Done():
			return func() {}
		case <-alive.C:
		}
	}
	return o.pushes.take(ctx, beat)
}
