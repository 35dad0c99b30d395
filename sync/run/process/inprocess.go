package process

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/service/local"
)

// inProcess is HTTP without a network: the client's connections are pipes into a server of this process. No other
// process can connect, and no port is taken.
type inProcess struct {
	transport *http.Transport
	service   *local.Service
	server    *http.Server
	users     atomic.Int64 // that may be about to call it

	withdraw func() // ends serving it to commands; nil where it is not served to them
	leaving  bool   // it is closed when it has no users any more
}

// RoundTrip makes it the transport of a client.
func (p *inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	return p.transport.RoundTrip(r)
}

// CloseIdleConnections is what http.Client asks of a transport.
func (p *inProcess) CloseIdleConnections() { p.transport.CloseIdleConnections() }

// use says that it may be called, until done.
func (p *inProcess) use() (done func()) {
	p.users.Add(1)
	return sync.OnceFunc(func() { p.users.Add(-1) })
}

func serveInProcess(svc *local.Service) *inProcess {
	pipes := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	p := &inProcess{service: svc, server: &http.Server{Handler: fault.Handler(svc), ReadHeaderTimeout: time.Minute},
		transport: &http.Transport{DialContext: pipes.dial}}
	go func() { _ = p.server.Serve(pipes) }() // ends with ErrServerClosed when Close is called
	return p
}

// closePatience is how long calls under way may take to be answered when the service is closed.
const closePatience = time.Second

// Close ends the service after the calls that are under way, of which none is waited for long: what was asked is asked
// again at the next start.
func (p *inProcess) Close() error {
	p.CloseIdleConnections()
	return errors.Join(ShutDown(p.server, closePatience), p.service.Close())
}

// ShutDown ends a server: calls under way may be answered until patience is over, and are cut off then.
func ShutDown(server *http.Server, patience time.Duration) error {
	end, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Shutdown(end); errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	} else {
		return err
	}
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
