package trigger

import (
	"testing"
	"testing/synctest"
)

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// All who wait are woken by the next change, once, and a channel that was asked for before misses nothing that happens
// after it.
func TestChangesWakeAllOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Changes
		c.Send() // none is waited for
		woken := make(chan struct{}, 3)
		for range cap(woken) {
			go func(next <-chan struct{}) {
				<-next
				woken <- struct{}{}
			}(c.Next())
		}
		synctest.Wait()
		if len(woken) != 0 {
			t.Fatalf("%d were woken before anything changed", len(woken))
		}
		next := c.Next()
		c.Send()
		c.Send()
		synctest.Wait()
		if len(woken) != cap(woken) || !isClosed(next) {
			t.Errorf("%d of %d were woken", len(woken), cap(woken))
		}
		if isClosed(c.Next()) {
			t.Error("a change is told to who asked after it")
		}
	})
}
