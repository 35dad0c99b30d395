package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// peer names who asks: the address of the connection; or, where that is a proxy on this machine, the one that it says
// to have been asked by.
func peer(r *http.Request) string {
	host := hostOf(r.RemoteAddr)
	if by := r.Header.Values("X-Forwarded-For"); bound.Loopback(host) && len(by) > 0 {
		last := by[len(by)-1]
		if ip := net.ParseIP(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])); ip != nil {
			host = ip.String()
		}
	}
	return network(host)
}

// network names who has an address: of IPv6, all of its network.
func network(host string) string {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if whole, err := ip.Prefix(64); err == nil && ip.Is6() && !ip.IsLoopback() {
		return whole.Addr().String() // who has one of these addresses has them all
	}
	return ip.String()
}

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
	if !bound.Loopback(hostOf(r.RemoteAddr)) {
		return false
	}
	if !bound.Loopback(hostOf(r.Host)) {
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

// hostOf is a host without its port and brackets.
func hostOf(named string) string {
	if h, _, err := net.SplitHostPort(named); err == nil {
		named = h
	}
	return strings.Trim(named, "[]")
}
