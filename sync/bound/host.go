package bound

import (
	"net"
	"net/netip"
	"strings"
)

// Loopback says whether a host, without its port, is this machine, whatever resolves names: "localhost" or an address
// of the loopback. A name below localhost may lead elsewhere, by DNS or a proxy, and a key with it.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Proxies reads addresses, and networks such as 10.0.0.0/8, of proxies.
func Proxies(texts []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if !strings.Contains(text, "/") {
			var ip netip.Addr
			ip, err = netip.ParseAddr(text)
			if err == nil {
				p = netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen())
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p.Masked())
	}
	return all, nil
}
