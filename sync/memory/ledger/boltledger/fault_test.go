package boltledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// A file that another program cuts while it is open is a sentence and an empty store, not the end of the process.
func TestAFileThatIsCutWhileItIsOpen(t *testing.T) {
	for _, left := range []int64{0, 4096, 8192} {
		dir := t.TempDir()
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		slot := func(i int) ledger.Slot {
			return ledger.Slot{Scope: "app", Kind: "merged", Path: fmt.Sprint(i), Language: "de"}
		}
		marks := make(catalog.Marks)
		for i := range 2000 {
			marks[catalog.Name{Key: fmt.Sprint("key", i)}] = catalog.MarkOf(fmt.Sprint(i))
		}
		for i := range 20 {
			if err := s.SetMarks(slot(i), marks); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Truncate(filepath.Join(dir, fileName), left); err != nil {
			t.Fatal(err)
		}
		if _, err = s.Marks(slot(19)); err == nil {
			err = s.SetMarks(slot(1), marks)
		}
		if fault := (*damaged)(nil); !errors.As(err, &fault) {
			t.Errorf("%d bytes left: %v", left, err)
		}
		if err := s.SetMarks(slot(0), marks); err != nil {
			t.Errorf("%d bytes left: the new store: %v", left, err)
		}
		if aside, why := s.Rebuilt(); aside == "" || why == nil {
			t.Errorf("%d bytes left: it is not told", left)
		}
		if has, err := s.HasMarks(slot(0)); err != nil || !has {
			t.Errorf("%d bytes left: %v %v", left, has, err)
		}
	}
}
