package service

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A second DELETE that finds nothing is the first one's success, but only after a lost answer.
func TestDeleteTwice(t *testing.T) {
	s := serve(t, lose, say(404, ""))
	if err := s.Client(t).Projects().Delete(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	s = serve(t, say(404, ""))
	if err := s.Client(t).Projects().Delete(t.Context(), "p"); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

// A POST does not go over a connection that the service may have closed meanwhile.
func TestPostTakesAFreshConnection(t *testing.T) {
	s := serve(t, say(200, `{"id":"p"}`), say(200, `"id1"`))
	c := s.Client(t)
	var dials atomic.Int32
	dial := c.own.DialContext
	c.own.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return dial(ctx, network, address)
	}
	if _, err := c.Projects().Read(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Strings().StartImport(t.Context(), oneFile()); err != nil || dials.Load() != 2 {
		t.Errorf("%d connections, %v", dials.Load(), err)
	}
}

// The transport must not repeat a GET by itself: the budget would not know.
func TestNoHiddenRepeats(t *testing.T) {
	s := serve(t, say(200, `{"id":"p"}`), lose, lose, lose, lose, lose)
	requests := 0
	c := s.Client(t, func(o *Options) { o.OnRequest = func(Request) { requests++ } })
	_, _ = c.Projects().Read(t.Context(), "p")
	_, _ = c.Projects().Read(t.Context(), "p") // over the kept connection at first
	if n := len(s.Seen()); n != requests {
		t.Errorf("the server saw %d requests, the hook %d", n, requests)
	}
}

// An answer that stalls, one that never ends and one that is too long end the call, and soon.
func TestEndlessAnswers(t *testing.T) {
	loris := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"id"`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	drip := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	flood := func(w http.ResponseWriter, r *http.Request) {
		chunk := []byte(strings.Repeat("a", 64<<10))
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
	for _, c := range []struct {
		name        string
		step        step
		idle, whole time.Duration
		cause       error
	}{
		{"stalls", loris, 50 * time.Millisecond, time.Minute, errSilence},
		{"one byte at a time", drip, time.Minute, 150 * time.Millisecond, errWhole},
		{"no answer", silent, time.Minute, 150 * time.Millisecond, errWhole},
		{"endless", flood, time.Minute, time.Minute, ErrUnusable},
	} {
		for name, do := range map[string]func(context.Context, *Client) error{
			"read project": func(ctx context.Context, c *Client) error {
				_, err := c.Projects().Read(ctx, "p")
				return err
			},
			"read import result": func(ctx context.Context, c *Client) error {
				_, err := c.Strings().ImportResult(ctx, "i")
				return err
			},
			"download": func(ctx context.Context, c *Client) error {
				_, err := c.Strings().TryDownload(ctx, "e", "")
				return err
			},
		} {
			t.Run(name+", "+c.name, func(t *testing.T) {
				t.Parallel()
				s := serve(t, c.step)
				client := s.Client(t)
				client.limits.idle, client.limits.whole, client.limits.attempts = c.idle, c.whole, 2
				client.limits.json, client.limits.spool = 1<<20, 1<<20
				start := time.Now()
				err := do(t.Context(), client)
				if !errors.Is(err, c.cause) {
					t.Errorf("error %v, want %v", err, c.cause)
				}
				if took := time.Since(start); took > 10*time.Second {
					t.Errorf("took %v", took)
				}
			})
		}
	}
}

// An answer that does not begin is given up; one to a large body may take longer, as its size says.
func TestAnswersThatBeginLate(t *testing.T) {
	read := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(300 * time.Millisecond)
		_, _ = io.WriteString(w, `"i"`)
	}
	for _, c := range []struct {
		name  string
		bytes int
		cause error
	}{{"small", 10, errHeaders}, {"large", 200 << 10, nil}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, read)
			client := s.Client(t)
			client.limits.headers = 50 * time.Millisecond
			in := anImport()
			in.Files[0].Body = []byte(`{"a": "` + strings.Repeat("x", c.bytes) + `"}`)
			_, err := client.Strings().StartImport(t.Context(), in)
			if !errors.Is(err, c.cause) || (err == nil) != (c.cause == nil) {
				t.Errorf("error %v, want %v", err, c.cause)
			}
			if c.cause != nil && !errors.Is(err, ErrUnknownOutcome) {
				t.Errorf("%v does not say that it may have been carried out", err)
			}
		})
	}
}

// storage is a server of another origin, over HTTPS, that the client trusts and the service leads to.
func storage(t *testing.T, c *Client, answer http.HandlerFunc) (address string, asked func() []http.Header) {
	var mu sync.Mutex
	var got []http.Header
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got = append(got, r.Header.Clone())
		mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	c.own.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	c.own.TLSClientConfig.NextProtos = nil
	return server.URL, func() []http.Header {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// A download may lie at another server, over HTTPS: it is fetched there without credentials, and its signed
// address is told to no hook. Nothing else follows there.
func TestDownloadFromAnotherServer(t *testing.T) {
	var address string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, address+"/a.json?signature=secret", http.StatusFound)
	})
	var told []Request
	c := s.Client(t, func(o *Options) { o.OnRequest = func(r Request) { told = append(told, r) } })
	var asked func() []http.Header
	address, asked = storage(t, c, say(200, `{"k":"v"}`, "Content-Disposition", `attachment; filename="a.json"`))
	archive, err := c.Strings().TryDownload(t.Context(), "e", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if b, err := archive.Entries[0].ReadAll(); err != nil || string(b) != `{"k":"v"}` {
		t.Errorf("%q, %v", b, err)
	}
	if calls := asked(); len(calls) != 1 || calls[0].Get("Authorization") != "" ||
		s.Seen()[0].Header.Get("Authorization") == "" {
		t.Errorf("the other server was asked with %v", calls)
	}
	if len(told) != 2 || told[1].Path != address+"/a.json" {
		t.Errorf("the hook was told %+v", told)
	}
	if _, err := c.Projects().Read(t.Context(), "p"); !errors.Is(err, ErrUnusable) || len(asked()) != 1 {
		t.Errorf("a record followed to another server: %v", err)
	}
}

// No other server chooses what the service is asked for with our credentials.
func TestDownloadRedirectedToTheService(t *testing.T) {
	var address string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, address+"/a", http.StatusFound) })
	c := s.Client(t)
	var asked func() []http.Header
	address, asked = storage(t, c, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.URL+"/api/integration/v1/callback", http.StatusFound)
	})
	_, err := c.Strings().TryDownload(t.Context(), "e", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "redirects back to the service") || len(asked()) == 0 {
		t.Errorf("error %v after %d requests to the other server", err, len(asked()))
	}
	for _, r := range s.Seen() {
		if strings.HasSuffix(r.Path, "/callback") {
			t.Error("the service was asked for what the other server chose")
		}
	}
}

// What the other server refuses says nothing about the account: the service is asked again for an address.
func TestDownloadRefusedByAnotherServer(t *testing.T) {
	var address string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, address+"/a", http.StatusFound) })
	c := s.Client(t)
	var asked func() []http.Header
	address, asked = storage(t, c, say(403, "<Error>expired</Error>"))
	_, err := c.Strings().TryDownload(t.Context(), "e", t.TempDir())
	if errors.Is(err, ErrAuth) || !errors.Is(err, ErrTemporary) || !strings.Contains(err.Error(), "answers 403") {
		t.Errorf("error %v", err)
	}
	if len(asked()) != defaultLimits.attempts || c.Blocked() != 0 {
		t.Errorf("%d requests, blocked for %v", len(asked()), c.Blocked())
	}
}

// A server that cannot prove who it is gets no credentials and no second try.
func TestUntrustedServer(t *testing.T) {
	s := &script{}
	s.Server = httptest.NewUnstartedServer(s.handler([]step{say(200, `{"id":"p"}`)}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := s.Client(t).Projects().Read(t.Context(), "p")
	if err == nil || errors.Is(err, ErrTemporary) || !strings.Contains(err.Error(), "certificate") ||
		len(s.Seen()) != 0 {
		t.Errorf("%d requests, %v", len(s.Seen()), err)
	}
	plain := serve(t, say(200, ""))
	_, err = plain.Client(t, func(o *Options) {
		o.BaseURL = strings.Replace(plain.URL, "http", "https", 1)
	}).Projects().Read(t.Context(), "p")
	if err == nil || errors.Is(err, ErrTemporary) {
		t.Errorf("error %v of a server without TLS", err)
	}
}

// Also where the service speaks HTTP/2: the budget counts requests, and one connection must not carry many.
func TestSpeaksHTTP1(t *testing.T) {
	proto := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto <- r.Proto
		_, _ = io.WriteString(w, `{"id":"p"}`)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	s := &script{Server: server}
	c := s.Client(t)
	c.own.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	c.own.TLSClientConfig.NextProtos = nil
	if _, err := c.Projects().Read(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	if p := <-proto; p != "HTTP/1.1" {
		t.Errorf("speaks %s", p)
	}
}

// A full disk is no fault of the service: no repeats, no breaker.
func TestSpoolFolderMissing(t *testing.T) {
	s := serve(t, say(200, "raw", "Content-Disposition", `attachment; filename="a.json"`))
	c := s.Client(t)
	_, err := c.Strings().TryDownload(t.Context(), "e", t.TempDir()+"/none")
	if !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrTemporary) || len(s.Seen()) != 1 {
		t.Errorf("%d requests, %v", len(s.Seen()), err)
	}
}
