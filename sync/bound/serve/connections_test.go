package serve

import (
	"fmt"
	"net"
	"testing"
)

// Who has a network of IPv6 is one, whatever of its addresses he takes.
func TestAddressesOfOneNetwork(t *testing.T) {
	c := &connections{}
	joins := func(from string) *comer {
		one := &comer{from: net.ParseIP(from)}
		c.serving(c.join(t.Context(), one).Value(connectionKey{}).(*member).connection, true)
		return one
	}
	first := joins("2001:db8:1::1")
	var slow []*comer
	for i := range Connections() {
		slow = append(slow, joins(fmt.Sprintf("2001:db8:2::%x", i)))
	}
	if first.closed || !slow[0].closed || slow[1].closed {
		t.Errorf("of many slow requests of a network the first gave way: %t, the second: %t; that of another one: %t",
			slow[0].closed, slow[1].closed, first.closed)
	}
}

// comer is a connection from an address.
type comer struct {
	net.Conn
	from   net.IP
	closed bool
}

func (c *comer) RemoteAddr() net.Addr { return &net.TCPAddr{IP: c.from, Port: 40000} }

func (c *comer) Close() error {
	c.closed = true
	return nil
}
