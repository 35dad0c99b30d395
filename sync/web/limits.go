package web

import (
	"context"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Bounds of what the outside can make the daemon's address hold. A slow sender is cut off, a silent connection is
// closed for a new one.
const (
	headerTime     = 10 * time.Second // for the headers of a request
	requestTime    = time.Minute      // for all of it
	bodyTime       = 30 * time.Second // for the body alone, from when it is read
	answerTime     = time.Minute      // for an answer to be taken; a stream sets its own before each part
	idleTime       = 2 * time.Minute
	maxHeader      = 64 << 10
	maxConnections = 256
	strangerLines  = 30 // of the log a minute, of each kind, about what every sender can cause
)

// aboutStrangers is the log for what every sender can cause: addresses that wrong tokens come from can be many, and
// made up where a proxy lets them.
func aboutStrangers(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(core, time.Minute, strangerLines, 0)
	}))
}

// NewServer is an HTTP server for the daemon's address: http.Server has no limit at all by default. Beyond 256
// connections, the one goes that has waited longest without a request being answered on it, or, where all are being
// answered, of the address that has most the one that has been for longest; so neither silent connections nor slow ones
// keep out those that have something to say, or end what others hear, and the daemon's files never compete with them
// for descriptors. What the server itself has to say goes to log.
func NewServer(handler http.Handler, log *zap.Logger) *http.Server {
	server := &http.Server{
		ErrorLog: errorLog(log), Handler: handler,
		ReadTimeout: requestTime, WriteTimeout: answerTime,
	}
	new(connLimiter).bound(server)
	return server
}

// bound keeps the connections of a server to maxConnections, and closes those that are silent.
func (c *connLimiter) bound(server *http.Server) {
	server.ReadHeaderTimeout, server.IdleTimeout, server.MaxHeaderBytes = headerTime, idleTime, maxHeader
	server.ConnContext, server.ConnState = c.joined, c.changed
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g, ok := r.Context().Value(connKey{}).(*limitedConn); ok {
			c.serving(g, true)
			defer c.serving(g, false)
		}
		handler.ServeHTTP(w, r)
	})
}

// errorLog is a log as net/http has it.
func errorLog(to *zap.Logger) *log.Logger {
	l, err := zap.NewStdLogAt(to, zap.ErrorLevel)
	if err != nil { // it is a level
		panic(err)
	}
	return l
}

// connLimiter is the connections of a server.
type connLimiter struct {
	mu    sync.Mutex
	conns []*limitedConn // the one that was served last, or came last, at the end
}

type limitedConn struct {
	conn   net.Conn
	from   string // who it comes from
	served bool   // now
}

type connKey struct{}

// joined takes a new connection in. Where there are too many, one leaves.
func (c *connLimiter) joined(ctx context.Context, conn net.Conn) context.Context {
	g := &limitedConn{conn: conn, from: network(hostOf(conn.RemoteAddr().String()))}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.conns) >= maxConnections {
		i := c.leaves()
		_ = c.conns[i].conn.Close() // the server hears of it as of any connection that breaks
		c.conns = slices.Delete(c.conns, i, i+1)
	}
	c.conns = append(c.conns, g)
	return context.WithValue(ctx, connKey{}, g)
}

// leaves is which one leaves: the one that waited longest; where all are being served, of the address that has most the
// one that takes longest: who sends or takes a byte now and then is being served, too, and so is a page that hears
// events.
func (c *connLimiter) leaves() int {
	if i := slices.IndexFunc(c.conns, func(g *limitedConn) bool { return !g.served }); i >= 0 {
		return i
	}
	has, most := make(map[string]int), ""
	for _, g := range c.conns {
		if has[g.from]++; has[g.from] > has[most] {
			most = g.from
		}
	}
	return slices.IndexFunc(c.conns, func(g *limitedConn) bool { return g.from == most })
}

func (c *connLimiter) changed(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = slices.DeleteFunc(c.conns, func(g *limitedConn) bool { return g.conn == conn })
}

// serving moves a connection to the end of those that have to leave.
func (c *connLimiter) serving(g *limitedConn, now bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g.served = now
	if i := slices.Index(c.conns, g); i >= 0 {
		c.conns = append(slices.Delete(c.conns, i, i+1), g)
	}
}
