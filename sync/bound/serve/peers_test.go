package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/locsync/locsync/sync/bound"
)

// Who asks is told by his address, however it is written, and not by more of it than he has one of.
func TestPeers(t *testing.T) {
	proxies, err := bound.Proxies([]string{"127.0.0.1", "::1", "10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, by, want string }{
		{"192.0.2.1:1000", "", "192.0.2.1"},
		{"[::ffff:192.0.2.1]:1000", "", "192.0.2.1"},
		{"192.0.2.1:1000", "198.51.100.1", "192.0.2.1"}, // it may say what it likes
		{"127.0.0.1:1000", "", "127.0.0.1"},
		{"[::1]:1000", "", "::1"},
		{"127.0.0.1:1000", "198.51.100.1", "198.51.100.1"},
		{"10.1.2.3:1000", "203.0.113.9, 198.51.100.1, 10.3.2.1", "198.51.100.1"}, // a chain of two
		{"127.0.0.2:1000", "198.51.100.1", "127.0.0.2"},                          // of this machine, and not a proxy
		{"[::1]:1000", "203.0.113.9, 198.51.100.1 ", "198.51.100.1"},
		{"[::ffff:127.0.0.1]:1000", "::ffff:198.51.100.1", "198.51.100.1"},
		{"127.0.0.1:1000", "unknown", "127.0.0.1"},
		{"127.0.0.1:1000", ",", "127.0.0.1"},
		{"127.0.0.1:1000", "2001:db8:0:1:2:3:4:5", "2001:db8:0:1::"},
		{"[2001:db8::1]:1000", "", "2001:db8::"},
		{"[2001:db8::2:1]:1000", "", "2001:db8::"},
		{"[fe80::1%eth0]:1000", "", "fe80::"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.from
		if c.by != "" {
			r.Header.Set("X-Forwarded-For", c.by)
		}
		got := ""
		Behind(proxies, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = Peer(r) })).ServeHTTP(nil, r)
		if got != c.want {
			t.Errorf("%s for %q: %q, want %q", c.from, c.by, got, c.want)
		}
	}
}

// What is believed of a proxy is believed of a configured one only.
func TestNoProxies(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "127.0.0.1:1000"
	r.Header.Set("X-Forwarded-For", "198.51.100.1")
	if got := Peer(r); got != "127.0.0.1" {
		t.Errorf("%q", got)
	}
	for _, wrong := range []string{"proxy.example", "10.0.0.0/64", ""} {
		if _, err := bound.Proxies([]string{wrong}); err == nil {
			t.Errorf("%q is a proxy", wrong)
		}
	}
}
