package service

import (
	"context"
	"sync/atomic"
)

type (
	priorityKey struct{}
	tallyKey    struct{}
)

// As says how urgent the calls under a context are when they compete for the budget, in this process and with the others of this
// host. Without it they are Changes.
func As(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, min(max(p, Asked), Scheduled))
}

// turn is the call's claim on the budget.
func (cl call) turn(ctx context.Context) turn {
	p, ok := ctx.Value(priorityKey{}).(Priority)
	if !ok {
		p = Changes
	}
	if cl.poll && p != Asked {
		p = polls
	}
	return turn{rank: p, poll: cl.poll}
}

// Tally counts requests: every one that was made, repeats and polls included.
type Tally struct{ n atomic.Int64 }

// Requests is the count so far.
func (t *Tally) Requests() int { return int(t.n.Load()) }

// Counting makes a context whose calls are counted in the tally; contexts that count may be nested.
func Counting(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	all, _ := ctx.Value(tallyKey{}).([]*Tally)
	return context.WithValue(ctx, tallyKey{}, append(all[:len(all):len(all)], t)), t
}

func counted(ctx context.Context) {
	all, _ := ctx.Value(tallyKey{}).([]*Tally)
	for _, t := range all {
		t.n.Add(1)
	}
}
