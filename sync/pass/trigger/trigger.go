// Package trigger has what starts passes and tells of changes: signals, the pauses between passes that are asked for
// from outside, and how long git is waited for. Its law: a signal carries no data, so that none is missed and none is
// acted on twice. It makes no pass and reads no clock.
package trigger

import (
	"sync"
	"sync/atomic"
	"time"
)

// Signal wakes one receiver once, however often it was sent before.
type Signal chan struct{}

// NewSignal makes a signal.
func NewSignal() Signal { return make(Signal, 1) }

// Send never blocks.
func (s Signal) Send() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// Changes wake all who wait for one. The zero value is ready.
type Changes struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next change; nil while none is waited for
}

// Next returns a channel that is closed by the next change.
func (c *Changes) Next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

// Send never blocks.
func (c *Changes) Send() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// Notices keeps passes apart that are asked for from outside: after a pass, the next such one begins when as much time
// is over as that pass took. The first notification is heard at once, and the last of many is not forgotten.
type Notices struct {
	Due   time.Time // when the pass that was asked for begins; zero when none was
	quiet time.Time // not before this
}

// The least and the longest pause between two such passes.
const (
	restLeast = time.Second
	restMost  = 30 * time.Second
)

// Heard takes note of a notification.
func (n *Notices) Heard(now time.Time) {
	if !n.Due.IsZero() {
		return
	}
	if n.Due = now; now.Before(n.quiet) {
		n.Due = n.quiet
	}
}

// Begins says that a pass begins, which answers all notifications so far.
func (n *Notices) Begins() { n.Due = time.Time{} }

// Ended says that it ended.
func (n *Notices) Ended(took time.Duration, now time.Time) {
	n.quiet = now.Add(min(max(took, restLeast), restMost))
}

// IsDue reports whether a pass that was asked for is to begin.
func (n *Notices) IsDue(now time.Time) bool { return !n.Due.IsZero() && !now.Before(n.Due) }

// Settling gathers what comes one after the other: a pass is due when nothing came for a while, and at the latest after
// ten times that, since the first. The zero value has nothing.
type Settling struct{ first, last time.Time }

// Heard takes note of something that came.
func (s *Settling) Heard(now time.Time) {
	if s.first.IsZero() {
		s.first = now
	}
	s.last = now
}

// Due is when the pass is; zero where nothing came.
func (s Settling) Due(quiet time.Duration) time.Time {
	if s.first.IsZero() {
		return time.Time{}
	}
	if end := s.first.Add(10 * quiet); end.Before(s.last.Add(quiet)) {
		return end
	}
	return s.last.Add(quiet)
}

// Busy is for how long git has been in the middle of something in the working tree, also between passes that came back
// in vain. The zero value is not busy.
type Busy struct{ since atomic.Pointer[time.Time] }

// Is says that git is busy now; one that is busy already stays so since then.
func (b *Busy) Is(now time.Time) { b.since.CompareAndSwap(nil, &now) }

// Ends says that git is busy no more.
func (b *Busy) Ends() { b.since.Store(nil) }

// For is how long it has lasted; 0 when git is not busy.
func (b *Busy) For(now time.Time) time.Duration {
	since := b.since.Load()
	if since == nil {
		return 0
	}
	return max(0, now.Sub(*since))
}
