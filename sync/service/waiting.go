package service

import (
	"context"
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
