package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"

	"go.uber.org/zap"
)

// Bounds of what notifications of the service may hold.
const (
	maxCallback = 64 << 10
	maxIDs      = 1000
)

// equal compares secrets in a time that tells nothing about them, not even how long they are.
func equal(got, want string) bool {
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

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
