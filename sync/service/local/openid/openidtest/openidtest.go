// Package openidtest is a provider of OpenID Connect for tests, at an address of this machine: discovery, keys, code
// flow with PKCE, and tokens that it signs.
package openidtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The client that the provider knows.
const (
	ClientID = "locsync"
	Secret   = "client secret"
)

// Provider is a running one.
type Provider struct {
	URL    string
	server *httptest.Server

	mu     sync.Mutex
	claims map[string]any // of the person who is signed in there
	change func(claims map[string]any)
	denied bool
	now    func() time.Time
	key    *rsa.PrivateKey
	kid    int
	forged bool
	codes  map[string]url.Values // the questions, by code
	asked  map[string]int        // by path
}

// New starts a provider, which ends with the test.
func New(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{codes: map[string]url.Values{}, asked: map[string]int{}, now: time.Now}
	p.Rotate(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("/keys", p.keys)
	mux.HandleFunc("/authorize", p.authorize)
	mux.HandleFunc("/token", p.token)
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked[r.URL.Path]++
		mux.ServeHTTP(w, r)
	}))
	p.URL = p.server.URL
	t.Cleanup(p.Close)
	return p
}

// Close ends it.
func (p *Provider) Close() { p.server.Close() }

// File is the file that names the provider, with more members.
func (p *Provider) File(more string) string {
	return fmt.Sprintf(`{"issuer": %q, "name": "Example", "client_id": %q, "client_secret_env": "LOCSYNC_OIDC_SECRET"%s}`,
		p.URL, ClientID, more)
}

// Person has a person be signed in there.
func (p *Provider) Person(subject, address string, verified any, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = map[string]any{"sub": subject, "email": address, "email_verified": verified, "name": name}
}

// Change has each token changed before it is signed; nil: none. With deny people are sent back without a code.
func (p *Provider) Change(change func(claims map[string]any), deny bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change, p.denied = change, deny
}

// Rotate has the provider sign with a new key; the one before is not known any more.
func (p *Provider) Rotate(t testing.TB) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key = key
	p.kid++
}

// Forge has the provider sign with a key that it does not publish.
func (p *Provider) Forge(t testing.TB) {
	t.Helper()
	p.Rotate(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forged = true
}

// Asked counts the requests for a path.
func (p *Provider) Asked(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize",
		"token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"}})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	public := &p.key.PublicKey
	if p.forged {
		other, _ := rsa.GenerateKey(rand.Reader, 2048)
		public = &other.PublicKey
	}
	answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig",
		"kid": strconv.Itoa(p.kid), "n": encode(public.N.Bytes()), "e": encode(big.NewInt(int64(public.E)).Bytes())}}})
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back := q.Get("redirect_uri")
	if q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" ||
		q.Get("state") == "" || q.Get("nonce") == "" {
		http.Error(w, "not such a question: "+q.Encode(), http.StatusBadRequest)
		return
	}
	said := url.Values{"state": {q.Get("state")}}
	if p.denied {
		said.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.codes[code] = q
		said.Set("code", code)
	}
	http.Redirect(w, r, back+"?"+said.Encode(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	question, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if id == "" {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	secret, _ = url.QueryUnescape(secret)
	switch {
	case id != ClientID || secret != Secret:
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	case !known || question.Get("code_challenge") != encode(sum[:]) ||
		question.Get("redirect_uri") != r.PostFormValue("redirect_uri"):
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": p.URL, "aud": ClientID, "nonce": question.Get("nonce"),
		"iat": p.now().Unix(), "exp": p.now().Add(time.Minute).Unix()}
	for name, value := range p.claims {
		claims[name] = value
	}
	if p.change != nil {
		p.change(claims)
	}
	answer(w, http.StatusOK, map[string]any{"access_token": "none", "token_type": "Bearer", "id_token": p.sign(claims)})
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (p *Provider) sign(claims map[string]any) string {
	head, _ := json.Marshal(map[string]string{"alg": "RS256", "kid": strconv.Itoa(p.kid)})
	body, _ := json.Marshal(claims)
	text := encode(head) + "." + encode(body)
	sum := sha256.Sum256([]byte(text))
	signature, _ := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	return text + "." + encode(signature)
}
