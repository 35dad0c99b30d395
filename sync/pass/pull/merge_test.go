package pull

import (
	"slices"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/text/catalog"
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

// What a file is to get where it lacks texts of the repository.
func TestWritten(t *testing.T) {
	t.Parallel()
	unit := func(key, text string) catalog.Unit {
		return catalog.Unit{Name: catalog.Name{Key: key}, Text: text}
	}
	change := func(op catalog.Op, key, text string) catalog.Change {
		return catalog.Change{Op: op, Name: catalog.Name{Key: key}, Text: text}
	}
	source := catalog.Catalog{unit("a", "A"), unit("b", "B"), unit("c", "C")}
	ours := catalog.Catalog{unit("orphan", "o"), unit("c", "c"), unit("b", "b"), unit("a", "")}
	changes := []catalog.Change{change(catalog.Changed, "c", "new"), change(catalog.Removed, "b", "")}
	for _, c := range []struct {
		name    string
		has     catalog.Catalog
		changes []catalog.Change
		want    []catalog.Change
	}{
		{"all of them", ours, changes, changes},
		{"none of them", nil, changes,
			[]catalog.Change{change(catalog.Added, "c", "new"), change(catalog.Added, "orphan", "o")}},
		{"none, without a change", nil, nil, []catalog.Change{change(catalog.Added, "b", "b"),
			change(catalog.Added, "c", "c"), change(catalog.Added, "orphan", "o")}},
		{"one is put back", ours[:2], changes[:1],
			[]catalog.Change{change(catalog.Added, "b", "b"), change(catalog.Changed, "c", "new")}},
	} {
		if got := written(source, ours, c.has, c.changes); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
