package local

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// databaseFile is the one file that holds everything but the results of exports, which lie beside it (see downloads.go).
const databaseFile = "service.db"

// The outermost buckets; the package comment draws what is in them.
var (
	bucketProjects = []byte("projects")
	bucketKeys     = []byte("keys")
	bucketJobs     = []byte("jobs")
	bucketQueue    = []byte("queue")
	bucketUploads  = []byte("uploads")
	bucketExpiry   = []byte("expiry")

	bucketCallbacks = []byte("callbacks")
	bucketStorage   = []byte("storage")

	bucketGlossaries = []byte("glossaries")

	bucketDocuments     = []byte("documents")
	bucketDocumentsOf   = []byte("documentsOf")
	bucketDocumentTexts = []byte("documentTexts")
	bucketTranslations  = []byte("translations")
	bucketMemories      = []byte("memories")
	bucketTasks         = []byte("tasks")
	bucketStatistics    = []byte("statistics")
)

// buckets are all of them.
var buckets = [][]byte{bucketProjects, bucketKeys, bucketJobs, bucketQueue, bucketUploads, bucketExpiry, bucketCallbacks,
	bucketStorage, bucketGlossaries, bucketDocuments, bucketDocumentsOf, bucketDocumentTexts, bucketTranslations,
	bucketMemories, bucketTasks, bucketStatistics}

// store is the database, as one account uses it. A transaction that returned is on the disk.
type store struct {
	db      *bolt.DB
	account string
	clock   func() time.Time
	queued  signal // raised when a notification was queued
}

// Tx is a transaction.
type Tx struct {
	bolt  *bolt.Tx
	store *store
}

// openStore opens the database in a folder for an account. The clock says when something happened.
func openStore(dir, account string, clock func() time.Time) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of the translation service: %w", err)
	}
	path := filepath.Join(dir, databaseFile)
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: 300 * time.Millisecond, FreelistType: bolt.FreelistMapType})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s is in use: another process serves this folder; stop it, or give this one a folder of its own", path)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare %s: %w", path, err), db.Close())
	}
	return &store{db: db, account: account, clock: clock, queued: newSignal()}, nil
}

func (st *store) close() error { return st.db.Close() }

// view runs do in a transaction that only reads.
func (st *store) view(do func(tx *Tx) error) error {
	return st.db.View(func(tx *bolt.Tx) error { return do(&Tx{tx, st}) })
}

// update runs do in a transaction that is kept when do returns no error. Then it is on the disk.
func (st *store) update(do func(tx *Tx) error) error {
	return st.db.Update(func(tx *bolt.Tx) error { return do(&Tx{tx, st}) })
}

// durable tells whether transactions are synced to the disk, which files beside the database are then, too.
func (st *store) durable() bool { return !st.db.NoSync }

// setDurable is for tests, which need not wait for the disk.
func (st *store) setDurable(on bool) { st.db.NoSync = !on }

// now is the time as it is stored: in Unix nanoseconds.
func (st *store) now() int64 { return st.clock().UnixNano() }

func (tx *Tx) now() int64 { return tx.store.now() }

// account is whom the transaction is made for.
func (tx *Tx) account() string { return tx.store.account }

// onCommit has do called when the transaction is on the disk.
func (tx *Tx) onCommit(do func()) { tx.bolt.OnCommit(do) }

// writable tells whether the transaction may change anything.
func (tx *Tx) writable() bool { return tx.bolt.Writable() }

func (tx *Tx) bucket(name []byte) *bolt.Bucket { return tx.bolt.Bucket(name) }

// signal wakes a loop: it has one slot, and raising it never blocks. It carries no data.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) raise() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// getRecord reads a JSON record; found is false where there is none.
func getRecord[T any](b *bolt.Bucket, key string) (record *T, found bool, err error) {
	raw := b.Get([]byte(key))
	if raw == nil {
		return nil, false, nil
	}
	record = new(T)
	if err := json.Unmarshal(raw, record); err != nil {
		return nil, false, fmt.Errorf("stored record %q: %w", key, err)
	}
	return record, true, nil
}

func putRecord[T any](b *bolt.Bucket, key string, record *T) error {
	raw, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("record %q: %w", key, err)
	}
	return b.Put([]byte(key), raw)
}

// number is a key that sorts as the number does.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
