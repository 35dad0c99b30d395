package budget

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A user who writes a new pause into the shared file all the time delays the others, but not for ever.
func TestSharedFileDelaysOthersForABoundedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newSlotMemory()
		var warned []string
		b := newBudget(Options{Warn: func(m string) { warned = append(warned, m) }}, shared, newSlotMemory())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				_ = shared.Update(ctx, "", func(now time.Duration, content []byte) []byte {
					s := decode(content, now)
					s.PausedUntil = now + MaxPause
					return s.encode()
				})
				_ = Sleep(ctx, time.Minute)
			}
		}()
		time.Sleep(time.Second)
		start := time.Now()
		if _, err := b.Claim(t.Context(), NewPace(4), Request{Rank: Changes}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > starved+time.Minute || b.used != 1 || len(warned) != 1 {
			t.Errorf("waited %v, keeper %d, warned %q", took, b.used, warned)
		}
		start = time.Now()
		if _, err := b.Claim(t.Context(), NewPace(4), Request{Rank: Changes}); err != nil ||
			time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// broken is a keeper that fails from some moment on.
type broken struct {
	*slotMemory
	fails atomic.Bool
}

func (k *broken) Update(ctx context.Context, account string, change func(time.Duration, []byte) []byte) error {
	if k.fails.Load() {
		time.Sleep(time.Millisecond)
		return errors.New("it is broken")
	}
	return k.slotMemory.Update(ctx, account, change)
}

// Where a keeper fails, no request leaves by the next one before those that left by the first have arrived, however
// many ask at once.
func TestNextKeeperBeginsWithAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := &broken{slotMemory: newSlotMemory()}
		b := newBudget(Options{Warn: func(string) {}}, first, newSlotMemory())
		if _, err := b.Claim(t.Context(), NewPace(4), Request{}); err != nil || b.used != 0 {
			t.Fatalf("%v, keeper %d", err, b.used)
		}
		first.fails.Store(true)
		start := time.Now()
		var all sync.WaitGroup
		for rank := range ranks {
			all.Go(func() {
				time.Sleep(time.Duration(rank) * 300 * time.Microsecond)
				_, err := b.Claim(t.Context(), NewPace(4), Request{Rank: rank})
				if took := time.Since(start); err != nil || took < settleCap || b.inUse() != 1 {
					t.Errorf("%v after %v, keeper %d", err, took, b.inUse())
				}
			})
		}
		all.Wait()
	})
}
