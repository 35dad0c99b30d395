// Package openid signs people in by OpenID Connect, at a provider that a file of the embedded service's folder names.
//
// Its law: who comes back is believed only by a token that the provider signed for this service and this very attempt
// (code flow with PKCE, state and nonce). It knows no accounts: whose one it is, package people says. The provider is
// asked when a person signs in, and never before.
package openid

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/service/local/folder"
	"golang.org/x/oauth2"
)

// File is the name of the file that names the provider, in the folder of the service.
const File = "oidc.json"

// Provider is where people sign in, as the file says.
type Provider struct {
	Issuer   string `json:"issuer"`
	Name     string `json:"name,omitempty"` // for people; empty: the issuer's host
	ClientID string `json:"client_id"`
	// SecretEnv and SecretFile, which is relative to the folder, say where the client's secret is; without either it is
	// the systemd credential oidc_client_secret.
	SecretEnv  string `json:"client_secret_env,omitempty"`
	SecretFile string `json:"client_secret_file,omitempty"`
	// Domains are those of addresses whose owners get an account without an invitation, with Role.
	Domains []string `json:"domains,omitempty"`
	Role    string   `json:"role,omitempty"` // empty: translator

	secret secret.Value
	client *http.Client
	now    func() time.Time

	mu    sync.Mutex
	found *oidc.Provider // nil: it was not asked yet
}

// Bounds of what a provider answers.
const (
	mostFile   = 1 << 16
	mostAnswer = 1 << 20
	patience   = 15 * time.Second
)

// Read reads the provider of a folder; nil for a folder without the file. An error says what to change in the file.
func Read(dir string, now func() time.Time) (*Provider, error) {
	file := filepath.Join(dir, File)
	p := &Provider{now: now, client: &http.Client{Timeout: patience, Transport: bounded{http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	there, err := folder.Settings(file, mostFile, "an object with issuer, client_id and what else the manual names", p)
	if err != nil || !there {
		return nil, err
	}
	if err := p.complete(dir); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// complete checks what the file says, and finds the secret.
func (p *Provider) complete(dir string) error {
	u, err := url.Parse(p.Issuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("issuer %q: want the provider's https address", p.Issuer)
	case u.Scheme != "https" && (u.Scheme != "http" || !bound.Loopback(u.Hostname())):
		return fmt.Errorf("issuer %q: want https, or http to this machine", p.Issuer)
	case p.ClientID == "":
		return errors.New("client_id is missing: the provider gives one for a web application")
	}
	for i, domain := range p.Domains {
		domain = strings.ToLower(strings.TrimPrefix(domain, "@"))
		if domain == "" || strings.Contains(domain, "@") {
			return fmt.Errorf("domains: %q is not one like example.com", p.Domains[i])
		}
		p.Domains[i] = domain
	}
	p.Name, p.Role = cmp.Or(p.Name, u.Host), cmp.Or(p.Role, "translator")
	if p.Role != "translator" && p.Role != "reviewer" {
		return fmt.Errorf("role %q: want translator or reviewer", p.Role)
	}
	from := secret.Source{Env: p.SecretEnv, File: p.SecretFile, Credential: "oidc_client_secret"}
	found, setting, err := from.In(dir)
	if err != nil {
		return fmt.Errorf("client_secret_%s: %w", setting, err)
	}
	p.secret = found
	return nil
}

// Label is how pages name the provider; empty where there is none.
func (p *Provider) Label() string {
	if p == nil {
		return ""
	}
	return p.Name
}

// bounded is a transport whose answers have an end.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, mostAnswer), answer.Body}
	}
	return answer, err
}

// provider asks the provider for its addresses, once.
func (p *Provider) provider() (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		// The keys are asked for later, too: no request's context may end that. Each has the client's patience.
		found, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.Issuer)
		if err != nil {
			return nil, &Away{err}
		}
		p.found = found
	}
	return p.found, nil
}

// Away is of a provider that does not answer, or not as one does.
type Away struct{ err error }

func (a *Away) Error() string { return "the provider does not answer: " + a.err.Error() }

func (a *Away) Unwrap() error { return a.err }

// Attempt is what a browser keeps while its person is at the provider.
type Attempt struct {
	State, Nonce, Verifier string
	For                    string // what the page wants to remember of it
}

// Kept is an attempt as a cookie holds it.
func (a Attempt) Kept() string {
	text, _ := json.Marshal(a) // of texts alone
	return base64.RawURLEncoding.EncodeToString(text)
}

// ReadAttempt is the inverse of Kept; what cannot be read is the attempt that never succeeds.
func ReadAttempt(kept string) (a Attempt) {
	text, _ := base64.RawURLEncoding.DecodeString(kept)
	if json.Unmarshal(text, &a) != nil {
		return Attempt{}
	}
	return a
}

func (p *Provider) config(found *oidc.Provider, back string) *oauth2.Config {
	return &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.secret.Reveal(), Endpoint: found.Endpoint(),
		RedirectURL: back, Scopes: []string{oidc.ScopeOpenID, "email", "profile"}}
}

// Begin is where a person is sent, who comes back to the address back.
func (p *Provider) Begin(back, purpose string) (address string, a Attempt, err error) {
	found, err := p.provider()
	if err != nil {
		return "", a, err
	}
	a = Attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), For: purpose}
	return p.config(found, back).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), a, nil
}

// Identity is who a person is at the provider.
type Identity struct {
	Issuer, Subject string
	Address         string // empty: the provider has verified none
	Name            string
}

// Wrong is of an attempt that the provider, or its token, does not bear out. It is in words for people.
type Wrong struct {
	Words string // with verbs for Args
	Args  []any
	Cause error
}

func (w *Wrong) Error() string { return fmt.Sprintf(w.Words, w.Args...) }

func (w *Wrong) Unwrap() error { return w.Cause }

// Finish finds out who came back with an answer to an attempt.
func (p *Provider) Finish(ctx context.Context, back string, a Attempt, answer url.Values) (*Identity, error) {
	if a.State == "" || subtle.ConstantTimeCompare([]byte(a.State), []byte(answer.Get("state"))) != 1 {
		return nil, &Wrong{Words: "This sign-in was begun in another browser, or too long ago. Begin again."}
	}
	if said := answer.Get("error"); said != "" {
		return nil, &Wrong{Args: []any{p.Name}, Words: "%s did not let you in. Begin again, or sign in with a password.",
			Cause: fmt.Errorf("%.100q: %.200q", said, answer.Get("error_description"))}
	}
	found, err := p.provider()
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.config(found, back).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(a.Verifier))
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is {
		return nil, &Wrong{Args: []any{p.Name}, Words: "%s did not accept the sign-in. Begin again.", Cause: refused}
	}
	if err != nil {
		return nil, &Away{err}
	}
	raw, _ := token.Extra("id_token").(string)
	checked, err := found.VerifierContext(ctx, &oidc.Config{ClientID: p.ClientID, Now: p.now}).Verify(ctx, raw)
	unproven := &Wrong{Args: []any{p.Name}, Words: "%s sent a proof that is not for this service. Begin again; the " +
		"service's log says why."}
	if expired, is := errors.AsType[*oidc.TokenExpiredError](err); is {
		return nil, &Wrong{Args: []any{p.Name}, Words: "%s sent a proof that has expired. Begin again; if that does " +
			"not help, its clock or this machine's is wrong.", Cause: expired}
	}
	if err != nil {
		unproven.Cause = err
		return nil, unproven
	}
	if subtle.ConstantTimeCompare([]byte(checked.Nonce), []byte(a.Nonce)) != 1 {
		unproven.Cause = errors.New("the token has another nonce")
		return nil, unproven
	}
	var claims struct {
		Address  string `json:"email"`
		Verified any    `json:"email_verified"` // some providers send a text
		Name     string `json:"name"`
		Nick     string `json:"preferred_username"`
	}
	if err := checked.Claims(&claims); err != nil {
		unproven.Cause = err
		return nil, unproven
	}
	who := &Identity{Issuer: checked.Issuer, Subject: checked.Subject, Name: cmp.Or(claims.Name, claims.Nick)}
	if claims.Verified == true || claims.Verified == "true" {
		who.Address = claims.Address
	}
	return who, nil
}

// Allows reports whether the owner of an address gets an account without an invitation.
func (p *Provider) Allows(address string) bool {
	domain := strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
	return slices.Contains(p.Domains, domain)
}
