package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
)

// Call is one operation at the service, which may take several requests.
type Call struct {
	Op     string // for errors and the hook: "start import"
	Method string
	Path   string // escaped, see PathOf; relative to wire.Prefix
	Query  url.Values
	Body   any    // sent as JSON; nil: no body
	Form   *Form  // the body where it is multipart; or
	Parts  []Part // what it is made of

	Bad error // why the call cannot be made; nil: it can

	Repeatable bool // repeating it after it was carried out does no harm
	Changes    bool // it changes something at the service
	Poll       bool // it looks at whether a job is done
	Download   bool // its answer is a file, which the service may leave to another server

	// Means is what a status says beside what it says to every call.
	Means map[int]error
	// Read takes a 2xx answer. nil: its body does not matter.
	Read Reader

	prefix string // instead of wire.Prefix
	once   bool   // it is not repeated: the caller wants to know how it goes now
}

// call is a Call under way.
type call struct {
	Call
	body []byte
	wait *wait // that it is a part of
}

// failure is a request that did not succeed, with what that means for the call it belongs to.
type failure struct {
	*Error
	reached bool          // the service may have carried it out
	again   bool          // the call may be repeated
	blocked bool          // no request was made, the breaker is open
	pause   time.Duration // before the next attempt
}

// Get makes a call whose answer is JSON, and returns what it says. Without a method it is a GET, which may be repeated;
// how says what else an answer may be.
func Get[T any](ctx context.Context, c *Client, what Call, how ...func(Reader) Reader) (found T, err error) {
	if what.Method == "" {
		what.Method, what.Repeatable = http.MethodGet, true
	}
	what.Read = JSON(&found)
	for _, reads := range how {
		what.Read = reads(what.Read)
	}
	err = c.Do(ctx, what)
	return found, err
}

// Start makes a call that starts something, and returns its identifier.
func Start(ctx context.Context, c *Client, what Call) (id JobID, err error) {
	what.Read = Identifier(&id)
	err = c.Do(ctx, what)
	return id, err
}

// Do makes the call within the account's budget, repeats what may be repeated, within bounds, and says in its
// error, an *Error, what is known about the outcome: errors.Is tells ErrUnknownOutcome where the service may
// have carried it out. A call that cannot be made at all is an error of another type.
func (c *Client) Do(ctx context.Context, what Call) error {
	cl := &call{Call: what}
	if cl.Bad != nil {
		return fmt.Errorf("%s: %w", cl.Op, cl.Bad)
	}
	if cl.Parts != nil {
		form, err := NewForm(cl.Parts...)
		if err != nil {
			return fmt.Errorf("%s: %w", cl.Op, err)
		}
		cl.Form = form
	}
	if cl.Body != nil {
		body, err := json.Marshal(cl.Body)
		if err != nil {
			return fmt.Errorf("%s: %w", cl.Op, err)
		}
		cl.body = body
	}
	cl.wait = beginWait(ctx, "the answer of "+c.base.Host+" to "+cl.Op)
	defer cl.wait.end()
	err := c.repeat(ctx, cl)
	if err == nil {
		return nil
	}
	if meaning := cl.Means[err.Status]; meaning != nil {
		err.kinds = append(err.kinds, meaning)
	}
	return err
}

// repeat makes attempts until one succeeds or another one makes no sense.
func (c *Client) repeat(ctx context.Context, cl *call) *Error {
	var last *failure
	var reached bool
	for failures, limited := 0, 0; ; {
		f := c.attempt(ctx, cl)
		failing := c.outage.since(f != nil && f.mayPass())
		switch {
		case f == nil:
			return nil
		case last != nil && (f.blocked || ctx.Err() != nil && f.Status == 0):
			f.endsRepeatsOf(last)
		case reached && cl.Method == http.MethodDelete && f.Is(ErrNotFound):
			return nil // an earlier request, whose answer was lost, deleted it
		}
		reached = reached || f.reached
		if f.Status == http.StatusTooManyRequests {
			limited++
		} else {
			failures++
		}
		again := f.again && !cl.once
		if again && c.patience > 0 && f.mayPass() {
			again = c.pauseWithin(failing, f, failures)
		} else if again {
			patient := f.Status == http.StatusTooManyRequests || f.RetryAfter <= c.limits.retryAfter
			patient = patient && c.account.breaker.failingFor() < c.limits.giveUp
			again = patient && failures < c.limits.attempts && limited < c.limits.rateAttempts
			f.pause = time.Duration(rand.Float64() * float64(c.backoff(failures)))
		}
		if again && cl.Form != nil {
			if err := cl.Form.Rewind(); err != nil {
				f.Err, again = joined(f.Err, err), false
			}
		}
		if again {
			last = f
			err := c.pauseAfter(ctx, cl, f)
			if err == nil {
				continue
			}
			f.Err = joined(f.Err, err)
		}
		if cl.Changes && reached && (f.Status < 400 || temporaryStatus(f.Status)) {
			f.kinds = append(f.kinds, ErrUnknownOutcome)
		}
		return f.Error
	}
}

// mayPass tells whether the service may work again soon: no answer came, it was cut off, or says so itself.
func (f *failure) mayPass() bool {
	return temporaryStatus(f.Status) || f.Status == 0 && f.Is(ErrTemporary) && !errors.Is(f.Error, ErrUnusable)
}

// pauseWithin sets the pause before the next attempt of a patient client, the last of which is made when patience ends.
// It reports false where there is none. The breaker is not asked: this caller waits for nothing else.
func (c *Client) pauseWithin(failing time.Time, f *failure, failures int) bool {
	left := time.Until(failing.Add(c.patience))
	f.pause = max(f.RetryAfter, min(c.backoff(failures), left))
	return left > 0 && f.Asked <= left
}

// backoff is the longest pause after so many failures.
func (c *Client) backoff(failures int) time.Duration {
	const doublings = 10
	return min(c.limits.backoffMax, c.limits.backoff<<min(max(failures-1, 0), doublings))
}

// pauseAfter waits before the call is repeated.
func (c *Client) pauseAfter(ctx context.Context, cl *call, f *failure) error {
	cl.wait.because(f.cause(), time.Time{})
	if f.Status == http.StatusTooManyRequests {
		return nil // the budget itself pauses
	}
	pause := max(f.RetryAfter, f.pause)
	cl.wait.because(f.cause(), time.Now().Add(pause))
	return sleep(ctx, pause)
}

// endsRepeatsOf takes over what happened before the breaker or the caller ended the repeats: it is the better story.
func (f *failure) endsRepeatsOf(last *failure) {
	f.Status, f.Detail, f.RequestID, f.Problem = last.Status, last.Detail, last.RequestID, last.Problem
	if f.blocked && f.RetryAfter > 0 { // whose text has the cause, too
		f.Err = fmt.Errorf("next attempt in %v", f.RetryAfter.Round(time.Second))
	}
	f.Err = joined(last.Err, f.Err)
	f.kinds = append(f.kinds, last.kinds...)
	f.again = false
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
func (c *Client) attempt(ctx context.Context, cl *call) *failure {
	failed := func(err error, kinds ...error) *failure {
		return &failure{Error: &Error{Op: cl.Op, Err: err, kinds: kinds}}
	}
	if wait := c.account.breaker.blocked(); wait > 0 && c.patience == 0 {
		return c.blocked(cl.Op, wait)
	}
	target := c.url(cl)
	for hops := 0; ; hops++ {
		ticket, err := c.queue(ctx, cl)
		if errors.Is(err, errPaused) {
			f := failed(err, ErrTemporary)
			f.blocked = true
			return f
		}
		if err != nil {
			return failed(err)
		}
		probe, wait := c.account.breaker.enter()
		if wait > 0 && c.patience == 0 {
			if err := c.account.budget.Settle(ctx, ticket); err != nil {
				return failed(err)
			}
			return c.blocked(cl.Op, wait)
		}
		next, f, v := c.request(ctx, cl, target, ticket)
		if v == failing {
			c.account.breaker.failed(f.Error)
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
func (c *Client) queue(ctx context.Context, cl *call) (budget.Ticket, error) {
	came := time.Now()
	c.account.queued.Add(1)
	defer c.account.queued.Add(-1)
	request := cl.claim(ctx)
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	until := c.outage.until(c.patience)
	if !until.IsZero() {
		var done context.CancelFunc
		ctx, done = context.WithDeadlineCause(ctx, until, errPaused)
		defer done()
	}
	request.Waits = func(pause time.Duration) {
		if !until.IsZero() && pause > c.patience {
			giveUp(errPaused)
			return
		}
		cl.wait.because(cmp.Or(cl.wait.Cause, budgetFull), time.Now().Add(pause))
	}
	t, err := c.account.budget.Claim(ctx, c.pace, request)
	if err == nil {
		c.onTurn(time.Since(came))
	}
	return t, err
}

// errPaused ends a call of a patient client whose service goes on asking for fewer requests.
var errPaused = errors.New("the account's request budget pauses for longer, as the service asks for (429)")

// budgetFull is why a request has not left yet.
const budgetFull = "the account's request budget, which other calls and processes share"

// maxHops is how many redirects a request follows; each costs a request of the budget.
const maxHops = 3

func (c *Client) blocked(op string, wait time.Duration) *failure {
	last := c.account.breaker.lastFailure()
	err := fmt.Errorf("the translation service keeps failing, last with %q", last.cause())
	var unreachable *UnreachableError
	if errors.As(last, &unreachable) {
		err = unreachable
	}
	err = fmt.Errorf("%w; next attempt in %v", err, wait.Round(time.Second))
	return &failure{
		Error:   &Error{Op: op, Err: err, RetryAfter: wait, kinds: []error{ErrTemporary}},
		blocked: true,
	}
}
