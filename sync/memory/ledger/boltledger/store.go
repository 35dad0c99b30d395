package boltledger

import (
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// The methods of a transaction, each in one of its own.

var _ ledger.Store = (*Store)(nil)

func view[T any](s *Store, f func(ledger.Reader) (T, error)) (value T, err error) {
	err = s.View(func(tx ledger.Reader) error {
		value, err = f(tx)
		return err
	})
	return value, err
}

// Marks is ledger.Reader's.
func (s *Store) Marks(slot ledger.Slot) (catalog.Marks, error) {
	return view(s, func(tx ledger.Reader) (catalog.Marks, error) { return tx.Marks(slot) })
}

// HasMarks is ledger.Reader's.
func (s *Store) HasMarks(slot ledger.Slot) (bool, error) {
	return view(s, func(tx ledger.Reader) (bool, error) { return tx.HasMarks(slot) })
}

// Slots is ledger.Reader's.
func (s *Store) Slots(like ledger.Slot) ([]ledger.Slot, error) {
	return view(s, func(tx ledger.Reader) ([]ledger.Slot, error) { return tx.Slots(like) })
}

// Kinds is ledger.Reader's.
func (s *Store) Kinds(scope string) (marks, records []string, err error) {
	err = s.View(func(tx ledger.Reader) error {
		marks, records, err = tx.Kinds(scope)
		return err
	})
	return marks, records, err
}

// Record is ledger.Reader's.
func (s *Store) Record(k ledger.Key) ([]byte, error) {
	return view(s, func(tx ledger.Reader) ([]byte, error) { return tx.Record(k) })
}

// Records is ledger.Reader's.
func (s *Store) Records(like ledger.Key, visit func(id string, content []byte) error) error {
	return s.View(func(tx ledger.Reader) error { return tx.Records(like, visit) })
}

// SetMarks is ledger.Writer's.
func (s *Store) SetMarks(slot ledger.Slot, marks ledger.Marks) error {
	return s.Update(func(tx ledger.Writer) error { return tx.SetMarks(slot, marks) })
}

// DropMarks is ledger.Writer's.
func (s *Store) DropMarks(slot ledger.Slot) error {
	return s.Update(func(tx ledger.Writer) error { return tx.DropMarks(slot) })
}

// MoveMarks is ledger.Writer's.
func (s *Store) MoveMarks(from, to ledger.Slot) (moved bool, err error) {
	err = s.Update(func(tx ledger.Writer) error {
		moved, err = tx.MoveMarks(from, to)
		return err
	})
	return moved, err
}

// PutRecord is ledger.Writer's.
func (s *Store) PutRecord(k ledger.Key, content []byte) error {
	return s.Update(func(tx ledger.Writer) error { return tx.PutRecord(k, content) })
}

// DeleteRecord is ledger.Writer's.
func (s *Store) DeleteRecord(k ledger.Key) error {
	return s.Update(func(tx ledger.Writer) error { return tx.DeleteRecord(k) })
}

// Forget is ledger.Writer's.
func (s *Store) Forget(scope string, keep ...string) error {
	return s.Update(func(tx ledger.Writer) error { return tx.Forget(scope, keep...) })
}
