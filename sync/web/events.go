package web

import (
	"context"
	"net/http"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
)

// Bounds of what listening browsers cost.
const (
	alive        = 25 * time.Second       // between signs of life, below what proxies wait for
	pause        = 250 * time.Millisecond // after an event: what happens meanwhile is one more
	slowListener = 10 * time.Second       // who takes nothing for so long is let go
)

// changes tells browsers when a status has changed.
type changes struct {
	of      func() <-chan struct{} // closed when a status tells something else
	ends    <-chan struct{}
	streams streamSet
}

// serve tells a browser: one server-sent event for each change of what a status tells, without any content. What
// changed, the browser sees when it asks for the page again. A stream ends with the handler (Options.Ends), and where
// another peer takes it over; browsers come again by themselves. Who gets no stream is told when to come again, and the
// page renews itself meanwhile.
func (c *changes) serve(w http.ResponseWriter, r *http.Request) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	listener := c.streams.admit(serve.Peer(r), end)
	if listener == nil {
		w.Header().Set("Retry-After", "30")
		plain(w, http.StatusServiceUnavailable, "too many are listening already; look again later")
		return
	}
	defer c.streams.leave(listener)
	r = r.WithContext(ctx)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would buffer events
	c.tell(w, r)
}

// tell sends one listener events of changes until it leaves.
func (c *changes) tell(w http.ResponseWriter, r *http.Request) {
	out := http.NewResponseController(w)
	// Nothing more is read, and the server's own deadline would end the stream. A writer without deadlines needs none.
	_ = out.SetReadDeadline(time.Time{})
	say := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(slowListener))
		if _, err := w.Write([]byte(text)); err != nil {
			return false
		}
		return out.Flush() == nil
	}
	changed := c.of()
	if !say("retry: 3000\n\n") {
		return
	}
	beat := time.NewTicker(alive)
	defer beat.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-c.ends:
			return
		case <-beat.C:
			if !say(": alive\n\n") {
				return
			}
		case <-changed:
			changed = c.of() // before the browser looks
			if !say("event: change\ndata: look\n\n") || !c.rest(r) {
				return
			}
		}
	}
}

// rest waits for a moment after an event; false when the stream ends meanwhile.
func (c *changes) rest(r *http.Request) bool {
	wait := time.NewTimer(pause)
	defer wait.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-c.ends:
		return false
	case <-wait.C:
		return true
	}
}
