package forgetest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// App is a GitHub App that is installed in the repository. A server that has one takes only tokens of its installation.
type App struct {
	ID  string
	Key *rsa.PublicKey

	issued int
	until  time.Time
}

// installation is the number of the App's installation in the repository.
const installation = 4711

// accepts reports whether the server takes a token: the one that was issued last, for an hour, where it has an App.
func (s *Server) accepts(token string) bool {
	if s.App == nil {
		return token == Token
	}
	return token == fmt.Sprintf("ghs_%d", s.App.issued) && s.Now().Before(s.App.until)
}

// answerApp answers the calls that an App signs with its own key.
func (s *Server) answerApp(r *http.Request) (answer, bool) {
	path := r.URL.EscapedPath()
	issues := path == fmt.Sprintf("/api/v3/app/installations/%d/access_tokens", installation)
	if s.App == nil || !issues && path != "/api/v3/repos/acme/app/installation" {
		return answer{}, false
	}
	if why := s.App.refuses(r.Header.Get("Authorization"), s.Now()); why != "" {
		return answer{status: http.StatusUnauthorized, body: gitHubError("401", why, "")}, true
	}
	if !issues {
		body := object{"id": installation, "app_id": 1, "account": object{"login": "acme"}}
		return answer{status: http.StatusOK, body: body}, true
	}
	var asked struct{ Repositories []string }
	if json.NewDecoder(r.Body).Decode(&asked) != nil || !slices.Equal(asked.Repositories, []string{"app"}) {
		return answer{status: http.StatusUnprocessableEntity, body: gitHubError("422", "There is at least one repository "+
			"that does not exist or is not accessible to the parent installation.", "")}, true
	}
	s.App.issued++
	s.App.until = s.Now().Add(time.Hour)
	return answer{status: http.StatusCreated, body: object{"token": fmt.Sprintf("ghs_%d", s.App.issued),
		"expires_at": s.App.until.UTC().Format(time.RFC3339), "permissions": object{"pull_requests": "write"}}}, true
}

// refuses says in GitHub's words why a claim does not count; "" where it does.
func (a *App) refuses(authorization string, now time.Time) string {
	claim, _ := strings.CutPrefix(authorization, "Bearer ")
	parts := strings.Split(claim, ".")
	if len(parts) != 3 {
		return "A JSON web token could not be decoded"
	}
	var said struct {
		Iat, Exp int64
		Iss      string
	}
	body, berr := base64.RawURLEncoding.DecodeString(parts[1])
	signature, serr := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	switch {
	case berr != nil || serr != nil || json.Unmarshal(body, &said) != nil,
		rsa.VerifyPKCS1v15(a.Key, crypto.SHA256, sum[:], signature) != nil, said.Iss != a.ID:
		return "A JSON web token could not be decoded"
	case said.Exp > now.Add(10*time.Minute).Unix():
		return "'Expiration time' claim ('exp') is too far in the future"
	case said.Exp < now.Unix() || said.Iat > now.Unix():
		return "'Expiration time' claim ('exp') must be a numeric value representing the future time"
	}
	return ""
}
