package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/web"
)

// door is the daemon's address. What it serves can be exchanged while somebody is being served; the address too.
type door struct {
	log    *zap.Logger
	hearts *heartbeat.Set
	*opened
}

// opened is one address that is listened on.
type opened struct {
	listener net.Listener
	server   *http.Server
	handler  atomic.Pointer[http.Handler]
	ended    chan struct{}
	heart    *heartbeat.Heart
	wish     string
}

// open listens on an address, and returns what listens: what does so already, where the address is the same; nil for no address.
func (d *door) open(listen string) (*opened, error) {
	switch {
	case listen == "":
		return nil, nil
	case d.opened != nil && d.opened.wish == listen:
		return d.opened, nil
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, usageError{fmt.Errorf("listen on %s: %w; choose another address in daemon.listen, or \"\" for none", listen, err)}
	}
	o := &opened{listener: listener, wish: listen, ended: make(chan struct{})}
	o.server = web.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*o.handler.Load()).ServeHTTP(w, r) }), d.log)
	return o, nil
}

// serve puts a handler behind what open returned. Another address that was served before is closed.
func (d *door) serve(o *opened, handler http.Handler) {
	if o != nil {
		o.handler.Store(&handler)
	}
	if o == d.opened {
		return
	}
	d.close()
	if d.opened = o; o == nil {
		return
	}
	o.heart = d.hearts.Begin("the daemon's address " + o.wish)
	o.heart.Rest() // it moves when somebody calls
	go func() {
		defer close(o.ended)
		if err := o.server.Serve(o.listener); !errors.Is(err, http.ErrServerClosed) {
			o.heart.Fail()
			d.log.Error("the daemon's address is not served any more", zap.Error(err))
		}
	}()
}

// address is where it listens; "" when it does not.
func (d *door) address() string {
	if d.opened == nil {
		return ""
	}
	return d.listener.Addr().String()
}

// close ends serving. Calls under way are answered, for a moment.
func (d *door) close() {
	if d.opened == nil {
		return
	}
	if err := shutDown(d.server, servePatience); err != nil {
		d.log.Warn("close the daemon's address", zap.Error(err))
	}
	<-d.ended
	d.heart.End()
	d.opened = nil
}
