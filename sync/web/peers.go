package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/bound/serve"
)

// encrypted reports whether the browser came by TLS, to here or to a proxy.
func encrypted(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// cookieName is the name of the session's cookie. Browsers do not tell ports of one host apart, so that two daemons on
// a machine need two names.
func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return "locsync-" + port
	}
	return "locsync"
}

// fromHere reports whether a request comes from this machine and was not made by a page of another site.
func fromHere(r *http.Request) bool {
	if !bound.Loopback(serve.Host(r.RemoteAddr)) {
		return false
	}
	if !bound.Loopback(serve.Host(r.Host)) {
		return false // a name of another owner that resolves to this machine
	}
	for _, by := range []string{
		"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
	} {
		if r.Header.Get(by) != "" {
			return false // a proxy on this machine passes on what others ask
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}
