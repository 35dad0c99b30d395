package serve

import (
	"context"
	"slices"
	"sync"
)

// maxWaiting is how many wait in a queue. For what takes a tenth of a second, a person waits for two seconds at most.
const maxWaiting = 16

// Queue lets one at a time through. Of those who wait, one of the address that has fewest is next, the youngest: who
// sends many keeps out no other. Beyond the limit the oldest one of the address that has most is refused.
type Queue struct {
	mu      sync.Mutex
	busy    bool
	waiting []*waiter
}

type waiter struct {
	from   string
	passes chan bool
}

// Wait waits for the moment of a sender, which ends with Next; false: there are too many, or the sender left.
func (q *Queue) Wait(ctx context.Context, from string) bool {
	q.mu.Lock()
	if !q.busy {
		q.busy = true
		q.mu.Unlock()
		return true
	}
	one := &waiter{from, make(chan bool, 1)}
	q.waiting = append(q.waiting, one)
	if len(q.waiting) > maxWaiting {
		i := q.of(func(n, than int) bool { return n > than })
		q.waiting[i].passes <- false
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	select {
	case passes := <-one.passes:
		return passes
	case <-ctx.Done():
	}
	q.mu.Lock()
	left := slices.Index(q.waiting, one)
	if left >= 0 {
		q.waiting = slices.Delete(q.waiting, left, left+1)
	}
	q.mu.Unlock()
	if left < 0 && <-one.passes { // it was chosen at that moment
		q.Next()
	}
	return false
}

// Next lets the next one through.
func (q *Queue) Next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = len(q.waiting) > 0
	if !q.busy {
		return
	}
	slices.Reverse(q.waiting)
	i := q.of(func(n, than int) bool { return n < than })
	q.waiting[i].passes <- true
	q.waiting = slices.Delete(q.waiting, i, i+1)
	slices.Reverse(q.waiting)
}

// of is the first one of the address whose number of waiters is best.
func (q *Queue) of(better func(n, than int) bool) (first int) {
	has := map[string]int{}
	for _, one := range q.waiting {
		has[one.from]++
	}
	for i, one := range q.waiting {
		if better(has[one.from], has[q.waiting[first].from]) {
			first = i
		}
	}
	return first
}
