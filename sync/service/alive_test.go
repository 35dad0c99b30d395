package service

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
)

// silences is what a call told of itself, in fake time, and whether it kept its word.
type silences struct {
	t       *testing.T
	last    time.Time
	said    time.Duration
	longest time.Duration // that was said, and was not another call's turn
	told    int
}

func watched(ctx context.Context, t *testing.T) (context.Context, *silences) {
	s := &silences{t: t, last: time.Now()}
	return Alive(ctx, s.tell), s
}

func (s *silences) tell(silence time.Duration) {
	s.kept()
	s.last, s.said, s.told = time.Now(), silence, s.told+1
	if silence != budget.Forever {
		s.longest = max(s.longest, silence)
	}
}

// kept: no silence was longer than was said, but for what a transaction with the slots takes.
func (s *silences) kept() {
	s.t.Helper()
	if silent := time.Since(s.last); s.said != budget.Forever && silent > s.said+time.Second {
		s.t.Errorf("it was silent for %s and had said %s", silent, s.said)
	}
}

// The law of a watched call: whatever the service does, for however long, every silence was announced before it began,
// and none for longer than a request or a pause may last. A job of an hour is far more than that.
func TestSilencesAreAnnounced(t *testing.T) {
	const hour = time.Hour
	bubble(t, 50*time.Second, func(t *testing.T, l *line, client func(float64) *Client) {
		l.answer = func(n int) *http.Response {
			switch {
			case n%7 == 3:
				return reply(http.StatusTooManyRequests, "", "Retry-After", "240")
			case n%11 == 5:
				return reply(http.StatusServiceUnavailable, "", "Retry-After", "20")
			case time.Since(l.start) < hour:
				return reply(http.StatusNoContent, "")
			}
			return reply(http.StatusOK, "raw", "Content-Disposition", `attachment; filename="a.json"`)
		}
		var all sync.WaitGroup
		for range 3 { // they wait for each other's turns, too
			c := client(0.5)
			all.Go(func() {
				ctx, s := watched(t.Context(), t)
				archive, err := c.Strings().Download(ctx, "e", t.TempDir())
				if err != nil {
					t.Error(err)
					return
				}
				_ = archive.Close()
				s.kept()
				if time.Since(l.start) < hour || s.told < 100 {
					t.Errorf("it told of itself %d times in %s", s.told, time.Since(l.start))
				}
				if most := max(defaultLimits.whole, budget.MaxPause) + time.Minute; s.longest > most {
					t.Errorf("it announced a silence of %s, which is longer than %s", s.longest, most)
				}
			})
		}
		all.Wait()
	})
}

// deaf never answers, and does not care whether the caller still waits.
type deaf struct{ wait time.Duration }

func (d deaf) RoundTrip(*http.Request) (*http.Response, error) {
	time.Sleep(d.wait)
	return nil, context.DeadlineExceeded
}

// A request that hangs past every timeout is silent for longer than it said.
func TestHangingRequest(t *testing.T) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		c := client(4)
		c.transport = deaf{time.Hour + time.Duration(rand.Int64N(int64(time.Hour)))}
		var due atomic.Pointer[time.Time]
		ctx := Alive(t.Context(), func(silence time.Duration) {
			at := time.Now().Add(silence)
			due.Store(&at)
		})
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		time.AfterFunc(30*time.Minute, func() {
			if late := time.Since(*due.Load()); late < 15*time.Minute {
				t.Errorf("its next sign is %s late", late)
			}
			cancel()
		})
		if _, err := c.Projects().Read(ctx, "p"); err == nil {
			t.Error("it was answered")
		}
	})
}
