package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"go.uber.org/zap"
)

// Bounds of what notifications may hold. Git hosts send whole lists of commits.
const (
	maxWebhook  = 25 << 20
	maxCallback = 64 << 10
	maxIDs      = 1000
)

// webhook takes the push events of git hosts. Its signature is checked against the configured secret; what it says is not read: the pass
// that it wakes fetches and looks.
func (s *server) webhook(w http.ResponseWriter, r *http.Request) {
	if s.WebhookSecret == "" {
		plain(w, http.StatusForbidden, "no webhook secret is configured (daemon.webhook_secret_env)")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWebhook))
	if err != nil {
		plain(w, http.StatusRequestEntityTooLarge, "too large")
		return
	}
	signed := false
	switch r.PathValue("host") {
	case "github":
		hexed, ok := strings.CutPrefix(r.Header.Get("X-Hub-Signature-256"), "sha256=")
		signed = ok && s.signature(body, hexed)
	case "gitea":
		signed = s.signature(body, r.Header.Get("X-Gitea-Signature")) || s.signature(body, r.Header.Get("X-Forgejo-Signature"))
	case "gitlab":
		signed = equal(r.Header.Get("X-Gitlab-Token"), s.WebhookSecret)
	default:
		plain(w, http.StatusNotFound, "webhooks of github, gitlab and gitea are known")
		return
	}
	if !signed {
		plain(w, http.StatusForbidden, "the signature does not fit the secret")
		return
	}
	s.Engine.PushSoon("", "webhook of "+r.PathValue("host"))
	plain(w, http.StatusAccepted, "looking")
}

func (s *server) signature(body []byte, hexed string) bool {
	got, err := hex.DecodeString(hexed)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(s.WebhookSecret))
	mac.Write(body)
	return hmac.Equal(got, mac.Sum(nil))
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
