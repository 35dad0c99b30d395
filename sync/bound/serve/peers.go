package serve

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

type peerKey struct{}

// Behind lets requests of proxies come from whom the proxy says in X-Forwarded-For. Of every other sender the header
// says nothing: it could have any address in it.
func Behind(proxies []netip.Prefix, next http.Handler) http.Handler {
	if len(proxies) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := forwarded(proxies, r)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, asked)))
	})
}

// forwarded is the address that a chain of proxies was asked by: the last one that is none of them.
func forwarded(proxies []netip.Prefix, r *http.Request) string {
	host := Host(r.RemoteAddr)
	chain := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(chain) - 1; i >= 0 && isProxy(proxies, host); i-- {
		ip, err := netip.ParseAddr(Host(strings.TrimSpace(chain[i])))
		if err != nil {
			break
		}
		host = ip.String()
	}
	return network(host)
}

func isProxy(proxies []netip.Prefix, host string) bool {
	ip, err := netip.ParseAddr(host)
	for _, p := range proxies {
		if err == nil && p.Contains(ip.Unmap().WithZone("")) {
			return true
		}
	}
	return false
}

// Peer names who asks: the network of the connection, or of whom a proxy says that it was asked by.
func Peer(r *http.Request) string {
	if asked, ok := r.Context().Value(peerKey{}).(string); ok {
		return asked
	}
	return network(Host(r.RemoteAddr))
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

// Host is a host without its port and brackets.
func Host(named string) string {
	if h, _, err := net.SplitHostPort(named); err == nil {
		named = h
	}
	return strings.Trim(named, "[]")
}
