package store

import (
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A database of a program that had no index of paths gets one when it is opened.
func TestPathsOfOlderDatabases(t *testing.T) {
	dir := t.TempDir()
	st, err := Open(dir, "a", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(func(tx *Tx) error {
		return CreateDocument(tx, &Document{ID: "d", Project: "p", Path: "f/a.txt"}, []byte("A"))
	})
	if err == nil {
		err = st.Update(func(tx *Tx) error {
			return PutDocument(tx, &Document{ID: "d", Project: "p", Path: "f/a.txt"})
		})
	}
	if err == nil {
		err = st.db.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket(bucketDocumentPaths) })
	}
	if err == nil {
		err = st.Close()
	}
	if err == nil {
		st, err = Open(dir, "a", time.Now)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	_ = st.View(func(tx *Tx) error {
		if id := DocumentAt(tx, "p", "f/a.txt"); id != "d" {
			t.Errorf("at its path is %q", id)
		}
		return nil
	})
}
