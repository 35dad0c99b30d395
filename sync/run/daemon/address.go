package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/run/process"
)

// address is the daemon's address. What it serves can be exchanged while requests are served; the address too. Where
// serving fails, the address is listened on again for as long as it takes: a new start of the daemon would end while
// another program has it.
type address struct {
	log     *zap.Logger
	changed func() // trouble may be another one
	lost    atomic.Pointer[string]
	*listening
}

// listening is one address that is listened on.
type listening struct {
	listener net.Listener // of the goroutine that serves
	at       string
	server   *http.Server
	handler  atomic.Pointer[http.Handler]
	end      chan struct{} // closed to end it,
	ended    chan struct{} // and when it has
	wish     string
}

// open listens on an address, and returns what listens: what does so already, where the address is the same; nil for no
// address.
func (d *address) open(listen string) (*listening, error) {
	switch {
	case listen == "":
		return nil, nil
	case d.listening != nil && d.listening.wish == listen:
		return d.listening, nil
	}
	listener, err := process.Listen(listen)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address in daemon.listen, or \"\" for none", err)
	}
	o := &listening{listener: listener, at: listener.Addr().String(), wish: listen, end: make(chan struct{}),
		ended: make(chan struct{})}
	o.server = serve.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*o.handler.Load()).ServeHTTP(w, r)
	}), d.log)
	return o, nil
}

// serve puts a handler behind what open returned. Another address that was served before is closed.
func (d *address) serve(o *listening, handler http.Handler) {
	if o != nil {
		o.handler.Store(&handler)
	}
	if o == d.listening {
		return
	}
	d.close()
	if d.listening = o; o != nil {
		go fault.Keep(context.Background(), "the daemon's address", func() { d.keep(o) })
	}
}

const (
	// listenFirst and listenMost are how long it takes to listen again after a failure, and after many.
	listenFirst = 100 * time.Millisecond
	listenMost  = 30 * time.Second
	// servedWell is how long an address is served before the next failure counts as the first again.
	servedWell = time.Minute
)

// keep serves an address until it is closed.
func (d *address) keep(o *listening) {
	defer close(o.ended)
	wait := listenFirst
	for {
		began := time.Now()
		err := o.server.Serve(o.listener)
		if errors.Is(err, http.ErrServerClosed) {
			return
		}
		if time.Since(began) > servedWell {
			wait = listenFirst
		}
		d.log.Error("the daemon's address is not served; it is listened on again until it is",
			zap.String("address", o.at), zap.Error(err))
		d.says("the address " + o.at + " is not served, and listened on again; ")
		for again := false; !again; wait = min(2*wait, listenMost) {
			select {
			case <-o.end:
				return
			case <-time.After(wait):
			}
			if l, err := net.Listen("tcp", o.at); err == nil {
				o.listener, again = l, true
			}
		}
		d.log.Warn("the daemon's address is served again", zap.String("address", o.at))
		d.says("")
	}
}

func (d *address) says(trouble string) {
	d.lost.Store(&trouble)
	d.changed()
}

// trouble begins a line about what the daemon does; "" where the address is served.
func (d *address) trouble() string {
	if lost := d.lost.Load(); lost != nil {
		return *lost
	}
	return ""
}

// where is the address that it listens on; "" when it does not.
func (d *address) where() string {
	if d.listening == nil {
		return ""
	}
	return d.at
}

// close ends serving. Calls under way are answered, for a moment.
func (d *address) close() {
	if d.listening == nil {
		return
	}
	close(d.end)
	if err := process.ShutDown(d.server, servePatience); err != nil {
		d.log.Warn("cannot close the daemon's address", zap.Error(err))
	}
	<-d.ended
	d.listening = nil
	d.says("")
}
