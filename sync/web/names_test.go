package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/bound/serve"
)

// arrives asks a handler as somebody does whose request arrived at an address of this machine.
func arrives(handler http.Handler, at, method, path, host string, headers ...string) int {
	r := httptest.NewRequest(method, path, strings.NewReader("[]"))
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey,
		&net.TCPAddr{IP: net.ParseIP(at), Port: 7420}))
	r.Host, r.RemoteAddr = host, "10.1.2.3:4000"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, r)
	return answer.Code
}

// What is served elsewhere than at the loopback has names, too: those that it was given, and those that no one outside
// of its network can own. Others read the page by none of their own; monitors may, which are no browsers.
func TestNamesElsewhere(t *testing.T) {
	s, _ := newServer(t)
	s.PublicURL, s.Listen, s.PageToken = "https://l10n.example.com/base", "build.corp.example.com:7420", pageToken
	s.Callback.Name, s.Callback.Value = "X-Bell", "dingdong"
	handler := New(*s)
	machine, err := os.Hostname()
	check(t, err)
	ours := []string{"10.1.2.9:7420", "[2001:db8::9]:7420", "192.0.2.1", "localhost:7420", "app.localhost",
		"l10n.example.com", "L10N.example.com.", "build.corp.example.com:7420", machine + ":7420"}
	inside := []string{"locsync", "LOCSYNC:7420", "locsync.team.svc", "locsync.team.svc.cluster.local:7420",
		"locsync.team.svc.cluster.local.", "nas.home.arpa", "ip-10-1-2-9.ec2.internal"}
	others := []string{"evil.example", "evil.example:7420", "10.1.2.9.evil.example", "locsync.team",
		"local.evil.example", "svc.cluster.local.evil.example", "l10n.example.com.evil.example",
		"home.arpa.evil.example",
		"locsync.evil-local", "arpa.evil", "x.build.corp.example.com", "locsync.team.svc.k8s.example.com"}
	protected := []string{"/", "/api/status", "/static/page.css", "/unlock", "/metrics/", "/readyz/.."}
	monitored := []string{"/metrics", "/healthz", "/readyz"}
	for at, known := range map[string][]string{"10.1.2.9": slices.Concat(ours, inside),
		"2001:db8::9": slices.Concat(ours, inside), "172.17.0.2": slices.Concat(ours, inside),
		"127.0.0.1": ours[:8], "::1": ours[:8]} {
		elsewhere := !net.ParseIP(at).IsLoopback()
		unknown := others
		if !elsewhere {
			unknown = slices.Concat(others, inside)
		}
		for _, path := range slices.Concat(protected, monitored) {
			for _, host := range known {
				if got := arrives(handler, at, "GET", path, host, "Accept-Language",
					"de"); got == http.StatusForbidden {
					t.Errorf("%s at %s as %s: refused", path, at, host)
				}
			}
			for _, host := range unknown {
				if got := arrives(handler, at, "GET", path, host, "Accept-Language",
					"de"); got != http.StatusForbidden {
					t.Errorf("%s at %s as %s, by a browser: %d", path, at, host, got)
				}
				if got, want := arrives(handler, at, "GET", path, host) != http.StatusForbidden, elsewhere &&
					slices.Contains(monitored, path); got != want {
					t.Errorf("%s at %s as %s, by a program: %v", path, at, host, got)
				}
			}
		}
		for _, host := range unknown { // what changes something
			for _, path := range []string{"/trigger", "/ask", "/unlock", "/lock"} {
				if got := arrives(handler, at, "POST", path, host, "Origin", "http://"+host, "Sec-Fetch-Site",
					"same-origin"); got != http.StatusForbidden {
					t.Errorf("POST %s at %s as %s: %d", path, at, host, got)
				}
			}
			if got := arrives(handler, at, "POST", "/callback/project/status", host, "X-Bell",
				"dingdong"); got != http.StatusOK {
				t.Errorf("a notification at %s as %s: %d", at, host, got)
			}
			if got := arrives(handler, at, "POST", "/callback/project/status", host, "X-Bell",
				"wrong"); got != http.StatusForbidden {
				t.Errorf("a forged notification at %s as %s: %d", at, host, got)
			}
		}
	}
}

// Whatever stands before a name that somebody owns, it is theirs.
func TestNamesOfOthers(t *testing.T) {
	s, _ := newServer(t)
	s.PublicURL, s.Listen = "https://l10n.example.com", "build.corp.example.com:7420"
	handler := New(*s)
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.OneOf(rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,5}`),
			rapid.SampledFrom([]string{"localhost", "127.0.0.1", "local", "svc", "l10n.example.com",
				"[::1]", "LOCALHOST", "10.1.2.9"}))
		host := strings.Join(rapid.SliceOfN(label, 0, 4).Draw(t, "labels"), ".") + "." +
			rapid.SampledFrom([]string{"evil.example", "example.com", "corp.example.com", "team", "com."}).Draw(t,
				"owner")
		if known := strings.ToLower(strings.TrimSuffix(host, ".")); known == "l10n.example.com" ||
			known == "build.corp.example.com" || strings.HasPrefix(host, ".") {
			t.Skip("it is one of the address, or no name")
		}
		for _, at := range []string{"10.1.2.9", "127.0.0.1"} {
			if got := arrives(handler, at, "GET", "/api/status", host+rapid.SampledFrom([]string{"", ":7420"}).Draw(t,
				"port")); got != http.StatusForbidden {
				t.Fatalf("at %s as %s: %d", at, host, got)
			}
		}
	})
}

// On a real connection by another address than the loopback a page of another site's name reads nothing, and probes by
// that address are answered.
func TestNamesOnAnotherAddress(t *testing.T) {
	at := ""
	addresses, err := net.InterfaceAddrs()
	check(t, err)
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			at = ip.IP.String()
		}
	}
	if at == "" {
		t.Skip("this machine has no address but the loopback")
	}
	s, _ := newServer(t)
	l, err := net.Listen("tcp", net.JoinHostPort(at, "0"))
	check(t, err)
	server := serve.NewServer(New(*s), s.Log)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	defer func() {
		check(t, server.Close())
		<-done
	}()
	o := &outside{t, l.Addr().String()}
	for request, want := range map[string]int{
		"GET /api/status HTTP/1.1\r\nHost: " +
			o.address: 200, "GET /api/status HTTP/1.1\r\nHost: evil.example": 403, "GET / HTTP/1.1\r\nHost: evil.example": 403,
		"GET http://evil.example/ HTTP/1.1\r\nHost: " + o.address: 403,
		"GET /healthz HTTP/1.1\r\nHost: " + o.address:             200, "GET /healthz HTTP/1.0": 200,
		"GET /metrics HTTP/1.1\r\nHost: locsync.team":                     200,
		"GET /metrics HTTP/1.1\r\nHost: locsync.team\r\nAccept-Language:": 403,
	} {
		if got := says(o.dial(fmt.Sprintf("%s\r\n\r\n", request))); got != want {
			t.Errorf("%q: %d, want %d", request, got, want)
		}
	}
}
