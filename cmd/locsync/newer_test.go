package main

import (
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/run/process"
)

// A state that a newer locsync has written is left as it is: the command ends with 2 and says what to do.
func TestNewerState(t *testing.T) {
	dir := t.TempDir()
	store, err := boltledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(filepath.Join(dir, "state.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("format"), []byte("locsync state 9"))
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = boltledger.Open(dir)
	if err == nil || !process.Lasting(err) {
		t.Fatalf("the exit code is not 2: %v", err)
	}
	for _, says := range []string{"newer locsync", "format 9", "state_dir", dir} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%q is missing: %v", says, err)
		}
	}
}
