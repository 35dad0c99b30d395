package engine

import (
	"testing"

	"github.com/locsync/locsync/sync/pass/push"
)

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
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
	_, err := before.Reconfigured(before.Parts).Push(t.Context(), push.Options{})
	w.check(err)
	if !isClosed(next) {
		t.Error("a push is no change")
	}
}
