package daemon

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/trigger"
)

// Memory is given back once after each time of work, not while something is done, and not again while nothing happens.
func TestMemoryIsGivenBackAtRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		changes, busy, released := new(trigger.Changes), true, 0
		go atRest(ctx, changes.Next, func() bool { return busy }, func() { released++ })
		expect := func(after time.Duration, want int) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if released != want {
				t.Errorf("given back %d times, want %d", released, want)
			}
		}
		expect(time.Hour, 0)
		busy = false
		changes.Send()
		expect(restAfter/2, 0)
		changes.Send()
		expect(restAfter*3/4, 0)
		expect(restAfter, 1)
		expect(time.Hour, 1)
		changes.Send()
		expect(2*restAfter, 2)
		changes.Send()
		synctest.Wait()
		cancel()
		expect(time.Hour, 2)
	})
}
