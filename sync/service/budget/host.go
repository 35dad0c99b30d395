package budget

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// hostSlots keeps the slots where all users of this host find them; where that fails, where all processes of
// this user do; and in memory at the last. A folder that all users may write to can be spoiled by one of them:
// a file that another user made and keeps to himself, a lock that is never let go, is a reason to do without it
// for a while, never to stand still.
type hostSlots struct {
	stores []store // the last one does not fail
	shared bool    // the first one is for all users
	warn   func(string)

	mu    sync.Mutex
	at    int       // the store that is used
	used  bool      // it was used before
	again time.Time // when a better store is tried
}

const (
	hostPatience = 2 * time.Second // a lock that any user can hold is waited for so long
	storeRetry   = time.Minute     // after which a better store is tried again
	starved      = 3 * MaxPause    // no honest pause is so long; another user writes a new one all the time
	distrust     = time.Hour
)

// newHostSlots finds the stores. shared and own are folders; "" leaves that one out.
func newHostSlots(shared, own, origin, account string, warn func(string)) *hostSlots {
	h := &hostSlots{warn: warn}
	if shared != "" {
		f := newSlotFile(shared, origin, account)
		f.patience = hostPatience
		h.stores, h.shared = append(h.stores, f), true
	}
	if own != "" {
		if err := ownFolder(own); err != nil {
			warn(fmt.Sprintf("the request budget cannot be shared through %s: %v", own, err))
		} else {
			h.stores = append(h.stores, newSlotFile(own, origin, account))
		}
	}
	h.stores = append(h.stores, newSlotMemory())
	return h
}

// userFolder is where the processes of this user share the budget.
func userFolder() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "locsync")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("locsync-%d", os.Getuid()))
}

func (h *hostSlots) update(ctx context.Context, change func(time.Duration, *slots)) error {
	for from := h.first(); ; from++ {
		err := h.stores[from].update(ctx, func(now time.Duration, s *slots) {
			if h.moved(from) {
				// What left through the other store is not known here: it has arrived by then.
				s.PausedUntil = max(s.PausedUntil, now+settleCap+time.Second)
			}
			change(now, s)
		})
		if err == nil || ctx.Err() != nil || from == len(h.stores)-1 {
			return err
		}
		h.failed(from, err)
	}
}

// first is the store to try first: the one that worked, and now and then a better one.
func (h *hostSlots) first() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); h.at > 0 && now.After(h.again) {
		h.again = now.Add(storeRetry)
		return 0
	}
	return h.at
}

// moved notes the store that works, and reports whether another one was used before.
func (h *hostSlots) moved(to int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	moved := h.used && to != h.at
	if to != h.at {
		h.at, h.again = to, time.Now().Add(storeRetry)
	}
	h.used = true
	return moved
}

// failed says once that a store cannot be used.
func (h *hostSlots) failed(at int, err error) {
	h.mu.Lock()
	fresh := h.at <= at
	h.mu.Unlock()
	if fresh {
		hint := ""
		if !errors.Is(err, errHeld) {
			hint = "; the processes of other users are not counted until it can"
		}
		h.warn(err.Error() + hint)
	}
}

// starve is told that a request waits for as long as no honest user of the budget makes it wait, and leaves the
// store for a while.
func (h *hostSlots) starve() {
	h.mu.Lock()
	at := h.at
	if at+1 < len(h.stores) {
		h.at, h.again = at+1, time.Now().Add(distrust)
	}
	h.mu.Unlock()
	if f, ok := h.stores[at].(*slotFile); ok {
		h.warn(fmt.Sprintf("the request budget that is shared through %s let nothing through for %v; it is not used for %v",
			f.path, starved, distrust))
	}
}
