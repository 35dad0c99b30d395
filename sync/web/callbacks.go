package web

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/pass/engine"
)

// Bounds of what notifications of the service may hold.
const (
	maxCallback = 64 << 10
	maxIDs      = 1000
)

// callbacks takes the notifications of the service.
type callbacks struct {
	engine   *engine.Engine
	header   Header // that each must carry; without a value they are refused
	meter    *Meter
	log      *zap.Logger
	bodyTime time.Duration
}

// serve takes the service's notifications (the service interface, "Events"): answered at once, and only ever a
// reason to pull soon.
func (c *callbacks) serve(w http.ResponseWriter, r *http.Request) {
	event := r.PathValue("object") + "/" + r.PathValue("event")
	switch event {
	case "project/status", "document/status", "document/exportRequestCompleted", "document/translationImportCompleted":
	default:
		refuse(w, http.StatusNotFound, "not a notification of the service")
		return
	}
	ids, a := c.notification(w, r)
	if a.outcome == "" {
		a = c.notice(event, ids)
	}
	a.reply(w, c.meter, "service")
}

// notification reads a request that knows the secret. Else the answer says what is wrong.
func (c *callbacks) notification(w http.ResponseWriter, r *http.Request) (ids []string, a answer) {
	no := func(code int, text string) ([]string, answer) { return nil, answer{code, outcomeRefused, text} }
	switch {
	case c.header.Value == "":
		return no(http.StatusForbidden, "no callback secret is configured (daemon.callback_secret_env)")
	case !equal(r.Header.Get(c.header.Name), c.header.Value):
		return no(http.StatusForbidden, "the header "+c.header.Name+" does not fit the secret")
	case r.ContentLength > maxCallback:
		return no(http.StatusRequestEntityTooLarge, "too large")
	}
	body, err := io.ReadAll(bodyOf(w, r, maxCallback, c.bodyTime))
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
func (c *callbacks) notice(event string, ids []string) answer {
	woken := c.engine.Notified("notification of the service", func(id string) bool {
		switch event {
		case "project/status":
			return slices.ContainsFunc(ids, func(named string) bool { return strings.EqualFold(named, id) })
		case "document/status", "document/translationImportCompleted":
			return true // documents belong to projects that are not named here; a pull without changes is cheap
		}
		return false
	})
	c.log.Debug("notified by the service", zap.String("event", event), zap.Int("identifiers", len(ids)),
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
