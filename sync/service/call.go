package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// call is one operation at the service, which may take several requests.
type call struct {
	op         string // for errors and the hook
	method     string
	prefix     string // wire.Prefix where empty
	path       string // escaped
	query      url.Values
	body       []byte
	bodyType   string
	form       *form // the body where it is multipart
	repeatable bool  // repeating it after it was carried out does no harm
	changes    bool  // it changes something at the service
	poll       bool  // it looks at whether a job is done
	once       bool  // it is not repeated: who asks wants to know how it goes now
	wait       *wait // that it is a part of; set by do

	// read takes a 2xx answer, whose body is bounded and decompressed. An error of type local ends the
	// call; any other counts as an answer that was lost on the way. nil: the body does not matter.
	read func(resp *http.Response, body io.Reader) error
}

// local marks an error that has its cause on this side, or that asking again will not change.
type local struct{ error }

func (l local) Unwrap() error { return l.error }

// failure is a request that did not succeed, with what that means for the call it belongs to.
type failure struct {
	*Error
	reached bool // the service may have carried it out
	again   bool // the call may be repeated
	blocked bool // no request was made, the breaker is open
}

// do makes the call, repeats what may be repeated, within bounds, and says in its error, an *Error, what
// is known about the outcome.
func (c *Client) do(ctx context.Context, cl call) error {
	var last *failure
	var reached bool
	cl.wait = beginWait(ctx, "the answer of "+c.base.Host+" to "+cl.op)
	defer cl.wait.end()
	for failures, limited := 0, 0; ; {
		f := c.attempt(ctx, cl)
		switch {
		case f == nil:
			return nil
		case last != nil && (f.blocked || ctx.Err() != nil && f.Status == 0):
			// The breaker or the caller ends the repeats; what happened before them is the better story.
			f.Status, f.Detail, f.RequestID, f.Problem = last.Status, last.Detail, last.RequestID, last.Problem
			f.Err = joined(last.Err, f.Err)
			f.kinds = append(f.kinds, last.kinds...)
			f.again = false
		case reached && cl.method == http.MethodDelete && f.Is(ErrNotFound):
			return nil // an earlier request, whose answer was lost, deleted it
		}
		reached = reached || f.reached
		if f.Status == http.StatusTooManyRequests {
			limited++
		} else {
			failures++
		}
		patient := f.Status == http.StatusTooManyRequests || f.RetryAfter <= c.limits.retryAfter
		patient = patient && c.account.breaker.failingFor() < c.limits.giveUp
		again := f.again && !cl.once && patient && failures < c.limits.attempts && limited < c.limits.rateAttempts
		if again && cl.form != nil {
			if err := cl.form.rewind(); err != nil {
				f.Err, again = joined(f.Err, err), false
			}
		}
		if again {
			last = f
			cl.wait.because(f.cause(), time.Time{})
			if f.Status == http.StatusTooManyRequests {
				continue // the budget itself pauses
			}
			backoff := float64(min(c.limits.backoffMax, c.limits.backoff<<(failures-1)))
			pause := max(f.RetryAfter, time.Duration(rand.Float64()*backoff))
			cl.wait.because(f.cause(), time.Now().Add(pause))
			if err := sleep(ctx, pause); err == nil {
				continue
			} else {
				f.Err = joined(f.Err, err)
			}
		}
		if cl.changes && reached && (f.Status < 400 || temporaryStatus(f.Status)) {
			f.kinds = append(f.kinds, ErrUnknownOutcome)
		}
		return f.Error
	}
}

// joined puts a second cause behind the first.
func joined(err, more error) error {
	switch {
	case err == nil:
		return more
	case more == nil || errors.Is(err, more):
		return err
	}
	return fmt.Errorf("%w (%w)", err, more)
}

// attempt makes one request, and those that redirects of the same server lead to. nil is success.
func (c *Client) attempt(ctx context.Context, cl call) *failure {
	failed := func(err error, kinds ...error) *failure {
		return &failure{Error: &Error{Op: cl.op, Err: err, kinds: kinds}}
	}
	if wait := c.account.breaker.blocked(); wait > 0 {
		return c.blocked(cl.op, wait)
	}
	target := c.url(cl)
	for hops := 0; ; hops++ {
		ticket, err := c.queue(ctx, cl)
		if err != nil {
			return failed(err)
		}
		probe, wait := c.account.breaker.enter()
		if wait > 0 {
			if err := c.account.budget.settle(ctx, ticket); err != nil {
				return failed(err)
			}
			return c.blocked(cl.op, wait)
		}
		next, f, v := c.request(ctx, cl, target, ticket)
		if v == failing {
			c.account.breaker.failed(f.cause())
		}
		c.account.breaker.leave(probe, v)
		if next == nil {
			return f
		}
		if hops == maxHops {
			return failed(fmt.Errorf("more than %d redirects", maxHops), ErrUnusable)
		}
		target = next
	}
}

// queue waits for the budget and tells how long it did.
func (c *Client) queue(ctx context.Context, cl call) (ticket, error) {
	came := time.Now()
	c.account.queued.Add(1)
	defer c.account.queued.Add(-1)
	mine := cl.turn(ctx)
	mine.waits = func(pause time.Duration) {
		cause := cl.wait.Cause
		if cause == "" {
			cause = budgetFull
		}
		cl.wait.because(cause, time.Now().Add(pause))
	}
	t, err := c.account.budget.claim(ctx, c.pace, mine)
	if err == nil {
		c.onTurn(time.Since(came))
	}
	return t, err
}

// budgetFull is why a request has not left yet.
const budgetFull = "its turn in the account's request budget, which other calls and processes share"

// maxHops is how many redirects a request follows; each costs a request of the budget.
const maxHops = 3

func (c *Client) blocked(op string, wait time.Duration) *failure {
	err := fmt.Errorf("the service failed repeatedly, last with %q; the next request goes out in %v",
		c.account.breaker.lastFailure(), wait.Round(time.Second))
	return &failure{
		Error:   &Error{Op: op, Err: err, RetryAfter: wait, kinds: []error{ErrTemporary}},
		blocked: true,
	}
}

// post makes a POST with a JSON body that is not made again when its answer is lost.
func (c *Client) post(ctx context.Context, op, path string, v any, read func(*http.Response, io.Reader) error) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.do(ctx, call{op: op, method: http.MethodPost, path: path, body: body, bodyType: jsonType, changes: true, read: read})
}

// set makes a call that puts a JSON value in the place of what is there, which can be repeated without harm.
func (c *Client) set(ctx context.Context, op, method, path string, query url.Values, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.do(ctx, call{op: op, method: method, path: path, query: query, body: body, bodyType: jsonType, repeatable: true, changes: true})
}
