package boltledger

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// transaction is a ledger.Writer, and of a View a ledger.Reader. It is valid only inside the function that it was
// given to.
type transaction struct {
	of             *bbolt.Tx
	marks, records *bbolt.Bucket
	touched        int // bytes of values that were read or written since the file's pages were let go of
}

// muchTouched is after how many bytes of values the pages of the file are let go of. The system maps up to sixteen
// times as much.
const muchTouched = 2 << 20

// Update runs f in a transaction whose changes become durable together, or not at all when it returns an error.
func (s *Store) Update(f func(ledger.Writer) error) error {
	var own error
	err := s.faultless(func(db *bbolt.DB) error {
		err := db.Update(func(tx *bbolt.Tx) error {
			own = s.within(tx, func(t *transaction) error { return f(t) })
			return own
		})
		return errors.Join(err, s.letGo(db))
	})
	return storeError("write state", err, own)
}

// View runs f in a transaction that sees the store as it is at its begin.
func (s *Store) View(f func(ledger.Reader) error) error {
	var own error
	err := s.faultless(func(db *bbolt.DB) error {
		err := db.View(func(tx *bbolt.Tx) error {
			own = s.within(tx, func(t *transaction) error { return f(t) })
			return own
		})
		return errors.Join(err, s.letGo(db))
	})
	return storeError("read state", err, own)
}

// within runs f in a transaction of the database.
func (s *Store) within(tx *bbolt.Tx, f func(*transaction) error) error {
	t := &transaction{of: tx, marks: tx.Bucket(marksBucket), records: tx.Bucket(recordBucket)}
	err := f(t)
	s.touched.Add(int64(t.touched))
	return err
}

// letGo lets go of the file's pages after much was read. The file has as many bytes as a transaction knows, which the
// map covers: verify has looked, and what a transaction adds is mapped before it is used.
func (s *Store) letGo(db *bbolt.DB) error {
	if s.touched.Load() < muchTouched {
		return nil
	}
	s.touched.Store(0)
	return db.View(func(tx *bbolt.Tx) error {
		release(tx)
		return nil
	})
}

func release(tx *bbolt.Tx) { bound.ReleasePages(tx.DB().Info().Data, tx.Size()) }

// get reads a value of a bucket; nil where there is none. It is valid only in the transaction.
func (tx *transaction) get(bucket *bbolt.Bucket, key []byte) []byte {
	value := bucket.Get(key)
	tx.touches(len(value))
	return value
}

// touches lets go of the file's pages after much was touched: the values stay valid, and are read again.
func (tx *transaction) touches(n int) {
	tx.touched += n
	if tx.touched >= muchTouched {
		tx.touched = 0
		release(tx.of)
	}
}

func (tx *transaction) put(bucket *bbolt.Bucket, key, value []byte) error {
	tx.touches(len(value))
	return bucket.Put(key, value)
}

// storeError names what was being done, unless the error is the caller's own.
func storeError(doing string, err, own error) error {
	if err == nil || own != nil {
		return own
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func (tx *transaction) Marks(slot ledger.Slot) (catalog.Marks, error) {
	key := slotKey(slot)
	value := tx.get(tx.marks, key)
	if value == nil {
		return nil, nil
	}
	content, err := unseal(key, value)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", slot.Kind, slot.Path, err)
	}
	marks, err := catalog.DecodeMarks(content)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", slot.Kind, slot.Path, err)
	}
	return marks, nil
}

func (tx *transaction) HasMarks(slot ledger.Slot) (bool, error) {
	return tx.get(tx.marks, slotKey(slot)) != nil, nil
}

// SetMarks writes nothing where the marks are the same already.
func (tx *transaction) SetMarks(slot ledger.Slot, marks ledger.Marks) error {
	if marks == nil {
		marks = catalog.Marks(nil)
	}
	key := slotKey(slot)
	value := seal(key, marks.Encode())
	if bytes.Equal(value, tx.get(tx.marks, key)) {
		return nil
	}
	if err := tx.put(tx.marks, key, value); err != nil {
		return fmt.Errorf("store %s of %s: %w", slot.Kind, slot.Path, err)
	}
	return nil
}

func (tx *transaction) DropMarks(slot ledger.Slot) error {
	if err := tx.marks.Delete(slotKey(slot)); err != nil {
		return fmt.Errorf("drop %s of %s: %w", slot.Kind, slot.Path, err)
	}
	return nil
}

func (tx *transaction) MoveMarks(from, to ledger.Slot) (bool, error) {
	key, target := slotKey(from), slotKey(to)
	value := tx.get(tx.marks, key)
	if value == nil || bytes.Equal(key, target) {
		return value != nil, nil
	}
	content, err := unseal(key, value)
	if err == nil {
		err = tx.put(tx.marks, target, seal(target, content))
	}
	if err == nil {
		err = tx.marks.Delete(key)
	}
	if err != nil {
		return false, fmt.Errorf("move %s of %s: %w", from.Kind, from.Path, err)
	}
	return true, nil
}

func (tx *transaction) Forget(scope string, keep ...string) error {
	for bucket, parts := range map[*bbolt.Bucket]int{tx.marks: 4, tx.records: 3} {
		var drop [][]byte // a cursor does not like to be cut under
		err := tx.each(bucket, joinKey(scope, ""), func(key, _ []byte) error {
			at, err := splitKey(key, parts)
			if err == nil && !slices.Contains(keep, at[1]) {
				drop = append(drop, bytes.Clone(key))
			}
			return err
		})
		for _, key := range drop {
			if err == nil {
				err = bucket.Delete(key)
			}
		}
		if err != nil {
			return fmt.Errorf("forget what is stored of %s: %w", scope, err)
		}
	}
	return nil
}

func (tx *transaction) Slots(like ledger.Slot) ([]ledger.Slot, error) {
	scope, kind, _, _ := like.Parts()
	var slots []ledger.Slot
	err := tx.each(tx.marks, joinKey(scope, kind, ""), func(key, _ []byte) error {
		parts, err := splitKey(key, 4)
		if err != nil {
			return err
		}
		slots = append(slots, like.At(parts[2], parts[3]))
		return nil
	})
	return slots, err
}

func (tx *transaction) Kinds(scope string) (marks, records []string, err error) {
	marks, err = kindsIn(tx.marks, scope, 4)
	if err == nil {
		records, err = kindsIn(tx.records, scope, 3)
	}
	return marks, records, err
}

// kindsIn goes from kind to kind, without a visit of what is between.
func kindsIn(b *bbolt.Bucket, scope string, parts int) (kinds []string, err error) {
	c, prefix := b.Cursor(), joinKey(scope, "")
	for k, _ := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); {
		at, err := splitKey(k, parts)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, at[1])
		// What ends a part is 00 01: the first key that is not of this kind comes from 00 02 on.
		next := joinKey(scope, at[1])
		k, _ = c.Seek(append(next, 0, 2))
	}
	return kinds, nil
}

// each visits the entries whose key begins with the prefix, in order.
func (tx *transaction) each(b *bbolt.Bucket, prefix []byte, visit func(key, value []byte) error) error {
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		tx.touches(len(k) + len(v)) // they are on the same page
		if err := visit(k, v); err != nil {
			return err
		}
	}
	return nil
}

func (tx *transaction) Record(k ledger.Key) ([]byte, error) {
	key := recordKey(k)
	stored := tx.get(tx.records, key)
	if stored == nil {
		return nil, nil
	}
	content, err := unseal(key, stored)
	if err != nil {
		return nil, fmt.Errorf("read record %s %s: %w", k.Kind, k.ID, err)
	}
	return bytes.Clone(content), nil // the file's memory is valid only in the transaction
}

func (tx *transaction) Records(like ledger.Key, visit func(id string, content []byte) error) error {
	return tx.each(tx.records, joinKey(like.Scope, like.Kind, ""), func(key, stored []byte) error {
		content, err := unseal(key, stored)
		if err != nil {
			return fmt.Errorf("read records %s: %w", like.Kind, err)
		}
		parts, err := splitKey(key, 3)
		if err != nil {
			return err
		}
		return visit(parts[2], content)
	})
}

func (tx *transaction) PutRecord(k ledger.Key, content []byte) error {
	key := recordKey(k)
	if err := tx.put(tx.records, key, seal(key, content)); err != nil {
		return fmt.Errorf("store record %s %s: %w", k.Kind, k.ID, err)
	}
	return nil
}

func (tx *transaction) DeleteRecord(k ledger.Key) error {
	if err := tx.records.Delete(recordKey(k)); err != nil {
		return fmt.Errorf("forget record %s %s: %w", k.Kind, k.ID, err)
	}
	return nil
}
