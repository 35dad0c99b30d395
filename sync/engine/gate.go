package engine

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/gitops"
)

// gate is shut while pushes wait for git: it is in the middle of something in the working tree, or a lock of a crashed git still says so. It opens when a push
// sees git idle, and stays shut between passes that came back in vain, so that its time is that of the whole wait.
type gate struct{ since atomic.Pointer[time.Time] }

// shut closes the gate; one that is shut already stays shut since then.
func (g *gate) shut(now time.Time) { g.since.CompareAndSwap(nil, &now) }

func (g *gate) open() { g.since.Store(nil) }

// passed is told how a push ended.
func (g *gate) passed(err error, now time.Time) {
	if errors.Is(err, gitops.ErrBusy) {
		g.shut(now)
	} else {
		g.open()
	}
}

// shutFor is how long it has been shut; 0 while it is open.
func (g *gate) shutFor(now time.Time) time.Duration {
	since := g.since.Load()
	if since == nil {
		return 0
	}
	return max(0, now.Sub(*since))
}
