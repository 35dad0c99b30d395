package local

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/wire"
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

// delivery is one notification on its way. It is stored in the transaction of the change that it tells of, and taken out when the receiver took
// it or after the last attempt: a crash repeats one, and loses none.
type delivery struct {
	Event    string   `json:"event"` // the tail of the address, wire.CallbackProjectStatus and its like
	IDs      []string `json:"ids"`
	Failed   int      `json:"failed"` // attempts
	queueKey []byte
}

// notifyIn tells the account's callback of an event, wire.CallbackProjectStatus or another of these, as a part of the transaction that changes what
// it tells of: both are stored, or none. It is sent later, again and again if need be. Nothing happens while no callback is registered.
func (s *Service) notifyIn(tx *bolt.Tx, event string, ids ...string) error {
	callback, err := s.callback(tx)
	if err != nil || callback == nil || len(ids) == 0 {
		return err
	}
	queue, err := tx.Bucket(bucketCallbacks).Bucket([]byte(s.o.AccountID)).CreateBucketIfNotExists(keyQueue)
	if err != nil {
		return err
	}
	tx.OnCommit(s.deliveryBell.ring)
	return putDelivery(queue, &delivery{Event: event, IDs: ids}, s.now())
}

// putDelivery queues a delivery: the keys sort by the time it is due.
func putDelivery(queue *bolt.Bucket, d *delivery, due int64) error {
	n, err := queue.NextSequence()
	if err != nil {
		return err
	}
	return putRecord(queue, string(append(number(uint64(due)), number(n)...)), d)
}

// deliver sends what is due until ctx ends. It owns the set of deliveries in flight.
func (s *Service) deliver(ctx context.Context) {
	defer s.workers.Done()
	flying := map[string]bool{}
	landed := make(chan string)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due, wait, err := s.due(flying)
		if err != nil {
			s.log.Error("notifications", zap.Error(err))
		}
		for _, d := range due {
			flying[string(d.queueKey)] = true
			go func() {
				if err := s.attempt(ctx, d); err != nil {
					s.log.Error("notification", zap.String("event", d.Event), zap.Error(err))
					pause(ctx, s.o.CallbackRetry) // it is still due: what could not be stored must not become a flood of attempts
				}
				landed <- string(d.queueKey)
			}()
		}
		timer.Reset(wait)
		select {
		case <-s.deliveryBell:
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

// due returns the deliveries whose time has come, as many as there is room for in the air, and how long to wait for the next one.
func (s *Service) due(flying map[string]bool) (out []*delivery, wait time.Duration, err error) {
	wait = time.Hour // the bell rings for what is new
	var unreadable error
	err = s.store.db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketCallbacks).Bucket([]byte(s.o.AccountID))
		if b == nil || b.Bucket(keyQueue) == nil {
			return nil
		}
		now := s.now()
		cursor := b.Bucket(keyQueue).Cursor()
		for k, raw := cursor.First(); k != nil && len(flying)+len(out) < deliveriesAtOnce; k, raw = cursor.Next() {
			if flying[string(k)] {
				continue
			}
			if at := int64(binary.BigEndian.Uint64(k)); at > now {
				wait = time.Duration(at - now)
				return nil
			}
			d := &delivery{queueKey: slices.Clone(k)}
			if err := json.Unmarshal(raw, d); err != nil {
				unreadable = fmt.Errorf("stored notification %x: %w", k, err) // it holds up no other
				continue
			}
			out = append(out, d)
		}
		return nil
	})
	return out, wait, errors.Join(err, unreadable)
}

// attempt sends one notification and stores what came of it. One that ctx cut off was no attempt.
func (s *Service) attempt(ctx context.Context, d *delivery) error {
	var callback *wire.Callback
	err := s.store.db.View(func(tx *bolt.Tx) (err error) {
		callback, err = s.callback(tx)
		return err
	})
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
	return s.store.db.Update(func(tx *bolt.Tx) error { return s.settle(tx, d, failure) })
}

// settle takes a delivery out of the queue and, when it failed, puts it in again for its next attempt, if there is one left.
func (s *Service) settle(tx *bolt.Tx, d *delivery, failure *wire.CallbackError) error {
	b := tx.Bucket(bucketCallbacks).Bucket([]byte(s.o.AccountID))
	queue := b.Bucket(keyQueue)
	if queue == nil || queue.Get(d.queueKey) == nil {
		return nil // the callback was deleted meanwhile
	}
	if err := queue.Delete(d.queueKey); err != nil || failure == nil {
		return err
	}
	if err := putCallbackError(b, failure); err != nil {
		return err
	}
	if d.Failed == resends {
		return nil
	}
	delay := s.o.CallbackRetry << d.Failed
	d.Failed++
	return putDelivery(queue, d, s.now()+int64(delay))
}

// putCallbackError stores an error and forgets those that are too old to be asked for.
func putCallbackError(b *bolt.Bucket, failure *wire.CallbackError) error {
	list, err := b.CreateBucketIfNotExists(keyErrors)
	if err != nil {
		return err
	}
	n, err := list.NextSequence()
	if err != nil {
		return err
	}
	if err := putRecord(list, string(number(n)), failure); err != nil {
		return err
	}
	if n > wire.MaxCallbackErrors {
		return list.Delete(number(n - wire.MaxCallbackErrors))
	}
	return nil
}

// send posts a notification. Any 2xx means that it was taken; a redirection is none.
func (s *Service) send(ctx context.Context, callback *wire.Callback, d *delivery) *wire.CallbackError {
	address := eventURL(callback.URL, d.Event)
	failure := &wire.CallbackError{Created: timestamp(s.now()), URL: address, SourceIDs: d.IDs}
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
	answer, err := s.callbacks.Do(r)
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

// bell wakes a loop: it has one slot, and ringing never blocks. A wake-up carries no data.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}
