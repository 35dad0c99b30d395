package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// answerError writes what a handler returned as its error. An error that is not a Problem is a fault of this service:
// it is logged, and the answer does not tell its inside.
func (s *Server) answerError(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	if !errors.As(err, &p) {
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			p = &Problem{Status: http.StatusRequestEntityTooLarge,
				Detail: fmt.Sprintf("the body has more than %d bytes; send less at once", tooLarge.Limit)}
		case r.Context().Err() != nil:
			p = &Problem{Status: http.StatusServiceUnavailable, Detail: "the call was given up"}
		default:
			s.o.Logger.Error("call", zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.Error(err))
			p = &Problem{Status: http.StatusInternalServerError, Detail: "an internal error; the service's log has it"}
		}
	}
	body := problemBody{Problem: wire.Problem{
		Type:     "about:blank",
		Title:    http.StatusText(p.Status),
		Status:   p.Status,
		Detail:   p.Detail,
		Instance: r.URL.Path,
	}}
	if p.Field != "" {
		body.Errors = map[string][]string{p.Field: {p.Detail}}
	}
	if p.retry != "" {
		w.Header().Set("Retry-After", p.retry)
	}
	for _, method := range p.allow {
		w.Header().Add("Allow", method)
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="integration", charset="UTF-8"`)
	}
	out, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings, numbers and maps of them always marshal
	}
	takeIn(w, r)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	w.Write(out)
}

// What is still taken in of a body that was refused.
const (
	maxTakenIn  = 32 << 20
	takenInTime = 5 * time.Second
)

// takeIn reads what a refused call has still to send, unless it waits to be asked for it. Many clients read no answer
// before they have sent everything, and would find the connection broken.
func takeIn(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength <= 0 || r.ContentLength > maxTakenIn || r.Header.Get("Expect") != "" {
		return
	}
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(takenInTime)) == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

// problemBody is the JSON of a problem: the members that wire.Problem reads, and the field by name.
type problemBody struct {
	wire.Problem
	Errors map[string][]string `json:"errors,omitempty"`
}
