package web

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/locsync/locsync/sync/engine"
)

// Bounds of a webhook. Git hosts send whole lists of commits, of which only the signature is looked at: what an event is about stands at its
// beginning, and an event that hides it is about anything.
const (
	maxWebhook = 25 << 20 // GitHub sends no more
	maxEvent   = 1 << 20  // that is kept and read
	maxHeard   = 1024     // deliveries that are remembered
)

// gitHost is how a git host signs what it sends, and says what it is about.
type gitHost struct {
	secret     string   // the header that has the secret itself, or
	signatures []string // the headers that may have the body's HMAC-SHA256 in hexadecimal,
	prefix     string   // behind this
	kinds      []string // the headers that may have the event's kind,
	push       []string // which is one of these for a push
	deliveries []string // the headers that may have the delivery's identifier, which a repetition has too
}

var gitHosts = map[string]gitHost{
	"github": {signatures: []string{"X-Hub-Signature-256"}, prefix: "sha256=", kinds: []string{"X-GitHub-Event"}, push: []string{"push"},
		deliveries: []string{"X-GitHub-Delivery"}},
	"gitlab": {secret: "X-Gitlab-Token", kinds: []string{"X-Gitlab-Event"}, push: []string{"push hook", "system hook"},
		deliveries: []string{"Idempotency-Key", "X-Gitlab-Event-UUID"}},
	"gitea": {signatures: []string{"X-Gitea-Signature", "X-Forgejo-Signature"}, kinds: []string{"X-Gitea-Event", "X-Forgejo-Event"}, push: []string{"push"},
		deliveries: []string{"X-Gitea-Delivery", "X-Forgejo-Delivery"}},
}

// webhook takes the push events of git hosts. The signature is checked against the configured secret before anything of it is believed, and a
// delivery that comes again rings no second time. What a push changed is not read: the pass that it wakes fetches and looks.
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
	if g.secret != "" && !equal(r.Header.Get(g.secret), s.WebhookSecret) {
		plain(w, http.StatusForbidden, g.secret+" does not fit the secret")
		return
	}
	mac := hmac.New(sha256.New, []byte(s.WebhookSecret))
	var event bytes.Buffer
	body := io.TeeReader(http.MaxBytesReader(w, r.Body, maxWebhook), mac)
	_, err := io.Copy(&event, io.LimitReader(body, maxEvent))
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	if err != nil {
		plain(w, http.StatusRequestEntityTooLarge, "too large, or cut off")
		return
	}
	if g.secret == "" && !g.signed(r.Header, mac.Sum(nil)) {
		plain(w, http.StatusForbidden, "the signature does not fit the secret")
		return
	}
	if kind := first(r.Header, g.kinds); kind != "" && !slices.Contains(g.push, strings.ToLower(kind)) {
		plain(w, http.StatusOK, "heard; only pushes are looked at")
		return
	}
	push, ok := readPush(event.Bytes())
	if !ok {
		plain(w, http.StatusOK, "heard; only pushes of branches are looked at")
		return
	}
	if id := first(r.Header, g.deliveries); id != "" && !s.heard.first(host+" "+id) {
		plain(w, http.StatusOK, "heard before")
		return
	}
	woken := s.Engine.PushedTo(r.Context(), push, "webhook of "+host)
	if len(woken) == 0 {
		plain(w, http.StatusOK, "heard; no project here is of that repository and looks at that branch")
		return
	}
	plain(w, http.StatusAccepted, "looking: "+strings.Join(woken, ", "))
}

// signed compares the signatures that there are with what the body's is.
func (g gitHost) signed(h http.Header, sum []byte) bool {
	return slices.ContainsFunc(g.signatures, func(header string) bool {
		hexed, ok := strings.CutPrefix(h.Get(header), g.prefix)
		got, err := hex.DecodeString(hexed)
		return ok && err == nil && hmac.Equal(got, sum)
	})
}

func first(h http.Header, names []string) string {
	for _, name := range names {
		if value := h.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// readPush reads the repository and the branch of an event, as far as they can be found in its beginning. ok is false when it is surely no push of a
// branch: one of a tag, or another event of GitLab's system hooks.
func readPush(event []byte) (push engine.PushEvent, ok bool) {
	if form, is := bytes.CutPrefix(event, []byte("payload=")); is { // what GitHub sends unless its settings say JSON
		event = unescaped(form)
	}
	d := json.NewDecoder(bytes.NewReader(event))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return push, true
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break // here it was cut
		}
		var text string
		_ = json.Unmarshal(value, &text)
		switch name {
		case "ref":
			branch, is := strings.CutPrefix(text, "refs/heads/")
			if !is && text != "" {
				return push, false
			}
			push.Branch = branch
		case "event_name", "object_kind":
			if text != "" && text != "push" {
				return push, false
			}
		case "repository", "project":
			var at struct {
				FullName string `json:"full_name"`           // GitHub, Gitea, Forgejo
				Path     string `json:"path_with_namespace"` // GitLab, in its project
			}
			if json.Unmarshal(value, &at) == nil && at.FullName+at.Path != "" {
				push.Repository = fmt.Sprint(at.FullName, at.Path)
			}
		}
	}
	return push, true
}

// unescaped is the value that a form begins with, as far as it is there: its beginning may end within a %XX.
func unescaped(form []byte) []byte {
	value, _, whole := bytes.Cut(form, []byte("&"))
	if at := bytes.LastIndexByte(value, '%'); !whole && at >= 0 && at > len(value)-3 {
		value = value[:at]
	}
	text, err := url.QueryUnescape(string(value))
	if err != nil {
		return nil
	}
	return []byte(text)
}

// heard remembers the last deliveries. One that was forgotten rings again, which costs a look.
type heard struct {
	mu   sync.Mutex
	ids  map[[sha256.Size]byte]bool
	ring [maxHeard][sha256.Size]byte
	next int
}

// first reports whether an identifier is new, and remembers it.
func (h *heard) first(id string) bool {
	sum := sha256.Sum256([]byte(id))
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ids[sum] {
		return false
	}
	if h.ids == nil {
		h.ids = make(map[[sha256.Size]byte]bool)
	}
	delete(h.ids, h.ring[h.next])
	h.ids[sum], h.ring[h.next] = true, sum
	h.next = (h.next + 1) % maxHeard
	return true
}
