package service

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
)

// The waits between polls of a job: as long as a request of the budget takes, 1 s at most, and each one longer than the
// one before, up to 15 s. At the usual four a second that is 0.25, 0.4, 0.6, 1, 1.6, 2.6, 4.2, 6.7, 10.7, 15 s and so
// on: a job that is done at once costs no wait, and one of 30 s ten polls.
const (
	mostFirst  = time.Second
	waitGrowth = 1.6
	lastWait   = 15 * time.Second
	waitJitter = 0.2
)

// unpacedWaits begin the waits where no budget is at stake, with a service inside this process: no caller waits
// longer than the job takes.
var unpacedWaits = []time.Duration{0, 150 * time.Millisecond, 500 * time.Millisecond, time.Second}

// pollWait is the wait before poll n, the first being 0, at a pace of so many requests in a second.
func pollWait(rate float64, n int) time.Duration {
	first := mostFirst
	switch {
	case rate > 0:
		first = min(first, seconds(budget.Margin/rate))
	case n < len(unpacedWaits):
		return unpacedWaits[n]
	default:
		n -= len(unpacedWaits) - 1
	}
	return time.Duration(min(float64(lastWait), float64(first)*math.Pow(waitGrowth, float64(n))))
}

// settling is how long an identifier that was just given may be unknown to a service of several machines.
const settling = 5 * time.Second

// Begun is a job at the service and when it was begun, which says when asking for it is worth a request.
type Begun struct {
	ID JobID
	At time.Time
}

// pending is a job that is being waited for.
type pending struct {
	index int // of the jobs that are waited for together
	since time.Time
	next  time.Time // when it is looked at next
	polls int
	last  error
}

// Wait looks at a job until look says that it is over or returns an error that waiting does not change.
func (c *Client) Wait(ctx context.Context, look func(context.Context) (over bool, err error)) error {
	var end error
	c.waitEach(ctx, []time.Time{time.Now()}, 0, func(ctx context.Context, _ int) (bool, error) { return look(ctx) },
		func(_ int, err error) bool {
			end = err
			return true
		})
	return end
}

// waitEach looks at jobs, each time at the one whose look is due first, until each is over. ended is told how
// each of them ended, as it does: nil when it is over, else an error that waiting does not change. When ended
// answers false, or ctx ends, the rest is left.
//
// It sits out answers that may be better later, but not for longer than giveUp without a single good one of any
// job. An answer that is of no use (a damaged archive) was asked for again a few times by the call itself; it
// is not waited for to become better. A job that is not over after patience, 0 being without end, has an error
// that wraps context.DeadlineExceeded; each job is looked at once at least. Jobs that are waited for share half
// of the request budget.
func (c *Client) waitEach(ctx context.Context, begun []time.Time, patience time.Duration,
	look func(ctx context.Context, i int) (over bool, err error), ended func(i int, err error) bool) {
	if len(begun) == 0 {
		return
	}
	start := time.Now()
	good := start
	var open []*pending
	for i, at := range begun {
		w := &pending{index: i, since: start}
		w.next = start.Add(min(c.pause(w), max(0, at.Add(c.pause(w)).Sub(start))))
		open = append(open, w)
	}
	c.account.waiting.Add(int64(len(open)))
	defer func() { c.account.waiting.Add(-int64(len(open))) }()
	waits := beginWait(ctx, jobsOf(len(open)))
	defer waits.end()
	for len(open) > 0 {
		at := 0
		for i, w := range open {
			if w.next.Before(open[at].next) {
				at = i
			}
		}
		w := open[at]
		due := w.next
		if patience > 0 && due.After(start.Add(patience)) {
			due = start.Add(patience)
		}
		waits.For = jobsOf(len(open))
		waits.because(lastOf(open), due)
		if err := sleep(ctx, time.Until(due)); err != nil {
			ended(w.index, joined(w.last, err))
			return
		}
		w.polls++
		over, err := look(ctx, w.index)
		if err == nil || errors.Is(err, ErrNotReady) {
			good = time.Now()
		}
		if !over && !c.hopeless(ctx, w, err, good) {
			w.last = err
			w.next = time.Now().Add(c.pause(w))
			switch {
			case err != nil && !errors.Is(err, ErrNotReady) && w.next.After(good.Add(c.limits.giveUp)):
				// it would be looked at next after the wait is given up
			case patience <= 0 || time.Since(start) < patience:
				continue
			default:
				err = joined(err, context.DeadlineExceeded)
			}
		}
		open = append(open[:at], open[at+1:]...)
		c.account.waiting.Add(-1)
		if !ended(w.index, err) || ctx.Err() != nil {
			return
		}
	}
}

// jobsOf is what is waited for.
func jobsOf(n int) string {
	if n == 1 {
		return "a job of the service to end"
	}
	return fmt.Sprintf("%d jobs of the service to end", n)
}

// lastOf is what went wrong when the jobs were looked at last.
func lastOf(open []*pending) string {
	for _, w := range open {
		var e *Error
		if errors.As(w.last, &e) && !errors.Is(w.last, ErrNotReady) {
			return e.cause()
		}
	}
	return ""
}

// hopeless reports whether waiting does not change the answer.
func (c *Client) hopeless(ctx context.Context, w *pending, err error, good time.Time) bool {
	switch {
	case err == nil, errors.Is(err, ErrNotReady):
		return false
	case ctx.Err() != nil:
		return true
	case errors.Is(err, ErrNotFound) && time.Since(w.since) < settling:
		return false
	}
	return !errors.Is(err, ErrTemporary) || errors.Is(err, ErrUnusable) || errors.Is(err, ErrExportFailed) ||
		time.Since(good) > c.limits.giveUp
}

// pause is the wait until a job is looked at next.
func (c *Client) pause(w *pending) time.Duration {
	pause := time.Duration(float64(pollWait(c.pace.Rate(), w.polls)) * (1 - waitJitter + 2*waitJitter*rand.Float64()))
	if rate := c.pace.Rate(); w.polls > 2 && rate > 0 {
		pause = max(pause, seconds(float64(c.account.waiting.Load())*2/rate))
	}
	var e *Error
	if errors.As(w.last, &e) {
		pause = max(pause, e.RetryAfter)
	}
	return pause
}

// Unfinished says that the caller's patience ended before the job did.
func Unfinished(op string, id JobID, err error) error {
	return fmt.Errorf("%s %s: not finished: %w", op, id, err)
}

// WaitFor waits until look has something, or ctx ends.
func WaitFor[T any](ctx context.Context, c *Client, look func(context.Context) (T, error)) (T, error) {
	var found T
	err := c.Wait(ctx, func(ctx context.Context) (bool, error) {
		var err error
		found, err = look(ctx)
		return err == nil, err
	})
	return found, err
}

// WaitTask waits until a task whose answer is a word is over, or ctx ends.
func WaitTask(ctx context.Context, c *Client, what, id string, look func(context.Context) (TaskState, error)) error {
	var state TaskState
	err := c.Wait(ctx, func(ctx context.Context) (bool, error) {
		var err error
		state, err = look(ctx)
		return state.Ended(), err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return Unfinished(what, JobID(id), err)
	case err == nil && state.Failed():
		return fmt.Errorf("%s %s: %w", what, id, ErrTaskFailed)
	}
	return err
}

// seconds is a number of seconds as a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
