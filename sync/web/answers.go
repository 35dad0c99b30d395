package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// guard sets what every answer carries: nothing that is answered here is a page that could run or load anything, but
// for those that say so themselves.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "same-origin") // without any, browsers hide the Origin of the page's own forms
		h.Set("Cache-Control", "no-store")
		if r.ContentLength != 0 && r.Method != http.MethodPost {
			// That body is not read; the server would wait for it before it says anything, and a stream for ever.
			h.Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

func plain(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text + "\n")) // the reader is gone when this fails
}

// refuse answers a request whose body is not of interest, at once: without closing, the server would wait for the rest
// of it first.
func refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Connection", "close")
	plain(w, code, text)
}

// answer is what becomes of a webhook or a notification. outcome is one of the words that Meter.notified knows.
type answer struct {
	code          int
	outcome, text string
}

// reply answers, and counts what becomes of it.
func (a answer) reply(w http.ResponseWriter, m *Meter, source string) {
	m.notified(source, a.outcome)
	if a.outcome == outcomeRefused {
		refuse(w, a.code, a.text)
		return
	}
	plain(w, a.code, a.text)
}

// bodyOf is a request's body, as far as it is not too long and comes in time.
func bodyOf(w http.ResponseWriter, r *http.Request, most int64, within time.Duration) io.ReadCloser {
	// A writer that has no deadlines is not a connection either.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(within))
	return http.MaxBytesReader(w, r.Body, most)
}

// unread says why a body could not be read to its end.
func unread(err error) (code int, text string) {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge, "too large"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout, "too slow"
	}
	return http.StatusBadRequest, "cut off"
}
