// Package boltledger is a ledger in a file of one machine.
//
// Its law: what a call has returned without error is on the disk, and what was not returned may be there
// whole or not at all. Everything here can be worked out anew from the repository and the service at the
// price of work, so a damaged store is put aside and begun again empty, never repaired by guessing. One
// process at a time has a state directory open.
//
// It does not interpret what it stores, but to convert an older format.
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
//	meta      "format" -> "locsync state 2"
//	marks     scope, kind, path, language or collection -> sealed marks, one value for a whole file
//	records   scope, kind, id                           -> sealed JSON
//
// The parts of a key are joined by 00 01; a 00 inside a part is written 00 FF, so keys sort by their parts
// and no part can be mistaken for two. A sealed value is
//
//	version 1 (one byte) · content · CRC-32C of its key and all before it (4 bytes, big-endian)
//
// and marks are as catalog.Marks.Encode writes them.
package boltledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
)

// Store is an open state directory. Its methods may be called from any goroutine; those that change
// something run one after another.
type Store struct {
	dir     string
	lock    *lock
	touched atomic.Int64 // bytes of values that were read or written since the file's pages were let go of

	mu    sync.RWMutex // of what follows: a store that is damaged while it is open is put aside, too
	db    *bbolt.DB
	aside string // where a damaged store was put; "" when there was none
	why   error
}

var (
	metaBucket   = []byte("meta")
	marksBucket  = []byte("marks")
	recordBucket = []byte("records")

	formatKey = []byte("format")
)

// formatPrefix is before the number of the format. A store of a later one is refused, not put aside.
const formatPrefix = "locsync state "

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
	err := s.database().Close()
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
func (s *Store) Rebuilt() (aside string, why error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.aside, s.why
}

func (s *Store) database() *bbolt.DB {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.db
}

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
