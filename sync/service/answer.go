package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/bound"
)

// answer judges an answer: nil and nil is success.
func (c *Client) answer(ctx context.Context, cl *call, target *url.URL, resp *http.Response,
	body io.Reader) (*url.URL, *failure) {
	failed := func(err error, kinds ...error) *failure {
		return &failure{Error: &Error{Op: cl.Op, Err: err, kinds: kinds}}
	}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		next, err := redirected(cl, c.base, target, resp)
		if err != nil {
			return nil, failed(err, ErrUnusable)
		}
		return next, nil
	case resp.StatusCode >= 400 && !sameOrigin(c.base, target):
		// The service itself did not say this: a fresh answer of the service may lead to a file that is there.
		f := failed(fmt.Errorf("the service leads to %s, which answers %d", origin(target), resp.StatusCode), ErrTemporary)
		f.again = cl.Repeatable
		return nil, f
	case resp.StatusCode >= 400:
		text, _ := io.ReadAll(io.LimitReader(unpacked(resp, body), c.limits.problem))
		f := &failure{Error: refusal(cl.Op, resp, text, c.redact)}
		f.Account, _, _ = resp.Request.BasicAuth()
		f.Project = projectIn(target.Path)
		switch s := resp.StatusCode; {
		case s == http.StatusTooManyRequests:
			f.again = true
		case s == http.StatusExpectationFailed && cl.Form != nil && !cl.Form.unasked:
			cl.Form.unasked, f.again = true, true
		case s == http.StatusNotImplemented: // nothing was done, and nothing will be
		case s == http.StatusInternalServerError:
			f.reached, f.again = true, cl.Method == http.MethodGet || cl.Repeatable && c.patience > 0
		case s > http.StatusInternalServerError:
			f.reached, f.again = true, cl.Repeatable
		}
		return nil, f
	case cl.Read == nil:
		_, _ = io.Copy(io.Discard, io.LimitReader(body, c.limits.problem)) // so that the connection can be kept
		return nil, nil
	}
	err := cl.Read(&Answer{
		Status: resp.StatusCode, Header: resp.Header, Body: unpacked(resp, body),
		length: resp.ContentLength, ctx: ctx, limits: &c.limits, redact: c.redact,
	})
	var own local
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &own):
		f := failed(own.error)
		if errors.Is(err, ErrUnusable) {
			f.kinds = append(f.kinds, ErrUnusable)
		}
		return nil, f
	}
	f := failed(err, ErrTemporary)
	f.reached, f.again = true, cl.Repeatable
	return nil, f
}

// redirected follows a redirect to the same scheme, host and port, and a download to any server over HTTPS,
// without credentials: services keep files elsewhere, under addresses that are signed. One that would turn a
// POST into a GET is not followed.
func redirected(cl *call, service, from *url.URL, resp *http.Response) (*url.URL, error) {
	next, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("%d without a usable Location", resp.StatusCode)
	}
	next, next.Fragment = from.ResolveReference(next), ""
	get := cl.Method == http.MethodGet && resp.StatusCode != http.StatusNotModified
	next.User = nil
	switch code := resp.StatusCode; {
	case origin(next) != origin(from) && origin(next) == origin(service):
		return nil, fmt.Errorf("%s redirects back to the service, which is not followed: it would be asked "+
			"with our credentials for what another server has chosen", origin(from))
	case origin(next) != origin(from) && cl.Download && get && next.Scheme == "https" && next.Host != "":
		return next, nil
	case origin(next) != origin(from):
		return nil, fmt.Errorf("the service redirects to %s, which is not followed; "+
			"if that is its new address, configure it", origin(next))
	case code == http.StatusTemporaryRedirect, code == http.StatusPermanentRedirect, get:
		return next, nil
	}
	return nil, fmt.Errorf("the service redirects a %s to %s (%d), which is not followed; "+
		"if the service has moved, configure its new address",
		cl.Method, next.Redacted(), resp.StatusCode)
}

// unpacked undoes Content-Encoding. No compression was asked for, but some proxies apply it all the same;
// the caller bounds what comes out.
func unpacked(resp *http.Response, body io.Reader) io.Reader {
	switch coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
		return body
	case "gzip", "x-gzip":
		return bound.Gzip(body)
	default:
		return bound.Fails(local{fmt.Errorf("%w: it is packed as %q although no packing was asked for", ErrUnusable, coding)})
	}
}

// lively puts off the timer with everything that is read.
type lively struct {
	ctx context.Context // of the call
	io.Reader
	timer *time.Timer
	idle  time.Duration
}

func (l *lively) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.timer.Reset(l.idle)
		expect(l.ctx, 0)
	}
	return n, err
}

// projectIn is the project that an address of the service is about.
func projectIn(path string) string {
	const length = len("00000000-0000-0000-0000-000000000000")
	if _, id, found := strings.Cut(path, "/project/"); found {
		if id, _, _ = strings.Cut(id, "/"); len(id) == length {
			return id
		}
	}
	return ""
}
