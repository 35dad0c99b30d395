package pull

import (
	"slices"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/pass"
)

// The old shape of a key goes when the new one comes, whatever else of that key goes in the same merge.
func TestOldShapeGoesBesideARemoval(t *testing.T) {
	text, one, other := catalog.Name{Key: "k"}, catalog.Name{Key: "k", Form: "one"}, catalog.Name{Key: "k", Form: "other"}
	source := catalog.Catalog{{Name: one, Text: "a"}, {Name: other, Text: "b"}}
	in := catalog.Three{Source: source, Ours: catalog.Catalog{{Name: text, Text: "old"}, {Name: one, Text: "outdated"}}}
	result := catalog.Merged{Changes: []catalog.Change{
		{Op: catalog.Added, Name: other, Text: "new"}, {Op: catalog.Removed, Name: one},
	}}
	(&account{}).shaped(pass.Translated{}, source, in, &result)
	if !slices.Contains(result.Changes, catalog.Change{Op: catalog.Removed, Name: text}) {
		t.Errorf("%v", result.Changes)
	}
}

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
