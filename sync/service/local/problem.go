package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/wire"
)

// problem is a refusal: what an answer other than 2xx says. Field is the parameter or member that is at fault; it stands in the detail
// and as the name of a member of "errors", where a client can find it without reading words.
type problem struct {
	status int
	field  string
	detail string
	retry  string   // Retry-After
	allow  []string // Allow
}

func (p *problem) Error() string { return p.detail }

// refuse makes a problem with a status.
func refuse(status int, format string, args ...any) error {
	return &problem{status: status, detail: fmt.Sprintf(format, args...)}
}

// invalid makes a 400 about a parameter or member of the body.
func invalid(field, format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, field: field, detail: field + ": " + fmt.Sprintf(format, args...)}
}

// body is the JSON of a problem: the members that wire.Problem reads, and the field by name.
type problemBody struct {
	wire.Problem
	Errors map[string][]string `json:"errors,omitempty"`
}

// answerError writes what a handler returned as its error. What is no problem is a fault of this service: it is logged, and the
// answer does not tell its inside.
func (s *apiServer) answerError(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	if !errors.As(err, &p) {
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			p = &problem{status: http.StatusRequestEntityTooLarge, detail: fmt.Sprintf("the body has more than %d bytes; send less at once", tooLarge.Limit)}
		case r.Context().Err() != nil:
			p = &problem{status: http.StatusServiceUnavailable, detail: "the call was given up"}
		default:
			s.o.Logger.Error("call", zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.Error(err))
			p = &problem{status: http.StatusInternalServerError, detail: "an internal error; the service's log has it"}
		}
	}
	body := problemBody{Problem: wire.Problem{
		Type:     "about:blank",
		Title:    http.StatusText(p.status),
		Status:   p.status,
		Detail:   p.detail,
		Instance: r.URL.Path,
	}}
	if p.field != "" {
		body.Errors = map[string][]string{p.field: {p.detail}}
	}
	if p.retry != "" {
		w.Header().Set("Retry-After", p.retry)
	}
	for _, method := range p.allow {
		w.Header().Add("Allow", method)
	}
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="integration", charset="UTF-8"`)
	}
	out, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings, numbers and maps of them always marshal
	}
	takeIn(w, r)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.status)
	w.Write(out)
}

// What is still taken in of a body that nobody wants.
const (
	maxTakenIn  = 32 << 20
	takenInTime = 5 * time.Second
)

// takeIn reads what a refused call has still to send, unless it waits to be asked for it. Many clients read no answer before they have sent everything, and
// would find the connection broken.
func takeIn(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength <= 0 || r.ContentLength > maxTakenIn || r.Header.Get("Expect") != "" {
		return
	}
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(takenInTime)) == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}
