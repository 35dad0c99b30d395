package service

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A service that cannot be reached is named with its address and the network's cause, also by the breaker, which
// makes no request.
func TestUnreachable(t *testing.T) {
	for _, c := range []struct {
		name   string
		closed bool
		says   string
	}{
		{"nothing listens", true, "cannot reach the translation service at ADDRESS (connection refused)"},
		{"no answer", false, "the translation service at ADDRESS does not answer ("},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			client := s.Client(t)
			client.limits.idle, client.limits.whole, client.limits.attempts = time.Minute, 150*time.Millisecond, 1
			if c.closed {
				s.Close()
			}
			says, breaks := strings.ReplaceAll(c.says, "ADDRESS", s.URL), false
			for range breakWindow {
				_, err := client.Projects().Read(t.Context(), "p")
				if err == nil || !strings.HasPrefix(err.Error(), "read project: "+says) {
					t.Fatalf("%v\ndoes not say %q", err, says)
				}
				if breaks = strings.Contains(err.Error(), "; next attempt in "); breaks {
					break
				}
			}
			if !breaks {
				t.Error("the breaker stayed closed")
			}
		})
	}
}

// An address that should be http:// is named with what is wrong, not with what was read instead.
func TestNoHTTPS(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	s.URL = strings.Replace(s.URL, "http:", "https:", 1)
	client := s.Client(t)
	client.limits.attempts = 1
	_, err := client.Projects().Read(t.Context(), "p")
	want := "read project: cannot reach the translation service at " + s.URL + " (it does not speak HTTPS); "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
}
