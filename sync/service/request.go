package service

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
	"github.com/locsync/locsync/sync/service/wire"
)

// Causes of a request that was given up because it took too long.
var (
	errSilence = errors.New("the answer stalled")
	errHeaders = errors.New("the answer did not begin in time")
	errWhole   = errors.New("the request took too long")
	errLapsed  = errors.New("this process stood still before the request left, and the budget has gone on without it")
)

// request makes one request. It returns where a redirect leads, or how the request failed, or neither;
// and what that says about the service.
func (c *Client) request(ctx context.Context, cl *call, target *url.URL, t budget.Ticket) (*url.URL, *failure,
	verdict) {
	reqCtx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)

	sent := sentTrace{late: func() { giveUp(errHeaders) }, lapsed: t.Lapsed}
	req, body, err := c.newRequest(sent.watch(reqCtx), cl, target)
	if err != nil {
		return nil, &failure{Error: &Error{Op: cl.Op, Err: err}}, unclear
	}
	defer body.detach()
	patience := c.limits.whole
	if cl.Form != nil {
		patience += onItsWay(cl.Form.size)
	}
	whole := time.AfterFunc(patience, func() { giveUp(errWhole) })
	defer whole.Stop()
	sent.patience = c.limits.headers + patience - c.limits.whole // a large body takes its time there, too
	if !cl.Repeatable {
		// A connection that was kept open may have been closed at the other end by now, which shows only
		// after the request was written. A fresh one spares us that doubt.
		c.Close()
	}
	start := time.Now()
	counted(ctx)
	expect(ctx, patience)
	resp, err := c.transport.RoundTrip(req)
	sent.stop()
	expect(ctx, 0)
	if err != nil {
		c.onRequest(Request{cl.Op, cl.Method, shown(c.base, target), 0, time.Since(start)})
		_ = c.account.budget.Settle(ctx, t) // else it settles by itself, and the next claim meets the same trouble
		if own := body.detach(); own != nil && ctx.Err() == nil {
			// the service got less than was announced, which is nothing
			return nil, &failure{Error: &Error{Op: cl.Op, Err: own}}, unclear
		}
		return c.unanswered(ctx, reqCtx, cl, &sent, err)
	}
	defer resp.Body.Close()
	ours := sameOrigin(c.base, target)
	if ours {
		c.account.heard(resp.Header.Get("Date"), time.Now())
		if resp.StatusCode/100 == 2 {
			c.isOwn.Store(resp.Header.Get(wire.HeaderOwn) != "")
		}
	}
	limited := ours && resp.StatusCode == http.StatusTooManyRequests
	_ = c.account.budget.Answered(ctx, t, c.pace, limited,
		min(retryAfter(resp.Header, time.Now()), budget.MaxPause)) // as above

	whole.Reset(patience - time.Since(start) + onItsWay(resp.ContentLength))
	stalled := time.AfterFunc(c.limits.idle, func() { giveUp(errSilence) })
	defer stalled.Stop()
	next, f := c.answer(ctx, cl, target, resp, &lively{ctx, resp.Body, stalled, c.limits.idle})
	c.onRequest(Request{cl.Op, cl.Method, shown(c.base, target), resp.StatusCode, time.Since(start)})
	switch {
	case f != nil && f.Status == 0 && ctx.Err() != nil:
		f.Err, f.kinds, f.again = joined(f.Err, context.Cause(ctx)), nil, false
		return nil, f, unclear
	case f != nil && f.Status == 0:
		f.Err = joined(f.Err, context.Cause(reqCtx))
	}
	return next, f, verdictOn(resp.StatusCode, f, ours)
}

// verdictOn is what an answer says about the service: one of another server says nothing. What is whole and of
// no use, like a damaged archive, says nothing against a service that answers everything else.
func verdictOn(status int, f *failure, ours bool) verdict {
	cut := f != nil && f.again && f.Status == 0 && !errors.Is(f.Error, ErrUnusable)
	switch {
	case !ours:
		return unclear
	case status >= 500 && status != http.StatusNotImplemented || cut:
		return failing
	}
	return healthy
}

func (c *Client) url(cl *call) *url.URL {
	prefix := cl.prefix
	if prefix == "" {
		prefix = wire.Prefix
	}
	u := *c.base
	u.RawPath = u.EscapedPath() + prefix + cl.Path
	u.Path, _ = url.PathUnescape(u.RawPath)
	u.RawQuery = cl.Query.Encode()
	return &u
}

// onItsWay is how long a body of that length may take on its way, beyond what any request may.
func onItsWay(length int64) time.Duration {
	const slowest = 64 << 10 // bytes in a second
	return time.Duration(max(0, length)/slowest) * time.Second
}

// jsonType is the content type of JSON bodies.
const jsonType = "application/json"

// large is the body that is not sent before the service has said that it wants it, or nothing for a second:
// what is refused (401, 413, 429) costs no time then, and its files are still unread.
const large = 1 << 20

// newRequest makes the request; body is the reading of its form, empty where it has none.
func (c *Client) newRequest(ctx context.Context, cl *call, target *url.URL) (*http.Request, *formBody, error) {
	req, err := http.NewRequestWithContext(ctx, cl.Method, target.String(), bytes.NewReader(cl.body))
	if err != nil {
		return nil, nil, err
	}
	body := &formBody{}
	switch {
	case cl.Form != nil:
		if body, err = cl.Form.open(); err != nil {
			return nil, nil, err
		}
		req.Body, req.GetBody, req.ContentLength = body, nil, cl.Form.size
		req.Header.Set("Content-Type", cl.Form.contentType)
		if cl.Form.size > large && !cl.Form.unasked {
			req.Header.Set("Expect", "100-continue")
		}
	case cl.Method == http.MethodGet:
		// The transport would repeat a GET by itself when a kept connection dies, past the budget. It does
		// not for a body that it cannot rewind, not even for one without a byte.
		req.Body, req.GetBody = io.NopCloser(strings.NewReader("")), nil
	}
	if cl.body != nil {
		req.Header.Set("Content-Type", jsonType)
	}
	req.Header.Set("Accept", "*/*")
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", c.userAgent)
	if sameOrigin(c.base, target) {
		c.sign(req)
	}
	return req, body, nil
}

// sentTrace notices whether a request can have reached the service: not before there was a connection
// for it. A transport that reports nothing, like one inside this process, may always have delivered it.
type sentTrace struct {
	asked, connected atomic.Bool

	patience time.Duration // how long the answer may take to begin once all is written
	late     func()        // called when it takes longer
	lapsed   func() bool   // whether the right to the request is over
	refused  atomic.Bool   // nothing was written, because it was

	mu       sync.Mutex
	answered bool
	waits    *time.Timer
}

func (s *sentTrace) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { s.asked.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			if s.lapsed() { // the process was stopped; what is written to a closed connection goes nowhere
				s.refused.Store(true)
				_ = got.Conn.Close()
			}
			s.connected.Store(true)
		},
		WroteRequest: func(httptrace.WroteRequestInfo) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !s.answered && s.waits == nil {
				s.waits = time.AfterFunc(s.patience, s.late)
			}
		},
	})
}

// stop ends the wait for an answer, which may have come before all was written.
func (s *sentTrace) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answered = true
	if s.waits != nil {
		s.waits.Stop()
	}
}

func (s *sentTrace) possible() bool { return s.connected.Load() || !s.asked.Load() }

// unanswered judges a request that got no answer.
func (c *Client) unanswered(ctx, reqCtx context.Context, cl *call, sent *sentTrace, err error) (*url.URL, *failure,
	verdict) {
	f := &failure{Error: &Error{Op: cl.Op}, reached: sent.possible()}
	if sent.refused.Load() {
		f.Err, f.kinds, f.reached, f.again = errLapsed, []error{ErrTemporary}, false, ctx.Err() == nil
		return nil, f, unclear
	}
	if ctx.Err() != nil {
		f.Err = context.Cause(ctx)
		return nil, f, unclear
	}
	f.Err = &UnreachableError{c.base.String(), sent.connected.Load(), joined(err, context.Cause(reqCtx))}
	if untrusted(err) {
		f.Err = fmt.Errorf("%w; check the address of the service, and the certificates that this machine trusts", f.Err)
		return nil, f, unclear
	}
	f.kinds = append(f.kinds, ErrTemporary)
	f.again = cl.Repeatable || !f.reached
	return nil, f, failing
}

// untrusted tells whether there was no answer because the other end could not prove who it is, which
// waiting does not change.
func untrusted(err error) bool {
	var verification *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	return errors.As(err, &verification) || errors.As(err, &notTLS)
}
