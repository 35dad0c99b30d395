package boltledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/locsync/locsync/sync/memory/ledger"
)

// damaged is the finding that a file cannot be trusted.
type damaged struct{ why error }

func (d *damaged) Error() string { return "the stored state is damaged: " + d.why.Error() }
func (d *damaged) Unwrap() error { return d.why }

// openChecked opens the database and looks at everything in it. The error is *damaged when the content
// is at fault, another one when the file cannot be opened at all.
func openChecked(path string) (db *bbolt.DB, err error) {
	var file *os.File
	options := &bbolt.Options{
		Timeout:      time.Second, // its own lock; ours is held already, so only a stranger's program can be in it
		FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	}
	err = guarded(func() (err error) {
		db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	switch fault := (*damaged)(nil); {
	case errors.As(err, &fault):
		if file != nil {
			_ = file.Close() // the library panicked half-way and left it open
		}
		return nil, err
	case err != nil:
		path, number := (*fs.PathError)(nil), syscall.Errno(0)
		if errors.As(err, &path) || errors.As(err, &number) || errors.Is(err, bbolterrors.ErrTimeout) {
			return nil, err // permissions, a full disk, a folder of that name: nothing is known about the content
		}
		return nil, &damaged{err}
	}
	number := 0
	err = guarded(func() error {
		return db.View(func(tx *bbolt.Tx) (err error) {
			number, err = checkFormat(tx)
			return err
		})
	})
	if err == nil && number == 0 {
		err = db.Update(create)
	}
	if err == nil {
		err = verify(db, file)
	}
	if err == nil && 0 < number && number < ledger.Format {
		err = db.Update(convert)
	}
	if err != nil {
		_ = guarded(db.Close)
		return nil, err
	}
	return db, nil
}

// guarded turns a panic of the database, or an access to memory that the file does not back, into
// *damaged.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = &damaged{fmt.Errorf("%v", r)}
		}
	}()
	return f()
}

// checkFormat tells the number of a file's format: 0 where it is fresh and empty.
func checkFormat(tx *bbolt.Tx) (number int, err error) {
	meta := tx.Bucket(metaBucket)
	if meta == nil {
		if first, _ := tx.Cursor().First(); first != nil {
			return 0, &damaged{errors.New("it is not a store of locsync")}
		}
		return 0, nil
	}
	found := string(meta.Get(formatKey))
	if version, ok := strings.CutPrefix(found, formatPrefix); ok {
		if n, err := strconv.Atoi(version); err == nil && n > ledger.Format {
			return 0, &ledger.NewerError{Format: n, Known: ledger.Format, Own: "a state_dir of its own"}
		} else if err == nil && n >= 1 {
			return n, nil
		}
	}
	return 0, &damaged{fmt.Errorf("it says it is %q", found)}
}

// create makes the buckets of a new file.
func create(tx *bbolt.Tx) error {
	for _, name := range [][]byte{metaBucket, marksBucket, recordBucket} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return putFormat(tx)
}

func putFormat(tx *bbolt.Tx) error {
	return tx.Bucket(metaBucket).Put(formatKey, []byte(formatPrefix+strconv.Itoa(ledger.Format)))
}

// verify reads every value and then has the database check its own pages. The order matters: the database's check
// runs in a goroutine of its own, where an access to missing memory could not be caught. So what it visits is visited
// here first, and its messages, for which it would read keys of a length that was not checked, are made without
// them.
func verify(db *bbolt.DB, file *os.File) error {
	return guarded(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			info, err := file.Stat()
			if err != nil {
				return err
			}
			if info.Size() < tx.Size() {
				return &damaged{fmt.Errorf("%d bytes are missing at its end", tx.Size()-info.Size())}
			}
			defer release(tx) // of a file with all its bytes: what is behind the map of another one is not ours
			for _, name := range [][]byte{marksBucket, recordBucket} {
				if err := verifyBucket(tx.Bucket(name)); err != nil {
					return err
				}
			}
			if err := verifyExtents(tx); err != nil {
				return err
			}
			var first error
			for err := range tx.Check(bbolt.WithKVStringer(unread{})) {
				if first == nil {
					first = &damaged{err}
				}
			}
			return first
		})
	})
}

// verifyExtents looks at how many pages each page says that it covers. The database's check visits them all, and a
// turned byte makes that billions.
func verifyExtents(tx *bbolt.Tx) error {
	pages := int(tx.Size() / int64(tx.DB().Info().PageSize))
	for id := 0; id < pages; id++ {
		page, err := tx.Page(id)
		if err != nil || page == nil {
			return err
		}
		if page.Type == "free" {
			continue // what is there is older data
		}
		if page.OverflowCount >= pages-id {
			return &damaged{fmt.Errorf("page %d says that it covers %d pages of %d", id, page.OverflowCount+1, pages)}
		}
		id += page.OverflowCount
	}
	return nil
}

func verifyBucket(b *bbolt.Bucket) error {
	if b == nil {
		return &damaged{errors.New("a bucket is missing")}
	}
	return b.ForEach(func(key, value []byte) error {
		if value == nil {
			return &damaged{errors.New("a value is missing")}
		}
		if _, err := unseal(key, value); err != nil {
			return &damaged{err}
		}
		// The way to a value leads over every branch, which a walk from value to value does not read.
		if !bytes.Equal(b.Get(key), value) {
			return &damaged{errors.New("a value is not where it is looked for")}
		}
		return nil
	})
}

// unread names keys and values without reading them.
type unread struct{}

func (unread) KeyToString([]byte) string   { return "…" }
func (unread) ValueToString([]byte) string { return "…" }

// asideMark is between a store's name and when it was put aside.
const asideMark = ".damaged-"

// putAside renames a damaged file so that it can be looked at, and nothing reads it.
func putAside(path string, now time.Time) (string, error) {
	first := path + asideMark + now.UTC().Format("20060102T150405Z")
	for n, aside := 2, first; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		} else if err != nil {
			return "", err
		}
		aside = fmt.Sprintf("%s.%d", first, n)
	}
}

// syncDir makes the name of a new file durable. Systems that cannot do that for folders are content
// without.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
