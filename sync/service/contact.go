package service

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// Contact is what one request met on its way to the service, as far as it came.
type Contact struct {
	Address string // the service's, without /api/integration
	// what was connected to: the service, or a proxy before it; "" where nothing took the connection
	Peer string
	TLS  string // the protocol, "TLS 1.3"; "" over http
	// that the service showed, also one that is not accepted; nil over http, or where it did not come to that
	Certificate *Certificate
	RoundTrip   time.Duration // from the request's last byte to the answer's first; 0 where there was no answer
	Ahead       time.Duration // of the service's clock before ours, to a second; see Told
	Told        bool          // the service told its time
	Account     Account       // where the service shows it
}

// Certificate is what a service proves itself with.
type Certificate struct {
	Names   []string
	Issuer  string
	Expires time.Time
}

// Contact makes the call of Ping, once, and tells how it went on its way: for a caller that wants to know why it
// does not. The Contact is of use beside an error, too, which is that of Ping.
func (c *Client) Contact(ctx context.Context) (Contact, error) {
	met := Contact{Address: c.base.String()}
	var mu sync.Mutex // connections are made by goroutines of their own, which may outlive the request
	var wrote time.Time
	note := func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		f()
	}
	trace := &httptrace.ClientTrace{
		ConnectDone: func(_, at string, err error) {
			if err == nil {
				note(func() { met.Peer = at })
			}
		},
		TLSHandshakeDone:     func(s tls.ConnectionState, err error) { note(func() { met.shown(s, err) }) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { note(func() { wrote = time.Now() }) },
		GotFirstResponseByte: func() { note(func() { met.RoundTrip = max(time.Since(wrote), 1) }) },
	}
	account, err := c.ping(httptrace.WithClientTrace(ctx, trace), true)
	mu.Lock()
	defer mu.Unlock()
	result := met
	result.Account = account
	if ahead := c.account.ahead.Load(); ahead != nil && result.RoundTrip > 0 {
		result.Ahead, result.Told = *ahead, true
	}
	return result, err
}

// shown notes the certificate, also that of a handshake which failed because of it.
func (met *Contact) shown(s tls.ConnectionState, err error) {
	chain := s.PeerCertificates
	var refused *tls.CertificateVerificationError
	if errors.As(err, &refused) {
		chain = refused.UnverifiedCertificates
	}
	if err == nil {
		met.TLS = tls.VersionName(s.Version)
	}
	if len(chain) > 0 {
		met.Certificate = certificateOf(chain[0])
	}
}

func certificateOf(c *x509.Certificate) *Certificate {
	names := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	return &Certificate{Names: names, Issuer: c.Issuer.String(), Expires: c.NotAfter}
}

// Budget says where the requests of an account are counted.
type Budget struct {
	Folder string // "" where they are counted in this process alone
	Shared bool   // other users of this host count theirs there, too
}

// Budget is where this client's requests are counted now: another folder is used where the best one cannot be.
// It is known after a request.
func (c *Client) Budget() Budget {
	folder, shared := c.account.budget.Folder()
	return Budget{folder, shared}
}

// Ping makes a cheap call that needs the credentials, and returns the account where the service shows it: GET
// /v1/account, or else the first project of Projects.List (the service interface has no operation for that).
func (c *Client) Ping(ctx context.Context) (Account, error) { return c.ping(ctx, false) }

func (c *Client) ping(ctx context.Context, once bool) (Account, error) {
	const op = "reach the service"
	var a Account
	err := c.Do(ctx, Call{Op: op, Method: http.MethodGet, Path: wire.PathAccount, Repeatable: true, once: once,
		Read: JSON(&a)})
	if !Missing(err) {
		return a, err
	}
	var page json.RawMessage
	err = c.Do(ctx, Call{
		Op: op, Method: http.MethodGet, Path: wire.PathProjectList, Repeatable: true, once: once, Read: JSON(&page),
		Query: url.Values{wire.QueryOffset: {"0"}, wire.QueryLimit: {"1"}},
	})
	return Account{}, err
}

// Languages lists the languages that the service knows: GET /v2/directory?type=language, or the first version
// of it (published description). A service without a directory is ErrNotFound.
func (c *Client) Languages(ctx context.Context) ([]Language, error) {
	var err error
	for _, p := range []string{wire.PathDirectory, wire.PathDirectoryV1} {
		var d wire.Directory
		err = c.Do(ctx, Call{
			Op: "list languages", Method: http.MethodGet, Path: p, Repeatable: true, Read: JSON(&d),
			Query: url.Values{wire.QueryDirectoryType: {wire.DirectoryTypeLanguage}},
		})
		if !Missing(err) {
			return d.Items, err
		}
	}
	return nil, err
}
