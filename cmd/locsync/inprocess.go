package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// inProcess is HTTP without a network: the client's connections are pipes into a server of this process. Nobody else can connect, and no
// port is taken.
type inProcess struct {
	*http.Transport
	server *http.Server
}

func serveInProcess(h http.Handler) *inProcess {
	pipes := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	p := &inProcess{server: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}, Transport: &http.Transport{DialContext: pipes.dial}}
	go func() { _ = p.server.Serve(pipes) }() // ends with ErrServerClosed when Close is called
	return p
}

// Close ends the server after the calls that are under way.
func (p *inProcess) Close() error {
	p.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return p.server.Shutdown(ctx)
}

// pipeListener hands out one end of a pipe for each dial.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

// pipeAddr is a name for logs.
type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "embedded" }
