package local

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/wire"
)

// call is one request on its way through a handler.
type call struct {
	Request *http.Request
	writer  http.ResponseWriter
	params  params
	server  *apiServer
	held    int64 // bytes of the body that are in memory
}

// json answers with a JSON value.
func (c *call) json(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	c.writer.Header().Set("Content-Type", "application/json")
	c.writer.WriteHeader(status)
	c.writer.Write(body)
	return nil
}

// pathValue is the value of a placeholder of the path.
func (c *call) pathValue(name string) string { return c.Request.PathValue(name) }

// empty answers without a body.
func (c *call) empty(status int) error {
	c.writer.WriteHeader(status)
	return nil
}

// methods are the handlers of one path by HTTP method. A handler that returns an error has not answered.
type methods map[string]func(*call) error

// apiOptions say who is admitted, and how often.
type apiOptions struct {
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

// apiServer answers calls by the handlers of their paths. It is safe for use by several goroutines.
type apiServer struct {
	o      apiOptions
	routes *router
	window *window
	held   atomic.Int64 // bytes of bodies in memory
}

func newServer(o apiOptions) *apiServer {
	return &apiServer{o: o, routes: &router{}, window: newWindow(o.RateLimit)}
}

// handle adds handlers by path; the paths stand behind a prefix.
func (s *apiServer) handle(prefix string, table map[string]methods) {
	for pattern, m := range table {
		s.routes.handle(prefix+pattern, s.route(m))
	}
}

// ServeHTTP answers a call. In this order: the fault that a test wants, the path, the credentials, the account's type, the rate limit, the
// call itself.
func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	seen := &statusWriter{ResponseWriter: w}
	if s.o.Faults == nil {
		s.serve(seen, r)
	} else {
		s.serveWithFault(seen, r, s.o.Faults(r))
	}
	s.o.Logger.Debug("call", zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.Int("status", seen.status), zap.Duration("took", time.Since(began)))
}

func (s *apiServer) serve(w http.ResponseWriter, r *http.Request) {
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
		s.answerError(w, r, refuse(http.StatusBadRequest, "the path has a .. element; write it out"))
		return
	}
	if h := s.routes.find(r, r.URL.Path); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	s.answerError(w, r, refuse(http.StatusNotFound, "there is nothing at %s; the service's paths begin with %s", r.URL.Path, wire.Prefix))
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

// withPlainPath collapses double slashes and drops the one at the end, so that such paths are answered rather than redirected: clients
// do not repeat the body of a redirected call.
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
func (s *apiServer) route(m methods) http.Handler {
	allowed := slices.Sorted(maps.Keys(m))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		do, ok := m[method]
		if !ok {
			s.answerError(w, r, &problem{status: http.StatusMethodNotAllowed, allow: allowed, detail: r.Method + " is not for this path; it takes " + strings.Join(allowed, ", ")})
			return
		}
		q, err := readParams(r)
		if err == nil {
			c := &call{Request: r, writer: w, params: q, server: s}
			defer c.release()
			err = do(c)
		}
		if err != nil {
			s.answerError(w, r, err)
		}
	})
}
