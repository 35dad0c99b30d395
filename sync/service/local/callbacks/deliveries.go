package callbacks

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// The schedule of notifications, as the service interface has it.
const (
	resends           = 8 // after the first attempt, each after twice the delay of the one before
	firstResend       = 30 * time.Second
	maxFirstResend    = 24 * time.Hour   // of Options.CallbackRetry, so that the last delay is a number
	deliveryTimeout   = 10 * time.Second // of one attempt
	deliveriesAtOnce  = 4
	maxReceiverAnswer = 2 << 10 // bytes of a receiver's answer that an error keeps
)

// deliver sends what is due until ctx ends. It owns the set of deliveries in flight.
func (s *Sender) deliver(ctx context.Context) {
	flying := map[string]bool{}
	landed := make(chan string)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var next []*store.Delivery
		var wait time.Duration
		err := s.store.View(func(tx *store.Tx) (err error) {
			next, wait, err = store.Due(tx, flying, deliveriesAtOnce)
			return err
		})
		if err != nil {
			s.log.Error("notifications", zap.Error(err))
		}
		for _, d := range next {
			flying[string(d.Key)] = true
			go func() {
				if err := s.attempt(ctx, d); err != nil {
					s.log.Error("notification", zap.String("event", d.Event), zap.Error(err))
					api.Pause(ctx, s.retry) // it is still due: what could not be stored must not become a flood of attempts
				}
				landed <- string(d.Key)
			}()
		}
		timer.Reset(wait)
		select {
		case <-s.store.Queued:
		case <-timer.C:
		case key := <-landed:
			delete(flying, key)
		case <-ctx.Done():
			for range flying {
				<-landed
			}
			return
		}
	}
}

// attempt sends one notification and stores what came of it. One that ctx cut off does not count.
func (s *Sender) attempt(ctx context.Context, d *store.Delivery) (err error) {
	defer fault.Catch("a notification of "+d.Event, &err)
	callback, err := store.Read(s.store, store.CallbackOf)
	if err != nil {
		return err
	}
	var failure *wire.CallbackError
	if callback != nil {
		failure = s.send(ctx, callback, d)
	}
	if failure != nil && failure.Code == 0 && ctx.Err() != nil {
		return nil
	}
	again := s.retry << d.Failed
	if d.Failed == resends {
		again = 0
	}
	return s.store.Update(func(tx *store.Tx) error { return store.Settle(tx, d, failure, again) })
}

// send posts a notification. Any 2xx means that it was taken; a redirection is none.
func (s *Sender) send(ctx context.Context, callback *wire.Callback, d *store.Delivery) *wire.CallbackError {
	address := eventURL(callback.URL, d.Event)
	failure := &wire.CallbackError{Created: api.Timestamp(s.store.Now()), URL: address, SourceIDs: d.IDs}
	body, err := json.Marshal(d.IDs)
	if err != nil {
		failure.Reason = err.Error()
		return failure
	}
	ctx, cancel := context.WithTimeout(ctx, deliveryTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		failure.Reason = err.Error()
		return failure
	}
	for _, h := range callback.AdditionalHeaders {
		r.Header.Add(h.Name, h.Value)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(r)
	if err != nil {
		failure.Reason = err.Error()
		return failure
	}
	defer answer.Body.Close()
	content, _ := io.ReadAll(io.LimitReader(answer.Body, maxReceiverAnswer)) // what can be had of it
	if answer.StatusCode/100 == 2 {
		return nil
	}
	failure.Code = answer.StatusCode
	failure.Reason = "the receiver answered " + answer.Status
	failure.Content = strings.ToValidUTF8(string(content), "\uFFFD")
	return failure
}

// eventURL puts the tail of an event behind the path of the registered address, before its query.
func eventURL(base, event string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base + event // it was checked before it was stored
	}
	return u.JoinPath(event).String()
}

// newCallbackClient is what notifications are sent with.
func newCallbackClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
