package forge

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// app signs calls as a GitHub App does: with a token of its installation in one repository, which GitHub gives for an
// hour against a claim that the App's private key signs. Neither is stored.
type app struct {
	key          *rsa.PrivateKey
	caller       caller // of the App's own calls
	path, name   string // of the repository
	installation int64
	token        string
	until        time.Time // when the token ends; zero before the first one
}

// newApp is the App whose key in PEM, as GitHub gives it (PKCS #1) or as openssl converts it (PKCS #8), is the caller's
// token.
func newApp(c *caller, path, name string) (*app, error) {
	block, _ := pem.Decode([]byte(c.token))
	if block == nil {
		return nil, errors.New("with app_id the token is the App's private key, and what was found is none: it begins " +
			"with -----BEGIN RSA PRIVATE KEY-----; make one in the settings of the App and name its file in token_file")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		other, perr := x509.ParsePKCS8PrivateKey(block.Bytes)
		key, _ = other.(*rsa.PrivateKey)
		if perr != nil || key == nil {
			return nil, errors.New("the App's private key cannot be read; make another one in the settings of the App")
		}
	}
	own := *c
	own.header = c.header.Clone()
	return &app{key: key, caller: own, path: path, name: name}, nil
}

// sign gives a token that is valid for at least a minute.
func (a *app) sign(ctx context.Context) (string, error) {
	now := a.caller.now()
	if now.Add(time.Minute).Before(a.until) {
		return a.token, nil
	}
	claim, err := a.claim(now)
	if err != nil {
		return "", err
	}
	a.caller.signWith(claim)
	if a.installation == 0 {
		var found struct {
			ID int64 `json:"id"`
		}
		_, err := a.caller.call(ctx, "look for the App's installation", http.MethodGet, a.path+"/installation", nil, nil,
			&found)
		if err != nil {
			return "", appError(err)
		}
		a.installation = found.ID
	}
	var token struct {
		Token string    `json:"token"`
		Until time.Time `json:"expires_at"`
	}
	tokens := fmt.Sprintf("/app/installations/%d/access_tokens", a.installation)
	_, err = a.caller.call(ctx, "ask for a token of the App's installation", http.MethodPost, tokens, nil,
		map[string]any{"repositories": []string{a.name}}, &token)
	if err != nil {
		return "", appError(err)
	}
	if token.Token == "" {
		return "", a.caller.strange("ask for a token of the App's installation", "it has no token")
	}
	a.token, a.until = token.Token, token.Until
	return a.token, nil
}

// appError says what to do about a call that the App's own key signed.
func appError(err error) error {
	if e, is := errors.AsType[*Error](err); is {
		switch e.Status {
		case http.StatusUnauthorized:
			e.Try = "look whether app_id and the private key are of one App, and whether this machine's clock is right"
		case http.StatusNotFound:
			e.Try = "install the App in the repository, and check repository and url"
		}
	}
	return err
}

// claim says who the App is, for nine minutes, as RFC 7519 writes it. It begins a minute ago, for clocks that differ.
func (a *app) claim(now time.Time) (string, error) {
	body, err := json.Marshal(map[string]any{"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix(),
		"iss": a.caller.appID})
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	claim := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(body)
	sum := sha256.Sum256([]byte(claim))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, sum[:])
	return claim + "." + encode(signature), err
}
