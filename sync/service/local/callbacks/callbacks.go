// Package callbacks tells an account's receiver of events: its address, the notifications that are due, and what went
// wrong with them.
//
// Its law: a notification is sent at least once, and again after growing delays, until the receiver took it or the last
// attempt failed. What is notified of is decided where the change is stored, in the same transaction (store.NotifyIn).
package callbacks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"
)

// ownHeaders are what a notification says about itself: an additional header cannot have these names.
var ownHeaders = []string{"Connection", "Content-Length", "Content-Type", "Host", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade"}

// Sender answers the calls about callbacks, and sends the notifications that are queued.
type Sender struct {
	store   *store.Store
	client  *http.Client
	retry   time.Duration // before the second attempt; it doubles each time
	log     *zap.Logger
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// New sends notifications with a transport; nil: http.DefaultTransport.
func New(st *store.Store, transport http.RoundTripper, retry time.Duration, log *zap.Logger) (*Sender, error) {
	if retry == 0 {
		retry = firstResend
	}
	if retry < 0 || retry > maxFirstResend {
		return nil, fmt.Errorf("callback retry %v: give a delay above 0, up to %v", retry, maxFirstResend)
	}
	return &Sender{store: st, client: newCallbackClient(transport), retry: retry, log: log}, nil
}

// Open begins to send.
func (s *Sender) Open() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.workers.Go(func() { fault.Keep(ctx, "notifications", func() { s.deliver(ctx) }) })
}

// Close ends the sending; what was not sent stays queued.
func (s *Sender) Close() {
	s.stop()
	s.workers.Wait()
	s.client.CloseIdleConnections()
}

// Routes are the calls that are answered here, by path.
func (s *Sender) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathCallback:           {"GET": s.getCallback, "POST": s.setCallback, "DELETE": s.deleteCallback},
		wire.PathCallbackLastErrors: {"GET": s.lastCallbackErrors},
	}
}

// getCallback answers GET /v1/callback: 404 while there is none.
func (s *Sender) getCallback(c *api.Call) error {
	found, err := store.Read(s.store, store.CallbackOf)
	if err != nil {
		return err
	}
	if found == nil {
		return api.Refuse(http.StatusNotFound, "no callback is registered; register one with POST %s",
			wire.Prefix+wire.PathCallback)
	}
	return c.Answer(http.StatusOK, found)
}

// setCallback answers POST /v1/callback. The address replaces the one before; notifications that still wait go to
// the new one.
func (s *Sender) setCallback(c *api.Call) error {
	callback, err := readCallback(c)
	if err != nil {
		return err
	}
	err = s.store.Update(func(tx *store.Tx) error { return store.PutCallback(tx, callback) })
	return c.Reply(callback, err)
}

// deleteCallback answers DELETE /v1/callback, also when there is none. Notifications that wait are dropped: they
// have no address any more.
func (s *Sender) deleteCallback(c *api.Call) error {
	err := s.store.Update(store.RemoveCallback)
	return c.Done(err)
}

// lastCallbackErrors answers GET /v1/callback/lastErrors: what went wrong with notifications, the newest first.
func (s *Sender) lastCallbackErrors(c *api.Call) error {
	limit, err := c.Params.Count(wire.QueryLimit, wire.MaxCallbackErrors)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxCallbackErrors {
		return api.Invalid(wire.QueryLimit, "is from 1 to %d", wire.MaxCallbackErrors)
	}
	out := []json.RawMessage{}
	err = s.store.View(func(tx *store.Tx) error {
		out = append(out, store.CallbackErrors(tx, limit)...)
		return nil
	})
	return c.Reply(out, err)
}

// readCallback reads and checks a registration.
func readCallback(c *api.Call) (*wire.Callback, error) {
	b, err := api.ReadObject(c)
	if err != nil {
		return nil, err
	}
	out := &wire.Callback{URL: strings.TrimSpace(api.Member[string](b, "url")), AdditionalHeaders: []wire.CallbackHeader{}}
	headers := api.Member[[]json.RawMessage](b, "additionalHeaders")
	if b.Err != nil {
		return nil, b.Err
	}
	if err := checkCallbackURL(out.URL); err != nil {
		return nil, err
	}
	for _, raw := range headers {
		h, err := readCallbackHeader(raw)
		if err != nil {
			return nil, err
		}
		out.AdditionalHeaders = append(out.AdditionalHeaders, h)
	}
	return out, nil
}

func checkCallbackURL(text string) error {
	if text == "" {
		return api.Invalid("url", "is missing; give the address that notifications go to")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return api.Invalid("url", "%q is not an address", api.Clip([]byte(text)))
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return api.Invalid("url", "%q is not an address like https://host/path", api.Clip([]byte(text)))
	}
	return nil
}

func readCallbackHeader(raw []byte) (wire.CallbackHeader, error) {
	const field = "additionalHeaders"
	none := wire.CallbackHeader{}
	m, err := api.ReadMembers(field, raw)
	if err != nil {
		return none, err
	}
	name := strings.TrimSpace(api.Member[string](m, "name"))
	value := api.Member[*string](m, "value")
	switch {
	case m.Err != nil:
		return none, api.Invalid(field, "%v", m.Err)
	case name == "":
		return none, api.Invalid(field, "a header has a blank name")
	case !httpguts.ValidHeaderFieldName(name):
		return none, api.Invalid(field, "%q is not the name of a header", name)
	case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
		return none, api.Invalid(field, "%s is set by the service itself; choose another name", name)
	case value == nil:
		return none, api.Invalid(field, "the header %s has no value; give a text", name)
	case !httpguts.ValidHeaderFieldValue(*value):
		return none, api.Invalid(field, "the value of the header %s has characters that a header cannot have", name)
	}
	return wire.CallbackHeader{Name: name, Value: *value}, nil
}
