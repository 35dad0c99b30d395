package local

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
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

func callbacksOf(tx *Tx) *bolt.Bucket { return tx.bucket(bucketCallbacks).Bucket([]byte(tx.account())) }

// callbackOf is the account's registration; nil when there is none.
func callbackOf(tx *Tx) (*wire.Callback, error) {
	b := callbacksOf(tx)
	if b == nil {
		return nil, nil
	}
	found, _, err := getRecord[wire.Callback](b, string(keyCallback))
	return found, err
}

// putCallback registers an address in place of the one before.
func putCallback(tx *Tx, callback *wire.Callback) error {
	b, err := tx.bucket(bucketCallbacks).CreateBucketIfNotExists([]byte(tx.account()))
	if err != nil {
		return err
	}
	return putRecord(b, string(keyCallback), callback)
}

// removeCallback takes the registration away, and the notifications that wait.
func removeCallback(tx *Tx) error {
	b := callbacksOf(tx)
	if b == nil {
		return nil
	}
	if b.Bucket(keyQueue) != nil {
		if err := b.DeleteBucket(keyQueue); err != nil {
			return err
		}
	}
	return b.Delete(keyCallback)
}

// callbackErrors are the last errors, the newest first.
func callbackErrors(tx *Tx, limit int) (out []json.RawMessage) {
	b := callbacksOf(tx)
	if b == nil || b.Bucket(keyErrors) == nil {
		return nil
	}
	cursor := b.Bucket(keyErrors).Cursor()
	for k, v := cursor.Last(); k != nil && len(out) < limit; k, v = cursor.Prev() {
		out = append(out, slices.Clone(v))
	}
	return out
}

// delivery is one notification on its way. It is stored in the transaction of the change that it tells of, and taken out when the receiver took
// it or after the last attempt: a crash repeats one, and loses none.
type delivery struct {
	Event  string   `json:"event"` // the tail of the address, wire.CallbackProjectStatus and its like
	IDs    []string `json:"ids"`
	Failed int      `json:"failed"` // attempts
	Key    []byte   `json:"-"`      // in the queue
}

// notifyIn tells the account's callback of an event, wire.CallbackProjectStatus or another of these, as a part of the transaction that changes what
// it tells of: both are stored, or none. It is sent later, again and again if need be. Nothing happens while no callback is registered.
func notifyIn(tx *Tx, event string, ids ...string) error {
	callback, err := callbackOf(tx)
	if err != nil || callback == nil || len(ids) == 0 {
		return err
	}
	queue, err := callbacksOf(tx).CreateBucketIfNotExists(keyQueue)
	if err != nil {
		return err
	}
	tx.onCommit(tx.store.queued.raise)
	return putDelivery(queue, &delivery{Event: event, IDs: ids}, tx.now())
}

// putDelivery queues a delivery: the keys sort by the time it is due.
func putDelivery(queue *bolt.Bucket, d *delivery, due int64) error {
	n, err := queue.NextSequence()
	if err != nil {
		return err
	}
	return putRecord(queue, string(append(number(uint64(due)), number(n)...)), d)
}

// due returns the deliveries whose time has come, as many as there is room for in the air, and how long to wait for the next one.
func due(tx *Tx, flying map[string]bool, atOnce int) (out []*delivery, wait time.Duration, err error) {
	wait = time.Hour // what is new raises the store's signal
	b := callbacksOf(tx)
	if b == nil || b.Bucket(keyQueue) == nil {
		return nil, wait, nil
	}
	now := tx.now()
	cursor := b.Bucket(keyQueue).Cursor()
	for k, raw := cursor.First(); k != nil && len(flying)+len(out) < atOnce; k, raw = cursor.Next() {
		if flying[string(k)] {
			continue
		}
		if at := int64(binary.BigEndian.Uint64(k)); at > now {
			wait = time.Duration(at - now)
			return out, wait, err
		}
		d := &delivery{Key: slices.Clone(k)}
		if unreadable := json.Unmarshal(raw, d); unreadable != nil {
			err = errors.Join(err, fmt.Errorf("stored notification %x: %w", k, unreadable)) // it holds up no other
			continue
		}
		out = append(out, d)
	}
	return out, wait, err
}

// settle takes a delivery out of the queue and, when it failed, puts it in again for another attempt after a delay; 0: there
// is none left.
func settle(tx *Tx, d *delivery, failure *wire.CallbackError, again time.Duration) error {
	b := callbacksOf(tx)
	queue := b.Bucket(keyQueue)
	if queue == nil || queue.Get(d.Key) == nil {
		return nil // the callback was deleted meanwhile
	}
	if err := queue.Delete(d.Key); err != nil || failure == nil {
		return err
	}
	if err := putCallbackError(b, failure); err != nil {
		return err
	}
	if again == 0 {
		return nil
	}
	d.Failed++
	return putDelivery(queue, d, tx.now()+int64(again))
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
