package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stream is the answer to one listener, line by line.
func stream(t *testing.T, address string) (lines <-chan string, stop context.CancelFunc) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/events", nil)
	check(t, err)
	answer, err := http.DefaultClient.Do(request)
	check(t, err)
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s, %v", answer.Status, answer.Header)
	}
	said := make(chan string, 1000)
	go func() {
		defer close(said)
		defer answer.Body.Close()
		for in := bufio.NewScanner(answer.Body); in.Scan(); {
			said <- in.Text()
		}
	}()
	return said, stop
}

// hears waits for a line.
func hears(t *testing.T, lines <-chan string, want string) {
	t.Helper()
	patience := time.After(20 * time.Second)
	for {
		select {
		case line, more := <-lines:
			if line == want {
				return
			}
			if !more {
				t.Fatalf("the stream ended before %q", want)
			}
		case <-patience:
			t.Fatalf("never heard: %q", want)
		}
	}
}

// A real push rings at everybody who listens, and the address ends at once though they do.
func TestPushesRingInBrowsers(t *testing.T) {
	ends := make(chan struct{})
	w := newWorld(t, "", func(o *Options) { o.Ends = ends }, worldProject{name: "app", languages: []string{"de"}, files: map[string]string{"locales/en/app.json": `{"a": "A"}`}})
	one, stop := stream(t, w.server.URL)
	two, stopToo := stream(t, w.server.URL)
	defer stop()
	defer stopToo()
	hears(t, one, "retry: 3000")
	hears(t, two, "retry: 3000")
	w.push("app")
	hears(t, one, "event: change")
	hears(t, two, "event: change")
	close(ends)
	for range one { // until it ends
	}
	for range two {
	}
}

// Only so many listen at a time; who leaves makes room.
func TestListenersAreBounded(t *testing.T) {
	s, _ := newServer(t)
	server := httptest.NewServer(New(s.Options))
	defer server.Close()
	var all []context.CancelFunc
	for range maxListeners {
		lines, stop := stream(t, server.URL)
		hears(t, lines, "retry: 3000")
		all = append(all, stop)
	}
	ask := func() int {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/events", nil)
		check(t, err)
		answer, err := http.DefaultClient.Do(request)
		check(t, err)
		answer.Body.Close()
		return answer.StatusCode
	}
	if code := ask(); code != http.StatusServiceUnavailable {
		t.Errorf("one more is answered %d", code)
	}
	all[0]()
	for end := time.Now().Add(20 * time.Second); ask() != http.StatusOK; {
		if time.Now().After(end) {
			t.Fatal("there is no room for another when one left")
		}
	}
	for _, stop := range all {
		stop()
	}
}

// recording is a listener that keeps what it is told and when; it may stop taking anything.
type recording struct {
	mu     sync.Mutex
	header http.Header
	begin  time.Time
	said   []string
	broken bool
}

func (r *recording) Header() http.Header { return r.header }
func (r *recording) WriteHeader(int)     {}
func (r *recording) Flush()              {}
func (r *recording) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken {
		return 0, http.ErrHandlerTimeout
	}
	r.said = append(r.said, time.Since(r.begin).String()+" "+strings.Fields(string(b) + " -")[0]+strings.Fields(string(b) + " - -")[1])
	return len(b), nil
}

// tower rings as an engine does.
type tower struct {
	mu   sync.Mutex
	next chan struct{}
}

func (b *tower) changes() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

func (b *tower) change() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
}

// listening begins to listen, and returns what is told and when it is over.
func listening(ctx context.Context, s *server, b *tower) (*recording, <-chan struct{}) {
	r, over := &recording{header: http.Header{}, begin: time.Now()}, make(chan struct{})
	go func() {
		defer close(over)
		s.ring(r, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/events", nil), b.changes)
	}()
	return r, over
}

// Where nothing happens there are signs of life; many changes at once are few bells, of which none comes before its change; and whoever is gone is let go.
func TestBellsAreFewAndInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := make(chan struct{})
		s, bells := &server{Options: Options{Ends: ends}}, &tower{next: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		r, over := listening(ctx, s, bells)
		time.Sleep(2*alive + time.Second)
		for range 20 { // for a second
			bells.change()
			time.Sleep(50 * time.Millisecond)
		}
		synctest.Wait()
		want := "0s retry:3000, 25s :alive, 50s :alive, 51s event:change, 51.25s event:change, 51.5s event:change, 51.75s event:change, 52s event:change"
		if got := strings.Join(r.said, ", "); got != want {
			t.Errorf("told\n%s\nwant\n%s", got, want)
		}
		cancel()
		<-over
		again, over := listening(t.Context(), s, bells)
		gone, lost := listening(t.Context(), s, bells)
		synctest.Wait()
		gone.mu.Lock()
		gone.broken = true
		gone.mu.Unlock()
		bells.change()
		<-lost
		close(ends) // while it rests after a bell
		<-over
		if len(again.said) != 2 {
			t.Errorf("the one that stays is told %v", again.said)
		}
	})
}
