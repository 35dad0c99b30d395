package web

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"go.uber.org/zap"
)

// The embedded service is in the daemon's process, where no other command can call it. So the daemon has a second
// private address for it.
const serviceFile = "service.json"

// tokenHeader carries the token of service.json; Authorization is the service's own.
const tokenHeader = "X-Locsync-Token"

// aliveness is the path at which the address shows that it is the one of the file, and not another program's after a
// crash.
const aliveness = "/locsync/alive"

// ServeService lets commands of this machine call the daemon's embedded service until ctx ends, and takes its file
// away.
func ServeService(ctx context.Context, dir string, service http.Handler) error {
	address, err := openPrivate(filepath.Join(dir, serviceFile), "calls of the embedded service")
	if err != nil {
		return err
	}
	server := serve.NewServer(guarded(address.ticket.Token, service), zap.NewNop())
	return address.serve(ctx, server, servicePatience) // the service must not be called when it closes
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
	ticket, err := readTicket(filepath.Join(dir, serviceFile))
	if err != nil {
		return nil, err
	}
	t := through{transport: &http.Transport{DisableCompression: true}, ticket: ticket}
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
