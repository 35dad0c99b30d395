package watch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
)

// A fault of what is called for changes is a fault of the one that runs the watcher, which is whole at its next run.
func TestFaultInALook(t *testing.T) {
	w, err := New(Options{Root: t.TempDir(), Debounce: quick, MaxDelay: time.Second, Rescan: time.Hour,
		Warn: func(string) {}, Alive: func(time.Duration) {}})
	if err != nil {
		t.Fatal(err)
	}
	watch := func(look func()) (err error) {
		ctx, cancel := context.WithTimeout(t.Context(), soon)
		defer cancel()
		defer fault.Catch("a test", &err)
		return w.Run(ctx, look)
	}
	_, is := errors.AsType[*fault.Error](watch(func() { panic("it cannot look") }))
	if !is {
		t.Error("the fault is lost")
	}
}
