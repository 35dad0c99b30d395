package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
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

// A scheduled pull waits while many others are made; what was changed is pushed meanwhile.
func TestScheduledPullsWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.pull]\nremote = \"\"\nschedule = \"* * * * * *\"\n"+jsonFiles,
		map[string]string{"locales/en/app.json": `{"a": "A"}`})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "Ä")
	p := w.projects[0]
	for range pullsAtOnce {
		p.order.pulls.taken <- struct{}{}
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	w.until("no pull is due", func() bool { return w.Ready() == nil && p.view.next.Load().Before(time.Now()) })
	w.write("locales/en/app.json", `{"a": "A", "b": "B"}`)
	w.Soon("", "test", Push)
	w.until("nothing is pushed", func() bool { return w.at("main", "en")["b"] == "B" })
	if branches := w.git("branch", "--list", "l10n"); branches != "" {
		t.Errorf("a pull was made: %q", branches)
	}
	<-p.order.pulls.taken
	w.until("no pull is made", func() bool { return w.git("branch", "--list", "l10n") != "" })
	end()
	w.check(<-done)
}
