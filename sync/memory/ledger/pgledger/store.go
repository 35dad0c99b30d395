package pgledger

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Store is a ledger.Store. That of a project writes under the lease that this process has of it.
type Store struct {
	db      *Database
	project string       // "" where it is of none
	epoch   atomic.Int64 // of the lease; 0 while this process has none
}

// Store is the ledger of what belongs to no project. Its Updates are made one after the other.
func (d *Database) Store() *Store { return &Store{db: d} }

// Of is the ledger for the passes of a project, by its name. It writes nothing before it has a lease.
func (d *Database) Of(project string) *Store { return &Store{db: d, project: project} }

// Under says which lease writes are made under from now on; 0 for none.
func (s *Store) Under(epoch int64) { s.epoch.Store(epoch) }

// errNoLease is why a project's ledger is not written to.
var errNoLease = errors.New("this process does not have the lease of the project")

// View runs f in a transaction that sees the ledger as it is at its begin.
func (s *Store) View(f func(ledger.Reader) error) error {
	return s.run("read", pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, nil,
		func(tx *transaction) error { return f(tx) })
}

// Update runs f in a transaction whose changes are committed together, or not at all when it returns an error. A
// *ledger.LeaseError says that the project's lease is another process's.
func (s *Store) Update(f func(ledger.Writer) error) error {
	return s.run("write", pgx.TxOptions{}, s.lock, func(tx *transaction) error { return f(tx) })
}

// lock keeps other Updates of the project waiting, and this one from being made where the lease is not its own.
func (s *Store) lock(ctx context.Context, tx pgx.Tx) error {
	if s.project == "" {
		_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock+1))
		return err
	}
	mine, now := s.epoch.Load(), int64(0)
	if mine == 0 {
		return &ledger.LeaseError{Project: s.project, Err: errNoLease}
	}
	err := tx.QueryRow(ctx, "SELECT epoch FROM locsync.leases WHERE project = $1 FOR UPDATE", s.project).Scan(&now)
	if err == nil && now != mine {
		return &ledger.LeaseError{Project: s.project, Err: fmt.Errorf("another process has taken the project over "+
			"(its lease is number %d, this process had %d)", now, mine)}
	}
	return err
}

// run makes a transaction. Errors of the database name what was being done; those of f are returned as they are.
func (s *Store) run(doing string, o pgx.TxOptions, lock func(context.Context, pgx.Tx) error,
	f func(*transaction) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), transactionPatience)
	defer cancel()
	var own error
	err := pgx.BeginTxFunc(ctx, s.db.pool, o, func(tx pgx.Tx) error {
		if lock != nil {
			if err := lock(ctx, tx); err != nil {
				return err
			}
		}
		t := &transaction{ctx: ctx, on: tx, send: tx.SendBatch}
		if own = f(t); own != nil {
			return own
		}
		return t.flush()
	})
	if err == nil || own != nil {
		return own
	}
	if _, lost := errors.AsType[*ledger.LeaseError](err); lost {
		return err
	}
	return fmt.Errorf("%s the cluster's database: %w", doing, err)
}

// Rebuilt is ledger.Store's: the database is never put aside.
func (s *Store) Rebuilt() (aside string, why error) { return "", nil }

// Size is ledger.Store's: it is unknown.
func (s *Store) Size() int64 { return 0 }

// one reads by one question, which sees the ledger as it is at that moment.
func one[T any](s *Store, f func(ledger.Reader) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	value, err := f(&transaction{ctx: ctx, on: s.db.pool})
	if err != nil {
		return value, fmt.Errorf("read the cluster's database: %w", err)
	}
	return value, nil
}

// Marks is ledger.Reader's.
func (s *Store) Marks(slot ledger.Slot) (catalog.Marks, error) {
	return one(s, func(r ledger.Reader) (catalog.Marks, error) { return r.Marks(slot) })
}

// HasMarks is ledger.Reader's.
func (s *Store) HasMarks(slot ledger.Slot) (bool, error) {
	return one(s, func(r ledger.Reader) (bool, error) { return r.HasMarks(slot) })
}

// Slots is ledger.Reader's.
func (s *Store) Slots(like ledger.Slot) ([]ledger.Slot, error) {
	return one(s, func(r ledger.Reader) ([]ledger.Slot, error) { return r.Slots(like) })
}

// Kinds is ledger.Reader's.
func (s *Store) Kinds(scope string) (marks, records []string, err error) {
	err = s.View(func(r ledger.Reader) error {
		marks, records, err = r.Kinds(scope)
		return err
	})
	return marks, records, err
}

// Record is ledger.Reader's.
func (s *Store) Record(k ledger.Key) ([]byte, error) {
	return one(s, func(r ledger.Reader) ([]byte, error) { return r.Record(k) })
}

// Records is ledger.Reader's.
func (s *Store) Records(like ledger.Key, visit func(id string, content []byte) error) error {
	return s.View(func(r ledger.Reader) error { return r.Records(like, visit) })
}

// SetMarks is ledger.Writer's.
func (s *Store) SetMarks(slot ledger.Slot, marks ledger.Marks) error {
	return s.Update(func(w ledger.Writer) error { return w.SetMarks(slot, marks) })
}

// DropMarks is ledger.Writer's.
func (s *Store) DropMarks(slot ledger.Slot) error {
	return s.Update(func(w ledger.Writer) error { return w.DropMarks(slot) })
}

// MoveMarks is ledger.Writer's.
func (s *Store) MoveMarks(from, to ledger.Slot) (moved bool, err error) {
	err = s.Update(func(w ledger.Writer) error {
		moved, err = w.MoveMarks(from, to)
		return err
	})
	return moved, err
}

// PutRecord is ledger.Writer's.
func (s *Store) PutRecord(k ledger.Key, content []byte) error {
	return s.Update(func(w ledger.Writer) error { return w.PutRecord(k, content) })
}

// DeleteRecord is ledger.Writer's.
func (s *Store) DeleteRecord(k ledger.Key) error {
	return s.Update(func(w ledger.Writer) error { return w.DeleteRecord(k) })
}

// Forget is ledger.Writer's.
func (s *Store) Forget(scope string, keep ...string) error {
	return s.Update(func(w ledger.Writer) error { return w.Forget(scope, keep...) })
}
