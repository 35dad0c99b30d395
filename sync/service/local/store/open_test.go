package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/folder"
)

// A database that lost most of what it had is small again after the next start, with all that is left in it; one that
// is in use stays as it is, and so does one of which little is free.
func TestDatabaseShrinks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, DatabaseFile)
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	open := func() *Store {
		st, err := Open(dir, "a", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	write := func(st *Store, do func(tx *Tx) error) {
		if err := st.Update(do); err != nil {
			t.Fatal(err)
		}
	}
	st := open()
	st.SetDurable(false)
	write(st, func(tx *Tx) error {
		for i := range 100 {
			if err := tx.bucket(bucketUploads).Put(fmt.Append(nil, i), bytes.Repeat([]byte("x"), 200<<10)); err != nil {
				return err
			}
		}
		_, err := tx.bucket(bucketProjects).NextSequence()
		return err
	})
	full := size()
	write(st, func(tx *Tx) error {
		for i := range 99 {
			if err := tx.bucket(bucketUploads).Delete(fmt.Append(nil, i)); err != nil {
				return err
			}
		}
		return nil
	})
	if size() < full || full < 20<<20 {
		t.Fatalf("%d bytes, then %d", full, size())
	}
	if err := os.WriteFile(path+".new", []byte("of a process that was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = open()
	if size() > 1<<20 {
		t.Errorf("%d bytes of %d are left", size(), full)
	}
	if _, err := os.Stat(path + ".new"); err == nil {
		t.Error("the new file has its temporary name")
	}
	if _, err := Open(dir, "a", time.Now); err == nil {
		t.Error("it is not locked any more")
	}
	write(st, func(tx *Tx) error {
		if got := tx.bucket(bucketUploads).Get([]byte("99")); len(got) != 200<<10 {
			t.Errorf("%d bytes are left of what was not deleted", len(got))
		}
		if n := tx.bucket(bucketProjects).Sequence(); n != 1 {
			t.Errorf("numbers begin at %d again", n)
		}
		return tx.bucket(bucketUploads).Put([]byte("new"), []byte("text"))
	})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = open()
	if err := st.View(func(tx *Tx) error {
		if string(tx.bucket(bucketUploads).Get([]byte("new"))) != "text" {
			t.Error("what was written after it is lost")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// A process that waited for the one that moved the service does not serve the folder.
func TestMovedWhileItIsOpened(t *testing.T) {
	dir := t.TempDir()
	defer func() { options.OpenFile = nil }()
	options.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) { // before it is locked
		if err := folder.Move(dir, "other", func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		return os.OpenFile(name, flag, mode)
	}
	if st, err := Open(dir, "a", time.Now); !errors.Is(err, folder.ErrMoved) {
		t.Errorf("%v, %v", st, err)
	}
}
