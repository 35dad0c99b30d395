package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A few projects begin at a time, none is pushed first while one was not seen to work, and one that hangs keeps the
// others waiting for no longer than it may keep a slot.
func TestOrderOfTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrder()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		const all = 200
		began := time.Now()
		var proved, most, now, pushed atomic.Int64
		for i := range all {
			go func() {
				proof := o.proofs.take(ctx, nil)
				most.Store(max(most.Load(), now.Add(1)))
				if i == 7 {
					time.Sleep(time.Hour) // it hangs
				} else {
					time.Sleep(10 * time.Millisecond)
				}
				now.Add(-1)
				proved.Add(1)
				proof()
				first := o.firstPush(ctx, nil)
				if left := all - proved.Load(); left > int64(cap(o.proofs.taken)) {
					t.Errorf("a push is made while %d projects were not seen to work", left)
				}
				time.Sleep(time.Millisecond)
				pushed.Add(1)
				first()
			}()
		}
		time.Sleep(slotPatience + time.Second)
		synctest.Wait()
		if pushed.Load() != all-1 || most.Load() > int64(cap(o.proofs.taken)) {
			t.Errorf("after %v %d were pushed, %d at once", time.Since(began), pushed.Load(), most.Load())
		}
		time.Sleep(2 * time.Hour)
	})
}
