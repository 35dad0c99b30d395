// Package budget is the right to make requests: never more than so many in any window of one second, for all
// clients of an account in this process and, through a file, for all its processes on this host, or through a Keeper,
// for those of several machines. The rules are in slots.go; the others say where the slots are kept.
//
// It knows no service and makes no request. What a request waits for is told through its callbacks.
package budget

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"
)

// Budget hands out the right to make one request. It is one object per account and host.
type Budget struct {
	slots store
	lines [ranks]chan struct{} // each holds the caller whose turn it is; others of that rank wait in order of arrival
}

// Options say whose budget it is, and who shares it.
type Options struct {
	Origin, Account string // requests are counted for an account at a service
	// Dir is the folder of the file through which processes share the budget; it exists.
	Dir string
	// Host, without a Dir, shares it with all processes of this host, through a folder that every user may
	// write to, and where that cannot be had, through one of this user's. Without either, the budget holds in
	// this process only.
	Host bool
	// Keeper, when not nil, shares it with processes of other machines, in place of Dir and Host.
	Keeper Keeper
	Warn   func(string) // told, in a sentence, when the budget cannot be shared as it should
}

// Open is the budget of an account. Each call makes one of its own: the clients of one process share one object.
func Open(o Options) *Budget {
	switch {
	case o.Keeper != nil:
		return newBudget(newKeptSlots(o.Keeper, o.Origin, o.Account))
	case o.Dir != "":
		return newBudget(newSlotFile(o.Dir, o.Origin, o.Account))
	case o.Host:
		return newBudget(newHostSlots(sharedFolder(sharedFolders), userFolder(), o.Origin, o.Account, o.Warn))
	}
	return newBudget(newSlotMemory())
}

// Folder is where the slots are kept now, "" in this process alone, and whether other users of this host count
// theirs there, too. It is known after a request.
func (b *Budget) Folder() (dir string, shared bool) {
	kept, shared := b.slots, true
	if host, ok := kept.(*hostSlots); ok {
		host.mu.Lock()
		kept, shared = host.stores[host.at], host.at == 0 && host.shared
		host.mu.Unlock()
	}
	if file, ok := kept.(*slotFile); ok {
		return filepath.Dir(file.path), shared
	}
	return "", false
}

// store keeps the slots: in memory for one process, in a file for all processes of a host.
type store interface {
	// update calls f with the present time on the store's clock and the slots, alone, and keeps what f
	// did to them. An error means that f did not run or that its effect is lost.
	update(ctx context.Context, f func(now time.Duration, s *slots)) error
}

func newBudget(slots store) *Budget {
	b := &Budget{slots: slots}
	for i := range b.lines {
		b.lines[i] = make(chan struct{}, 1)
	}
	return b
}

// Claim waits until one request may leave, and gives the ticket under which its end is to be reported.
func (b *Budget) Claim(ctx context.Context, p Pace, r Request) (Ticket, error) {
	came := time.Now()
	line := b.lines[r.Rank]
	r.silent(Forever) // the request before this one tells for itself
	select {
	case line <- struct{}{}:
	case <-ctx.Done():
		return Ticket{}, context.Cause(ctx)
	}
	defer func() { <-line }()
	for {
		var t Ticket
		var wait time.Duration
		r.held = time.Since(came)
		r.silent(lockWait)
		asked := time.Now()
		err := b.slots.update(ctx, func(now time.Duration, s *slots) { t, wait = s.claim(now, p, r) })
		if _, far := b.slots.(*keptSlots); far { // a clock that others share goes on while this process is stopped
			t.lapses = asked.Add(ticketLife)
		}
		r.silent(0)
		if err != nil || wait == 0 {
			return t, err
		}
		if host, ok := b.slots.(*hostSlots); ok && r.held > starved {
			host.starve()
			came = time.Now()
		}
		if r.Waits != nil {
			r.Waits(wait)
		}
		wait = min(wait, riseAfter)
		r.silent(wait)
		if err := sleep(ctx, wait); err != nil {
			return Ticket{}, err
		}
	}
}

// Settle reports that the request has reached the service (it answered) or never will. It works though
// the call's context has ended; when it cannot, the slot settles by itself after settleCap.
func (b *Budget) Settle(ctx context.Context, t Ticket) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return b.slots.update(ctx, func(now time.Duration, s *slots) { s.settle(now, t) })
}

// Answered reports the answer: limited after a 429, which pauses everything for at least retryAfter and
// lowers the rate, else one that was let through.
func (b *Budget) Answered(ctx context.Context, t Ticket, p Pace, limited bool, retryAfter time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	jitter := rand.Float64()
	return b.slots.update(ctx, func(now time.Duration, s *slots) {
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
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
