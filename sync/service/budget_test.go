package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
	"github.com/locsync/locsync/sync/service/wire"
)

// line is a way to a service, in fake time: delays in both directions, and a limiter at its end.
type line struct {
	mu       sync.Mutex
	start    time.Time
	arrivals []time.Duration
	slowest  time.Duration
	answer   func(n int) *http.Response
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	delay := func() { time.Sleep(time.Duration(rand.Int64N(int64(l.slowest)))) }
	delay()
	l.mu.Lock()
	l.arrivals = append(l.arrivals, time.Since(l.start))
	n := len(l.arrivals)
	l.mu.Unlock()
	delay()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	resp := l.answer(n)
	resp.Request = r
	return resp, nil
}

func reply(code int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body))}
}

// bubble runs f in fake time with clients of one account that never had one before.
func bubble(t *testing.T, slowest time.Duration, f func(t *testing.T, l *line,
	client func(perSecond float64) *Client)) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{start: time.Now(), slowest: slowest, answer: func(int) *http.Response {
			return reply(200, `{"id":"x","status":"pending"}`)
		}}
		account := fmt.Sprint(t.Name(), rand.Uint64())
		f(t, l, func(perSecond float64) *Client {
			c, err := New(Options{BaseURL: "http://service.invalid", AccountID: account, APIKey: canary, Transport: l,
				RequestsPerSecond: perSecond})
			if err != nil {
				t.Fatal(err)
			}
			return c
		})
	})
}

// crowdedWindow finds more than n arrivals in one window of that length, ends included.
func crowdedWindow(arrivals []time.Duration, n int, window time.Duration) (from int, crowded bool) {
	arrivals = slices.Sorted(slices.Values(arrivals))
	for i := n; i < len(arrivals); i++ {
		if arrivals[i]-arrivals[i-n] <= window {
			return i - n, true
		}
	}
	return 0, false
}

// Three goroutines with two clients ask as fast as they can for a minute.
func TestBudgetUnderSaturation(t *testing.T) {
	for slowest, least := range map[time.Duration]int{time.Millisecond: 195, 300 * time.Millisecond: 150,
		1500 * time.Millisecond: 60} {
		t.Run(slowest.String(), func(t *testing.T) {
			bubble(t, slowest, func(t *testing.T, l *line, client func(float64) *Client) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				var all sync.WaitGroup
				for _, c := range []*Client{client(4), client(4)} {
					for range 2 {
						all.Go(func() {
							for ctx.Err() == nil {
								if _, err := c.Projects().Read(ctx, "p"); err != nil && ctx.Err() == nil {
									t.Error(err)
								}
							}
						})
					}
				}
				all.Wait()
				if i, crowded := crowdedWindow(l.arrivals, 4, time.Second); crowded {
					t.Errorf("more than 4 arrivals in the second from %v", l.arrivals[i])
				}
				if len(l.arrivals) < least {
					t.Errorf("%d requests in a minute, want %d at least", len(l.arrivals), least)
				}
				t.Logf("%d requests", len(l.arrivals))
			})
		})
	}
}

// One 429 makes every client of the account pause; the call itself succeeds in the end.
func TestBudgetPausesAll(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		l.answer = func(n int) *http.Response {
			if n == 1 {
				return reply(429, `{"detail":"slow down"}`, "Retry-After", "20")
			}
			return reply(200, `{"id":"x","status":"pending"}`)
		}
		var all sync.WaitGroup
		for range 3 {
			c := client(4)
			all.Go(func() {
				if _, err := c.Projects().Read(t.Context(), "p"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(l.arrivals) != 4 || l.arrivals[1]-l.arrivals[0] < 19*time.Second {
			t.Errorf("arrivals at %v, want one, then after 20 s three", l.arrivals)
		}
	})
}

// A service that goes on saying 429 gets few requests, and the call ends with its words.
func TestBudgetGivesUp(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		l.answer = func(int) *http.Response { return reply(429, `{"detail":"slow down"}`, "Retry-After", "86400") }
		_, err := client(4).Strings().StartImport(t.Context(), oneFile())
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrRate) || !errors.Is(err, ErrTemporary) ||
			errors.Is(err, ErrUnknownOutcome) || e.Detail != "slow down" {
			t.Errorf("error %v", err)
		}
		if e.RetryAfter != budget.MaxPause {
			t.Errorf("RetryAfter %v, want %v", e.RetryAfter, budget.MaxPause)
		}
		if n := len(l.arrivals); n != defaultLimits.rateAttempts {
			t.Errorf("%d requests", n)
		}
		if took := time.Since(l.start); took > 6*budget.MaxPause {
			t.Errorf("took %v", took)
		}
	})
}

// A service that is down for long is left to the caller, who has better things to do than wait here.
func TestLongMaintenance(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		l.answer = func(int) *http.Response { return reply(503, "", "Retry-After", "3600") }
		_, err := client(4).Projects().Read(t.Context(), "p")
		var e *Error
		if !errors.As(err, &e) || e.RetryAfter != budget.MaxPause || len(l.arrivals) != 1 ||
			time.Since(l.start) > time.Second {
			t.Errorf("%v after %v and %d requests", err, time.Since(l.start), len(l.arrivals))
		}
	})
}

func TestBudgetEndsWithContext(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		l.answer = func(int) *http.Response { return reply(429, ``, "Retry-After", "100") }
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := client(4).Projects().Read(ctx, "p")
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrRate) {
			t.Errorf("error %v, want the 429 and the end of the context", err)
		}
		if took := time.Since(l.start); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// Five failures open the breaker; it lets one probe through after 30 s, then after a minute, and closes
// with the first success.
func TestBreakerKeepsAway(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		up := false
		l.answer = func(int) *http.Response {
			if up {
				return reply(200, `{"id":"x","status":"pending"}`)
			}
			return reply(503, `{"title":"down"}`)
		}
		c := client(4)
		get := func() error { _, err := c.Projects().Read(t.Context(), "p"); return err }
		for range 2 {
			if err := get(); !errors.Is(err, ErrTemporary) || !strings.Contains(err.Error(), "503") {
				t.Errorf("error %v", err)
			}
		}
		if n := len(l.arrivals); n != breakInRow {
			t.Errorf("%d requests, want %d", n, breakInRow)
		}
		err := get()
		var e *Error
		if !errors.As(err, &e) || e.RetryAfter <= 0 || e.RetryAfter > firstProbe || !errors.Is(err, ErrTemporary) {
			t.Errorf("error %v of a call that was kept away", err)
		}
		time.Sleep(firstProbe)
		before := len(l.arrivals)
		if err := get(); err == nil || len(l.arrivals) != before+1 {
			t.Errorf("error %v, %d requests for a probe", err, len(l.arrivals)-before)
		}
		time.Sleep(firstProbe)
		if err := get(); err == nil || len(l.arrivals) != before+1 {
			t.Errorf("error %v, %d requests, although the second wait is twice as long", err, len(l.arrivals)-before)
		}
		up = true
		time.Sleep(firstProbe)
		for range 3 {
			if err := get(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestBreakerHalfFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker()
		for i := range breakWindow {
			if wait := b.blocked(); wait != 0 {
				t.Fatalf("open after %d outcomes", i)
			}
			b.leave(false, []verdict{healthy, failing}[i%2])
		}
		if b.blocked() != firstProbe {
			t.Errorf("blocked for %v after half of %d failed", b.blocked(), breakWindow)
		}
		time.Sleep(firstProbe)
		probe, wait := b.enter()
		if _, other := b.enter(); !probe || wait != 0 || other == 0 {
			t.Errorf("probe %v after %v, second one after %v", probe, wait, other)
		}
		for range breakInRow {
			b.leave(false, failing) // these had left before it opened: they do not prolong anything
		}
		b.leave(true, unclear) // the caller gave up: the next call is the probe
		if probe, wait := b.enter(); !probe || wait != 0 {
			t.Errorf("probe %v after %v", probe, wait)
		}
		for range 20 {
			b.leave(true, failing)
			time.Sleep(slowestProbes)
			b.enter()
		}
		b.leave(true, failing)
		if b.blocked() != slowestProbes {
			t.Errorf("blocked for %v, want at most %v", b.blocked(), slowestProbes)
		}
	})
}

// Waiting: a quick job is not waited for, an outage of a minute is sat out, one without end is not.
func TestWaitPace(t *testing.T) {
	pending, done := `{"status":"pending"}`, `{"status":"completed","keysCreated":1}`
	t.Run("quick", func(t *testing.T) {
		bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			l.answer = func(n int) *http.Response { return reply(200, []string{pending, done}[min(n-1, 1)]) }
			r, err := client(0).Strings().WaitImport(t.Context(), "i")
			if err != nil || r.Created != 1 || time.Since(l.start) > 250*time.Millisecond {
				t.Errorf("%+v, %v after %v", r, err, time.Since(l.start))
			}
		})
	})
	t.Run("not known at once", func(t *testing.T) {
		bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			l.answer = func(n int) *http.Response {
				if n <= 4 { // two looks, at both addresses
					return reply(404, "")
				}
				return reply(200, done)
			}
			if _, err := client(4).Strings().WaitImport(t.Context(), "i"); err != nil {
				t.Error(err)
			}
			l.answer = func(int) *http.Response { return reply(404, "") }
			start := time.Now()
			if _, err := client(4).Strings().WaitImport(t.Context(), "i"); !errors.Is(err, ErrNotFound) ||
				time.Since(start) > 2*settling {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("half a minute", func(t *testing.T) {
		bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			l.answer = func(int) *http.Response {
				if time.Since(l.start) < 30*time.Second {
					return reply(200, pending)
				}
				return reply(200, done)
			}
			if _, err := client(4).Strings().WaitImport(t.Context(), "i"); err != nil || len(l.arrivals) > 11 ||
				time.Since(l.start) > 50*time.Second {
				t.Errorf("%v after %v and %d looks", err, time.Since(l.start), len(l.arrivals))
			}
		})
	})
	t.Run("outage", func(t *testing.T) {
		bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			l.answer = func(int) *http.Response {
				switch since := time.Since(l.start); {
				case since < 3*time.Second:
					return reply(200, pending)
				case since < time.Minute:
					return reply(502, "")
				}
				return reply(200, done)
			}
			if _, err := client(4).Strings().WaitImport(t.Context(), "i"); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("gone for good", func(t *testing.T) {
		bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			l.answer = func(int) *http.Response { return reply(502, "") }
			_, err := client(4).Strings().WaitImport(t.Context(), "i")
			if !errors.Is(err, ErrTemporary) || time.Since(l.start) > 10*time.Minute {
				t.Errorf("%v after %v", err, time.Since(l.start))
			}
		})
	})
	t.Run("never done", func(t *testing.T) {
		bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			l.answer = func(int) *http.Response { return reply(204, "") }
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
			defer cancel()
			_, err := client(4).Strings().Download(ctx, "e", t.TempDir())
			if !errors.Is(err, ErrNotReady) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			if n := len(l.arrivals); n > 30*60/12+10 {
				t.Errorf("%d looks in half an hour", n)
			}
		})
	})
	t.Run("many at once leave room", func(t *testing.T) {
		bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			l.answer = func(int) *http.Response { return reply(200, pending) }
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			c := client(4)
			var all sync.WaitGroup
			for i := range 100 {
				all.Go(func() { _, _ = c.Strings().WaitImport(ctx, JobID(fmt.Sprint("i", i))) })
			}
			all.Wait()
			late := 0
			for _, at := range l.arrivals {
				if at > 3*time.Minute {
					late++
				}
			}
			if perSecond := float64(late) / 120; perSecond > 2.2 {
				t.Errorf("%.1f polls per second, more than half of the budget", perSecond)
			}
		})
	})
}

func oneFile() ImportRequest {
	return ImportRequest{
		Project: "p", Language: "en", Format: wire.FormatJSON,
		Files: []Upload{{Name: "a.json", Body: []byte(`{"k":"v"}`)}},
	}
}

// The measurement has of every request how long it waited for its turn, and how many wait now; one that gave up
// made none.
func TestWaitsForTheBudgetAreTold(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		c := client(4)
		var mu sync.Mutex
		var waited []time.Duration
		c.onTurn = func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			waited = append(waited, d)
		}
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, err := c.Projects().Read(t.Context(), "p"); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		all.Go(func() {
			if _, err := c.Projects().Read(ctx, "p"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a call that cannot wait for its turn: %v", err)
			}
		})
		time.Sleep(5 * time.Millisecond)
		if got := c.Queued(); got != 5 {
			t.Errorf("%d requests wait, want 5", got)
		}
		all.Wait()
		cancel()
		if got := c.Queued(); got != 0 {
			t.Errorf("%d requests wait at the end", got)
		}
		slices.Sort(waited)
		if len(waited) != 5 || waited[0] != 0 || waited[4] < 1200*time.Millisecond ||
			waited[4] > 1500*time.Millisecond {
			t.Errorf("the waits of five requests, four a second: %v", waited)
		}
	})
}
