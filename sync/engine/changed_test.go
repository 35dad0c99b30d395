package engine

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

// Everybody who waits is woken by the next change, once, and who asked before a look misses nothing that happens after it.
func TestChangesWakeEverybodyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Engine
		c.changes = new(changes)
		c.changes.ring() // nobody waits
		woken := make(chan struct{}, 3)
		for range cap(woken) {
			go func(next <-chan struct{}) {
				<-next
				woken <- struct{}{}
			}(c.Changed())
		}
		synctest.Wait()
		if len(woken) != 0 {
			t.Fatalf("%d were woken before anything changed", len(woken))
		}
		next := c.Changed()
		c.changes.ring()
		c.changes.ring()
		synctest.Wait()
		if len(woken) != cap(woken) || !isClosed(next) {
			t.Errorf("%d of %d were woken", len(woken), cap(woken))
		}
		if isClosed(c.Changed()) {
			t.Error("a change is told to who asked after it")
		}
	})
}

// A pass is a change, also one that is made after the configuration was read again; a look is none.
func TestPassesAreChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A"}`})
	before := w.Engine
	next := before.Changed()
	w.Status(t.Context())
	if isClosed(next) {
		t.Error("a look is told as a change")
	}
	_, err := before.Reconfigured(before.Parts).Push(t.Context(), PushOptions{})
	w.check(err)
	if !isClosed(next) {
		t.Error("a push is no change")
	}
}
