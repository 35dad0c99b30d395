// Package api is the embedded service's side of HTTP: a call with its parameters, its body and its answer, who is
// admitted and how often, and what a refusal looks like.
//
// Its law: a refusal names the parameter or member that is at fault, and every spelling that clients are known to use
// is understood. Bodies are bounded before they are read, each and all together. It knows nothing of what is stored:
// the handlers come from the packages that do.
package api

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// Methods are the handlers of one path by HTTP method. A handler that returns an error has not answered.
type Methods map[string]func(*Call) error

// Options say who is admitted, and how often.
type Options struct {
	// Account is the user name of HTTP Basic.
	Account string
	// Keys are the passwords of HTTP Basic. None: no authentication is asked for.
	Keys []string
	// Personal is an account that may not use the interface: every call gives 403.
	Personal bool
	// RateLimit is how many calls are answered within any second; below 1: one call in 1/RateLimit seconds. 0: no limit.
	RateLimit float64
	// Now is the clock.
	Now func() time.Time
	// Faults, when set, is asked about every call what is to go wrong with it. For tests.
	Faults func(r *http.Request) Fault
	Logger *zap.Logger
}

// Server answers calls by the handlers of their paths. It is safe for use by several goroutines.
type Server struct {
	o      Options
	routes *router
	window *window
	Bodies serve.Memory // that are in memory
	wrong  guesses
	aside  *zap.Logger // for what every sender can cause
}

func New(o Options) *Server {
	return &Server{o: o, routes: &router{}, window: newWindow(o.RateLimit), Bodies: serve.Memory{Most: maxHeld},
		wrong: newGuesses(), aside: serve.Aside(o.Logger)}
}

// Handle adds handlers by path; the paths stand behind a prefix.
func (s *Server) Handle(prefix string, table map[string]Methods) {
	for pattern, m := range table {
		s.routes.handle(prefix+pattern, s.route(m))
	}
}

// ServeHTTP answers a call. In this order: the fault that a test wants, the path, the credentials, the account's
// type, the rate limit, the call itself.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	seen := &statusWriter{ResponseWriter: w}
	if s.o.Faults == nil {
		s.serve(seen, r)
	} else {
		s.serveWithFault(seen, r, s.o.Faults(r))
	}
	s.o.Logger.Debug("call", zap.String("method", r.Method), zap.String("path", r.URL.Path),
		zap.Int("status", seen.status), zap.Duration("took", time.Since(began)))
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			panic(p)
		} else if p != nil {
			s.answerError(w, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	climbs := slices.Contains(strings.Split(r.URL.Path, "/"), "..")
	r = withPlainPath(r)
	if err := s.admit(r); err != nil {
		s.answerError(w, r, err)
		return
	}
	if climbs {
		s.answerError(w, r, Refuse(http.StatusBadRequest, "the path has a .. element; write it out"))
		return
	}
	serve.Unhurried(w)
	if h := s.routes.find(r, r.URL.Path); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	s.answerError(w, r, Refuse(http.StatusNotFound, "there is nothing at %s; the service's paths begin with %s",
		r.URL.Path, wire.Prefix))
}

// Within answers calls that the service makes itself: without credentials, and no limit counts them.
func (s *Server) Within() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := s.routes.find(r, r.URL.Path); h != nil {
			h.ServeHTTP(w, r)
			return
		}
		s.answerError(w, r, Refuse(http.StatusNotFound, "there is nothing at %s", r.URL.Path))
	})
}

// statusWriter remembers the status for the log.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// withPlainPath collapses double slashes and drops the one at the end, so that such paths are answered rather than
// redirected: clients do not repeat the body of a redirected call.
func withPlainPath(r *http.Request) *http.Request {
	plain := path.Clean("/" + r.URL.Path)
	if plain == r.URL.Path && r.URL.RawPath == "" {
		return r
	}
	r2 := *r
	u := *r.URL
	u.Path, u.RawPath = plain, ""
	r2.URL = &u
	return &r2
}

// route answers the calls of one path.
func (s *Server) route(m Methods) http.Handler {
	allowed := slices.Sorted(maps.Keys(m))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		do, ok := m[method]
		if !ok {
			s.answerError(w, r, &Problem{Status: http.StatusMethodNotAllowed, allow: allowed, Detail: r.Method +
				" is not for this path; it takes " + strings.Join(allowed, ", ")})
			return
		}
		w.Header().Set(wire.HeaderOwn, wire.OffersArchive)
		q, err := ReadParams(r)
		if err == nil {
			c := &Call{Request: r, Writer: w, Params: q, bodies: &s.Bodies}
			defer c.release()
			err = do(c)
			if none := q.Unasked(); err == nil && len(none) > 0 {
				s.o.Logger.Warn("parameters without effect: misspelled, or not for this call",
					zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.Strings("parameters", none))
			}
		}
		if err != nil {
			s.answerError(w, r, err)
		}
	})
}

// Pause waits; false means that ctx ended first.
func Pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
