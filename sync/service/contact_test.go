package service

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// certificateUntil is one for this machine that ends then, and the pool that trusts it.
func certificateUntil(t *testing.T, end time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ours"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: end,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(made)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// A contact tells what it met: the peer, the service's clock, and how long it took; it asks once, also where that may
// work later.
func TestContact(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"in sync": 0, "ahead": time.Hour, "behind": -time.Hour} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
			say(200, `{"id":"x","name":"n"}`)(w, r)
		})
		c := s.Client(t, func(o *Options) { o.AccountID = t.Name() + name })
		met, err := c.Contact(t.Context())
		if err != nil || met.Address != s.URL || "http://"+met.Peer != s.URL || met.RoundTrip <= 0 ||
			met.Certificate != nil || met.TLS != "" {
			t.Errorf("%s: %+v, %v", name, met, err)
		}
		if off := met.Ahead - ahead; !met.Told || off > time.Second || off < -2*time.Second {
			t.Errorf("%s: the clock is ahead by %v, want %v", name, met.Ahead, ahead)
		}
	}
	for status, kind := range map[int]error{503: ErrTemporary, 401: ErrAuth, 429: ErrRate} {
		s := serve(t, say(status, `{}`))
		met, err := s.Client(t).Contact(t.Context())
		if !errors.Is(err, kind) || met.RoundTrip <= 0 || len(s.Seen()) != 1 {
			t.Errorf("%d: %+v, %v after %d requests", status, met, err, len(s.Seen()))
		}
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c, err := New(Options{BaseURL: gone.URL})
	if err != nil {
		t.Fatal(err)
	}
	if met, err := c.Contact(t.Context()); !errors.Is(err, ErrTemporary) || met.Peer != "" || met.RoundTrip != 0 ||
		met.Told {
		t.Errorf("nobody listens: %+v, %v", met, err)
	}
}

// The certificate is told of whether it is accepted or not.
func TestContactTellsOfTheCertificate(t *testing.T) {
	for name, x := range map[string]struct {
		ends    time.Duration
		trusted bool
		fails   string
	}{
		"good":    {30 * 24 * time.Hour, true, ""},
		"expired": {-time.Hour, true, "expired"},
		"unknown": {time.Hour, false, "unknown authority"},
	} {
		ends := time.Now().Add(x.ends).Truncate(time.Second)
		certificate, pool := certificateUntil(t, ends)
		s := httptest.NewUnstartedServer(say(200, `{"id":"x"}`))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
		s.StartTLS()
		t.Cleanup(s.Close)
		transport := newTransport()
		transport.TLSClientConfig = &tls.Config{}
		if x.trusted {
			transport.TLSClientConfig.RootCAs = pool
		}
		t.Cleanup(transport.CloseIdleConnections)
		c, err := New(Options{BaseURL: s.URL, Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		met, err := c.Contact(t.Context())
		if (err == nil) != (x.fails == "") || err != nil && !strings.Contains(err.Error(), x.fails) {
			t.Errorf("%s: %v", name, err)
		}
		if "https://"+met.Peer != s.URL || met.Certificate == nil || !met.Certificate.Expires.Equal(ends) ||
			len(met.Certificate.Names) != 1 || !strings.Contains(met.Certificate.Issuer, "ours") {
			t.Errorf("%s: %+v", name, met)
		}
		if (met.TLS == "TLS 1.3") != (err == nil) {
			t.Errorf("%s: protocol %q", name, met.TLS)
		}
	}
}
