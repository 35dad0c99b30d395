package service

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// seen is a request as the scripted server got it.
type seen struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         string
	At           time.Time
}

// script is a server that answers the first request with its first step, and so on; the last step answers
// all that come after.
type script struct {
	*httptest.Server
	mu    sync.Mutex
	calls []seen
}

type step = http.HandlerFunc

func newServer(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func serve(t testing.TB, steps ...step) *script {
	t.Helper()
	s := &script{}
	s.Server = httptest.NewServer(s.handler(steps))
	t.Cleanup(s.Close)
	return s
}

func (s *script) handler(steps []step) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		n := len(s.calls)
		s.calls = append(s.calls, seen{r.Method, r.URL.EscapedPath(), r.URL.Query(), r.Header, string(body), at})
		s.mu.Unlock()
		steps[min(n, len(steps)-1)](w, r)
	})
}

func (s *script) Seen() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]seen(nil), s.calls...)
}

// Client talks to the server, without pacing and with short waits.
func (s *script) Client(t testing.TB, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{BaseURL: s.URL, AccountID: t.Name(), APIKey: canary}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.limits.backoff, c.limits.backoffMax = time.Millisecond, 10*time.Millisecond
	return c
}

// canary must turn up nowhere but in the Authorization header.
const canary = "canary-key-5f1d"

func say(code int, body string, headers ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// lose does what the call asks for (the request was read and counted), and loses the answer.
func lose(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset, not an orderly end
	}
	_ = conn.Close()
}

// half announces more than it sends.
func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(w, `"abc`)
}
