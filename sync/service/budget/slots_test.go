package budget

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

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

// The law of the budget: whatever the delays on the way there and back, and however many ask, no window
// of one second sees more than n arrivals at the service.
func TestSlotsNeverCrowd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond := rapid.SampledFrom([]float64{0.5, 1, 2.5, 4, 10, 100}).Draw(t, "rate")
		slowest := rapid.SampledFrom([]time.Duration{
			time.Millisecond, 100 * time.Millisecond, time.Second, settleCap / 2,
		}).Draw(t, "slowest")
		delay := func(what string) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(slowest)-1).Draw(t, what))
		}
		p := NewPace(perSecond)
		var s slots
		type request struct {
			t   Ticket
			end time.Duration
		}
		var flying []request
		var arrivals []time.Duration
		now := time.Hour
		for range rapid.IntRange(10, 60).Draw(t, "requests") {
			for {
				due := slices.MinFunc(append(flying, request{end: 1 << 62}), func(a, b request) int {
					return int(min(max(a.end-b.end, -1), 1))
				})
				ticket, wait := s.claim(now, p, Asked, false)
				if wait == 0 {
					there := delay("there")
					arrivals = append(arrivals, now+there)
					flying = append(flying, request{ticket, now + there + delay("back")})
					break
				}
				if due.end <= now+wait {
					now = max(now, due.end)
					s.settle(now, due.t)
					flying = slices.DeleteFunc(flying, func(r request) bool { return r.t == due.t })
				} else {
					now += wait
				}
			}
		}
		window := time.Second
		if perSecond < 1 {
			window = time.Duration(float64(time.Second) / perSecond)
		}
		if i, crowded := crowdedWindow(arrivals, p.n, window); crowded {
			t.Fatalf("more than %d arrivals in %v from %v: %v", p.n, window, arrivals[i], arrivals)
		}
	})
}

// Without delays the budget is nearly used up: the margin costs less than a fifth.
func TestSlotsAreUsed(t *testing.T) {
	p := NewPace(4)
	var s slots
	now, sent := time.Hour, 0
	for now < time.Hour+time.Minute {
		ticket, wait := s.claim(now, p, Asked, false)
		if wait > 0 {
			now += wait
			continue
		}
		s.settle(now, ticket)
		sent++
	}
	if sent < 195 || sent > 240 {
		t.Errorf("%d requests in a minute, want about 198", sent)
	}
}

func TestSlotsAfter429(t *testing.T) {
	p := NewPace(4)
	var s slots
	first, _ := s.claim(time.Hour, p, Asked, false)
	s.limited(time.Hour, first, p, 7*time.Second, 1)
	if _, wait := s.claim(time.Hour, p, Asked, false); wait != 7*time.Second {
		t.Errorf("waits %v after Retry-After 7 s", wait)
	}
	if got, want := s.rate(time.Hour, p), p.rate*lowerTo; got != want {
		t.Errorf("rate %v, want %v", got, want)
	}
	// An older request's 429 tells nothing new.
	s.Lowered = time.Hour + 1
	s.limited(time.Hour+2, first, p, 0, 1)
	if got, want := s.rate(time.Hour+2, p), p.rate*lowerTo; got != want {
		t.Errorf("rate %v after an old 429, want %v", got, want)
	}
	s.Lowered = time.Hour
	for range 40 { // storm
		s.limited(time.Hour, Ticket{number: s.Next, sent: time.Hour}, p, 0, 1)
	}
	if s.rate(time.Hour, p) != lowestRate {
		t.Errorf("rate %v after a storm, want %v", s.rate(time.Hour, p), lowestRate)
	}
	if s.PausedUntil > time.Hour+maxBackoff {
		t.Errorf("pause of %v after a storm", s.PausedUntil-time.Hour)
	}
	if r := s.rate(time.Hour+24*time.Hour, p); r != p.rate {
		t.Errorf("rate %v a day later, want %v", r, p.rate)
	}
	s.limited(time.Hour, Ticket{number: s.Next, sent: time.Hour}, p, 300*time.Hour, 0)
	if s.PausedUntil > time.Hour+MaxPause {
		t.Errorf("pause of %v", s.PausedUntil-time.Hour)
	}
}

// However many 429s came, and whatever the configured rate: a quarter of an hour later all of it is used again,
// and not at once.
func TestRateRecoversInProportion(t *testing.T) {
	for _, perSecond := range []float64{1, 4, 20, 100} {
		p := NewPace(perSecond)
		var s slots
		for range 40 {
			s.limited(time.Hour, Ticket{number: s.Next, sent: time.Hour}, p, 0, 1)
		}
		if got := s.rate(time.Hour+15*time.Minute+time.Second, p); got != p.Rate() {
			t.Errorf("at %v a second: %v after a quarter of an hour, want %v", perSecond, got, p.Rate())
		}
		if got := s.rate(time.Hour+5*time.Minute, p); got > p.Rate()/2+lowestRate {
			t.Errorf("at %v a second: %v after five minutes", perSecond, got)
		}
	}
}

// Whatever stands in the slot file, no request waits longer than a pause and a slot at the lowest rate.
func FuzzSlotsRecover(f *testing.F) {
	var s slots
	s.claim(time.Hour, NewPace(4), Asked, false)
	size := binary.Size(s)
	f.Add(s.encode()[len(magic):])
	f.Add(bytes.Repeat([]byte{0xff}, size))
	f.Add(bytes.Repeat([]byte{0x3f}, size))
	f.Fuzz(func(t *testing.T, b []byte) {
		content := append([]byte(magic), append(b, make([]byte, size)...)[:size]...)
		p, now, start := NewPace(4), time.Hour, time.Hour
		for range 10_000 {
			s := decode(content, now)
			_, wait := s.claim(now, p, Asked, false)
			content = s.encode()
			if wait == 0 {
				if now-start > MaxPause+settleCap+10*time.Second {
					t.Fatalf("waited %v", now-start)
				}
				return
			}
			if wait < 0 {
				t.Fatalf("wait of %v", wait)
			}
			now += wait
		}
		t.Fatal("never")
	})
}
