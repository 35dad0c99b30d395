package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/pass/engine"
)

// Bounds of a webhook. Git hosts send whole lists of commits, of which only the signature is looked at: what an event
// is about is at its beginning, and an event that hides it is about anything.
const (
	maxWebhook = 25 << 20 // GitHub sends no more
	maxEvent   = 1 << 20  // that is kept and read
	maxHeard   = 1024     // deliveries that are remembered
	maxReads   = 64       // bodies that are read at one time: the signature is known at their end
)

// webhooks takes what git hosts send.
type webhooks struct {
	engine   *engine.Engine
	secret   string // empty: they are refused
	meter    *Meter
	bodyTime time.Duration // for the body of one, once it was begun to be read
	heard    deliveries
	reads    streamSet // bodies that are being read
}

// serve takes the push events of git hosts. The signature is checked against the configured secret before anything of
// it is believed, and a delivery that comes again wakes nothing a second time. What a push changed is not read: the
// pass that it wakes fetches and looks.
func (h *webhooks) serve(w http.ResponseWriter, r *http.Request) {
	host := r.PathValue("host")
	g, known := gitHosts[host]
	if !known {
		refuse(w, http.StatusNotFound, "webhooks of github, gitlab, gitea, bitbucket and azure are known")
		return
	}
	event, a := h.proved(w, r, g)
	if a.outcome == "" {
		a = h.judge(r, host, g, event)
	}
	a.reply(w, h.meter, host)
}

// proved reads an event, or its beginning, from a sender that knows the secret. Else the answer says what is wrong.
func (h *webhooks) proved(w http.ResponseWriter, r *http.Request, g gitHost) (event []byte, a answer) {
	no := func(code int, text string) ([]byte, answer) { return nil, answer{code, outcomeRefused, text} }
	if h.secret == "" {
		return no(http.StatusForbidden, "no webhook secret is configured (daemon.webhook_secret_env)")
	}
	if r.ContentLength > maxWebhook {
		return no(http.StatusRequestEntityTooLarge, "too large")
	}
	proof, refusal := g.begin(r.Header, h.secret, time.Now())
	if refusal != "" {
		return no(http.StatusForbidden, refusal)
	}
	body := io.Reader(bodyOf(w, r, maxWebhook, h.bodyTime))
	defer h.reads.leave(h.reads.press(serve.Peer(r), maxReads, func() {
		_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // as its own time ends it
	}))
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

// judge wakes the projects that an event of a host concerns.
func (h *webhooks) judge(r *http.Request, host string, g gitHost, event []byte) answer {
	heard := func(text string) answer { return answer{http.StatusOK, outcomeHeard, "heard; " + text} }
	if kind := first(r.Header, g.kinds); kind != "" && !slices.Contains(g.push, strings.ToLower(kind)) {
		return heard("only pushes are looked at")
	}
	push, ok := readPush(event)
	if !ok {
		return heard("only pushes of branches are looked at")
	}
	if id := first(r.Header, g.deliveries); id != "" && !h.heard.first(host+" "+id) {
		return answer{http.StatusOK, outcomeRepeated, "heard before"}
	}
	woken := h.engine.PushedTo(r.Context(), push, "webhook of "+host)
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

// readPush reads the repository and the branch of an event, as far as they can be found in its beginning. ok is false
// when it is surely no push of a branch: one of a tag, or another event of GitLab's system hooks.
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
		case "event_name", "object_kind", "eventType":
			if text := textOf(value); text != "" && text != "push" && text != "git.push" {
				return push, false
			}
		case "repository", "project":
			if name := repositoryOf(value); name != "" {
				push.Repository = name
			}
		case "push", "changes", "resource":
			if branch, ok := changedBranch(value); !ok {
				return push, false
			} else if branch != "" {
				push.Branch = branch
			}
			var azure struct{ Repository json.RawMessage }
			if name == "resource" && json.Unmarshal(value, &azure) == nil {
				push.Repository = repositoryOf(azure.Repository)
			}
		}
	}
	return push, true
}

// repositoryOf is the full name in what an event says of its repository.
func repositoryOf(value json.RawMessage) string {
	var at struct {
		FullName string `json:"full_name"`           // GitHub, Gitea, Forgejo, Bitbucket Cloud
		Path     string `json:"path_with_namespace"` // GitLab, in its project
		Slug     string // Bitbucket Data Center, with the project's key
		Name     string // Azure DevOps, with the project's name
		Project  struct{ Key, Name string }
	}
	if json.Unmarshal(value, &at) != nil {
		return ""
	}
	switch {
	case at.FullName != "":
		return at.FullName
	case at.Path != "":
		return at.Path
	case at.Slug != "" && at.Project.Key != "":
		return at.Project.Key + "/" + at.Slug
	case at.Name != "" && at.Project.Name != "":
		return at.Project.Name + "/" + at.Name
	}
	return ""
}

// manyChanges is how many changes Bitbucket Cloud names at most.
const manyChanges = 5

// change is a reference that was pushed, as Bitbucket and Azure DevOps list them: Cloud by its kind and name, before
// and after; Data Center by its full name in refId, Azure DevOps in name.
type change struct {
	RefID, Name string
	Old, New    *struct{ Type, Name string }
}

// changedBranch is the only branch that was pushed, "" where there are others too or none is named. ok is false when
// nothing but tags was pushed.
func changedBranch(value json.RawMessage) (branch string, ok bool) {
	var list []change
	if json.Unmarshal(value, &list) != nil {
		var in struct{ Changes, RefUpdates []change }
		if json.Unmarshal(value, &in) != nil {
			return "", true
		}
		list = append(in.Changes, in.RefUpdates...)
	}
	branches := make(map[string]bool)
	for _, c := range list {
		ref := cmp.Or(c.RefID, c.Name)
		for _, side := range []*struct{ Type, Name string }{c.Old, c.New} {
			if side != nil && side.Type == "branch" {
				ref = "refs/heads/" + side.Name
			} else if side != nil {
				ref = "refs/tags/" + side.Name
			}
		}
		if name, is := strings.CutPrefix(ref, "refs/heads/"); is || ref == "" {
			branches[name] = true
			branch = name
		}
	}
	if len(branches) != 1 || len(list) >= manyChanges {
		branch = ""
	}
	return branch, len(list) == 0 || len(list) >= manyChanges || len(branches) > 0
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

// deliveries remembers the last of them. One that was forgotten wakes its projects again, which costs a pass without
// changes.
type deliveries struct {
	mu   sync.Mutex
	ids  map[[sha256.Size]byte]bool
	last [maxHeard][sha256.Size]byte
	next int
}

// first reports whether an identifier is new, and remembers it.
func (h *deliveries) first(id string) bool {
	sum := sha256.Sum256([]byte(id))
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ids[sum] {
		return false
	}
	if h.ids == nil {
		h.ids = make(map[[sha256.Size]byte]bool)
	}
	delete(h.ids, h.last[h.next])
	h.ids[sum], h.last[h.next] = true, sum
	h.next = (h.next + 1) % maxHeard
	return true
}
