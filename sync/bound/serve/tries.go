package serve

import (
	"sync"
	"time"
)

// maxKeys is how many senders are remembered at one time.
const maxKeys = 1024

// Tries bounds how often something is tried: AtOnce times, and once more after each Every. A try counts when it begins,
// so that many at one time are as many as one after the other. The zero value of the rest is ready.
type Tries[K comparable] struct {
	AtOnce int
	Every  time.Duration

	mu   sync.Mutex
	free map[K]time.Time // when all tries are forgiven
}

// Take counts a try, or says after how long there may be another one.
func (t *Tries[K]) Take(key K, now time.Time) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	free := t.free[key]
	if free.Before(now) {
		free = now
	}
	wait = free.Sub(now) - time.Duration(t.AtOnce-1)*t.Every
	if wait > 0 {
		return wait
	}
	if t.free == nil {
		t.free = map[K]time.Time{}
	}
	t.forget(now)
	t.free[key] = free.Add(t.Every)
	return 0
}

// Return takes back a try that was right.
func (t *Tries[K]) Return(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if free, tried := t.free[key]; tried {
		t.free[key] = free.Add(-t.Every)
	}
}

// forget drops those that time has forgiven, and others where there are too many all the same.
func (t *Tries[K]) forget(now time.Time) {
	if len(t.free) < maxKeys {
		return
	}
	for key, free := range t.free {
		if !free.After(now) || len(t.free) >= maxKeys {
			delete(t.free, key)
		}
	}
}
