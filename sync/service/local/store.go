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

// store is the database. A transaction that returned is on the disk.
type store struct{ db *bolt.DB }

func openStore(dir string) (*store, error) {
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
		for _, name := range [][]byte{bucketProjects, bucketKeys, bucketJobs, bucketQueue, bucketUploads, bucketExpiry, bucketCallbacks, bucketStorage, bucketGlossaries,
			bucketDocuments, bucketDocumentsOf, bucketDocumentTexts, bucketTranslations, bucketMemories, bucketTasks, bucketStatistics} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare %s: %w", path, err), db.Close())
	}
	return &store{db}, nil
}

func (s *store) close() error { return s.db.Close() }

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
