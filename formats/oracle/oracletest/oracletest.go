// Package oracletest holds what the grammars of the formats read against the second readers, for their tests.
package oracletest

import (
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
)

// Agree fails where the second reader refuses a file, or sees other keys, kinds or texts in it, or in another order.
func Agree(t testing.TB, f *resource.File, rule oracle.Rule) {
	t.Helper()
	leaves, err := rule.Read(f.Bytes())
	if err != nil {
		t.Fatalf("the second reader: %v in\n%q", err, f.Bytes())
	}
	i := 0
	for e := range f.Entries() {
		if i >= len(leaves) || leaves[i].Key != e.Key || (leaves[i].Kind == oracle.Text) != (e.Kind == resource.Text) ||
			e.Kind == resource.Text && leaves[i].Text != e.Text {
			t.Fatalf("the second reader: entry %d of %+v, ours is %+v, in\n%q", i, leaves, e, f.Bytes())
		}
		i++
	}
	if i != len(leaves) {
		t.Fatalf("the second reader sees %d entries, not %d in\n%q", len(leaves), i, f.Bytes())
	}
}
