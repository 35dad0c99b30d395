package service

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// budget hands out the right to make one request. It is one object per account and host.
type budget struct {
	store slotStore
	lines [ranks]chan struct{} // each holds the caller whose turn it is; others of that rank wait in order of arrival
}

// slotStore keeps the slots: in memory for one process, in a file for all processes of a host.
type slotStore interface {
	// update calls f with the present time on the store's clock and the slots, alone, and keeps what f
	// did to them. An error means that f did not run or that its effect is lost.
	update(ctx context.Context, f func(now time.Duration, s *slots)) error
}

func newBudget(store slotStore) *budget {
	b := &budget{store: store}
	for i := range b.lines {
		b.lines[i] = make(chan struct{}, 1)
	}
	return b
}

// claim waits until one request may leave, and gives the ticket under which its end is to be reported.
func (b *budget) claim(ctx context.Context, p pace, w turn) (ticket, error) {
	came := time.Now()
	line := b.lines[w.rank]
	expect(ctx, forever) // whoever is before us tells for itself
	select {
	case line <- struct{}{}:
	case <-ctx.Done():
		return ticket{}, context.Cause(ctx)
	}
	defer func() { <-line }()
	expect(ctx, 0)
	for {
		var t ticket
		var wait time.Duration
		w.held = time.Since(came)
		if err := b.store.update(ctx, func(now time.Duration, s *slots) { t, wait = s.claim(now, p, w) }); err != nil {
			return ticket{}, err
		}
		if wait == 0 {
			return t, nil
		}
		if host, ok := b.store.(*hostSlots); ok && w.held > starved {
			host.starve()
			came = time.Now()
		}
		if w.waits != nil {
			w.waits(wait)
		}
		if err := sleep(ctx, min(wait, riseAfter)); err != nil {
			return ticket{}, err
		}
	}
}

// settle reports that the request has reached the service (it answered) or never will. It works though
// the call's context has ended; when it cannot, the slot settles by itself after settleCap.
func (b *budget) settle(ctx context.Context, t ticket) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return b.store.update(ctx, func(now time.Duration, s *slots) { s.settle(now, t) })
}

// answered reports the answer: limited after a 429, which pauses everything for at least retryAfter and
// lowers the rate, else one that was let through.
func (b *budget) answered(ctx context.Context, t ticket, p pace, limited bool, retryAfter time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	jitter := rand.Float64()
	return b.store.update(ctx, func(now time.Duration, s *slots) {
		s.settle(now, t)
		if limited {
			s.limited(now, t, p, retryAfter, jitter)
		} else {
			s.admitted(t)
		}
	})
}

// slotMemory keeps the slots of one process, on the process's monotonic clock.
type slotMemory struct {
	mu    sync.Mutex
	slots slots
	start time.Time
}

func newSlotMemory() *slotMemory {
	// An hour back, so that a time of 0 can mean "never".
	return &slotMemory{start: time.Now().Add(-time.Hour)}
}

func (m *slotMemory) update(ctx context.Context, f func(time.Duration, *slots)) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f(time.Since(m.start), &m.slots)
	return nil
}

// sleep waits for d or for the end of ctx, whose cause it returns.
func sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil || d <= 0 {
		return context.Cause(ctx)
	}
	expect(ctx, d)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
