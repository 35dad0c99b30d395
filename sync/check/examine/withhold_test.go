package examine

import (
	"slices"
	"testing"

	"github.com/locsync/locsync/sync/text/catalog"
)

// The old shape of a key goes when the new one comes, whatever else of that key goes in the same merge.
func TestOldShapeGoesBesideARemoval(t *testing.T) {
	text, one, other := catalog.Name{Key: "k"}, catalog.Name{Key: "k", Form: "one"}, catalog.Name{Key: "k",
		Form: "other"}
	source := catalog.Catalog{{Name: one, Text: "a"}, {Name: other, Text: "b"}}
	in := catalog.Three{Source: source, Ours: catalog.Catalog{{Name: text, Text: "old"}, {Name: one, Text: "outdated"}}}
	result := catalog.Merged{Changes: []catalog.Change{
		{Op: catalog.Added, Name: other, Text: "new"}, {Op: catalog.Removed, Name: one},
	}}
	(&withheld{}).shaped(source, in, &result)
	if !slices.Contains(result.Changes, catalog.Change{Op: catalog.Removed, Name: text}) {
		t.Errorf("%v", result.Changes)
	}
}
