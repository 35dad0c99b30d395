package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/service/wire"
)

// answer judges an answer: nil and nil is success.
func (c *Client) answer(cl call, target *url.URL, resp *http.Response, body io.Reader) (*url.URL, *failure) {
	failed := func(err error, kinds ...error) *failure {
		return &failure{Error: &Error{Op: cl.op, Err: err, kinds: kinds}}
	}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		next, err := redirected(cl.method, target, resp)
		if err != nil {
			return nil, failed(err, ErrUnusable)
		}
		return next, nil
	case resp.StatusCode >= 400:
		text, _ := io.ReadAll(io.LimitReader(unpacked(resp, body), c.limits.problem))
		f := &failure{Error: c.refusal(cl.op, resp, text)}
		switch s := resp.StatusCode; {
		case s == http.StatusTooManyRequests:
			f.again = true
		case s == http.StatusExpectationFailed && cl.form != nil && !cl.form.unasked:
			cl.form.unasked, f.again = true, true
		case s == http.StatusNotImplemented: // nothing was done, and nothing will be
		case s == http.StatusInternalServerError:
			f.reached, f.again = true, cl.method == http.MethodGet
		case s > http.StatusInternalServerError:
			f.reached, f.again = true, cl.repeatable
		}
		return nil, f
	case cl.read == nil:
		_, _ = io.Copy(io.Discard, io.LimitReader(body, c.limits.problem)) // so that the connection can be kept
		return nil, nil
	}
	err := cl.read(resp, unpacked(resp, body))
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
	f.reached, f.again = true, cl.repeatable
	return nil, f
}

// redirected follows a redirect to the same scheme, host and port; credentials go nowhere else. One that
// would turn a POST into a GET is not followed.
func redirected(method string, from *url.URL, resp *http.Response) (*url.URL, error) {
	next, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("%d without a usable Location", resp.StatusCode)
	}
	next, next.Fragment = from.ResolveReference(next), ""
	switch code := resp.StatusCode; {
	case origin(next) != origin(from):
		return nil, fmt.Errorf("the service redirects to %s, which is not followed; if that is its new address, configure it", origin(next))
	case code == http.StatusTemporaryRedirect, code == http.StatusPermanentRedirect,
		method == http.MethodGet && code != http.StatusNotModified:
		next.User = nil
		return next, nil
	}
	return nil, fmt.Errorf("the service redirects a %s to %s (%d), which is not followed; if the service has moved, configure its new address",
		method, next.Redacted(), resp.StatusCode)
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

// within reads all of the body, at most limit bytes.
func within(body io.Reader, limit int64) ([]byte, error) {
	b, err := bound.Read(body, limit)
	switch {
	case bound.Is(err):
		return nil, beyond("%w", err)
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), nil
}

// jsonType is the content type of JSON bodies.
const jsonType = "application/json"

// record reads a JSON answer into v. A member of another type than expected stays empty: a record has
// many members that nobody here needs.
func (c *Client) record(v any) func(*http.Response, io.Reader) error {
	return func(_ *http.Response, body io.Reader) error {
		b, err := within(body, c.limits.json)
		if err != nil {
			return err
		}
		if _, bounded := v.(*wire.ImportAnswer); !bounded {
			if err := (bound.JSON{Memory: 5 * c.limits.json}).Weigh(b); err != nil {
				return beyond("%w", err)
			}
		}
		if err := otherType(json.Unmarshal(b, v)); err != nil {
			return fmt.Errorf("%w: %w (it begins %q)", ErrUnusable, err, c.redact(clean(string(b[:min(len(b), 80)]))))
		}
		return nil
	}
}

// otherType lets an error pass that says that a member has another type than expected.
func otherType(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return nil
	}
	return err
}

// identifier reads the answer to a call that starts something: a JSON string, an object with id or
// taskId, or the bare text.
func (c *Client) identifier(id *JobID) func(*http.Response, io.Reader) error {
	return func(_ *http.Response, body io.Reader) error {
		b, err := within(body, c.limits.problem)
		if err != nil {
			return err
		}
		var said wire.Identifier
		if json.Unmarshal(b, &said) != nil {
			said = wire.Identifier(strings.Trim(strings.TrimSpace(string(b)), `"`))
		}
		if err := checkID(string(said)); err != nil {
			return fmt.Errorf("%w: no identifier in %q", ErrUnusable, c.redact(clean(string(b[:min(len(b), 80)]))))
		}
		*id = JobID(said)
		return nil
	}
}

// word reads the state of a task: a JSON string, an object with status or state, or the bare text.
func (c *Client) word(state *TaskState) func(*http.Response, io.Reader) error {
	return func(_ *http.Response, body io.Reader) error {
		b, err := within(body, c.limits.problem)
		if err != nil {
			return err
		}
		if !json.Valid(b) {
			b, _ = json.Marshal(string(bytes.TrimSpace(b))) // a string always marshals
		}
		*state = ""
		if err := json.Unmarshal(b, state); err != nil || *state == "" || strings.ContainsAny(string(*state), "<>") {
			return fmt.Errorf("%w: no state in %q", ErrUnusable, c.redact(clean(string(b[:min(len(b), 80)]))))
		}
		return nil
	}
}

// whenReady reads an answer that is 202 or 204 while there is nothing to be had yet.
func whenReady(read func(*http.Response, io.Reader) error) func(*http.Response, io.Reader) error {
	return func(resp *http.Response, body io.Reader) error {
		if resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusAccepted {
			return local{ErrNotReady}
		}
		return read(resp, body)
	}
}

// unlessEmpty reads an answer that is 204 where there is nothing in it.
func unlessEmpty(read func(*http.Response, io.Reader) error) func(*http.Response, io.Reader) error {
	return func(resp *http.Response, body io.Reader) error {
		if resp.StatusCode == http.StatusNoContent {
			return nil
		}
		return read(resp, body)
	}
}

// pages reads a list that comes in pages of so many items, until one is shorter, or begins like the first, as those of a service do
// that knows no pages.
func pages[T any](full int, id func(T) string, page func(skip int) ([]T, error)) ([]T, error) {
	var all []T
	for {
		items, err := page(len(all))
		if err != nil {
			return nil, err
		}
		if len(items) == 0 || len(all) > 0 && id(items[0]) == id(all[0]) {
			return all, nil
		}
		if all = append(all, items...); len(items) < full {
			return all, nil
		}
	}
}

// noPage refuses a page of the web, which is what a proxy or a login answers in the place of a file.
func noPage(read func(*http.Response, io.Reader) error) func(*http.Response, io.Reader) error {
	return func(resp *http.Response, body io.Reader) error {
		if strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Type")), "text/html") {
			return damaged("it is a web page")
		}
		return read(resp, body)
	}
}

// copyTo hands an answer on as it comes. What was begun is not begun again: a second copy would stand behind the first half.
func (c *Client) copyTo(w io.Writer, written *int64) func(*http.Response, io.Reader) error {
	return func(_ *http.Response, body io.Reader) error {
		n, err := io.Copy(&ownWriter{w}, body)
		*written += n
		var own local
		if err != nil && n > 0 && !errors.As(err, &own) {
			return local{fmt.Errorf("cut off after %d bytes, which were handed on: %w (%w)", n, err, ErrTemporary)}
		}
		return err
	}
}

// checkID refuses what cannot be an identifier: it is going to be a step of a path.
func checkID(id string) error {
	const longest = 200
	odd := func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`/\?#%<>"'{}`, r) }
	switch {
	case id == "":
		return errors.New("it is empty")
	case len(id) > longest, strings.Trim(id, ".") == "", strings.ContainsFunc(id, odd):
		return fmt.Errorf("%.40q is no identifier of the service", id)
	}
	return nil
}
