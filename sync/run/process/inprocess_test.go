package process

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

// A call that never ends does not keep a server from ending: it is given up.
func TestShutDownHasABound(t *testing.T) {
	t.Parallel()
	reached, ended := make(chan struct{}), make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
		close(ended)
	})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }() // ends with ErrServerClosed
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listener.Addr().String(), nil)
		if err != nil {
			return
		}
		if answer, err := http.DefaultTransport.RoundTrip(request); err == nil {
			answer.Body.Close()
		}
	}()
	<-reached
	if err := ShutDown(server, 20*time.Millisecond); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-ctx.Done():
		t.Error("the call goes on")
	}
}
