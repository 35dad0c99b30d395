package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"go.uber.org/zap"
)

// Bounds of what notifications may hold. Git hosts send whole lists of commits.
const (
	maxWebhook  = 25 << 20
	maxCallback = 64 << 10
	maxIDs      = 1000
)

// gitHosts is how each git host signs what it sends, and says what it is about.
var gitHosts = map[string]struct {
	secret     string   // the header that has the secret itself, or
	signatures []string // the headers that may have the body's HMAC-SHA256 in hexadecimal,
	prefix     string   // behind this
	events     []string
}{
	"github": {signatures: []string{"X-Hub-Signature-256"}, prefix: "sha256=", events: []string{"X-GitHub-Event"}},
	"gitlab": {secret: "X-Gitlab-Token", events: []string{"X-Gitlab-Event"}},
	"gitea":  {signatures: []string{"X-Gitea-Signature", "X-Forgejo-Signature"}, events: []string{"X-Gitea-Event", "X-Forgejo-Event"}},
}

// webhook takes the push events of git hosts. Its signature is checked against the configured secret; what it says is not read: the pass
// that it wakes fetches and looks.
func (s *server) webhook(w http.ResponseWriter, r *http.Request) {
	if s.WebhookSecret == "" {
		plain(w, http.StatusForbidden, "no webhook secret is configured (daemon.webhook_secret_env)")
		return
	}
	host := r.PathValue("host")
	g, known := gitHosts[host]
	if !known {
		plain(w, http.StatusNotFound, "webhooks of github, gitlab and gitea are known")
		return
	}
	signed := g.secret != "" && equal(r.Header.Get(g.secret), s.WebhookSecret)
	if len(g.signatures) > 0 {
		mac := hmac.New(sha256.New, []byte(s.WebhookSecret))
		if _, err := io.Copy(mac, http.MaxBytesReader(w, r.Body, maxWebhook)); err != nil {
			plain(w, http.StatusRequestEntityTooLarge, "too large, or cut off")
			return
		}
		sum := mac.Sum(nil)
		signed = slices.ContainsFunc(g.signatures, func(header string) bool {
			hexed, ok := strings.CutPrefix(r.Header.Get(header), g.prefix)
			got, err := hex.DecodeString(hexed)
			return ok && err == nil && hmac.Equal(got, sum)
		})
	}
	if !signed {
		plain(w, http.StatusForbidden, "the signature does not fit the secret")
		return
	}
	for _, header := range g.events {
		if event := strings.ToLower(r.Header.Get(header)); event != "" && !strings.Contains(event, "push") {
			plain(w, http.StatusOK, "heard; only pushes are looked at")
			return
		}
	}
	s.Engine.PushSoon("", "webhook of "+host)
	plain(w, http.StatusAccepted, "looking")
}

func equal(got, want string) bool { return subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1 }

// callback takes the service's notifications (the service interface, "Events"): answered at once, and only ever a reason to pull soon.
func (s *server) callback(w http.ResponseWriter, r *http.Request) {
	event := r.PathValue("object") + "/" + r.PathValue("event")
	switch event {
	case "project/status", "document/status", "document/exportRequestCompleted", "document/translationImportCompleted":
	default:
		plain(w, http.StatusNotFound, "not a notification of the service")
		return
	}
	if s.CallbackSecret == "" {
		plain(w, http.StatusForbidden, "no callback secret is configured (daemon.callback_secret_env)")
		return
	}
	if !equal(r.Header.Get(s.CallbackHeader), s.CallbackSecret) {
		plain(w, http.StatusForbidden, "the header "+s.CallbackHeader+" does not fit the secret")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCallback))
	if err != nil {
		plain(w, http.StatusRequestEntityTooLarge, "too large")
		return
	}
	ids, ok := identifiers(body)
	if !ok {
		plain(w, http.StatusBadRequest, "want a JSON array of at most 1000 strings")
		return
	}
	woken := 0
	switch event {
	case "project/status":
		woken = s.Engine.PullByID(ids, "notification of the service")
	case "document/status", "document/translationImportCompleted":
		// Documents belong to projects that are not named here; a look is cheap.
		if s.Engine.PullSoon("", "notification of the service") {
			woken = 1
		}
	}
	s.Log.Debug("notified by the service", zap.String("event", event), zap.Int("identifiers", len(ids)), zap.Int("woken", woken))
	plain(w, http.StatusOK, "heard")
}

// identifiers reads the body in the forms it may have: an array of strings, one string, or an object with the identifier in it.
func identifiers(body []byte) ([]string, bool) {
	var many []string
	if json.Unmarshal(body, &many) == nil {
		return many, len(many) <= maxIDs
	}
	var one string
	if json.Unmarshal(body, &one) == nil {
		return []string{one}, true
	}
	var object struct {
		ID     string `json:"id"`
		TaskID string `json:"taskId"`
	}
	if json.Unmarshal(body, &object) == nil && object.ID+object.TaskID != "" {
		return []string{object.ID + object.TaskID}, true
	}
	return nil, false
}
