package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// hosts numbers the services of these tests: accounts, which bubbles cannot share, are kept by address.
var hosts atomic.Int32

// outages are the failures that may pass, each as a transport meets it.
var outages = map[string]func(*http.Request) (*http.Response, error){
	"refused": func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	},
	"cut": func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
	"no such name": func(*http.Request) (*http.Response, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true}
	},
	"429": answers(429, ""), "500": answers(500, ""), "502": answers(502, ""), "503": answers(503, ""),
	"504": answers(504, ""), "503 after 20": answers(503, "20"), "429 after 20": answers(429, "20"),
}

func answers(status int, after string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: status, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(`{"id":"p"}`)), Request: r}
		if after != "" {
			resp.Header.Set("Retry-After", after)
		}
		return resp, nil
	}
}

// patientCalls read, and start what may be started twice.
var patientCalls = map[string]func(context.Context, *Client) error{
	"read": func(ctx context.Context, c *Client) error {
		_, err := c.Projects().Read(ctx, "p")
		return err
	},
	"export": func(ctx context.Context, c *Client) error {
		_, err := c.Strings().StartExport(ctx, ExportRequest{Project: "p", Languages: []string{"de"}, Format: "json"})
		return err
	},
}

// A patient call goes on through an outage of two minutes, tells its cause and the next attempt within the first
// second, and gives up one that does not end when three minutes are over; the calls after it do not wait again.
func TestPatience(t *testing.T) {
	for call, do := range patientCalls {
		for name, fail := range outages {
			for _, lasts := range []time.Duration{10 * time.Second, 2 * time.Minute, time.Hour} {
				t.Run(fmt.Sprint(call, ", ", name, ", ", lasts), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { patient(t, call+name, do, fail, lasts) })
				})
			}
		}
	}
}

func patient(t *testing.T, name string, do func(context.Context, *Client) error,
	fail func(*http.Request) (*http.Response, error), lasts time.Duration) {
	start, requests := time.Now(), 0
	answer := func(r *http.Request) (*http.Response, error) {
		requests++
		if time.Since(start) < lasts {
			return fail(r)
		}
		return answers(200, "")(r)
	}
	host := fmt.Sprintf("http://%s%d.example", strings.ReplaceAll(name, " ", "-"), hosts.Add(1))
	c, err := New(Options{BaseURL: host, Transport: answering(answer), Patience: Patience})
	if err != nil {
		t.Fatal(err)
	}
	var h heard
	err = do(h.watch(t.Context()), c)
	took := time.Since(start)
	if len(h.open) > 0 || len(h.told) < 2 || h.told[1].Cause == "" {
		t.Errorf("%d waits are open, %+v", len(h.open), h.told)
	}
	if requests > 40 {
		t.Errorf("%d requests in %v", requests, took)
	}
	if lasts < Patience {
		if err != nil || took > Patience {
			t.Errorf("%v after %v, the outage took %v", err, took, lasts)
		}
		return
	}
	if !errors.Is(err, ErrTemporary) || took < Patience-25*time.Second || took > Patience+2*time.Second {
		t.Errorf("given up after %v: %v", took, err)
	}
	if err := do(t.Context(), c); !errors.Is(err, ErrTemporary) || time.Since(start) > Patience+time.Minute {
		t.Errorf("the next call ended after %v: %v", time.Since(start), err)
	}
}

// An export that is damaged or a web page is asked for a few times; it is no outage that a patient call waits for.
func TestPatienceIsNotForUnusableAnswers(t *testing.T) {
	for kind, body := range map[string]string{"application/zip": "PK\x03\x04 and no more", "text/html": "<html>"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, requests := time.Now(), 0
				answer := func(r *http.Request) (*http.Response, error) {
					requests++
					resp, err := answers(200, "")(r)
					resp.Header.Set("Content-Type", kind)
					resp.Body = io.NopCloser(strings.NewReader(body))
					return resp, err
				}
				host := fmt.Sprintf("http://unusable%d.example", hosts.Add(1))
				c, err := New(Options{BaseURL: host, Transport: answering(answer), Patience: Patience})
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.Strings().Download(t.Context(), "11111111-2222-3333-4444-555555555555", t.TempDir())
				if took := time.Since(start); !errors.Is(err, ErrUnusable) || requests < 2 || requests > 4 || took > 30*time.Second {
					t.Errorf("%d requests in %v: %v", requests, took, err)
				}
			})
		})
	}
}

// A service that asks for a longer wait than patience is not waited for; the error has what it asked for.
func TestPatienceAskedForMore(t *testing.T) {
	for _, status := range []int{429, 503} {
		synctest.Test(t, func(t *testing.T) {
			c, err := New(Options{BaseURL: fmt.Sprintf("http://day%d.example", hosts.Add(1)), Patience: Patience,
				Transport: answering(answers(status, "86400"))})
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, err = c.Projects().Read(t.Context(), "p")
			if !errors.Is(err, ErrTemporary) || !strings.Contains(fmt.Sprint(err), "Retry-After: 24h0m0s") ||
				time.Since(start) > time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			if status != http.StatusTooManyRequests {
				return
			}
			start = time.Now() // the budget pauses for all calls
			_, err = c.Projects().Read(t.Context(), "p")
			if !errors.Is(err, ErrTemporary) || !strings.Contains(fmt.Sprint(err), "429") || time.Since(start) > time.Second {
				t.Errorf("the next call ended after %v: %v", time.Since(start), err)
			}
		})
	}
}

// What may have been carried out is not sent again by a patient client either: an import whose answer is lost, or which
// a proxy answers for.
func TestPatienceSendsNoChangeTwice(t *testing.T) {
	for _, name := range []string{"cut", "500", "502", "503", "504"} {
		synctest.Test(t, func(t *testing.T) {
			requests := 0
			c, err := New(Options{BaseURL: fmt.Sprintf("http://change%d.example", hosts.Add(1)), Patience: Patience,
				Transport: answering(func(r *http.Request) (*http.Response, error) { requests++; return outages[name](r) })})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Strings().StartImport(t.Context(), anImport())
			if requests != 1 || !errors.Is(err, ErrUnknownOutcome) {
				t.Errorf("%s: %d requests, %v", name, requests, err)
			}
		})
	}
}

// Refusals and answers of no use are not waited for.
func TestPatienceEndsAtRefusals(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 501} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			c, err := New(Options{BaseURL: fmt.Sprintf("http://refusal%d.example", hosts.Add(1)), Patience: Patience,
				Transport: answering(answers(status, ""))})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Projects().Read(t.Context(), "p"); err == nil || time.Since(start) > time.Second {
				t.Errorf("%d: %v after %v", status, err, time.Since(start))
			}
		})
	}
}
