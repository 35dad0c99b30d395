package web

import (
	"context"
	"net/http"
	"time"
)

// Bounds of what listening browsers cost.
const (
	alive        = 25 * time.Second       // between signs of life, below what proxies wait for
	pause        = 250 * time.Millisecond // after an event: what happens meanwhile is one more
	slowListener = 10 * time.Second       // who takes nothing for so long is let go
)

// events tells browsers: one server-sent event for each change of what a status tells, without any content. What
// changed, the browser sees when it asks for the page again. A stream ends with the handler (Options.Ends), and where
// another peer takes it over; browsers come again by themselves. Who gets no stream is told when to come again, and the
// page renews itself meanwhile.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	listener := s.audience.admit(peer(r), end)
	if listener == nil {
		w.Header().Set("Retry-After", "30")
		plain(w, http.StatusServiceUnavailable, "too many are listening already; look again later")
		return
	}
	defer s.audience.leave(listener)
	r = r.WithContext(ctx)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would buffer events
	s.tell(w, r, s.Engine.Changed)
}

// tell sends one listener events of changes until it leaves.
func (s *server) tell(w http.ResponseWriter, r *http.Request, changes func() <-chan struct{}) {
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
	changed := changes()
	if !say("retry: 3000\n\n") {
		return
	}
	beat := time.NewTicker(alive)
	defer beat.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-s.Ends:
			return
		case <-beat.C:
			if !say(": alive\n\n") {
				return
			}
		case <-changed:
			changed = changes() // before the browser looks
			if !say("event: change\ndata: look\n\n") || !s.rest(r) {
				return
			}
		}
	}
}

// rest waits for a moment after an event; false when the stream ends meanwhile.
func (s *server) rest(r *http.Request) bool {
	wait := time.NewTimer(pause)
	defer wait.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-s.Ends:
		return false
	case <-wait.C:
		return true
	}
}
