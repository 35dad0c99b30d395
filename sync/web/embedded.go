package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"go.uber.org/zap"
)

// The embedded service is in the daemon's process, where no other command can call it. So the daemon has a second
// address on the loopback for it, which is found and guarded like the one for commands:
//
//	<state folder>/service.json   {"address": "127.0.0.1:41234", "token": "…"}   mode 0600, there while the daemon runs
const serviceFile = "service.json"

// tokenHeader carries the token of service.json; Authorization is the service's own.
const tokenHeader = "X-Locsync-Token"

// aliveness is the path at which the address shows that it is the one of the file, and not another program's after a
// crash.
const aliveness = "/locsync/alive"

// ServeService lets commands of this machine call the daemon's embedded service until ctx ends, and takes its file
// away.
func ServeService(ctx context.Context, dir string, service http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open the address for calls of the embedded service: %w", err)
	}
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return errors.Join(err, listener.Close())
	}
	ticket := controlTicket{listener.Addr().String(), hex.EncodeToString(token)}
	path := filepath.Join(dir, serviceFile)
	if err := writeTicket(path, ticket); err != nil {
		return errors.Join(err, listener.Close())
	}
	server := serve.NewServer(guarded(ticket.Token, service), zap.NewNop())
	ended := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(ended)
		end, cancel := context.WithTimeout(context.Background(), servicePatience)
		defer cancel()
		if server.Shutdown(end) != nil {
			_ = server.Close() // the service must not be called when it closes
		}
	})
	err = server.Serve(listener)
	if ctx.Err() != nil {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, os.Remove(path))
}

// servicePatience is with calls under way at the end: short, since the daemon ends within ten seconds of which its work
// may have taken most.
const servicePatience = time.Second

// guarded answers only who knows the token.
func guarded(token string, service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == aliveness && introduced(w, r, token) {
			serve.Known(r.Context())
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(token)) != 1 {
			http.Error(w, "not for you", http.StatusForbidden)
			return
		}
		serve.Known(r.Context())
		serve.Unhurried(w)
		r.Header.Del(tokenHeader)
		service.ServeHTTP(w, r)
	})
}

// ServiceTransport makes calls at the embedded service of the daemon that a state folder belongs to, whatever host they
// name. ErrNoDaemon: no daemon serves one there.
func ServiceTransport(ctx context.Context, dir string) (http.RoundTripper, error) {
	data, err := os.ReadFile(filepath.Join(dir, serviceFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	t := through{transport: &http.Transport{DisableCompression: true}}
	if err := json.Unmarshal(data, &t.ticket); err != nil {
		return nil, fmt.Errorf("read %s: %w", serviceFile, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+t.ticket.Address+aliveness, nil)
	if err != nil {
		return nil, err
	}
	introduce(req, t.ticket.Token)
	resp, err := t.transport.RoundTrip(req) // the token itself is for who has shown that it is the daemon
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	defer resp.Body.Close()
	if !vouched(resp, req, t.ticket.Token) {
		return nil, fmt.Errorf("%w: another program is at %s", ErrNoDaemon, t.ticket.Address)
	}
	return t, nil
}

// through brings requests to the address of a ticket.
type through struct {
	transport *http.Transport
	ticket    controlTicket
}

func (t through) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", t.ticket.Address
	r.Header.Set(tokenHeader, t.ticket.Token)
	return t.transport.RoundTrip(r)
}

// CloseIdleConnections drops what is kept open for the next call.
func (t through) CloseIdleConnections() { t.transport.CloseIdleConnections() }
