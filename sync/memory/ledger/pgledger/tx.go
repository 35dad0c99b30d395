package pgledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// querier is a transaction, or the pool.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// transaction is a ledger.Writer, and of a View a ledger.Reader. It is valid only inside the function that it was given
// to. Writes wait in a batch until something is read, or the transaction ends: each costs no way to the server then.
type transaction struct {
	ctx    context.Context // of the transaction; the ledger's interface has none
	on     querier
	writes pgx.Batch
	size   int // of what the writes send, in bytes
	send   func(context.Context, *pgx.Batch) pgx.BatchResults
}

// batchMost is how many bytes of writes wait at most.
const batchMost = 4 << 20

// digest addresses marks or a record: every part with its length, so that no two keys have the same bytes.
func digest(parts ...string) []byte {
	sum := sha256.New()
	for _, part := range parts {
		_ = binary.Write(sum, binary.BigEndian, uint64(len(part))) // a hash takes everything
		sum.Write([]byte(part))
	}
	return sum.Sum(nil)
}

func slotDigest(s ledger.Slot) []byte {
	scope, kind, path, part := s.Parts()
	return digest(scope, kind, path, part)
}

func recordDigest(k ledger.Key) []byte { return digest(k.Scope, k.Kind, k.ID) }

// write queues a statement.
func (tx *transaction) write(sql string, args ...any) error {
	tx.writes.Queue(sql, args...)
	for _, arg := range args {
		if content, is := arg.([]byte); is {
			tx.size += len(content)
		}
	}
	if tx.size < batchMost {
		return nil
	}
	return tx.flush()
}

// flush sends what was queued.
func (tx *transaction) flush() error {
	if tx.writes.Len() == 0 {
		return nil
	}
	err := tx.send(tx.ctx, &tx.writes).Close()
	tx.writes, tx.size = pgx.Batch{}, 0
	return err
}

// content reads one value; nil where there is none.
func (tx *transaction) content(sql string, digest []byte) (content []byte, err error) {
	if err := tx.flush(); err != nil {
		return nil, err
	}
	err = tx.on.QueryRow(tx.ctx, sql, digest).Scan(&content)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err == nil && content == nil {
		content = []byte{}
	}
	return content, err
}

const selectMarks = "SELECT content FROM locsync.marks WHERE digest = $1"

func (tx *transaction) Marks(slot ledger.Slot) (catalog.Marks, error) {
	content, err := tx.content(selectMarks, slotDigest(slot))
	if err == nil && content == nil {
		return nil, nil
	}
	var marks catalog.Marks
	if err == nil {
		marks, err = catalog.DecodeMarks(content)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", slot.Kind, slot.Path, err)
	}
	return marks, nil
}

func (tx *transaction) HasMarks(slot ledger.Slot) (bool, error) {
	content, err := tx.content("SELECT ''::bytea FROM locsync.marks WHERE digest = $1", slotDigest(slot))
	return content != nil, err
}

// SetMarks writes nothing where the marks are the same already.
func (tx *transaction) SetMarks(slot ledger.Slot, marks ledger.Marks) error {
	if marks == nil {
		marks = catalog.Marks(nil)
	}
	return tx.putMarks(slot, marks.Encode())
}

func (tx *transaction) putMarks(slot ledger.Slot, content []byte) error {
	scope, kind, path, part := slot.Parts()
	if content == nil {
		content = []byte{}
	}
	return tx.write(`INSERT INTO locsync.marks AS m VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (digest) DO UPDATE SET content = excluded.content WHERE m.content <> excluded.content`,
		slotDigest(slot), []byte(scope), []byte(kind), []byte(path), []byte(part), content)
}

func (tx *transaction) DropMarks(slot ledger.Slot) error {
	return tx.write("DELETE FROM locsync.marks WHERE digest = $1", slotDigest(slot))
}

func (tx *transaction) MoveMarks(from, to ledger.Slot) (bool, error) {
	content, err := tx.content(selectMarks, slotDigest(from))
	if err != nil {
		return false, fmt.Errorf("move %s of %s: %w", from.Kind, from.Path, err)
	}
	if content == nil || string(slotDigest(from)) == string(slotDigest(to)) {
		return content != nil, nil
	}
	return true, errors.Join(tx.putMarks(to, content), tx.DropMarks(from))
}

func (tx *transaction) Forget(scope string, keep ...string) error {
	kept := make([][]byte, 0, len(keep))
	for _, kind := range keep {
		kept = append(kept, []byte(kind))
	}
	for _, table := range []string{"marks", "records"} {
		if err := tx.write("DELETE FROM locsync."+table+" WHERE scope = $1 AND kind <> ALL ($2)", []byte(scope),
			kept); err != nil {
			return fmt.Errorf("forget what is stored of %s: %w", scope, err)
		}
	}
	return nil
}

// entry is a row that is listed: of marks its path and part, of a record its id and content.
type entry struct{ First, Second []byte }

// list reads rows before any is visited: a visit may ask for more, on the same connection.
func (tx *transaction) list(sql string, scope, kind string) ([]entry, error) {
	if err := tx.flush(); err != nil {
		return nil, err
	}
	rows, err := tx.on.Query(tx.ctx, sql, []byte(scope), []byte(kind))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[entry])
}

func (tx *transaction) Slots(like ledger.Slot) ([]ledger.Slot, error) {
	scope, kind, _, _ := like.Parts()
	rows, err := tx.list("SELECT path, part FROM locsync.marks WHERE scope = $1 AND kind = $2 ORDER BY path, part",
		scope, kind)
	var slots []ledger.Slot
	for _, row := range rows {
		slots = append(slots, like.At(string(row.First), string(row.Second)))
	}
	return slots, err
}

func (tx *transaction) Kinds(scope string) (marks, records []string, err error) {
	if err := tx.flush(); err != nil {
		return nil, nil, err
	}
	for table, kinds := range map[string]*[]string{"marks": &marks, "records": &records} {
		rows, err := tx.on.Query(tx.ctx, "SELECT DISTINCT kind FROM locsync."+table+" WHERE scope = $1 ORDER BY kind",
			[]byte(scope))
		if err != nil {
			return nil, nil, fmt.Errorf("list the kinds of %s: %w", scope, err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if err != nil {
			return nil, nil, fmt.Errorf("list the kinds of %s: %w", scope, err)
		}
		for _, kind := range found {
			*kinds = append(*kinds, string(kind))
		}
	}
	return marks, records, nil
}

func (tx *transaction) Record(k ledger.Key) ([]byte, error) {
	content, err := tx.content("SELECT content FROM locsync.records WHERE digest = $1", recordDigest(k))
	if err != nil {
		return nil, fmt.Errorf("read record %s %s: %w", k.Kind, k.ID, err)
	}
	return content, nil
}

func (tx *transaction) Records(like ledger.Key, visit func(id string, content []byte) error) error {
	rows, err := tx.list("SELECT id, content FROM locsync.records WHERE scope = $1 AND kind = $2 ORDER BY id",
		like.Scope, like.Kind)
	if err != nil {
		return fmt.Errorf("read records %s: %w", like.Kind, err)
	}
	for _, row := range rows {
		if err := visit(string(row.First), row.Second); err != nil {
			return err
		}
	}
	return nil
}

func (tx *transaction) PutRecord(k ledger.Key, content []byte) error {
	return tx.write(`INSERT INTO locsync.records AS r VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (digest) DO UPDATE SET content = excluded.content WHERE r.content <> excluded.content`,
		recordDigest(k), []byte(k.Scope), []byte(k.Kind), []byte(k.ID), append([]byte{}, content...))
}

func (tx *transaction) DeleteRecord(k ledger.Key) error {
	return tx.write("DELETE FROM locsync.records WHERE digest = $1", recordDigest(k))
}
