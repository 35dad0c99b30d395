package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/bound/heartbeat"
)

// The process is healthy while every part moves that has to; else the answer names those that do not. What fails and is
// tried again is none of its business.
func TestHealthz(t *testing.T) {
	s, _ := newServer(t)
	health := func() (int, string) {
		answer := httptest.NewRecorder()
		New(*s).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/healthz", nil))
		return answer.Code, answer.Body.String()
	}
	if code, said := health(); code != http.StatusOK || said != "ok\n" {
		t.Errorf("without beats: %d %q", code, said)
	}
	s.Beats = heartbeat.New(0) // so that what does not rest hangs
	resting := s.Beats.Begin("the resting part")
	resting.Rest()
	if code, said := health(); code != http.StatusOK || said != "ok\n" {
		t.Errorf("with a part that rests: %d %q", code, said)
	}
	one, two := s.Beats.Begin("one"), s.Beats.Begin("two")
	if code, said := health(); code != http.StatusServiceUnavailable ||
		said != "one has not moved for 0s\ntwo has not moved for 0s\n" {
		t.Errorf("with two that hang: %d %q", code, said)
	}
	one.End()
	two.Rest()
	if code, said := health(); code != http.StatusOK {
		t.Errorf("when they move again: %d %q", code, said)
	}
	silent := s.Beats.Try("silent", func() bool { return false })
	if code, said := health(); code != http.StatusOK ||
		said != "silent has not moved for 0s, from the beginning: starting again would not cure it\n" {
		t.Errorf("with one that never worked: %d %q", code, said)
	}
	two.Beat()
	if code, said := health(); code != http.StatusServiceUnavailable ||
		!strings.HasPrefix(said, "two has not moved for 0s\nsilent ") {
		t.Errorf("with one that never worked and one that hangs: %d %q", code, said)
	}
	silent.End()
}

// The address for commands beats while it answers, and not when it takes connections and says nothing.
func TestAsksItself(t *testing.T) {
	hangs := func(beats *heartbeat.Set) bool { return len(beats.Hanging()) > 0 }
	for name, answers := range map[string]bool{"answers": true, "takes connections only": false} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			check(t, err)
			asked := make(chan struct{})
			server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != answersAt || r.Method != http.MethodGet {
					t.Errorf("asked for %s %s", r.Method, r.URL)
				}
				close(asked)
				if !answers {
					<-r.Context().Done()
				}
			})}
			go func() { _ = server.Serve(listener) }() // ends with Close
			defer server.Close()
			ctx, cancel := context.WithCancel(t.Context())
			beats := heartbeat.New(0)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				Control{Beats: beats}.askItself(ctx, listener.Addr().String())
			}()
			<-asked
			for end := time.Now().Add(10 * time.Second); answers && hangs(beats); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("it does not beat")
				}
			}
			if !answers {
				time.Sleep(10 * time.Millisecond) // not for what is expected, but for what must not come
				if still := beats.Hanging(); len(still) != 1 || !strings.HasPrefix(still[0].String(), whoAnswers) {
					t.Errorf("it beats: %v", still)
				}
			}
			cancel()
			<-ended
			if hangs(beats) {
				t.Error("its part outlives it")
			}
		})
	}
}

// An address that cannot be connected to, as a firewall may have it, is no reason to start the daemon again.
func TestAsksItselfInVain(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, listener.Close())
	beats := heartbeat.New(0)
	part := beats.Begin(whoAnswers)
	askOnce(t.Context(), http.DefaultClient, listener.Addr().String(), part)
	if still := beats.Hanging(); len(still) > 0 {
		t.Errorf("it does not beat: %v", still)
	}
}
