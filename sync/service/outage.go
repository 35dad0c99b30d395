package service

import (
	"sync"
	"time"
)

// outage is since when all that a client asked for failed in a way that may pass. It is waited for once, not by each
// call of a command.
type outage struct {
	mu    sync.Mutex
	began time.Time // zero: the last call got an answer
}

// since notes whether an attempt failed so.
func (o *outage) since(failed bool) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case !failed:
		o.began = time.Time{}
	case o.began.IsZero():
		o.began = time.Now()
	}
	return o.began
}

// until is when a patient client gives an outage up, a call that has just begun after a moment; zero without one.
func (o *outage) until(patience time.Duration) time.Time {
	const moment = 2 * time.Second
	o.mu.Lock()
	defer o.mu.Unlock()
	if patience == 0 || o.began.IsZero() {
		return time.Time{}
	}
	return time.Now().Add(max(moment, time.Until(o.began.Add(patience))))
}
