package service

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// looks are the waits before the first looks at a job; the last one goes on for ever. The first are
// short, so that nobody waits for a service that is quick; a job of 30 s costs nine looks.
var looks = []time.Duration{
	0, 150 * time.Millisecond, 500 * time.Millisecond, time.Second, 1600 * time.Millisecond,
	2600 * time.Millisecond, 4100 * time.Millisecond, 6600 * time.Millisecond, 10500 * time.Millisecond,
	15 * time.Second,
}

// settling is how long an identifier that was just given may be unknown to a service of several machines.
const settling = 5 * time.Second

// wait looks at a job until look says that it is over or returns an error that waiting does not change.
// It sits out answers that may be better later, but not for longer than giveUp without a single good one.
// Jobs that are waited for share half of the request budget.
func (c *Client) wait(ctx context.Context, look func(context.Context) (over bool, err error)) error {
	c.account.waiting.Add(1)
	defer c.account.waiting.Add(-1)
	start := time.Now()
	good := start
	var last error
	for n := 0; ; n++ {
		pause := looks[min(n, len(looks)-1)]
		pause = time.Duration(float64(pause) * (0.8 + 0.4*rand.Float64()))
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
		case !errors.Is(err, ErrTemporary), time.Since(good) > c.limits.giveUp:
			return err
		}
		last = err
	}
}

// unfinished says that the caller's patience ended before the job did.
func unfinished(op string, id JobID, err error) error {
	return fmt.Errorf("%s %s: not finished: %w", op, id, err)
}
