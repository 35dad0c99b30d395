package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// named keeps pages of other sites from reading what is served to this machine only. A browser lets a page read from the host that it came from, and whoever
// owns that host's name may let it lead to 127.0.0.1 (DNS rebinding). So what comes by the loopback has to ask for a name of the loopback, for an address, or
// for the host of public_url, where a proxy brings it. Webhooks and notifications prove themselves and may come by any name.
func (s *server) named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if proves := strings.HasPrefix(r.URL.Path, "/webhook/") || strings.HasPrefix(r.URL.Path, "/callback/"); !proves && byLoopback(r) && !s.answersTo(r.Host) {
			refuse(w, http.StatusForbidden, "nobody here is called "+hostOf(r.Host)+": ask for the address itself, or set daemon.public_url where a proxy has this name")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// byLoopback reports whether a request arrived at an address of the loopback.
func byLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && loopback(hostOf(local.String()))
}

func (s *server) answersTo(name string) bool {
	host := hostOf(name)
	if host == "" || loopback(host) || net.ParseIP(host) != nil || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	public, err := url.Parse(s.PublicURL)
	return err == nil && strings.EqualFold(host, public.Hostname())
}

// hostOf is a host without its port and brackets.
func hostOf(named string) string {
	if h, _, err := net.SplitHostPort(named); err == nil {
		named = h
	}
	return strings.Trim(named, "[]")
}
