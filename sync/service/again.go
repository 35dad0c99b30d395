package service

import (
	"context"
	"errors"
	"time"
)

// Recovery is the patience of work of several calls with a service that fails. What may have been carried out is not
// repeated by a call itself; its caller makes it again from what it has by then, where that does no harm.
type Recovery struct {
	c     *Client
	until time.Time // when it is given up; zero before the first failure
	pause time.Duration
}

// Recovery is for work that begins now.
func (c *Client) Recovery() *Recovery { return &Recovery{c: c, pause: c.limits.backoff} }

// Worth waits after a failure until the service may be asked again: as long as it asks for, or the breaker keeps calls
// from it, and longer each time. It reports false where making the work again makes no sense: no call's outcome was
// unknown, the service has kept failing for three minutes or would have by then, or ctx ended.
func (r *Recovery) Worth(ctx context.Context, err error) bool {
	var e *Error
	lost := errors.Is(err, ErrUnknownOutcome) || !r.until.IsZero() && errors.Is(err, ErrTemporary)
	if !lost || !errors.As(err, &e) || ctx.Err() != nil {
		return false
	}
	if r.until.IsZero() {
		r.until = time.Now().Add(r.c.limits.giveUp)
	}
	next := time.Now().Add(max(r.pause, e.RetryAfter, r.c.Blocked()))
	if next.After(r.until) {
		return false
	}
	r.pause = min(2*r.pause, firstProbe)
	w := beginWait(ctx, "the service, to send again what it has not confirmed")
	defer w.end()
	w.because(e.cause(), next)
	return sleep(ctx, time.Until(next)) == nil
}
