package local

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

	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"

	"github.com/locsync/locsync/sync/service/wire"
)

// ownHeaders are what a notification says about itself: an additional header cannot have these names.
var ownHeaders = []string{"Connection", "Content-Length", "Content-Type", "Host", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// callbackSender answers the calls about callbacks, and sends the notifications that are queued.
type callbackSender struct {
	store   *store
	client  *http.Client
	retry   time.Duration // before the second attempt; it doubles each time
	log     *zap.Logger
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// newCallbackSender sends notifications with a transport; nil: http.DefaultTransport.
func newCallbackSender(st *store, transport http.RoundTripper, retry time.Duration, log *zap.Logger) (*callbackSender, error) {
	if retry == 0 {
		retry = firstResend
	}
	if retry < 0 || retry > maxFirstResend {
		return nil, fmt.Errorf("callback retry %v: give a delay above 0, up to %v", retry, maxFirstResend)
	}
	return &callbackSender{store: st, client: newCallbackClient(transport), retry: retry, log: log}, nil
}

// open begins to send.
func (s *callbackSender) open() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.workers.Go(func() { s.deliver(ctx) })
}

// close ends the sending; what was not sent stays queued.
func (s *callbackSender) close() {
	s.stop()
	s.workers.Wait()
	s.client.CloseIdleConnections()
}

// routes are the calls that are answered here, by path.
func (s *callbackSender) routes() map[string]methods {
	return map[string]methods{
		wire.PathCallback:           {"GET": s.getCallback, "POST": s.setCallback, "DELETE": s.deleteCallback},
		wire.PathCallbackLastErrors: {"GET": s.lastCallbackErrors},
	}
}

// getCallback answers GET /v1/callback: 404 while there is none.
func (s *callbackSender) getCallback(c *call) error {
	var found *wire.Callback
	err := s.store.view(func(tx *Tx) (err error) {
		found, err = callbackOf(tx)
		return err
	})
	if err != nil {
		return err
	}
	if found == nil {
		return refuse(http.StatusNotFound, "no callback is registered; register one with POST %s", wire.Prefix+wire.PathCallback)
	}
	return c.json(http.StatusOK, found)
}

// setCallback answers POST /v1/callback. The address takes the place of the one before; notifications that still wait go to the new one.
func (s *callbackSender) setCallback(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	callback, err := readCallback(raw)
	if err != nil {
		return err
	}
	err = s.store.update(func(tx *Tx) error { return putCallback(tx, callback) })
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, callback)
}

// deleteCallback answers DELETE /v1/callback, also when there is none. Notifications that wait are dropped: nobody wants them any more.
func (s *callbackSender) deleteCallback(c *call) error {
	err := s.store.update(removeCallback)
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// lastCallbackErrors answers GET /v1/callback/lastErrors: what went wrong with notifications, the newest first.
func (s *callbackSender) lastCallbackErrors(c *call) error {
	limit, err := c.params.count(wire.QueryLimit, wire.MaxCallbackErrors)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxCallbackErrors {
		return invalid(wire.QueryLimit, "is from 1 to %d", wire.MaxCallbackErrors)
	}
	out := []json.RawMessage{}
	err = s.store.view(func(tx *Tx) error {
		out = append(out, callbackErrors(tx, limit)...)
		return nil
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// readCallback reads and checks a registration.
func readCallback(raw []byte) (*wire.Callback, error) {
	b, err := readMembers("body", raw)
	if err != nil {
		return nil, err
	}
	out := &wire.Callback{URL: strings.TrimSpace(member[string](b, "url")), AdditionalHeaders: []wire.CallbackHeader{}}
	headers := member[[]json.RawMessage](b, "additionalHeaders")
	if b.err != nil {
		return nil, b.err
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
		return invalid("url", "is missing; give the address that notifications go to")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return invalid("url", "%q is not an address", clip([]byte(text)))
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return invalid("url", "%q is not an address like https://host/path", clip([]byte(text)))
	}
	return nil
}

func readCallbackHeader(raw []byte) (wire.CallbackHeader, error) {
	const field = "additionalHeaders"
	none := wire.CallbackHeader{}
	m, err := readMembers(field, raw)
	if err != nil {
		return none, err
	}
	name := strings.TrimSpace(member[string](m, "name"))
	value := member[*string](m, "value")
	switch {
	case m.err != nil:
		return none, invalid(field, "%v", m.err)
	case name == "":
		return none, invalid(field, "a header has a blank name")
	case !httpguts.ValidHeaderFieldName(name):
		return none, invalid(field, "%q is not the name of a header", name)
	case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
		return none, invalid(field, "%s is set by the service itself; choose another name", name)
	case value == nil:
		return none, invalid(field, "the header %s has no value; give a text", name)
	case !httpguts.ValidHeaderFieldValue(*value):
		return none, invalid(field, "the value of the header %s has characters that a header cannot have", name)
	}
	return wire.CallbackHeader{Name: name, Value: *value}, nil
}
