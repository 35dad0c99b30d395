package heartbeat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What ends in time is returned; what does not is left alone, soon after the time or the context is over.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := func(takes time.Duration) func() int {
			return func() int { time.Sleep(takes); return 7 }
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, c := range []struct {
			name           string
			ctx            context.Context
			patience, work time.Duration
			ok             bool
			takes          time.Duration
		}{
			{"in time", t.Context(), time.Minute, time.Second / 2, true, time.Second / 2},
			{"the context ends", soon, time.Minute, time.Hour, false, time.Second / 2},
			{"too late", t.Context(), time.Minute, time.Hour, false, time.Minute},
		} {
			began := time.Now()
			got, ok := Within(c.ctx, c.patience, work(c.work))
			if ok != c.ok || ok && got != 7 || time.Since(began) != c.takes {
				t.Errorf("%s: %d %v after %s", c.name, got, ok, time.Since(began))
			}
		}
		time.Sleep(2 * time.Hour) // what was left alone ends
	})
}
