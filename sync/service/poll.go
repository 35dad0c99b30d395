package service

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// The waits between looks at a job: 1 s, and each one longer than the one before, up to 15 s: 1, 1.6, 2.6, 4.1, 6.6, 10.5, 15 s
// and so on. A job of 30 s costs seven looks. Where the budget is larger than the usual four a second, the first ones are shorter.
const (
	firstLook  = time.Second
	lookGrowth = 1.6
	lastLook   = 15 * time.Second
	lookJitter = 0.2
)

// unpacedLooks begin the waits where no budget is at stake, with a service inside this process: nobody waits longer than
// the job takes.
var unpacedLooks = []time.Duration{0, 150 * time.Millisecond, 500 * time.Millisecond, time.Second}

// lookWait is the wait before look n, the first being 0.
func (p pace) lookWait(n int) time.Duration {
	first := firstLook
	switch {
	case p.n > 0:
		first = min(first, seconds(4*margin/p.rate))
	case n < len(unpacedLooks):
		return unpacedLooks[n]
	default:
		n -= len(unpacedLooks) - 1
	}
	return time.Duration(min(float64(lastLook), float64(first)*math.Pow(lookGrowth, float64(n))))
}

// settling is how long an identifier that was just given may be unknown to a service of several machines.
const settling = 5 * time.Second

// wait looks at a job until look says that it is over or returns an error that waiting does not change.
// It sits out answers that may be better later, but not for longer than giveUp without a single good one. An answer that is
// of no use (a damaged archive) was asked for again a few times by the call itself; it is not waited for to become better.
// Jobs that are waited for share half of the request budget.
func (c *Client) wait(ctx context.Context, look func(context.Context) (over bool, err error)) error {
	c.account.waiting.Add(1)
	defer c.account.waiting.Add(-1)
	start := time.Now()
	good := start
	var last error
	for n := 0; ; n++ {
		pause := time.Duration(float64(c.pace.lookWait(n)) * (1 - lookJitter + 2*lookJitter*rand.Float64()))
		if n > 2 && c.pace.rate > 0 {
			pause = max(pause, seconds(float64(c.account.waiting.Load())*2/c.pace.rate))
		}
		var e *Error
		if errors.As(last, &e) {
			pause = max(pause, e.RetryAfter)
		}
		if err := sleep(ctx, pause); err != nil {
			return joined(last, err)
		}
		over, err := look(ctx)
		switch {
		case err == nil && over:
			return nil
		case err == nil, errors.Is(err, ErrNotReady):
			good = time.Now()
		case ctx.Err() != nil:
			return err
		case errors.Is(err, ErrNotFound) && time.Since(start) < settling:
		case !errors.Is(err, ErrTemporary), errors.Is(err, ErrUnusable), errors.Is(err, ErrExportFailed), time.Since(good) > c.limits.giveUp:
			return err
		}
		last = err
	}
}

// unfinished says that the caller's patience ended before the job did.
func unfinished(op string, id JobID, err error) error {
	return fmt.Errorf("%s %s: not finished: %w", op, id, err)
}

// waitFor waits until look has something, or ctx ends.
func waitFor[T any](ctx context.Context, c *Client, look func(context.Context) (T, error)) (T, error) {
	var found T
	err := c.wait(ctx, func(ctx context.Context) (bool, error) {
		var err error
		found, err = look(ctx)
		return err == nil, err
	})
	return found, err
}

// waitTask waits until a task whose answer is a word is over, or ctx ends.
func (c *Client) waitTask(ctx context.Context, what, id string, look func(context.Context) (TaskState, error)) error {
	var state TaskState
	err := c.wait(ctx, func(ctx context.Context) (bool, error) {
		var err error
		state, err = look(ctx)
		return state.Ended(), err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return unfinished(what, JobID(id), err)
	case err == nil && state.Failed():
		return fmt.Errorf("%s %s: %w", what, id, ErrTaskFailed)
	}
	return err
}
