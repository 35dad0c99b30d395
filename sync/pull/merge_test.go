package pull

import (
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/catalog"
)

// A text of base's that has lost a conflict is replaced by the branch's, also where the branch has not changed its own.
func TestALostTextIsReplaced(t *testing.T) {
	t.Parallel()
	unit := func(text string) catalog.Catalog {
		return catalog.Catalog{{Name: catalog.Name{Key: "a"}, Text: text}}
	}
	f, _ := formats.Named("json")
	base, err := f.Parse(resource.Keys{}, []byte(`{"a": "base"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, lost := range []bool{true, false} {
		edits, replaced := brought(unit("old").Marks(), unit("old"), base, nil, func(catalog.Unit) bool { return lost })
		if (len(edits) == 1 && edits[0].Text == "old") != lost || len(replaced) > 0 {
			t.Errorf("lost %v: %v %v", lost, edits, replaced)
		}
	}
}
