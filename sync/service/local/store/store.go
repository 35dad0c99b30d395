// Package store is what the embedded service remembers: one type for each record, and the functions of a transaction
// that read and write it. No other package of the service knows the database.
//
// Its law: a transaction that returned is on the disk, and records of other accounts are refused, not shown. It
// decides nothing about translations: what a record means is for those who ask for it.
//
// service.db is a bbolt database with these buckets:
//
//	projects   identifier -> project (JSON). All accounts of the folder; a process serves one of them
//	keys       identifier of a project
//	             name of a collection
//	               collection -> its targets and counts (JSON)
//	               index      kind and key -> number
//	               rows       number -> key, source text, labels (rows.go)
//	               in:de      number -> translation into German, and so on
//	               past:de    number -> the translations before it (past.go)
//	               offered:de number -> a translation that was not taken (past.go)
//	               suggested:de number -> a translation that a person suggests (comments.go)
//	               comments   number -> what people say about the key (comments.go)
//	jobs       identifier -> job (JSON), until it expires
//	queue      number -> identifier of a job that has not ended
//	uploads    identifier/n -> the n-th file of an import that has not ended
//	expiry     time, identifier -> nothing: when a job is forgotten
//	callbacks  account -> its registration, the notifications that are to be delivered, the last errors (callbacks.go)
//	glossaries account -> identifier -> a glossary and its units (glossaries.go)
//	storage    account -> path -> record of a stored file (files.go)
//	protected  account -> its placeholders (JSON)
//	documents, documentsOf, documentPaths, documentTexts, translations (documents.go),
//	memories (memories.go), tasks (tasks.go), statistics (statistics.go), people (people.go),
//	audit (audit.go), news (news.go)
//
// Beside it, results/ has one file for each export that ended, and files/ one for each file of the storage. An import
// reads and writes the rows of its own keys only, whatever else the collection has. Pseudo-translations are not
// stored: they are made when an export asks for them.
package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
)

// DatabaseFile is the one file that holds everything but the files of the storage and the results of exports, which
// are in folders beside it.
const (
	DatabaseFile  = "service.db"
	FilesFolder   = "files"
	ResultsFolder = "results"
)

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
	bucketDocumentPaths = []byte("documentPaths")
	bucketDocumentTexts = []byte("documentTexts")
	bucketTranslations  = []byte("translations")
	bucketMemories      = []byte("memories")
	bucketTasks         = []byte("tasks")
	bucketStatistics    = []byte("statistics")
	bucketPeople        = []byte("people")
	bucketProtected     = []byte("protected")
	bucketAudit         = []byte("audit")
	bucketNews          = []byte("news")
)

// buckets are all of them.
var buckets = [][]byte{bucketProjects, bucketKeys, bucketJobs, bucketQueue, bucketUploads, bucketExpiry,
	bucketCallbacks,
	bucketStorage, bucketGlossaries, bucketDocuments, bucketDocumentsOf, bucketDocumentTexts, bucketTranslations,
	bucketMemories, bucketTasks, bucketStatistics, bucketPeople, bucketProtected, bucketAudit, bucketNews}

// Store is the database, as one account uses it. A transaction that returned is on the disk.
type Store struct {
	db      *bolt.DB
	dir     string
	Account string
	clock   func() time.Time
	Queued  Signal // raised when a notification was queued

	discards folder.Discards // files beside it
	moved    atomic.Bool     // to another folder: nothing is written any more
}

// ReleasePages gives back what reading much of the database has mapped into this process.
func (s *Store) ReleasePages() {
	_ = s.db.View(func(tx *bolt.Tx) error { // which fails where the database is closed
		bound.ReleasePages(s.db.Info().Data, tx.Size())
		return nil
	})
}

// Tx is a transaction.
type Tx struct {
	bolt  *bolt.Tx
	store *Store
}

func (st *Store) Close() error { return st.db.Close() }

// View runs do in a transaction that only reads.
func (st *Store) View(do func(tx *Tx) error) error {
	return st.db.View(func(tx *bolt.Tx) error { return do(&Tx{tx, st}) })
}

// Read is what do reads in a transaction.
func Read[T any](st *Store, do func(tx *Tx) (T, error)) (found T, err error) {
	err = st.View(func(tx *Tx) (err error) {
		found, err = do(tx)
		return err
	})
	return found, err
}

// Update runs do in a transaction that is kept when do returns no error. Then it is on the disk.
func (st *Store) Update(do func(tx *Tx) error) error {
	return st.db.Update(func(tx *bolt.Tx) error {
		if st.moved.Load() {
			return api.Refuse(http.StatusServiceUnavailable,
				"This service has moved to another folder and is served from there soon. Nothing is stored until then.")
		}
		return do(&Tx{tx, st})
	})
}

// Durable tells whether transactions are synced to the disk, which files beside the database are then, too.
func (st *Store) Durable() bool { return !st.db.NoSync }

// SetDurable is for tests, which need not wait for the disk.
func (st *Store) SetDurable(on bool) { st.db.NoSync = !on }

// Now is the time as it is stored: in Unix nanoseconds.
func (st *Store) Now() int64 { return st.clock().UnixNano() }

func (tx *Tx) Now() int64 { return tx.store.Now() }

// Account is whom the transaction is made for.
func (tx *Tx) Account() string { return tx.store.Account }

// OnCommit has do called when the transaction is on the disk.
func (tx *Tx) OnCommit(do func()) { tx.bolt.OnCommit(do) }

// Writable tells whether the transaction may change anything.
func (tx *Tx) Writable() bool { return tx.bolt.Writable() }

func (tx *Tx) bucket(name []byte) *bolt.Bucket { return tx.bolt.Bucket(name) }

// Placeholders are what translators must not change in the texts of the account.
func Placeholders(tx *Tx) ([]wire.Placeholder, error) {
	all, found, err := getRecord[[]wire.Placeholder](tx.bucket(bucketProtected), tx.Account())
	if err != nil || !found {
		return []wire.Placeholder{}, err
	}
	return *all, nil
}

// PutPlaceholders replaces them.
func PutPlaceholders(tx *Tx, all []wire.Placeholder) error {
	return putRecord(tx.bucket(bucketProtected), tx.Account(), &all)
}

// Signal wakes a loop: it has one slot, and raising it never blocks. It carries no data.
type Signal chan struct{}

func NewSignal() Signal { return make(Signal, 1) }

func (s Signal) Raise() {
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
