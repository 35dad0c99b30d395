package local

import (
	"context"
	"sync"
)

// queue hands out jobs in the order they were accepted. With one worker they are done in that order, too: of two of them the later one has the
// last word.
type queue struct {
	workers int
	mu      sync.Mutex
	waiting []string
	running map[string]bool
	wake    signal
}

func (q *queue) add(id string) {
	q.mu.Lock()
	q.waiting = append(q.waiting, id)
	q.mu.Unlock()
	q.wake.raise()
}

// next takes the oldest job, waiting for one; ok is false when ctx ended.
func (q *queue) next(ctx context.Context) (id string, ok bool) {
	for {
		q.mu.Lock()
		if len(q.waiting) > 0 {
			id, q.waiting = q.waiting[0], q.waiting[1:]
			more := len(q.waiting) > 0
			q.mu.Unlock()
			if more {
				q.wake.raise() // another worker may be waiting
			}
			return id, true
		}
		q.mu.Unlock()
		select {
		case <-q.wake:
		case <-ctx.Done():
			return "", false
		}
	}
}

// setRunning notes that a job is being worked on, or no longer.
func (q *queue) setRunning(id string, on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if on {
		q.running[id] = true
	} else {
		delete(q.running, id)
	}
}

func (q *queue) isRunning(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running[id]
}
