// Package state remembers what the repository and the service cannot tell: which texts were pushed,
// which were merged, what was begun at the service and not yet finished.
//
// Its law: what a call has returned without error is on the disk, and what was not returned may be there
// whole or not at all. Everything here can be worked out anew from the repository and the service at the
// price of work, so a damaged store is put aside and begun again empty, never repaired by guessing. One
// process at a time has a state directory open.
//
// The package does not interpret what it stores: it knows no meaning of kinds, paths or records. Marks are
// digests, so that the store gives no text away; records are JSON of their owner's making.
//
// # On the disk
//
//	lock       held while a process has the directory open; never removed
//	holder     JSON {"pid", "since", "address", "id"} of that process, for messages to others
//	state.db   a bbolt file, mode 0600
//	state.db.damaged-20261121T104500Z   one that was put aside
//
// In state.db there are three buckets:
//
//	meta      "format" -> "locsync state 1"
//	marks     project, kind, path, language -> sealed marks, one value for a whole file
//	records   project, kind, id             -> sealed JSON
//
// The parts of a key are joined by 00 01; a 00 inside a part is written 00 FF, so keys sort by their parts
// and no part can be mistaken for two. A sealed value is
//
//	version 1 (one byte) · content · CRC-32C of its key and all before it (4 bytes, big-endian)
//
// and marks are, with numbers as unsigned varints and names in the order of catalog.Name.Compare,
//
//	count · { bytes shared with the previous key · bytes that follow · those bytes · length of form · form · mark (16 bytes) }
package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/catalog"
)

// Slot addresses the marks of one file in one language, of one kind: "pushed", "merged". Path and Language
// may be empty.
type Slot struct {
	Project, Kind, Path, Language string
}

// Store is an open state directory. Its methods may be called from any goroutine; those that change
// something run one after another.
type Store struct {
	dir   string
	db    *bbolt.DB
	lock  *lock
	aside string // where a damaged store was put; "" when there was none
	why   error
}

var (
	metaBucket   = []byte("meta")
	marksBucket  = []byte("marks")
	recordBucket = []byte("records")

	formatKey = []byte("format")
)

// format is the layout of the package comment. A store of a later one is refused, not put aside.
const (
	formatPrefix = "locsync state "
	format       = formatPrefix + "1"
)

const fileName = "state.db"

// Open opens the state in a directory, which is made when it is missing. When another process has it
// open the error is a *Locked. A file that is damaged, or no store of ours, is put aside and Rebuilt says
// so.
func Open(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open state: %w; state_dir in the configuration can name another folder", err)
	}
	lock, err := takeLock(dir)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	s := &Store{dir: dir, lock: lock}
	if err := s.open(); err != nil {
		lock.release()
		return nil, fmt.Errorf("open state in %s: %w", dir, err)
	}
	return s, nil
}

// open opens the file, and a new one where the old one is damaged.
func (s *Store) open() error {
	path := filepath.Join(s.dir, fileName)
	_, err := os.Lstat(path)
	fresh := errors.Is(err, os.ErrNotExist)
	db, err := openChecked(path)
	if damage, ok := errors.AsType[*damaged](err); ok {
		s.why = damage
		if s.aside, err = putAside(path, time.Now()); err != nil {
			return fmt.Errorf("%w; put it aside: %w", damage, err)
		}
		fresh = true
		db, err = openChecked(path)
	}
	if err != nil {
		return err
	}
	if fresh {
		syncDir(s.dir)
	}
	s.db = db
	return nil
}

// Close ends the use of the directory.
func (s *Store) Close() error {
	err := s.db.Close()
	s.lock.release()
	if err != nil {
		return fmt.Errorf("close state: %w", err)
	}
	return nil
}

// Dir is the state directory.
func (s *Store) Dir() string { return s.dir }

// Rebuilt reports where a damaged store was put when this one was opened, and what was wrong with it. The
// store is empty then: nothing is remembered. aside is "" when all was well.
func (s *Store) Rebuilt() (aside string, why error) { return s.aside, s.why }

// Size is how many bytes the store takes on the disk; 0 when that cannot be told.
func (s *Store) Size() int64 {
	info, err := os.Stat(filepath.Join(s.dir, fileName))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Announce tells others where this process can be asked, for their *Locked.
func (s *Store) Announce(address string) error {
	s.lock.holder.Address = address
	if err := s.lock.announce(); err != nil {
		return fmt.Errorf("announce the address: %w", err)
	}
	return nil
}

// Tx is a transaction: its changes become durable together, or not at all. It is valid only inside the
// function that it was given to.
type Tx struct {
	marks, records *bbolt.Bucket
}

// Update runs f in a transaction that may change things. When f returns an error nothing is changed, and
// the error is returned as it is.
func (s *Store) Update(f func(*Tx) error) error {
	var own error
	err := s.db.Update(func(tx *bbolt.Tx) error {
		own = f(begin(tx))
		return own
	})
	return storeError("write state", err, own)
}

// View runs f in a transaction that sees the store as it is at its begin.
func (s *Store) View(f func(*Tx) error) error {
	var own error
	err := s.db.View(func(tx *bbolt.Tx) error {
		own = f(begin(tx))
		return own
	})
	return storeError("read state", err, own)
}

func begin(tx *bbolt.Tx) *Tx {
	return &Tx{marks: tx.Bucket(marksBucket), records: tx.Bucket(recordBucket)}
}

// storeError names what was being done, unless the error is the caller's own.
func storeError(doing string, err, own error) error {
	if err == nil || own != nil {
		return own
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Marks returns the marks of a slot: nil when nothing was ever stored there, or was dropped since.
func (tx *Tx) Marks(slot Slot) (catalog.Marks, error) {
	key := slot.key()
	value := tx.marks.Get(key)
	if value == nil {
		return nil, nil
	}
	content, err := unseal(key, value)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", slot.Kind, slot.Path, err)
	}
	marks, err := decodeMarks(content)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", slot.Kind, slot.Path, err)
	}
	return marks, nil
}

// HasMarks says whether marks were ever stored in a slot and not dropped since.
func (tx *Tx) HasMarks(slot Slot) bool { return tx.marks.Get(slot.key()) != nil }

// SetMarks stores the marks of a slot in place of what was there; where it is the same already nothing is
// written. No marks are marks too: Marks then returns an empty set, not nil.
func (tx *Tx) SetMarks(slot Slot, marks catalog.Marks) error {
	key := slot.key()
	value := seal(key, encodeMarks(marks))
	if bytes.Equal(value, tx.marks.Get(key)) {
		return nil
	}
	if err := tx.marks.Put(key, value); err != nil {
		return fmt.Errorf("store %s of %s: %w", slot.Kind, slot.Path, err)
	}
	return nil
}

// DropMarks forgets a slot.
func (tx *Tx) DropMarks(slot Slot) error {
	if err := tx.marks.Delete(slot.key()); err != nil {
		return fmt.Errorf("drop %s of %s: %w", slot.Kind, slot.Path, err)
	}
	return nil
}

// MoveMarks puts the marks of one slot in the place of another's, as they are stored. It reports whether there were any; else nothing is changed.
func (tx *Tx) MoveMarks(from, to Slot) (bool, error) {
	key, place := from.key(), to.key()
	value := tx.marks.Get(key)
	if value == nil || bytes.Equal(key, place) {
		return value != nil, nil
	}
	content, err := unseal(key, value)
	if err == nil {
		err = tx.marks.Put(place, seal(place, content))
	}
	if err == nil {
		err = tx.marks.Delete(key)
	}
	if err != nil {
		return false, fmt.Errorf("move %s of %s: %w", from.Kind, from.Path, err)
	}
	return true, nil
}

// Forget drops all marks and records of a project, but for those of some kinds.
func (tx *Tx) Forget(project string, keep ...string) error {
	for bucket, parts := range map[*bbolt.Bucket]int{tx.marks: 4, tx.records: 3} {
		var drop [][]byte // a cursor does not like to be cut under
		err := each(bucket, joinKey(project, ""), func(key, _ []byte) error {
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
			return fmt.Errorf("forget what is stored of %s: %w", project, err)
		}
	}
	return nil
}

// Slots lists the slots of a kind that hold marks, in the order of path and language.
func (tx *Tx) Slots(project, kind string) ([]Slot, error) {
	var slots []Slot
	err := each(tx.marks, joinKey(project, kind, ""), func(key, _ []byte) error {
		parts, err := splitKey(key, 4)
		if err != nil {
			return err
		}
		slots = append(slots, Slot{parts[0], parts[1], parts[2], parts[3]})
		return nil
	})
	return slots, err
}

// each visits the entries whose key begins with the prefix, in order.
func each(b *bbolt.Bucket, prefix []byte, visit func(key, value []byte) error) error {
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && hasPrefix(k, prefix); k, v = c.Next() {
		if err := visit(k, v); err != nil {
			return err
		}
	}
	return nil
}

// Marks is Tx.Marks in a transaction of its own.
func (s *Store) Marks(slot Slot) (marks catalog.Marks, err error) {
	err = s.View(func(tx *Tx) error {
		marks, err = tx.Marks(slot)
		return err
	})
	return marks, err
}

// SetMarks is Tx.SetMarks in a transaction of its own.
func (s *Store) SetMarks(slot Slot, marks catalog.Marks) error {
	return s.Update(func(tx *Tx) error { return tx.SetMarks(slot, marks) })
}

// DropMarks is Tx.DropMarks in a transaction of its own.
func (s *Store) DropMarks(slot Slot) error {
	return s.Update(func(tx *Tx) error { return tx.DropMarks(slot) })
}

// Slots is Tx.Slots in a transaction of its own.
func (s *Store) Slots(project, kind string) (slots []Slot, err error) {
	err = s.View(func(tx *Tx) error {
		slots, err = tx.Slots(project, kind)
		return err
	})
	return slots, err
}

// Get reads the record of an id; ok is false when there is none.
func Get[T any](s *Store, project, kind, id string) (value T, ok bool, err error) {
	err = s.View(func(tx *Tx) error {
		value, ok, err = GetTx[T](tx, project, kind, id)
		return err
	})
	return value, ok, err
}

// Put stores a record under an id in place of what was there. T must survive JSON.
func Put[T any](s *Store, project, kind, id string, value T) error {
	return s.Update(func(tx *Tx) error { return PutTx(tx, project, kind, id, value) })
}

// Delete forgets a record; one that is not there is forgotten already.
func Delete(s *Store, project, kind, id string) error {
	return s.Update(func(tx *Tx) error { return tx.Delete(project, kind, id) })
}

// List reads all records of a kind, in the order of their ids.
func List[T any](s *Store, project, kind string) (values []T, err error) {
	err = s.View(func(tx *Tx) error {
		values, err = ListTx[T](tx, project, kind)
		return err
	})
	return values, err
}

// GetTx is Get inside a transaction.
func GetTx[T any](tx *Tx, project, kind, id string) (value T, ok bool, err error) {
	key := joinKey(project, kind, id)
	stored := tx.records.Get(key)
	if stored == nil {
		return value, false, nil
	}
	if err := openRecord(key, stored, &value); err != nil {
		return value, false, fmt.Errorf("read record %s %s: %w", kind, id, err)
	}
	return value, true, nil
}

// PutTx is Put inside a transaction.
func PutTx[T any](tx *Tx, project, kind, id string, value T) error {
	content, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("store record %s %s: %w", kind, id, err)
	}
	key := joinKey(project, kind, id)
	if err := tx.records.Put(key, seal(key, content)); err != nil {
		return fmt.Errorf("store record %s %s: %w", kind, id, err)
	}
	return nil
}

// ListTx is List inside a transaction.
func ListTx[T any](tx *Tx, project, kind string) ([]T, error) {
	var values []T
	err := each(tx.records, joinKey(project, kind, ""), func(key, stored []byte) error {
		var value T
		if err := openRecord(key, stored, &value); err != nil {
			return fmt.Errorf("read records %s: %w", kind, err)
		}
		values = append(values, value)
		return nil
	})
	return values, err
}

// Delete is the function Delete inside a transaction.
func (tx *Tx) Delete(project, kind, id string) error {
	if err := tx.records.Delete(joinKey(project, kind, id)); err != nil {
		return fmt.Errorf("forget record %s %s: %w", kind, id, err)
	}
	return nil
}

func openRecord(key, stored []byte, value any) error {
	content, err := unseal(key, stored)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, value)
}
