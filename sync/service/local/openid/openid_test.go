package openid_test

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/openid"
	"github.com/locsync/locsync/sync/service/local/openid/openidtest"
)

// read reads the file of a provider in a folder.
func read(t *testing.T, text string) (*openid.Provider, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, openid.File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return openid.Read(dir, time.Now)
}

func TestRead(t *testing.T) {
	if p, err := openid.Read(t.TempDir(), time.Now); p != nil || err != nil {
		t.Errorf("without a file: %+v, %v", p, err)
	}
	t.Setenv("CREDENTIALS_DIRECTORY", "")
	t.Setenv("LOCSYNC_OIDC_SECRET", "s")
	for _, c := range []struct{ text, want string }{
		{`{"issuer": "https://id.example.com", "client_id": "c", "client_secret_env": "LOCSYNC_OIDC_SECRET", "domains": ["@Example.com"]}`,
			""},
		{`{"issuer": "id.example.com", "client_id": "c"}`, "want the provider's https address"},
		{`{"issuer": "http://id.example.com", "client_id": "c"}`, "want https"},
		{`{"issuer": "https://id.example.com"}`, "client_id is missing"},
		{`{"issuer": "https://id.example.com", "client_id": "c"}`, "client_secret_file: there is none"},
		{`{"issuer": "https://id.example.com", "client_id": "c", "domains": ["a@b.c"]}`, "is not one like example.com"},
		{`{"issuer": "https://id.example.com", "client_id": "c", "role": "king"}`, "want translator or reviewer"},
		{`{"client_secret": "s"}`, "unknown field"},
	} {
		p, err := read(t, c.text)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %q", c.text, err, c.want)
		}
		if err == nil && (p.Name != "id.example.com" || !p.Allows("anna@EXAMPLE.com") || p.Allows("anna@example.com.evil") ||
			p.Allows(`"a@example.com"@evil`) || p.Allows("")) {
			t.Errorf("%+v", p)
		}
	}
}

// visit goes to the provider and returns what comes back from it.
func visit(t *testing.T, address string) url.Values {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		t.Fatal(answer.Status)
	}
	return back.Query()
}

// Only a token that the provider has signed for this service and attempt, and that holds, tells who comes.
func TestFinish(t *testing.T) {
	const back = "https://l10n.example.com/translate/oidc-back"
	claim := func(name string, value any) func(map[string]any) {
		return func(claims map[string]any) { claims[name] = value }
	}
	for _, c := range []struct {
		name     string
		change   func(claims map[string]any)
		attempt  func(a *openid.Attempt)
		prepare  func(p *openidtest.Provider)
		deny     bool
		secret   string
		verified any
		want     string // of the error; empty: a person comes
		address  string
	}{
		{name: "a person", verified: true, address: "anna@example.com"},
		{name: "verified as a text", verified: "true", address: "anna@example.com"},
		{name: "not verified", verified: false},
		{name: "said nothing of it"},
		{name: "keys were rotated", verified: true, address: "anna@example.com",
			prepare: func(p *openidtest.Provider) { p.Rotate(t) }},
		{name: "forged", prepare: func(p *openidtest.Provider) { p.Forge(t) }, want: "not for this service"},
		{name: "wrong nonce", change: claim("nonce", "another"), want: "not for this service"},
		{name: "no nonce", change: claim("nonce", ""), want: "not for this service"},
		{name: "wrong audience", change: claim("aud", "another"), want: "not for this service"},
		{name: "wrong issuer", change: claim("iss", "https://evil.example.com"), want: "not for this service"},
		{name: "expired", change: claim("exp", time.Now().Add(-time.Hour).Unix()), want: "has expired"},
		{name: "denied", deny: true, want: "did not let you in"},
		{name: "another state", attempt: func(a *openid.Attempt) { a.State = "x" }, want: "in another browser"},
		{name: "no attempt", attempt: func(a *openid.Attempt) { *a = openid.Attempt{} }, want: "in another browser"},
		{name: "another verifier", attempt: func(a *openid.Attempt) { a.Verifier = "x" }, want: "did not accept"},
		{name: "wrong secret", secret: "guess", want: "did not accept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := openidtest.New(t)
			t.Setenv("LOCSYNC_OIDC_SECRET", openidtest.Secret)
			if c.secret != "" {
				t.Setenv("LOCSYNC_OIDC_SECRET", c.secret)
			}
			p, err := read(t, at.File(""))
			if err != nil {
				t.Fatal(err)
			}
			if n := at.Asked("/.well-known/openid-configuration"); n != 0 {
				t.Errorf("asked %d times at the start", n)
			}
			at.Person("1", "anna@example.com", c.verified, "Anna")
			for range 2 { // the keys of the first time are known the second time
				if c.prepare != nil {
					c.prepare(at)
				}
				address, a, err := p.Begin(back, "why")
				if err != nil {
					t.Fatal(err)
				}
				at.Change(c.change, c.deny)
				answer := visit(t, address)
				a = openid.ReadAttempt(a.Kept())
				if c.attempt != nil {
					c.attempt(&a)
				} else if a.For != "why" {
					t.Errorf("%+v", a)
				}
				who, err := p.Finish(t.Context(), back, a, answer)
				wrong, is := errors.AsType[*openid.Wrong](err)
				switch {
				case c.want == "" && (err != nil || who.Subject != "1" || who.Issuer != at.URL || who.Address != c.address ||
					who.Name != "Anna"):
					t.Errorf("%+v, %v", who, err)
				case c.want != "" && (!is || !strings.Contains(wrong.Error(), c.want)):
					t.Errorf("%+v, %v, not %q", who, err, c.want)
				}
				if c.want == "" {
					if _, err := p.Finish(t.Context(), back, a, answer); err == nil {
						t.Error("a code holds twice")
					}
				}
			}
		})
	}
}

// A provider that is away is asked again at the next attempt.
func TestAway(t *testing.T) {
	at := openidtest.New(t)
	t.Setenv("LOCSYNC_OIDC_SECRET", openidtest.Secret)
	p, err := read(t, strings.ReplaceAll(at.File(""), at.URL, at.URL+"/elsewhere"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := p.Begin("https://l10n.example.com/", ""); !errors.As(err, new(*openid.Away)) {
			t.Errorf("%v", err)
		}
	}
	if n := at.Asked("/elsewhere/.well-known/openid-configuration"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}
