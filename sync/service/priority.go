package service

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
)

type (
	priorityKey struct{}
	tallyKey    struct{}
	downloadKey struct{}
)

// Priority is how urgent a call is, see As.
type Priority = budget.Priority

// The priorities, the most urgent first.
const (
	Asked     = budget.Asked
	Changes   = budget.Changes
	Scheduled = budget.Scheduled
)

// As says how urgent the calls under a context are when they compete for the budget, in this process and with
// the others of this host. Without it they are Changes.
func As(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, min(max(p, Asked), Scheduled))
}

// claim is what the call asks of the budget.
func (cl *call) claim(ctx context.Context) budget.Request {
	p, ok := ctx.Value(priorityKey{}).(Priority)
	if !ok {
		p = Changes
	}
	if cl.Poll && p != Asked {
		p = budget.Polls
	}
	return budget.Request{Rank: p, Poll: cl.Poll, Silence: func(silence time.Duration) { expect(ctx, silence) }}
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

// Downloading makes a context whose downloads tell how many bytes have come, of how many: 0 where the service
// does not say. They tell it from the goroutine that reads, now and then and at the end; told must not block.
func Downloading(ctx context.Context, told func(done, total int64)) context.Context {
	return context.WithValue(ctx, downloadKey{}, told)
}

// told is a body that tells how much of it was read, where the caller wants to know.
func told(ctx context.Context, body io.Reader, total int64) io.Reader {
	tell, ok := ctx.Value(downloadKey{}).(func(done, total int64))
	if !ok {
		return body
	}
	return &telling{body: body, tell: tell, total: max(total, 0)}
}

// telling tells of every so many bytes that were read.
type telling struct {
	body        io.Reader
	tell        func(done, total int64)
	done, total int64
	said        int64
}

const tellEvery = 128 << 10

func (t *telling) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if t.done += int64(n); t.done-t.said >= tellEvery || err != nil {
		t.said = t.done
		t.tell(t.done, t.total)
	}
	return n, err
}
