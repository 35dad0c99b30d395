package ledger_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// The texts of a job are read back as they were written, whatever their keys are; those of versions before, too; and
// what is damaged is an error.
func TestUnitsOfAJob(t *testing.T) {
	word := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	unit := rapid.Custom(func(t *rapid.T) ledger.Text {
		return ledger.Text{Name: catalog.Name{Key: word.Draw(t, "key"), Form: word.Draw(t, "form")},
			Mark: catalog.MarkOf(word.Draw(t, "text"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		units := ledger.Units(rapid.SliceOf(unit).Draw(t, "units"))
		content, err := json.Marshal(units)
		if err != nil {
			t.Fatal(err)
		}
		var back ledger.Units
		if err := json.Unmarshal(content, &back); err != nil {
			t.Fatal(err)
		}
		if len(units) != len(back) || len(units) > 0 && !reflect.DeepEqual(units, back) {
			t.Fatalf("%v came back as %v", units, back)
		}
		var packed []byte
		if err := json.Unmarshal(content, &packed); err != nil || len(packed) == 0 {
			return
		}
		cut, err := json.Marshal(packed[:len(packed)-1])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(cut, &back); err == nil {
			t.Fatalf("%v without the last byte came back as %v", units, back)
		}
	})
	var before ledger.Units
	m, _ := json.Marshal(catalog.MarkOf("A"))
	if err := json.Unmarshal([]byte(`[{"key":"a","form":"one","mark":`+string(m)+`}]`), &before); err != nil {
		t.Fatal(err)
	}
	want := ledger.Units{{Name: catalog.Name{Key: "a", Form: "one"}, Mark: catalog.MarkOf("A")}}
	if !reflect.DeepEqual(before, want) {
		t.Errorf("those of before came as %v", before)
	}
}
