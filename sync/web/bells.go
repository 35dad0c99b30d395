package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

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

// callback takes the service's notifications (the service interface, "Events"): answered at once, and only ever a
// reason to pull soon.
func (s *server) callback(w http.ResponseWriter, r *http.Request) {
	event := r.PathValue("object") + "/" + r.PathValue("event")
	switch event {
	case "project/status", "document/status", "document/exportRequestCompleted", "document/translationImportCompleted":
	default:
		refuse(w, http.StatusNotFound, "not a notification of the service")
		return
	}
	ids, a := s.notification(w, r)
	if a.outcome == "" {
		a = s.notice(event, ids)
	}
	s.say(w, "service", a)
}

// notification reads a request that knows the secret. Else the answer says what is wrong.
func (s *server) notification(w http.ResponseWriter, r *http.Request) (ids []string, a answer) {
	no := func(code int, text string) ([]string, answer) { return nil, answer{code, outcomeRefused, text} }
	switch {
	case s.CallbackSecret == "":
		return no(http.StatusForbidden, "no callback secret is configured (daemon.callback_secret_env)")
	case !equal(r.Header.Get(s.CallbackHeader), s.CallbackSecret):
		return no(http.StatusForbidden, "the header "+s.CallbackHeader+" does not fit the secret")
	case r.ContentLength > maxCallback:
		return no(http.StatusRequestEntityTooLarge, "too large")
	}
	body, err := io.ReadAll(s.body(w, r, maxCallback))
	if err != nil {
		return no(unread(err))
	}
	ids, ok := identifiers(body)
	if !ok {
		return no(http.StatusBadRequest, "want a JSON array of at most 1000 strings")
	}
	return ids, answer{}
}

// notice wakes the projects that a notification is, or may be, about.
func (s *server) notice(event string, ids []string) answer {
	woken := s.Engine.Notified("notification of the service", func(id string) bool {
		switch event {
		case "project/status":
			return slices.ContainsFunc(ids, func(named string) bool { return strings.EqualFold(named, id) })
		case "document/status", "document/translationImportCompleted":
			return true // documents belong to projects that are not named here; a pull without changes is cheap
		}
		return false
	})
	s.Log.Debug("notified by the service", zap.String("event", event), zap.Int("identifiers", len(ids)),
		zap.Int("woken", woken))
	if woken == 0 {
		return answer{http.StatusOK, outcomeHeard, "heard"}
	}
	return answer{http.StatusOK, outcomeWoken, "heard"}
}

// identifiers reads the body in the forms it may have: an array of strings, one string, or an object with the
// identifier in it.
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
