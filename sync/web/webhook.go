package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/engine"
)

// Bounds of a webhook. Git hosts send whole lists of commits, of which only the signature is looked at: what an event is about stands at its
// beginning, and an event that hides it is about anything.
const (
	maxWebhook = 25 << 20 // GitHub sends no more
	maxEvent   = 1 << 20  // that is kept and read
	maxHeard   = 1024     // deliveries that are remembered
	maxReads   = 64       // bodies that are read at one time: whoever has no secret may send one to the end, where it is signed
)

// reads has a place for each body that may be read at one time.
type reads chan struct{}

// answer is what becomes of a webhook or a notification. outcome is one of the words that Meter.notified knows.
type answer struct {
	code          int
	outcome, text string
}

// webhook takes the push events of git hosts. The signature is checked against the configured secret before anything of it is believed, and a
// delivery that comes again rings no second time. What a push changed is not read: the pass that it wakes fetches and looks.
func (s *server) webhook(w http.ResponseWriter, r *http.Request) {
	host := r.PathValue("host")
	g, known := gitHosts[host]
	if !known {
		refuse(w, http.StatusNotFound, "webhooks of github, gitlab and gitea are known")
		return
	}
	event, a := s.proved(w, r, g)
	if a.outcome == "" {
		a = s.judge(r, host, g, event)
	}
	s.say(w, host, a)
}

// say answers, and counts what becomes of it.
func (s *server) say(w http.ResponseWriter, source string, a answer) {
	s.Meter.notified(source, a.outcome)
	if a.outcome == outcomeRefused {
		refuse(w, a.code, a.text)
		return
	}
	plain(w, a.code, a.text)
}

// proved reads an event, or its beginning, from somebody who knows the secret. Else the answer says what is wrong.
func (s *server) proved(w http.ResponseWriter, r *http.Request, g gitHost) (event []byte, a answer) {
	no := func(code int, text string) ([]byte, answer) { return nil, answer{code, outcomeRefused, text} }
	if s.WebhookSecret == "" {
		return no(http.StatusForbidden, "no webhook secret is configured (daemon.webhook_secret_env)")
	}
	if r.ContentLength > maxWebhook {
		return no(http.StatusRequestEntityTooLarge, "too large")
	}
	proof, refusal := g.begin(r.Header, s.WebhookSecret, time.Now())
	if refusal != "" {
		return no(http.StatusForbidden, refusal)
	}
	select {
	case s.reads <- struct{}{}:
		defer func() { <-s.reads }()
	default:
		w.Header().Set("Retry-After", "10")
		return no(http.StatusServiceUnavailable, "too many events come at one time; send it again")
	}
	body := io.Reader(s.body(w, r, maxWebhook))
	if proof.sum != nil {
		body = io.TeeReader(body, proof.sum)
	}
	var begin bytes.Buffer
	_, err := io.Copy(&begin, io.LimitReader(body, maxEvent))
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	if err != nil {
		return no(unread(err))
	}
	if proof.sum != nil && !proof.fits(proof.sum.Sum(nil)) {
		return no(http.StatusForbidden, "the signature does not fit the secret")
	}
	return begin.Bytes(), answer{}
}

// judge rings where an event of a host concerns somebody here.
func (s *server) judge(r *http.Request, host string, g gitHost, event []byte) answer {
	heard := func(text string) answer { return answer{http.StatusOK, outcomeHeard, "heard; " + text} }
	if kind := first(r.Header, g.kinds); kind != "" && !slices.Contains(g.push, strings.ToLower(kind)) {
		return heard("only pushes are looked at")
	}
	push, ok := readPush(event)
	if !ok {
		return heard("only pushes of branches are looked at")
	}
	if id := first(r.Header, g.deliveries); id != "" && !s.heard.first(host+" "+id) {
		return answer{http.StatusOK, outcomeRepeated, "heard before"}
	}
	woken := s.Engine.PushedTo(r.Context(), push, "webhook of "+host)
	if len(woken) == 0 {
		return heard("no project here is of that repository and looks at that branch")
	}
	return answer{http.StatusAccepted, outcomeWoken, "looking: " + strings.Join(woken, ", ")}
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
		switch name {
		case "ref":
			text := textOf(value)
			branch, is := strings.CutPrefix(text, "refs/heads/")
			if !is && text != "" {
				return push, false
			}
			push.Branch = branch
		case "event_name", "object_kind":
			if text := textOf(value); text != "" && text != "push" {
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

// textOf is a value that is a text; "" for any other.
func textOf(value json.RawMessage) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
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
