package budget

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A user who writes a new pause into the shared file all the time delays the others, but not for ever.
func TestSharedFileDelaysOthersForABoundedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newSlotMemory()
		var warned []string
		h := &hostSlots{stores: []store{shared, newSlotMemory()}, warn: func(m string) { warned = append(warned, m) }}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				_ = shared.update(ctx, func(now time.Duration, s *slots) { s.PausedUntil = now + MaxPause })
				_ = sleep(ctx, time.Minute)
			}
		}()
		time.Sleep(time.Second)
		b, start := newBudget(h), time.Now()
		if _, err := b.Claim(t.Context(), NewPace(4), Request{Rank: Changes}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > starved+time.Minute || h.at != 1 {
			t.Errorf("waited %v, store %d", took, h.at)
		}
		start = time.Now()
		if _, err := b.Claim(t.Context(), NewPace(4), Request{Rank: Changes}); err != nil ||
			time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
