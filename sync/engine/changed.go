package engine

import "sync"

// changes tell whoever shows a status that another look may show something else. Like every wake-up they carry no data, and they cost nothing while
// nobody waits for one.
type changes struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next change; nil while nobody waits
}

// Changed returns a channel that is closed when what a status tells may have changed. A change of files alone shows
// when the pass that it wakes begins. To miss nothing, ask for the channel before the status.
func (e *Engine) Changed() <-chan struct{} {
	e.changes.mu.Lock()
	defer e.changes.mu.Unlock()
	if e.changes.next == nil {
		e.changes.next = make(chan struct{})
	}
	return e.changes.next
}

// ring wakes everybody who waits, and never blocks.
func (c *changes) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}
