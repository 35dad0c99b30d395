package bound

import (
	"net"
	"strings"
)

// Loopback says whether a host, without its port, is this machine, whatever resolves names: "localhost" or an address
// of the loopback. A name below localhost may lead elsewhere, by DNS or a proxy, and a key with it.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
