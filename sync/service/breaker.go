package service

import (
	"sync"
	"time"
)

const (
	breakInRow    = 5  // failures in a row that open the breaker,
	breakWindow   = 20 // or half of so many latest outcomes
	firstProbe    = 30 * time.Second
	slowestProbes = 15 * time.Minute
)

// breaker keeps calls away from a service that is down. It opens after breakInRow failures in a row, or
// when half of the last breakWindow outcomes were failures; while open, calls fail at once. After
// firstProbe one call is let through: its success closes the breaker, its failure doubles the wait, up to
// slowestProbes. A failure is an answer 5xx or none at all; a refusal (4xx) shows a service that works.
type breaker struct {
	mu       sync.Mutex
	outcomes [breakWindow]bool // true: a failure
	count    int               // outcomes seen since it was last closed
	inRow    int
	since    time.Time // of the first of these failures
	last     *Error    // of them
	open     bool
	until    time.Time // when the next probe may go
	wait     time.Duration
	probing  bool
}

func newBreaker() *breaker { return &breaker{} }

// blocked says how long calls are kept away from now on; 0 is not at all.
func (b *breaker) blocked() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.blockedLocked()
}

func (b *breaker) blockedLocked() time.Duration {
	switch {
	case !b.open:
		return 0
	case b.probing:
		return time.Second
	default:
		return max(0, time.Until(b.until))
	}
}

// enter asks to make a call. With wait 0 the caller goes on, and reports to leave when it is done,
// saying whether it was the probe.
func (b *breaker) enter() (probe bool, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait = b.blockedLocked(); wait == 0 && b.open {
		b.probing = true
		return true, 0
	}
	return false, wait
}

// failed notes why a call failed that leave is told of.
func (b *breaker) failed(why *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = why
}

func (b *breaker) lastFailure() *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// failingFor says for how long every call has failed; 0 where the last one did not.
func (b *breaker) failingFor() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inRow == 0 {
		return 0
	}
	return time.Since(b.since)
}

// verdict is what a call says about the service.
type verdict int

const (
	unclear verdict = iota // the caller gave up before there was an answer
	healthy
	failing
)

// leave reports how a call ended that enter let through.
func (b *breaker) leave(probe bool, v verdict) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
	switch v {
	case healthy:
		if b.open {
			b.open, b.wait, b.count = false, 0, 0
		}
		b.inRow = 0
		b.note(false)
	case failing:
		if b.inRow++; b.inRow == 1 {
			b.since = time.Now()
		}
		b.note(true)
		if b.open && !probe {
			return // it had left before the breaker opened
		}
		if probe || b.inRow >= breakInRow || b.halfFailed() {
			b.open = true
			b.wait = min(max(firstProbe, 2*b.wait), slowestProbes)
			b.until = time.Now().Add(b.wait)
		}
	}
}

func (b *breaker) note(failed bool) {
	b.outcomes[b.count%breakWindow] = failed
	b.count++
}

func (b *breaker) halfFailed() bool {
	if b.count < breakWindow {
		return false
	}
	failed := 0
	for _, f := range b.outcomes {
		if f {
			failed++
		}
	}
	return failed >= breakWindow/2
}
