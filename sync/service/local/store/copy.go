package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
)

// Discard removes a file beside the database that no record speaks of any more. What stays is swept at the next start.
func (st *Store) Discard(path string) { st.discards.Remove(path) }

// KeepFiles has the files beside the database stay until release is called.
func (st *Store) KeepFiles() (release func()) { return st.discards.Wait() }

// Copied is what a copy of the database speaks of.
type Copied struct {
	Accounts []string
	Files    []string // beside it that it speaks of, relative to the folder
}

// CopyTo writes the database as it is at this moment, while it is used. The files beside it that it speaks of stay
// where KeepFiles was called before.
func (st *Store) CopyTo(to io.Writer) (c Copied, err error) {
	err = st.View(func(tx *Tx) error {
		if c.Accounts, err = Accounts(tx); err != nil {
			return err
		}
		blobs, err := BlobsOf(tx)
		if err != nil {
			return err
		}
		for _, blob := range slices.Sorted(maps.Keys(blobs)) {
			c.Files = append(c.Files, filepath.Join(FilesFolder, blob))
		}
		err = EachJob(tx, func(j *Job) error {
			if j.Result != nil && j.Status == wire.Completed {
				c.Files = append(c.Files, filepath.Join(ResultsFolder, j.ID))
			}
			return nil
		})
		if err != nil {
			return err
		}
		_, err = tx.bolt.WriteTo(to)
		return err
	})
	return c, err
}

// Accounts are those that have a project or a person.
func Accounts(tx *Tx) ([]string, error) {
	found := make(map[string]bool)
	err := tx.bucket(bucketProjects).ForEach(func(_, raw []byte) error {
		var of struct{ Account string }
		err := json.Unmarshal(raw, &of)
		found[of.Account] = true
		return err
	})
	if people := tx.bucket(bucketPeople); err == nil && people != nil { // earlier versions had none
		err = people.ForEachBucket(func(account []byte) error {
			first, _ := people.Bucket(account).Cursor().Seek([]byte(atPerson))
			if bytes.HasPrefix(first, []byte(atPerson)) {
				found[string(account)] = true
			}
			return nil
		})
	}
	all := slices.AppendSeq([]string{}, maps.Keys(found))
	slices.Sort(all)
	return all, err
}

// Temporary is a file in it for what is too large for the memory; done removes it.
func (st *Store) Temporary() (f *os.File, done func(), err error) { return folder.Temporary(st.dir) }

// Dir is the folder of the database.
func (st *Store) Dir() string { return st.dir }

// OpenToRead opens the database in a folder that no process serves, and changes nothing in it. Meanwhile none can; nor,
// alone, can another one read it.
func OpenToRead(dir string, alone bool) (*Store, error) {
	db, err := openExisting(dir, !alone)
	if err != nil {
		return nil, err
	}
	if err := folder.Unmoved(dir); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db: db, dir: dir, clock: time.Now}, nil
}

// Move has do put the service into another folder, while nothing is written into this one. If that is done, nothing is
// from then on, and no process serves this folder.
func (st *Store) Move(to string, do func() error) error {
	tx, err := st.db.Begin(true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	err = folder.Move(st.dir, to, do)
	st.moved.Store(folder.Unmoved(st.dir) != nil)
	return err
}

// Hold keeps processes from serving a folder until release is called; alone also from holding it. One without a
// database, or with one that cannot be opened, is served by none.
func Hold(dir string, alone bool) (release func(), err error) {
	db, err := openExisting(dir, !alone)
	switch {
	case errors.Is(err, ErrInUse), errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		return func() {}, nil
	}
	return func() { _ = db.Close() }, nil
}

func openExisting(dir string, toRead bool) (*bolt.DB, error) {
	existing := options
	existing.ReadOnly = toRead
	existing.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		return os.OpenFile(name, flag&^os.O_CREATE, mode)
	}
	return openFile(filepath.Join(dir, DatabaseFile), existing)
}
