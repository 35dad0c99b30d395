package store

import (
	"fmt"
	"testing"
	"time"
)

// The log is bounded; imports, of which there are most, push out no other acts.
func TestAuditIsBounded(t *testing.T) {
	st, err := Open(t.TempDir(), "a", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	st.SetDurable(false)
	put := func(kind string, count int) {
		t.Helper()
		err := st.Update(func(tx *Tx) error {
			for i := range count {
				if err := PutNote(tx, kind, "", Noted{Name: fmt.Sprint(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	counts := func() (all map[string]int) {
		t.Helper()
		all = make(map[string]int)
		if err := st.View(func(tx *Tx) error {
			notes, err := Notes(tx, time.Time{}, time.Time{}, 0, 2*mostNotes)
			for _, n := range notes {
				all[n.Type]++
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	put(NotedInvited, 3)
	put(NotedImport, mostImports+10)
	if got := counts(); got[NotedInvited] != 3 || got[NotedImport] != mostImports {
		t.Errorf("%v", got)
	}
	put(NotedSignedIn, mostNotes-1)
	if got := counts(); got[NotedSignedIn] != mostNotes-1 || got[NotedInvited] != 0 || got[NotedImport] > 1 {
		t.Errorf("%v", got)
	}
}
