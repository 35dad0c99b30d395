package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/sync/service/local/folder"
	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

var options = bolt.Options{Timeout: 300 * time.Millisecond, FreelistType: bolt.FreelistMapType}

// Open opens the database in a folder for an account. The clock says when something happened.
func Open(dir, account string, clock func() time.Time) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of the translation service: %w", err)
	}
	path := filepath.Join(dir, DatabaseFile)
	db, err := openFile(path, options)
	if err != nil {
		return nil, err
	}
	if err := folder.Unmoved(dir); err != nil { // asked now: no process moves what this one has
		return nil, errors.Join(err, db.Close())
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return preparePaths(tx)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare %s: %w", path, err), db.Close())
	}
	db = shrunk(db, path)
	folder.SweepTemporary(dir)
	return &Store{db: db, dir: dir, Account: account, clock: clock, Queued: NewSignal()}, nil
}

// ErrInUse is the cause where another process serves a folder.
var ErrInUse = errors.New("another process serves this folder; stop it, or give this one a folder of its own")

func openFile(path string, o bolt.Options) (*bolt.DB, error) {
	db, err := bolt.Open(path, 0o600, &o)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s is in use: %w", path, ErrInUse)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return db, nil
}

// A database is written anew when it is opened and has at least so many free bytes, and more free pages than others.
const worthShrinking = 4 << 20

// shrunk is a database without the pages that nothing uses any more; they are never given back while it is in use.
// Where it cannot be written anew, as on a full disk, it stays as it is. The new file takes the old one's name while
// both are locked, so that no other process comes between.
func shrunk(db *bolt.DB, path string) *bolt.DB {
	info, err := os.Stat(path)
	free := int64(db.Stats().FreePageN) * int64(db.Info().PageSize)
	if err != nil || free < worthShrinking || 2*free < info.Size() {
		return db
	}
	temporary := path + ".new"
	_ = os.Remove(temporary) // of a process that was killed
	small, err := bolt.Open(temporary, 0o600, &options)
	if err != nil {
		return db
	}
	const step = 4 << 20 // bytes of one transaction
	if err = bolt.Compact(small, db, step); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = small.Close()
		_ = os.Remove(temporary)
		return db
	}
	_ = db.Close() // all of it is in the other
	return small
}
