package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// listen is the answer to one listener, line by line. peer is for whom a proxy on this machine asks; "" for nobody.
func listen(t *testing.T, address, peer string) (lines <-chan string, stop context.CancelFunc) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/events", nil)
	check(t, err)
	if peer != "" {
		request.Header.Set("X-Forwarded-For", peer)
	}
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

// A real push is told to all that listen, and the address ends at once though they do.
func TestPushesReachBrowsers(t *testing.T) {
	t.Parallel()
	ends := make(chan struct{})
	w := newWorld(t, "", func(o *Options) { o.Ends = ends }, worldProject{name: "app", languages: []string{"de"},
		files: map[string]string{"locales/en/app.json": `{"a": "A"}`}})
	one, stop := listen(t, w.server.URL, "")
	two, stopToo := listen(t, w.server.URL, "")
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
	server := httptest.NewServer(New(*s))
	t.Cleanup(server.Close)
	var all []context.CancelFunc
	for range maxListeners {
		lines, stop := listen(t, server.URL, "")
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

// One address keeps no other one out: it gets no more than some streams, or, where it may be a proxy before many, it makes
// room for others.
func TestListenersShare(t *testing.T) {
	s, _ := newServer(t)
	server := httptest.NewServer(New(*s))
	t.Cleanup(server.Close)
	begin := func(peer string) (<-chan string, context.CancelFunc) {
		lines, stop := listen(t, server.URL, peer)
		hears(t, lines, "retry: 3000")
		return lines, stop
	}
	refused := func(peer string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/events", nil)
		check(t, err)
		request.Header.Set("X-Forwarded-For", peer)
		answer, err := http.DefaultClient.Do(request)
		check(t, err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "30" {
			t.Errorf("%s is answered %s, Retry-After %q", peer, answer.Status, answer.Header.Get("Retry-After"))
		}
	}
	for range maxOfPeer {
		_, stop := begin("192.0.2.1")
		defer stop()
	}
	refused("192.0.2.1")
	first, stop := begin("")
	defer stop()
	for range maxListeners - maxOfPeer - 1 {
		_, stop := begin("")
		defer stop()
	}
	_, stop = begin("2001:db8::1")
	defer stop()
	for range first { // until it ends: this machine had most, and that was its first one
	}
}

// What comes is admitted always. Beyond the bound the oldest one goes of the peer that has most: a stranger with many
// ends no stream of another.
func TestAudiencePresses(t *testing.T) {
	var a streamSet
	var ended []int
	admit := func(peer string, n int) *stream { return a.press(peer, 3, func() { ended = append(ended, n) }) }
	other := admit("192.0.2.1", 0)
	for n := 1; n < 6; n++ {
		admit("192.0.2.2", n)
	}
	if !slices.Equal(ended, []int{1, 2, 3}) || len(a.streams) != 3 {
		t.Errorf("ended %v of %d", ended, len(a.streams))
	}
	a.leave(other)
	if admit("192.0.2.3", 6); len(ended) != 3 || len(a.streams) != 3 {
		t.Errorf("ended %v of %d", ended, len(a.streams))
	}
}

// Streams are bounded, all together and for each address elsewhere. None is refused while one is free; where none is,
// the address with most of them loses its oldest, unless both would have as many then as before, the other way round.
func TestAudienceIsFair(t *testing.T) {
	type place struct {
		peer  string
		got   *stream
		ended bool
	}
	rapid.Check(t, func(t *rapid.T) {
		var a streamSet
		var there []*place // as they should be, the first in front
		count := func(peer string) (n int) {
			for _, p := range there {
				if p.peer == peer {
					n++
				}
			}
			return n
		}
		peers := []string{"127.0.0.1", "192.0.2.1", "192.0.2.2", "2001:db8::", "192.0.2.3", "192.0.2.4"}
		most := func() (peer string, n int) {
			for _, p := range there { // of those with as many, the one that came first
				if c := count(p.peer); c > n {
					peer, n = p.peer, c
				}
			}
			return peer, n
		}
		come := func(peer string) {
			before, richest, n := count(peer), "", 0
			if len(there) == maxListeners {
				richest, n = most()
			}
			p := &place{peer: peer}
			p.got = a.admit(peer, func() { p.ended = true })
			want := (peer == "127.0.0.1" || before < maxOfPeer) && (len(there) < maxListeners || n-before >= 2)
			if (p.got != nil) != want {
				t.Fatalf("%s has %d of %d, and most is %d: admitted %v", peer, before, len(there), n, p.got != nil)
			}
			if p.got == nil {
				return
			}
			if richest != "" {
				i := slices.IndexFunc(there, func(p *place) bool { return p.peer == richest })
				if !there[i].ended {
					t.Fatalf("the first of %d of %s does not end", n, richest)
				}
				a.leave(there[i].got) // as it does some time later
				there = slices.Delete(there, i, i+1)
			}
			there = append(there, p)
		}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			switch peer := rapid.SampledFrom(peers).Draw(t, "peer"); rapid.SampledFrom([]string{"one",
				"many", "leave"}).Draw(t, "what") {
			case "one":
				come(peer)
			case "many":
				for range rapid.IntRange(1, 70).Draw(t, "how many") {
					come(peer)
				}
			case "leave":
				if len(there) > 0 {
					i := rapid.IntRange(0, len(there)-1).Draw(t, "which")
					a.leave(there[i].got)
					there = slices.Delete(there, i, i+1)
				}
			}
			for _, p := range there {
				if p.ended || p.peer != "127.0.0.1" && count(p.peer) > maxOfPeer {
					t.Fatalf("a place of %s ended: %v; it has %d", p.peer, p.ended, count(p.peer))
				}
			}
			if len(a.streams) != len(there) || len(there) > maxListeners {
				t.Fatalf("%d streams, want %d", len(a.streams), len(there))
			}
		}
	})
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
	r.said = append(r.said, time.Since(r.begin).String()+" "+strings.Fields(string(b) +
		" -")[0]+strings.Fields(string(b) + " - -")[1])
	return len(b), nil
}

// changeSource rings as an engine does.
type changeSource struct {
	mu   sync.Mutex
	next chan struct{}
}

func (b *changeSource) changes() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

func (b *changeSource) change() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
}

// listening begins to listen, and returns what is told and when it is over.
func listening(ctx context.Context, c *changes) (*recording, <-chan struct{}) {
	r, over := &recording{header: http.Header{}, begin: time.Now()}, make(chan struct{})
	go func() {
		defer close(over)
		c.tell(r, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/events", nil))
	}()
	return r, over
}

// Where nothing happens there are signs of life. Many changes at once are a few events, none of which comes before its
// change. A browser that is gone is let go.
func TestChangesAreToldInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := make(chan struct{})
		source := &changeSource{next: make(chan struct{})}
		c := &changes{of: source.changes, ends: ends}
		ctx, cancel := context.WithCancel(t.Context())
		r, over := listening(ctx, c)
		time.Sleep(2*alive + time.Second)
		for range 20 { // for a second
			source.change()
			time.Sleep(50 * time.Millisecond)
		}
		synctest.Wait()
		want := "0s retry:3000, 25s :alive, 50s :alive, 51s event:change, 51.25s event:change, 51.5s event:change, 51.75s event:change, 52s event:change"
		if got := strings.Join(r.said, ", "); got != want {
			t.Errorf("told\n%s\nwant\n%s", got, want)
		}
		cancel()
		<-over
		again, over := listening(t.Context(), c)
		gone, lost := listening(t.Context(), c)
		synctest.Wait()
		gone.mu.Lock()
		gone.broken = true
		gone.mu.Unlock()
		source.change()
		<-lost
		close(ends) // while it rests after an event
		<-over
		if len(again.said) != 2 {
			t.Errorf("the one that stays is told %v", again.said)
		}
	})
}
