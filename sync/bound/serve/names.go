package serve

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// Names are those that an address has.
type Names struct {
	Listen    string // what it listens on, as it is configured
	PublicURL string // where the outside reaches it; empty: not by a name
	Machine   string // this machine's name; "" where it has none
}

// Guard keeps pages of other sites from reading what is served here. A browser lets a page read from the host that it
// came from, and the owner of that host's name may let it lead to an address that only the reader's browser reaches
// (DNS rebinding). So who asks has to ask by a name of this address:
//
//   - an address itself, localhost, the host of public_url, or the one that daemon.listen names;
//   - elsewhere than at the loopback also this machine's name, and names that cannot be registered outside: without a
//     dot, such as that of a container or of a service in a cluster, and below .local (RFC 6762), .internal, .home.arpa
//     (RFC 8375) and a cluster's .svc. Who gives such names reaches the address anyway, but not a loopback;
//   - there the metrics and the two probes come by any name, since monitors have their own, but not to a browser.
//
// Who asks by another name gets the answer of refuse. What proves itself needs no guard, and may come by any name.
func (a Names) Guard(refuse http.HandlerFunc, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.answersTo(r) {
			refuse(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a Names) answersTo(r *http.Request) bool {
	host := strings.ToLower(strings.TrimSuffix(Host(r.Host), "."))
	switch {
	case host == "", bound.Loopback(host), net.ParseIP(host) != nil, strings.HasSuffix(host, ".localhost"):
		return true
	case strings.EqualFold(host, Host(a.Listen)):
		return true
	}
	if public, err := url.Parse(a.PublicURL); err == nil && strings.EqualFold(host, public.Hostname()) {
		return true
	}
	return !byLoopback(r) && (strings.EqualFold(host, a.Machine) || unowned(host) || monitor(r))
}

// Own reports whether an origin is this address, by the name that it was asked for or by its public one.
func (a Names) Own(r *http.Request, origin string) bool {
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return false
	}
	public, err := url.Parse(a.PublicURL)
	return strings.EqualFold(from.Host, r.Host) || err == nil && strings.EqualFold(from.Host, public.Host)
}

// unowned reports whether a name cannot be registered outside of the own network or cluster.
func unowned(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	return dot < 0 || slices.Contains([]string{"local", "internal", "svc"}, host[dot+1:]) ||
		strings.HasSuffix(host, ".home.arpa")
}

// monitor reports whether a request is for what monitors ask for, and not by a browser: each of those says what
// languages its reader wants, and no page can keep it from that (the Fetch standard, HTTP-network-or-cache fetch).
func monitor(r *http.Request) bool {
	_, browser := r.Header["Accept-Language"]
	return !browser && (r.URL.Path == "/metrics" || r.URL.Path == "/healthz" || r.URL.Path == "/readyz")
}

// byLoopback reports whether a request arrived at an address of the loopback.
func byLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && bound.Loopback(Host(local.String()))
}
