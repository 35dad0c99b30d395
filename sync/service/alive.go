package service

import (
	"context"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
)

type aliveKey struct{}

// Alive makes a context whose calls tell before each wait of theirs how long it may last, 0 after something
// happened: a watchdog can so tell a call that waits, for the budget, for an answer or for a job, from one that
// hangs. It is told on the goroutine of the call, or the one that reads or writes a body for it, and must not
// block.
func Alive(ctx context.Context, tell func(silence time.Duration)) context.Context {
	return context.WithValue(ctx, aliveKey{}, tell)
}

// expect tells who is to know how long the call is going to be silent.
func expect(ctx context.Context, silence time.Duration) {
	if tell, ok := ctx.Value(aliveKey{}).(func(time.Duration)); ok {
		tell(silence)
	}
}

// sleep waits for d or for the end of ctx, whose cause it returns.
func sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil || d <= 0 {
		return context.Cause(ctx)
	}
	expect(ctx, d)
	return budget.Sleep(ctx, d)
}
