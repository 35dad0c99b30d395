package daemon

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/pass/trigger"
)

// Memory is given back once after each time of work, not again while nothing happens, and every restLatest while work
// goes on, also where something is always being done.
func TestMemoryIsGivenBackAtRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		changes, busy, released := new(trigger.Changes), new(atomic.Bool), new(atomic.Int64)
		busy.Store(true)
		go atRest(ctx, changes.Next, busy.Load, func() { released.Add(1) })
		expect := func(after time.Duration, want int64) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := released.Load(); got != want {
				t.Errorf("given back %d times, want %d", got, want)
			}
		}
		expect(2*restAfter, 0)
		busy.Store(false)
		changes.Send()
		expect(restAfter/2, 0)
		expect(restAfter, 1)
		expect(time.Hour, 1)
		changes.Send()
		expect(2*restAfter, 2)
		busy.Store(true)
		for range 35 { // repetitions that overlap
			changes.Send()
			time.Sleep(restLatest * 2 / 21)
		}
		expect(0, 5)
		busy.Store(false)
		changes.Send()
		expect(2*restAfter, 6)
		changes.Send()
		synctest.Wait()
		cancel()
		expect(time.Hour, 6)
	})
}
