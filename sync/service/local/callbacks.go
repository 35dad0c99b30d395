package local

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/net/http/httpguts"

	"github.com/locsync/locsync/sync/service/wire"
)

// Each account has one address that notifications go to. What is stored about it, in the account's bucket of bucketCallbacks:
//
//	callback   wire.Callback (JSON); absent while no address is registered
//	queue      when it is due, number -> delivery (JSON), see deliveries.go
//	errors     number -> wire.CallbackError (JSON), the last wire.MaxCallbackErrors of them
var (
	keyCallback = []byte("callback")
	keyQueue    = []byte("queue")
	keyErrors   = []byte("errors")
)

// ownHeaders are what a notification says about itself: an additional header cannot have these names.
var ownHeaders = []string{"Connection", "Content-Length", "Content-Type", "Host", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// getCallback answers GET /v1/callback: 404 while there is none.
func (s *Service) getCallback(c *call) error {
	var found *wire.Callback
	err := s.store.db.View(func(tx *bolt.Tx) (err error) {
		found, err = s.callback(tx)
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
func (s *Service) setCallback(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	callback, err := readCallback(raw)
	if err != nil {
		return err
	}
	err = s.store.db.Update(func(tx *bolt.Tx) error {
		b, err := tx.Bucket(bucketCallbacks).CreateBucketIfNotExists([]byte(s.o.AccountID))
		if err != nil {
			return err
		}
		return putRecord(b, string(keyCallback), callback)
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, callback)
}

// deleteCallback answers DELETE /v1/callback, also when there is none. Notifications that wait are dropped: nobody wants them any more.
func (s *Service) deleteCallback(c *call) error {
	err := s.store.db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketCallbacks).Bucket([]byte(s.o.AccountID))
		if b == nil {
			return nil
		}
		if b.Bucket(keyQueue) != nil {
			if err := b.DeleteBucket(keyQueue); err != nil {
				return err
			}
		}
		return b.Delete(keyCallback)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// lastCallbackErrors answers GET /v1/callback/lastErrors: what went wrong with notifications, the newest first.
func (s *Service) lastCallbackErrors(c *call) error {
	limit, err := c.params.count(wire.QueryLimit, wire.MaxCallbackErrors)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxCallbackErrors {
		return invalid(wire.QueryLimit, "is from 1 to %d", wire.MaxCallbackErrors)
	}
	out := []json.RawMessage{}
	err = s.store.db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketCallbacks).Bucket([]byte(s.o.AccountID))
		if b == nil || b.Bucket(keyErrors) == nil {
			return nil
		}
		cursor := b.Bucket(keyErrors).Cursor()
		for k, v := cursor.Last(); k != nil && len(out) < limit; k, v = cursor.Prev() {
			out = append(out, slices.Clone(v))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// callback is the account's registration; nil when there is none.
func (s *Service) callback(tx *bolt.Tx) (*wire.Callback, error) {
	b := tx.Bucket(bucketCallbacks).Bucket([]byte(s.o.AccountID))
	if b == nil {
		return nil, nil
	}
	found, _, err := getRecord[wire.Callback](b, string(keyCallback))
	return found, err
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
