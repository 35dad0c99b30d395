package boltledger

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// A look tells what there is, and leaves it as it was.
func TestExamine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state [1]")
	must(t, os.Mkdir(dir, 0o700))
	look := func() Findings {
		t.Helper()
		f, err := Examine(dir, t.TempDir())
		must(t, err)
		return f
	}
	if f := look(); f.There || f.Size != 0 || f.Holder != nil || f.Damage != nil || len(f.Aside) > 0 {
		t.Errorf("of nothing: %+v", f)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("made %v, %v", left, err)
	}
	s := open(t, dir)
	must(t, s.Announce("there"))
	if f := look(); !f.There || f.Size < 1000 || f.Holder == nil || f.Holder.PID != os.Getpid() || f.Holder.Address != "there" || f.Damage != nil {
		t.Errorf("of an open one: %+v", f)
	}
	closed(t, s)
	if f := look(); !f.There || f.Holder != nil || f.Damage != nil {
		t.Errorf("of a closed one: %+v", f)
	}
	file := filepath.Join(dir, fileName)
	sound, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, sound[:len(sound)/2], 0o600))
	if f := look(); !f.There || f.Damage == nil {
		t.Errorf("of half a store: %+v", f)
	}
	if now, err := os.ReadFile(file); err != nil || len(now) != len(sound)/2 {
		t.Errorf("the damaged store was touched: %d bytes, %v", len(now), err)
	}
	closed(t, open(t, dir))
	if f := look(); f.Damage != nil || len(f.Aside) != 1 || !strings.HasPrefix(f.Aside[0], "state.db.damaged-") {
		t.Errorf("after it was put aside: %+v", f)
	}
	rewrite(t, file, func(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Put(formatKey, []byte("locsync state 3")) })
	if _, err := Examine(dir, t.TempDir()); err == nil || !strings.Contains(err.Error(), "newer locsync") {
		t.Errorf("of a newer one: %v", err)
	}
	must(t, os.Remove(file))
	must(t, os.Mkdir(file, 0o700))
	if _, err := Examine(dir, t.TempDir()); err == nil {
		t.Error("a folder in the store's place was taken for a store")
	}
}
