package service

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Wait is what a call waits for.
type Wait struct {
	For   string    // "the answer to start import", "2 jobs of the service"
	Cause string    // what went wrong last, or why the request has not left; "" for neither
	Next  time.Time // when the next attempt is made; zero where that is not known
}

// Waits is told of waits as they begin, change and end (nil), each under a number of its own, from any goroutine.
type Waits func(id int64, w *Wait)

type waitsKey struct{}

// Waiting makes a context whose calls tell what they wait for.
func Waiting(ctx context.Context, told Waits) context.Context {
	return context.WithValue(ctx, waitsKey{}, told)
}

var waitNumbers atomic.Int64

// wait is one wait under way. Its methods are for one goroutine.
type wait struct {
	Wait
	id   int64
	told Waits
}

// beginWait tells of a wait, which lasts until end.
func beginWait(ctx context.Context, what string) *wait {
	told, _ := ctx.Value(waitsKey{}).(Waits)
	w := &wait{Wait: Wait{For: what}, id: waitNumbers.Add(1), told: told}
	w.tell(&w.Wait)
	return w
}

// Telling gives what is told of waits that are not the service's, one at a time; nil ends one.
func Telling(ctx context.Context) func(*Wait) {
	told, _ := ctx.Value(waitsKey{}).(Waits)
	return (&wait{id: waitNumbers.Add(1), told: told}).tell
}

// because tells why the wait goes on, and when the next attempt is made.
func (w *wait) because(cause string, next time.Time) {
	w.Cause, w.Next = cause, next
	w.tell(&w.Wait)
}

func (w *wait) end() { w.tell(nil) }

func (w *wait) tell(now *Wait) {
	if w.told == nil {
		return
	}
	if now != nil {
		copied := *now
		now = &copied
	}
	w.told(w.id, now)
}

// Recovery is the patience of work of several calls with a service that fails. What may have been carried out is not
// repeated by a call itself; its caller makes it again from what it has by then, where that does no harm.
type Recovery struct {
	c     *Client
	until time.Time // when it is given up; zero before the first failure
	pause time.Duration
	wait  *wait // since the first failure
}

// NewRecovery is for work that begins now.
func NewRecovery(c *Client) *Recovery { return &Recovery{c: c, pause: c.limits.backoff} }

// Worth waits after a failure until the service may be asked again: as long as it asks for, or the breaker keeps calls
// from it, and longer each time. It reports false where making the work again makes no sense: no call's outcome was
// unknown, the service has kept failing until it is given up or would have by then, or ctx ended.
func (r *Recovery) Worth(ctx context.Context, err error) bool {
	var e *Error
	lost := errors.Is(err, ErrUnknownOutcome) || !r.until.IsZero() && errors.Is(err, ErrTemporary)
	if !lost || !errors.As(err, &e) || ctx.Err() != nil {
		return false
	}
	if r.until.IsZero() {
		r.until = time.Now().Add(r.c.limits.giveUp)
	}
	pause := max(r.pause, e.RetryAfter)
	if r.c.patience == 0 {
		pause = max(pause, r.c.Blocked())
	}
	next := time.Now().Add(pause)
	if next.After(r.until) {
		return false
	}
	r.pause = min(2*r.pause, firstProbe)
	if r.wait == nil {
		r.wait = beginWait(ctx, "the service, to send again what it has not confirmed")
	}
	r.wait.because(e.cause(), next)
	return sleep(ctx, time.Until(next)) == nil
}

// End ends the work, which is waited for no more.
func (r *Recovery) End() {
	if r.wait != nil {
		r.wait.end()
	}
}
