// Package heartbeat tells the parts of a process that work, wait or sleep from those that hang.
//
// Its law: a part hangs when it has been silent for longer than it said it would be, and a set's step on top of that.
// So a part that waits half an hour for another one's work is well as long as it says before each wait how long that
// will be, and one that stopped in the middle of a step is not, whatever timeouts it was given. A part has one
// goroutine that beats, or waits for another that does what it asked for and beats instead: when that moved, never
// because time has passed, which would beat for a part that hangs.
//
// It ends and repairs nothing: what is to happen with a process whose part hangs is for those who ask.
package heartbeat

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Forever is a silence without an end: of a part that waits for another one, which has a heartbeat of its own, or for a
// person or a service.
const Forever = time.Duration(math.MaxInt64)

// Set is the heartbeats of a process. A nil Set has none. Its methods may be called from any goroutine.
type Set struct {
	step  time.Duration
	start time.Time // monotonic, which does not move while the machine sleeps

	mu    sync.Mutex
	parts []*Part // in the order in which they began
}

// New makes an empty set. step is the longest that one piece of work may take between two beats: a file read, a
// transaction, a file system that is slow today, and every wait that a part knows to be shorter and does not announce.
func New(step time.Duration) *Set { return &Set{step: step, start: time.Now()} }

// Part is the heartbeat of one part of the process. A nil Part does nothing. Beat, Expect and Rest are for the part's
// own goroutine, or the one it waits for.
type Part struct {
	set    *Set
	name   string
	proven func() bool  // nil: from the beginning
	last   atomic.Int64 // the last sign of life, after the set's start
	due    atomic.Int64 // when the next one must have come
}

// Begin adds a part that begins to move now, named as a message would name it.
func (s *Set) Begin(part string) *Part { return s.Try(part, nil) }

// Try is Begin of a part that works with something which may never have worked for this process: proven tells whether
// it has, from any goroutine. A part that hangs before that hung from the beginning, and would again after a new start.
func (s *Set) Try(part string, proven func() bool) *Part {
	if s == nil {
		return nil
	}
	h := &Part{set: s, name: part, proven: proven}
	h.Beat()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts = append(s.parts, h)
	return h
}

// End is for a part that ends as it should.
func (h *Part) End() {
	if h == nil {
		return
	}
	h.set.mu.Lock()
	defer h.set.mu.Unlock()
	h.set.parts = slices.DeleteFunc(h.set.parts, func(other *Part) bool { return other == h })
}

// Beat is a sign of life; the next one is due within a step.
func (h *Part) Beat() { h.Expect(0) }

// Expect is a sign of life before a silence that is meant to be: the next one is due within a step after it.
func (h *Part) Expect(silence time.Duration) {
	if h == nil {
		return
	}
	now := time.Since(h.set.start)
	due := now + h.set.step
	if silence > Forever-due {
		due, silence = Forever, 0
	}
	h.due.Store(int64(due + max(silence, 0)))
	h.last.Store(int64(now))
}

// Rest is a sign of life before waiting for a part that has its own heartbeat.
func (h *Part) Rest() { h.Expect(Forever) }

// Still is a part that hangs.
type Still struct {
	Part  string
	For   time.Duration // since its last sign of life
	First bool          // it never worked in this process (see Try)
}

func (s Still) String() string {
	return fmt.Sprintf("%s has not moved for %s", s.Part, s.For.Round(time.Second))
}

// Hanging returns the parts that hang, in the order in which they began.
func (s *Set) Hanging() []Still {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var hanging []Still
	for _, h := range s.parts {
		if still, hangs := h.Still(); hangs {
			hanging = append(hanging, still)
		}
	}
	return hanging
}

// Still reports whether the part hangs. It may be asked from any goroutine.
func (h *Part) Still() (_ Still, hangs bool) {
	if h == nil {
		return Still{}, false
	}
	now := time.Since(h.set.start)
	if int64(now) <= h.due.Load() {
		return Still{}, false
	}
	return Still{h.name, now - time.Duration(h.last.Load()), h.proven != nil && !h.proven()}, true
}

// share is the time that each part of a set adds to the waits of all, so that thousands that rest cost no more than
// hundreds.
const share = 5 * time.Millisecond

// Next is the time until the next whole multiple of a duration, which the number of parts makes longer. Parts that wait
// so long, instead of the duration, wake the process all at once: thousands that wake it one by one cost far more.
func (h *Part) Next(every time.Duration) time.Duration {
	if h != nil {
		h.set.mu.Lock()
		every = max(every, time.Duration(len(h.set.parts))*share)
		h.set.mu.Unlock()
	}
	return every - time.Duration(time.Now().UnixNano())%every
}

type partKey struct{}

// With makes a context for work that h's part does.
func With(ctx context.Context, h *Part) context.Context {
	return context.WithValue(ctx, partKey{}, h)
}

// From is the part that works under a context; nil where it has none.
func From(ctx context.Context) *Part {
	h, _ := ctx.Value(partKey{}).(*Part)
	return h
}
