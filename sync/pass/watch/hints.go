package watch

import (
	"sync"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// hints is the set of paths that something happened to, which the source fills.
type hints struct {
	wake chan struct{} // one slot: there is something to take

	events atomic.Int64 // that were heard

	mu       sync.Mutex
	paths    map[string]bool // path -> it may have come or gone, not only been written to
	failures []error
}

func (h *hints) add(e fsnotify.Event) {
	h.events.Add(1)
	structural := e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	if !structural && !e.Has(fsnotify.Write) {
		return // modes and times: indexers and backups touch them all day
	}
	h.mu.Lock()
	h.paths[e.Name] = h.paths[e.Name] || structural
	h.mu.Unlock()
	h.signal()
}

func (h *hints) fail(err error) {
	h.mu.Lock()
	if len(h.failures) < 100 {
		h.failures = append(h.failures, err)
	}
	h.mu.Unlock()
	h.signal()
}

func (h *hints) signal() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// take empties the set.
func (h *hints) take() (paths map[string]bool, failures []error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	paths, failures = h.paths, h.failures
	h.paths, h.failures = map[string]bool{}, nil
	return paths, failures
}
