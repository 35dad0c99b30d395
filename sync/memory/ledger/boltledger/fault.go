package boltledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
)

// errUnderUs is of a file that another program cut or replaced while it was open: the memory that it is mapped to is
// gone.
var errUnderUs = errors.New("another program cut or replaced the file while it was in use")

// faultless makes a transaction. Where the file is gone from under it, it is put aside and begun again empty, as a
// damaged one is when it is opened; this transaction fails, and the next one sees the new file.
func (s *Store) faultless(f func(*bbolt.DB) error) error {
	db := s.database()
	err, fault := faults(func() error { return f(db) })
	if fault == nil {
		return err
	}
	return s.renew(db, &damaged{fmt.Errorf("%w (%w)", errUnderUs, fault)})
}

// faults runs a function and reports an access to memory that the file does not back. Any other panic goes on.
func faults(f func() error) (err, fault error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		at, is := r.(interface {
			runtime.Error
			Addr() uintptr
		})
		if !is {
			panic(r)
		}
		fault = at
	}()
	return f(), nil
}

// renew puts the file aside and opens a new one, unless another transaction has done so.
func (s *Store) renew(db *bbolt.DB, why *damaged) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != db {
		return why
	}
	path := filepath.Join(s.dir, fileName)
	aside, err := putAside(path, time.Now())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w; put it aside: %w", why, err)
	}
	fresh, err := openChecked(path)
	if err != nil {
		return fmt.Errorf("%w; open a new one: %w", why, err)
	}
	go func() { _ = guarded(db.Close) }() // it waits for the transactions that are open
	s.db, s.aside, s.why = fresh, aside, why
	syncDir(s.dir)
	return why
}
