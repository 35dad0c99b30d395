package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
)

const (
	postTime   = 10 * time.Second
	mostAnswer = 64 << 10 // bytes of an answer, which tells nothing but that it came
	redirects  = 5
)

// pauses are between the tries of a message.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second}

// Receiver is where messages are posted.
type Receiver struct {
	address, kind string
	client        *http.Client
	log           *zap.Logger
	clean         func(string) string // takes the address out of a text
}

// NewReceiver is the receiver at an address, which is a secret. Its kind is slack, teams or json.
func NewReceiver(address, kind string, log *zap.Logger) *Receiver {
	r := &Receiver{address: address, kind: kind, log: log, clean: bound.Redactor("[redacted]", address)}
	if u, err := url.Parse(address); err == nil {
		r.clean = bound.Redactor("[redacted]", address, u.Host, u.Hostname(), u.RequestURI(), u.Path)
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true} // messages are rare
	r.client = &http.Client{Transport: transport, Timeout: postTime, CheckRedirect: sameOrigin}
	return r
}

// sameOrigin refuses to take a message elsewhere than where the configuration says.
func sameOrigin(next *http.Request, before []*http.Request) error {
	if first := before[0].URL; next.URL.Scheme != first.Scheme || next.URL.Host != first.Host {
		return errors.New("it redirects to another origin")
	}
	if len(before) > redirects {
		return errors.New("it redirects too often")
	}
	return nil
}

// Tell posts what changed since people were told last, and remembers it. It returns when all is posted or given up, or
// ctx ends.
func (r *Receiver) Tell(ctx context.Context, store ledger.Store, now report.Status, at time.Time) error {
	facts, err := ledger.Notified.List(store, ledger.AllProjects)
	if err != nil {
		return err
	}
	before := make(State, len(facts))
	for _, f := range facts {
		before[f.ID()] = f
	}
	for _, c := range New(before, now, at) {
		if c.Message != nil {
			err := r.post(ctx, *c.Message)
			if ctx.Err() != nil {
				return nil // it is posted after the next start
			}
			if err != nil {
				r.log.Error("a message for people could not be posted, and is given up", zap.String("kind", c.Message.Kind),
					zap.String("project", c.Message.Project), zap.String("why", err.Error()))
			}
		}
		if err := ledger.Notified.Put(store, ledger.AllProjects, c.Fact.ID(), c.Fact); err != nil {
			return err
		}
	}
	return nil
}

// post tries until the receiver takes the message. Its errors do not have the address.
func (r *Receiver) post(ctx context.Context, m Message) (err error) {
	defer fault.Catch("a message about project "+m.Project, &err)
	body, err := r.payload(m)
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		err := r.once(ctx, body)
		if err == nil || try == len(pauses) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pauses[try]):
		}
	}
}

func (r *Receiver) once(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address cannot be called")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "locsync")
	response, err := r.client.Do(request)
	if err != nil {
		if sent, is := errors.AsType[*url.Error](err); is {
			err = sent.Err // without the address
		}
		return errors.New(r.clean(err.Error()))
	}
	defer response.Body.Close()
	if _, err := bound.Read(response.Body, mostAnswer); err != nil && !bound.Is(err) {
		return errors.New(r.clean(err.Error()))
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered with status %d", response.StatusCode)
	}
	return nil
}

// slackText keeps keys and names from being read as mentions and links.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// payload is the message as the receiver takes it.
func (r *Receiver) payload(m Message) ([]byte, error) {
	type object = map[string]any
	switch r.kind {
	case "slack":
		return json.Marshal(object{"text": slackText.Replace(m.Text)})
	case "teams":
		text := object{"type": "TextBlock", "text": m.Text, "wrap": true}
		card := object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
			"version": "1.4", "body": []object{text}}
		return json.Marshal(object{"type": "message", "attachments": []object{
			{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}})
	}
	return json.Marshal(m)
}
