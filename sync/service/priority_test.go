package service

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
)

// ranked is a way to a service that notes what arrives, in fake time.
type ranked struct {
	line
	kinds []string
}

func (r *ranked) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.kinds = append(r.kinds, req.Header.Get("User-Agent"))
	r.mu.Unlock()
	return r.line.RoundTrip(req)
}

// A person's requests go first, then changes, then polls, then what the schedule asks for; no call waits for ever. Two
// clients of one account each, as two processes are.
func TestOrderOfRequests(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		r := &ranked{line: line{start: l.start, slowest: l.slowest, answer: l.answer}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var all sync.WaitGroup
		for name, p := range map[string]Priority{"asked": Asked, "changes": Changes, "scheduled": Scheduled} {
			c := client(4)
			c.transport, c.userAgent = r, name
			all.Go(func() {
				if name == "asked" {
					time.Sleep(20 * time.Second)
				}
				for i := 0; ctx.Err() == nil; i++ {
					if name == "asked" && i == 20 {
						return
					}
					if _, err := c.Projects().Read(As(ctx, p), "p"); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		first := strings.Join(r.kinds[:60], " ")
		if n := strings.Count(first, "scheduled"); n > 12 || n == 0 {
			t.Errorf("%d of the first 60 requests are scheduled ones, want a few: %s", n, first)
		}
		from := 0
		for r.kinds[from] != "asked" {
			from++
		}
		if at := r.arrivals[from]; at > 20*time.Second+700*time.Millisecond {
			t.Errorf("the person's first request left at %v", at)
		}
		asked := 0
		for _, kind := range r.kinds[from : from+24] {
			if kind == "asked" {
				asked++
			}
		}
		if asked < 20 {
			t.Errorf("%d of 20 requests of a person among the next 24: %v", asked, r.kinds[from:from+24])
		}
		if i, crowded := crowdedWindow(r.arrivals, 4, time.Second); crowded {
			t.Errorf("more than 4 arrivals in the second from %v", r.arrivals[i])
		}
	})
}

// However many jobs are looked at, every second slot is left to others that wait, whatever their rank; without others,
// looks take all.
func TestPollsLeaveHalf(t *testing.T) {
	for name, c := range map[string]struct {
		polls, others Priority
		most, least   int
	}{
		"alone":                            {Changes, -1, 200, 190},
		"beside changes":                   {Changes, Changes, 105, 1},
		"a person's beside scheduled work": {Asked, Scheduled, 130, 80},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
				l.answer = func(int) *http.Response { return reply(204, "") }
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				var all sync.WaitGroup
				var polls atomic.Int64
				for range 8 {
					client := client(4)
					all.Go(func() {
						for ctx.Err() == nil {
							if _, err := client.Strings().TryDownload(As(ctx, c.polls), "e",
								""); errors.Is(err, ErrNotReady) {
								polls.Add(1)
							}
						}
					})
				}
				for range 2 * min(c.others+1, 1) { // one of them always waits
					client := client(4)
					all.Go(func() {
						for ctx.Err() == nil {
							_, _ = client.Projects().Read(As(ctx, c.others), "p")
						}
					})
				}
				all.Wait()
				if n := int(polls.Load()); n > c.most || n < c.least {
					t.Errorf("%d polls of %d requests in a minute", n, len(l.arrivals))
				}
				if n := len(l.arrivals); n < 170 {
					t.Errorf("%d requests in a minute", n)
				}
			})
		})
	}
}

// The looks at a job, with four requests a second and with more.
func TestPollSchedule(t *testing.T) {
	for rate, want := range map[float64][]time.Duration{
		4: {250, 400, 640, 1024, 1638, 2621, 4194, 6711, 10737, 15000, 15000},
		1: {1000, 1600, 2560, 4096, 6554, 10486, 15000, 15000},
		8: {125, 200, 320, 512, 819, 1311, 2097, 3355, 5369, 8590, 13744, 15000},
		0: {0, 150, 500, 1000, 1600, 2560, 4096, 6554, 10486, 15000},
	} {
		p := budget.NewPace(rate).Rate()
		for n, ms := range want {
			if got := pollWait(p, n).Round(time.Millisecond); got != ms*time.Millisecond {
				t.Errorf("at %v a second, look %d after %v, want %v", rate, n, got, ms*time.Millisecond)
			}
		}
		if pollWait(p, 10_000) != lastWait {
			t.Errorf("at %v a second, a late poll after %v", rate, pollWait(p, 10_000))
		}
	}
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		l.answer = func(int) *http.Response {
			if time.Since(l.start) < 30*time.Second {
				return reply(204, "")
			}
			return reply(200, "raw", "Content-Disposition", `attachment; filename="a.json"`)
		}
		archive, err := client(4).Strings().Download(t.Context(), "e", t.TempDir())
		if err != nil || len(l.arrivals) > 11 || len(l.arrivals) < 8 {
			t.Fatalf("%v, %d looks at a job of 30 s: %v", err, len(l.arrivals), l.arrivals)
		}
		_ = archive.Close()
	})
}

// After a 429 the rate is 70 %, grows by a tenth for every 30 s without another one, and never falls below one in two
// seconds.
func TestRateFallsAndRecovers(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		storm := true
		l.answer = func(n int) *http.Response {
			if n == 1 || storm && n > 400 && n < 420 {
				return reply(429, "", "Retry-After", "0")
			}
			return reply(200, `{"id":"x"}`)
		}
		c := client(4)
		within := func(d time.Duration) float64 {
			end, before := time.Now().Add(d), len(l.arrivals)
			for time.Now().Before(end) {
				if _, err := c.Projects().Read(t.Context(), "p"); err != nil && !errors.Is(err, ErrRate) {
					t.Fatal(err)
				}
			}
			return float64(len(l.arrivals)-before) / d.Seconds()
		}
		if r := within(25 * time.Second); r < 2.1 || r > 2.5 {
			t.Errorf("%.2f a second after a 429, want 2.31", r)
		}
		time.Sleep(150 * time.Second)
		if r := within(25 * time.Second); r < 2.7 || r > 3 {
			t.Errorf("%.2f a second three minutes later, want 2.91", r)
		}
		time.Sleep(10 * time.Minute)
		if r := within(60 * time.Second); r < 3.2 || r > 3.4 {
			t.Errorf("%.2f a second in the end, want 3.3", r)
		}
		for len(l.arrivals) < 419 {
			_, _ = c.Projects().Read(t.Context(), "p")
		}
		storm = false
		if r := within(20 * time.Second); r > 0.6 || r < 0.4 {
			t.Errorf("%.2f a second after a storm, want one in two seconds", r)
		}
	})
}

// A download that is damaged is asked for a few times, not for minutes, and is no reason to keep away from the service.
func TestDamagedDownload(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		l.answer = func(int) *http.Response {
			return reply(200, "PK\x03\x04 and then nothing of an archive", "Content-Type", "application/zip")
		}
		c := client(4)
		for range 6 {
			before, start := len(l.arrivals), time.Now()
			_, err := c.Strings().Download(t.Context(), "e", t.TempDir())
			if !errors.Is(err, ErrUnusable) {
				t.Fatalf("got %v", err)
			}
			if n, took := len(l.arrivals)-before, time.Since(start); n != defaultLimits.attempts ||
				took > 10*time.Second {
				t.Errorf("%d tries in %v: %v", n, took, err)
			}
		}
	})
}

// Every request is counted, those that were repeated too, for all who count.
func TestEveryRequestIsCounted(t *testing.T) {
	s := serve(t, lose, say(200, `{"id":"p"}`))
	c := s.Client(t)
	ctx, outer := Counting(t.Context())
	for range 2 {
		inner, tally := Counting(ctx)
		if _, err := c.Projects().Read(inner, "p"); err != nil {
			t.Fatal(err)
		}
		if want := len(s.Seen()); tally.Requests()+outer.Requests() < want {
			t.Errorf("%d and %d counted, of %d", tally.Requests(), outer.Requests(), want)
		}
	}
	if outer.Requests() != len(s.Seen()) || len(s.Seen()) != 3 {
		t.Errorf("%d counted, %d made; want 3", outer.Requests(), len(s.Seen()))
	}
}

// The law of the budget with all ranks and polls at once: no window is crowded, whoever goes first.
func TestRanksNeverCrowd(t *testing.T) {
	for seed := range uint64(5) {
		bubble(t, 200*time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			random := rand.New(rand.NewPCG(seed, 1))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var all sync.WaitGroup
			for i := range 12 {
				c, p, nap := client(4), Priority(random.IntN(int(Scheduled)+1)), time.Duration(random.IntN(3000))*time.Millisecond
				all.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						if n%3 == i%3 {
							_, _ = c.Strings().ImportResult(As(ctx, p), JobID(fmt.Sprint("i", i)))
						} else {
							_, _ = c.Projects().Read(As(ctx, p), "p")
						}
						_ = sleep(ctx, nap)
					}
				})
			}
			all.Wait()
			if i, crowded := crowdedWindow(l.arrivals, 4, time.Second); crowded {
				t.Errorf("more than 4 arrivals in the second from %v", l.arrivals[i])
			}
			if len(l.arrivals) < 170 {
				t.Errorf("%d requests in a minute", len(l.arrivals))
			}
		})
	}
}

// The service's clock is known from its answers, and never thought to be ahead by more than it is.
func TestServiceTime(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour, 90*time.Minute + 300*time.Millisecond} {
		bubble(t, 100*time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
			var really time.Time
			l.answer = func(int) *http.Response {
				really = time.Now().Add(ahead)
				return reply(200, `{"id":"x"}`, "Date", really.UTC().Format(http.TimeFormat))
			}
			c := client(4)
			if _, told := c.ServiceTime(time.Now()); told {
				t.Error("known before the first answer")
			}
			at := time.Now()
			if _, err := c.Projects().Read(t.Context(), "p"); err != nil {
				t.Fatal(err)
			}
			got, told := c.ServiceTime(at)
			if off := got.Sub(at.Add(ahead)); !told || off > 0 || off < -1200*time.Millisecond {
				t.Errorf("%v ahead: off by %v", ahead, off)
			}
			l.answer = func(int) *http.Response { return reply(200, `{"id":"x"}`, "Date", "yesterday") }
			if _, err := c.Projects().Read(t.Context(), "p"); err != nil {
				t.Fatal(err)
			}
			if again, told := c.ServiceTime(at); !told || !again.Equal(got) {
				t.Errorf("an answer without a time changed it to %v", again)
			}
		})
	}
}
