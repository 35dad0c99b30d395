package forge_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/gitops/forge/forgetest"
)

func privateKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func inPEM(key *rsa.PrivateKey) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// A GitHub App asks once for a token, and again when that ends; requests and comments are signed with it, and neither
// it nor the key is in an error.
func TestApp(t *testing.T) {
	key, now := privateKey(t), time.Now()
	s := forgetest.Start(t, "github")
	s.Now = func() time.Time { return now }
	s.App = &forgetest.App{ID: "Iv23liABC", Key: &key.PublicKey}
	f := client(t, s, func(o *forge.Options) { o.Token, o.AppID, o.Now = inPEM(key), "Iv23liABC", s.Now })
	made, err := forge.Ensure(t.Context(), f, wanted("1"), forge.Memory{})
	if err != nil || made.Did != forge.Made {
		t.Fatalf("%+v, %v", made, err)
	}
	const token = "POST /api/v3/app/installations/4711/access_tokens"
	calls := s.Calls()
	first := []string{"GET /api/v3/repos/acme/app/installation", token}
	if !slices.Equal(calls[:2], first) || slices.Contains(calls[2:], token) {
		t.Errorf("it called %q", calls)
	}
	s.Fault = func(r *http.Request, _ int) *forgetest.Fault { // GitHub's words have what it was sent
		if strings.HasSuffix(r.URL.Path, "/pulls") {
			return &forgetest.Fault{Status: 400, Body: `{"message":"no: ` + r.Header.Get("Authorization") + `"}`}
		}
		return nil
	}
	if _, err := f.Find(t.Context(), "l10n", "main"); err == nil || strings.Contains(err.Error(), "ghs_") {
		t.Errorf("the token is in %v", err)
	}
	s.Fault = nil
	s.Calls()
	now = now.Add(59*time.Minute + 30*time.Second)
	if _, err := f.Find(t.Context(), "l10n", "main"); err != nil {
		t.Fatal(err)
	}
	if calls := s.Calls(); calls[0] != token || len(calls) != 2 {
		t.Errorf("half a minute before the token ends it called %q", calls)
	}
}

func TestAppRefused(t *testing.T) {
	key, other := privateKey(t), privateKey(t)
	for name, c := range map[string]struct {
		id     string
		key    *rsa.PrivateKey
		status int // that the installation is answered with
		is     error
		says   string
	}{
		"another App":       {"2", key, 0, forge.ErrToken, "app_id and the private key are of one App"},
		"another App's key": {"1", other, 0, forge.ErrToken, "app_id and the private key are of one App"},
		"not installed":     {"1", key, 404, forge.ErrNotFound, "install the App in the repository"},
		"out of order":      {"1", key, 502, forge.ErrTemporary, "502"},
	} {
		t.Run(name, func(t *testing.T) {
			s := forgetest.Start(t, "github")
			s.App = &forgetest.App{ID: "1", Key: &key.PublicKey}
			s.Fault = func(r *http.Request, _ int) *forgetest.Fault {
				if c.status != 0 && strings.HasSuffix(r.URL.Path, "/installation") {
					return &forgetest.Fault{Status: c.status, Body: `{"message":"Not Found"}`}
				}
				return nil
			}
			f := client(t, s, func(o *forge.Options) { o.Token, o.AppID = inPEM(c.key), c.id })
			_, err := f.Find(t.Context(), "l10n", "main")
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "PRIVATE") {
				t.Errorf("%v, want %v with %q", err, c.is, c.says)
			}
		})
	}
	gitLab := forge.Options{Kind: "gitlab", URL: "https://gitlab.com", Repository: "a/b", AppID: "1"}
	if _, err := forge.New(gitLab); err == nil {
		t.Error("GitLab has no Apps, and nothing is said")
	}
	for name, private := range map[string]string{
		"a token": "ghp_0123456789", "a public key": "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n",
	} {
		_, err := forge.New(forge.Options{Kind: "github", URL: "https://github.com", Repository: "a/b", Token: private,
			AppID: "1"})
		if err == nil || strings.Contains(err.Error(), "ghp_0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
