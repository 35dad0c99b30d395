package gittest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options say how a repository is served.
type Options struct {
	// User and Password, when set, are asked for by HTTP Basic.
	User, Password string

	// Fault is asked for each request that passed the password; nil means that there is none. n counts such requests
	// from 0.
	Fault func(r *http.Request, n int) *Fault
}

// Fault is what happens to one request. Its fields add up.
type Fault struct {
	Delay     time.Duration // before anything else
	Status    int           // answered instead of git's answer, without asking git; 0: git answers
	Redirect  string        // with Status: where to
	Cut       bool          // the connection breaks before git is asked
	LoseReply bool          // git does its work, then the connection breaks
	CutReply  int           // as LoseReply, after so many bytes of the body; -1: all but the last; 0: none
	HangReply bool          // with CutReply: the connection stays up and silent
	Trickle   time.Duration // the body of git's answer comes in twenty parts, with this between them
	Empty     bool          // answered with success and nothing; with LoseReply: after git did its work
	Headers   http.Header   // with Status
}

// The requests of the protocol, for Fault functions.
func IsFetchList(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/info/refs") && r.URL.Query().Get("service") == "git-upload-pack"
}
func IsFetch(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/git-upload-pack") }
func IsPushList(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/info/refs") && r.URL.Query().Get("service") == "git-receive-pack"
}
func IsPush(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/git-receive-pack") }

// Serve serves a repository until the test ends and gives its address. Pushes are allowed.
func Serve(t testing.TB, dir string, o Options) (address string) {
	t.Helper()
	Need(t)
	h, err := Handler(dir, o)
	if err != nil {
		t.Skip(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/" + filepath.Base(dir)
}

// Handler is Serve for tests that have no testing.TB at hand. The repository is served at "/" and its folder's name.
func Handler(dir string, o Options) (http.Handler, error) {
	backend, err := httpBackend()
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &server{Options: o, git: &cgi.Handler{
		Path: backend,
		Env: append(append(Environ(), "GIT_PROJECT_ROOT="+filepath.Dir(abs), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ada"),
			Settings("http.receivepack", "true", "safe.directory", "*", "receive.autogc", "false", "core.fsync", "none")...),
		Stderr: io.Discard,
	}}
	return s, nil
}

// httpBackend is the program that git serves http with.
var httpBackend = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return "", err
	}
	return exec.LookPath(filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"))
})

type server struct {
	Options
	git *cgi.Handler

	mu sync.Mutex
	n  int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Password != "" {
		if user, password, ok := r.BasicAuth(); !ok || user != s.User || password != s.Password {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
	}
	s.mu.Lock()
	n := s.n
	s.n++
	s.mu.Unlock()
	var f *Fault
	if s.Fault != nil {
		f = s.Fault(r, n)
	}
	if len(r.TransferEncoding) > 0 { // a pack above http.postBuffer; CGI wants the length of what comes
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	}
	if f == nil {
		s.git.ServeHTTP(flushing{w}, r)
		return
	}
	s.faulty(w, r, f)
}

func (s *server) faulty(w http.ResponseWriter, r *http.Request, f *Fault) {
	body, err := io.ReadAll(r.Body) // a request that is not read does not notice that its client left
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	select {
	case <-time.After(f.Delay):
	case <-r.Context().Done():
		return
	}
	if f.Cut {
		cut(w)
		return
	}
	if f.Status != 0 {
		if f.Redirect != "" {
			w.Header().Set("Location", f.Redirect)
		}
		maps.Copy(w.Header(), f.Headers)
		http.Error(w, "a fault was asked for", f.Status)
		return
	}
	if f.Empty && !f.LoseReply {
		return
	}
	if f.Trickle > 0 {
		s.trickle(w, r, f.Trickle)
		return
	}
	if !f.LoseReply && f.CutReply == 0 {
		s.git.ServeHTTP(w, r)
		return
	}
	kept := httptest.NewRecorder()
	s.git.ServeHTTP(kept, r)
	if f.Empty {
		return
	}
	if f.CutReply != 0 {
		for name, values := range kept.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(kept.Code)
		body := kept.Body.Bytes()
		n := min(f.CutReply, len(body))
		if f.CutReply < 0 {
			n = max(len(body)-1, 0)
		}
		_, _ = w.Write(body[:n])
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
	}
	if f.HangReply {
		<-r.Context().Done()
	}
	cut(w)
}

// flushing sends everything as it comes, as a server does that lets git's progress through.
type flushing struct{ http.ResponseWriter }

func (f flushing) Write(b []byte) (int, error) {
	n, err := f.ResponseWriter.Write(b)
	if flusher, ok := f.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
	return n, err
}

// trickle gives git's answer slowly.
func (s *server) trickle(w http.ResponseWriter, r *http.Request, pause time.Duration) {
	kept := httptest.NewRecorder()
	s.git.ServeHTTP(kept, r)
	maps.Copy(w.Header(), kept.Header())
	w.WriteHeader(kept.Code)
	body := kept.Body.Bytes()
	for part := range slices.Chunk(body, len(body)/20+1) {
		_, _ = flushing{w}.Write(part)
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return
		}
	}
}

// cut breaks the connection without another byte.
func cut(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			conn.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}
