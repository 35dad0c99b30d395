package serve

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// mostConnections is how many connections an address has at most; fewer where the process may open few files.
const mostConnections = 256

// Connections is how many connections an address has: with a sixth of the files that the process may open, three
// addresses leave half of them to its work.
var Connections = sync.OnceValue(func() int { return max(min(mostConnections, openFiles()/6), 8) })

// connections are those of a server. Beyond the limit one is closed: a silent one of a stranger first, then, of the
// network that has most, the one that takes longest; those of known senders last. A new one is always accepted.
type connections struct {
	mu  sync.Mutex
	all []*connection // the one that was served last, or came last, at the end
}

type connection struct {
	conn   net.Conn
	from   string // the network that it comes from
	served bool   // a request on it is being answered
	known  bool   // its sender has proved a secret
}

type connectionKey struct{}

// Known says that the sender of a request has proved a secret: its connection is closed after those of strangers.
func Known(ctx context.Context) {
	if m, ok := ctx.Value(connectionKey{}).(*member); ok {
		m.of.mu.Lock()
		defer m.of.mu.Unlock()
		m.connection.known = true
	}
}

// IsKnown reports whether the connection of a request has proved a secret before.
func IsKnown(ctx context.Context) bool {
	m, ok := ctx.Value(connectionKey{}).(*member)
	if !ok {
		return false
	}
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	return m.connection.known
}

// member is a connection as its requests find it.
type member struct {
	connection *connection
	of         *connections
}

// bound keeps the connections of a server to the limit.
func (c *connections) bound(server *http.Server) {
	server.ConnContext, server.ConnState = c.join, c.changed
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m, ok := r.Context().Value(connectionKey{}).(*member); ok {
			c.serving(m.connection, true)
			defer c.serving(m.connection, false)
		}
		if r.Body == http.NoBody { // nothing more is read, and the deadline for it would end a long answer
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		handler.ServeHTTP(w, r)
	})
}

// join adds a new connection. Where there are too many, another one is closed.
func (c *connections) join(ctx context.Context, conn net.Conn) context.Context {
	one := &connection{conn: conn, from: network(Host(conn.RemoteAddr().String()))}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= Connections() {
		i := c.worst()
		_ = c.all[i].conn.Close() // the server learns of it as of any connection that breaks
		c.all = slices.Delete(c.all, i, i+1)
	}
	c.all = append(c.all, one)
	return context.WithValue(ctx, connectionKey{}, &member{one, c})
}

// worst is the one to be closed.
func (c *connections) worst() int {
	silent := slices.IndexFunc(c.all, func(one *connection) bool { return !one.served && !one.known })
	if silent >= 0 {
		return silent
	}
	// Who sends or takes a byte now and then is being served, too: the network that has most loses its oldest.
	has, most := make(map[string]int), ""
	for _, one := range c.all {
		if one.known {
			continue
		}
		if has[one.from]++; has[one.from] > has[most] {
			most = one.from
		}
	}
	slow := slices.IndexFunc(c.all, func(one *connection) bool { return !one.known && one.from == most })
	if slow >= 0 {
		return slow
	}
	return max(slices.IndexFunc(c.all, func(one *connection) bool { return !one.served }), 0)
}

func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(one *connection) bool { return one.conn == conn })
}

// serving moves a connection to the end of those that are closed first.
func (c *connections) serving(one *connection, now bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.served = now
	if i := slices.Index(c.all, one); i >= 0 {
		c.all = append(slices.Delete(c.all, i, i+1), one)
	}
}
