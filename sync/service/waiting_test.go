package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// answering is a service that gives one answer to every request.
type answering func(*http.Request) (*http.Response, error)

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

// unavailable answers 503.
func unavailable(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// address is a service of its own, also where a test runs twice: clients of one address share budget and breaker, which
// belong to the time that they were made in.
func address(t *testing.T) string {
	return fmt.Sprintf("http://%s%d.example", strings.ToLower(t.Name()), hosts.Add(1))
}

// heard are the waits that were told of, in order.
type heard struct {
	mu   sync.Mutex
	told []Wait
	open map[int64]bool
}

func (h *heard) watch(ctx context.Context) context.Context {
	h.open = make(map[int64]bool)
	return Waiting(ctx, func(id int64, w *Wait) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.open[id] = w != nil; w != nil {
			h.told = append(h.told, *w)
		} else {
			delete(h.open, id)
		}
	})
}

// A wait is told with what it is for, with the cause and the next attempt; and every wait ends.
func TestWaitsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := address(t)
		c, err := New(Options{BaseURL: at, Transport: answering(unavailable)})
		if err != nil {
			t.Fatal(err)
		}
		var h heard
		start := time.Now()
		_, err = c.Projects().Read(h.watch(t.Context()), "p")
		if !errors.Is(err, ErrTemporary) {
			t.Fatalf("%v", err)
		}
		if len(h.open) > 0 || len(h.told) < 2 {
			t.Fatalf("%d waits are open, %+v", len(h.open), h.told)
		}
		if h.told[0] != (Wait{For: "the answer of " + strings.TrimPrefix(at, "http://") + " to read project"}) {
			t.Errorf("the first word was %+v", h.told[0])
		}
		for _, w := range h.told[1:] {
			if w.Cause != "503 Service Unavailable" || w.Next.Before(start) && !w.Next.IsZero() {
				t.Errorf("told %+v", w)
			}
		}
	})
}

// A job whose looks fail is given up within giveUp, also where the breaker would let the next one go only after that,
// and the error has the service's own words.
func TestFailingPollsAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Options{BaseURL: address(t), Transport: answering(unavailable)})
		if err != nil {
			t.Fatal(err)
		}
		var h heard
		start := time.Now()
		_, err = c.Strings().WaitImport(h.watch(t.Context()), "7")
		if took := time.Since(start); took > c.limits.giveUp || !errors.Is(err, ErrTemporary) {
			t.Errorf("given up after %v: %v", took, err)
		}
		if !strings.Contains(err.Error(), "503 Service Unavailable") {
			t.Errorf("the error is %q", err)
		}
		if !slices.ContainsFunc(h.told, func(w Wait) bool {
			return w.For == "a job of the service to end" && strings.Contains(w.Cause, "503") && w.Next.After(start)
		}) {
			t.Errorf("told %+v", h.told)
		}
		if len(h.open) > 0 {
			t.Errorf("%d waits are open", len(h.open))
		}
	})
}

// A request that waits for the budget says so.
func TestBudgetIsACause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fine := func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
				Body: io.NopCloser(strings.NewReader(`{"id":"p"}`)), Request: r}, nil
		}
		c, err := New(Options{BaseURL: address(t), RequestsPerSecond: 0.1, Transport: answering(fine)})
		if err != nil {
			t.Fatal(err)
		}
		var h heard
		for range 2 {
			if _, err := c.Projects().Read(h.watch(t.Context()), "p"); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.ContainsFunc(h.told, func(w Wait) bool { return w.Cause == budgetFull && !w.Next.IsZero() }) {
			t.Errorf("told %+v", h.told)
		}
	})
}
