package api

import (
	"net/http"
	"strconv"
	"time"
)

// Fault is what a test wants to go wrong with one call. The zero Fault is none.
type Fault struct {
	// Delay comes before everything else.
	Delay time.Duration
	// Refuse, a status, is answered without any effect, unless Late.
	Refuse int
	// RetryAfter is sent with Refuse.
	RetryAfter string
	// Late answers Refuse after the call had its effect.
	Late bool
	// Drop lets the call have its effect and cuts the connection instead of answering.
	Drop bool
}

func (s *Server) serveWithFault(w http.ResponseWriter, r *http.Request, f Fault) {
	if !Pause(r.Context(), f.Delay) {
		panic(http.ErrAbortHandler)
	}
	if f.Late {
		s.serve(nowhere{http.Header{}}, r)
	}
	switch {
	case f.Refuse != 0:
		s.answerError(w, r, &Problem{Status: f.Refuse, retry: f.RetryAfter, Detail: "a fault on request: status " +
			strconv.Itoa(f.Refuse)})
	case f.Drop:
		s.serve(nowhere{http.Header{}}, r)
		panic(http.ErrAbortHandler) // net/http cuts the connection
	default:
		s.serve(w, r)
	}
}

// nowhere takes an answer that is never sent.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header { return n.header }

func (nowhere) WriteHeader(int) {}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
