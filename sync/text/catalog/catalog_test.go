package catalog

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func plain(pairs ...string) Catalog {
	var c Catalog
	for i := 0; i < len(pairs); i += 2 {
		c = append(c, Unit{Name: Name{Key: pairs[i]}, Text: pairs[i+1]})
	}
	return c
}

// drawCatalog makes catalogs that share keys and texts often, so that every row of the tables comes up.
func drawCatalog(t *rapid.T, label string) Catalog {
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 0, 6, rapid.ID).Draw(t, label+" keys")
	var c Catalog
	for _, k := range keys {
		form := rapid.SampledFrom([]string{"", "", "one", "other"}).Draw(t, label+" form")
		c = append(c, Unit{Name: Name{k, form}, Text: rapid.SampledFrom([]string{"", "x", "y", "z", "Save"}).Draw(t, label+" text")})
	}
	return c
}

func TestDiffIsInverseOfApplying(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, now := drawCatalog(t, "before"), drawCatalog(t, "now")
		marks := before.Marks()
		for _, c := range Diff(before.Marks(), now) {
			if c.Op == Removed {
				delete(marks, c.Name)
			} else {
				marks[c.Name] = MarkOf(c.Text)
			}
		}
		if !maps.Equal(marks, now.Marks()) {
			t.Fatalf("applying the difference of %v and %v gives %v", before, now, marks)
		}
		if d := Diff(now.Marks(), now); len(d) > 0 {
			t.Fatalf("a catalog differs from itself by %v", d)
		}
	})
}

func TestRenames(t *testing.T) {
	for _, c := range []struct {
		name        string
		before, now Catalog
		want        []Rename
	}{
		{"moved", plain("old", "Save all"), plain("new", "Save all"), []Rename{{Name{Key: "old"}, Name{Key: "new"}}}},
		{"text changed too", plain("old", "Save all"), plain("new", "Save everything"), nil},
		{"two came", plain("old", "Save"), plain("n1", "Save", "n2", "Save"), nil},
		{"two went", plain("o1", "Save", "o2", "Save"), plain("new", "Save"), nil},
		{"a third has the text", plain("old", "Save", "stays", "Save"), plain("new", "Save", "stays", "Save"), nil},
		{"nothing to know it by", plain("old", "--"), plain("new", "--"), nil},
		{"passed along", plain("a", "Save", "b", "Open"), plain("b", "Save", "c", "Open"),
			[]Rename{{Name{Key: "a"}, Name{Key: "b"}}, {Name{Key: "b"}, Name{Key: "c"}}}},
		{"changed places", plain("a", "Save", "b", "Open"), plain("a", "Open", "b", "Save"),
			[]Rename{{Name{Key: "b"}, Name{Key: "a"}}, {Name{Key: "a"}, Name{Key: "b"}}}},
		{"left a key that stays", plain("a", "Save"), plain("a", "New", "b", "Save"), []Rename{{Name{Key: "a"}, Name{Key: "b"}}}},
		{"left two keys that stay", plain("a", "Save", "b", "Save"), plain("a", "New", "b", "Other", "c", "Save"), nil},
		{"copied, not moved", plain("old", "Save"), plain("old", "Save", "new", "Save"), nil},
	} {
		base := c.before.Marks()
		if got := Renames(base, c.now, Diff(base, c.now)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestMergeTable is the decision table of Merge, row by row, on the key k whose source text is "Save".
func TestMergeTable(t *testing.T) {
	for _, c := range []struct {
		name                       string
		base, filler, ours, theirs string
		write                      string // the text written, none for nothing
		agreed                     string // the text the next base has, none for nothing
		conflict, held, kept       bool
		undecided                  bool
	}{
		{name: "same", base: none, filler: none, ours: "t", theirs: "t", write: none, agreed: "t"},
		{name: "service has none", base: "o", filler: none, ours: "o", theirs: none, write: none, agreed: "o"},
		{name: "service has none, first contact", base: none, filler: none, ours: "o", theirs: none, write: none, agreed: none},
		{name: "only the service", base: none, filler: none, ours: none, theirs: "t", write: "t", agreed: "t"},
		{name: "branch made anew", base: "t", filler: none, ours: none, theirs: "t", write: "t", agreed: "t"},
		{name: "blank for nothing", base: none, filler: none, ours: none, theirs: "", write: none, agreed: none},
		{name: "filler gives way", base: none, filler: "Save", ours: "Save", theirs: "t", write: "t", agreed: "t"},
		{name: "blank gives way", base: none, filler: none, ours: "", theirs: "t", write: "t", agreed: "t"},
		{name: "a blank replaces nothing", base: "o", filler: none, ours: "o", theirs: "", write: none, agreed: "o", held: true},
		{name: "source text replaces nothing", base: "o", filler: none, ours: "o", theirs: "Save", write: none, agreed: "o", held: true},
		{name: "source text where nothing is", base: none, filler: none, ours: none, theirs: "Save", write: "Save", agreed: "Save"},
		{name: "first contact", base: none, filler: none, ours: "o", theirs: "t", write: none, agreed: none, undecided: true},
		{name: "first contact, source text", base: none, filler: none, ours: "o", theirs: "Save", write: none, agreed: none, undecided: true},
		{name: "service changed", base: "o", filler: none, ours: "o", theirs: "t", write: "t", agreed: "t"},
		{name: "repository changed", base: "t", filler: none, ours: "o", theirs: "t", write: none, agreed: "t", kept: true},
		{name: "both changed", base: "b", filler: none, ours: "o", theirs: "t", write: "t", agreed: "t", conflict: true},
	} {
		one := func(text string) Catalog {
			if text == none {
				return nil
			}
			return plain("k", text)
		}
		m := Merge(Three{Base: one(c.base).Marks(), Filler: one(c.filler).Marks(), Source: plain("k", "Save"), Ours: one(c.ours), Theirs: one(c.theirs)})
		write := none
		if len(m.Changes) == 1 {
			write = m.Changes[0].Text
		}
		if write != c.write || len(m.Changes) > 1 {
			t.Errorf("%s: writes %v, want %q", c.name, m.Changes, c.write)
		}
		if !maps.Equal(m.Agreed, one(c.agreed).Marks()) {
			t.Errorf("%s: the next base is %v, want that of %q", c.name, m.Agreed, c.agreed)
		}
		got, want := [4]bool{len(m.Conflicts) == 1, len(m.Held) == 1, len(m.Kept) == 1, len(m.Undecided) == 1}, [4]bool{c.conflict, c.held, c.kept, c.undecided}
		if got != want {
			t.Errorf("%s: conflict, held, kept, undecided = %v, want %v", c.name, got, want)
		}
		if c.conflict && m.Conflicts[0] != (Conflict{Name{Key: "k"}, c.ours, c.theirs}) {
			t.Errorf("%s: the conflict says %v", c.name, m.Conflicts[0])
		}
	}
}

// A key that the source had goes; one that it was never seen to have stays.
func TestMergeDropsDeadKeys(t *testing.T) {
	m := Merge(Three{
		Source: Catalog{{Name: Name{Key: "live"}, Text: "x"}, {Name: Name{"cats", "other"}, Text: "%d cats"}},
		Ours:   plain("dead", "tot", "live", "lebt", "own", "eigenes"),
		Gone:   map[string]bool{"dead": true},
		Theirs: Catalog{{Name: Name{Key: "dead"}, Text: "tot!"}, {Name: Name{"cats", "few"}, Text: "%d koty"}},
	})
	want := []Change{{Added, Name{"cats", "few"}, "%d koty"}, {Removed, Name{Key: "dead"}, ""}}
	if !slices.Equal(m.Changes, want) {
		t.Errorf("changes %v, want %v", m.Changes, want)
	}
}

// TestMergeLaws: whatever the three sides hold, no translation is lost without a word, and a second merge has nothing to do.
func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Three{
			Base: drawCatalog(t, "base").Marks(), Source: drawCatalog(t, "source"),
			Ours: drawCatalog(t, "ours"), Theirs: drawCatalog(t, "theirs"),
		}
		m := Merge(in)
		after := map[Name]string{}
		for _, u := range in.Ours {
			after[u.Name] = u.Text
		}
		replaced := map[Name]bool{}
		for _, c := range m.Changes {
			if c.Op == Removed {
				delete(after, c.Name)
				if in.Source.Keys()[c.Key] {
					t.Fatalf("%v was removed though the source has it", c.Name)
				}
				continue
			}
			if !in.Source.Keys()[c.Key] {
				t.Fatalf("%v came back though the source lacks it", c.Name)
			}
			old, had := after[c.Name]
			if had && old != "" && c.Text == "" {
				t.Fatalf("%v: %q became a blank", c.Name, old)
			}
			replaced[c.Name] = had
			after[c.Name] = c.Text
		}
		for _, c := range m.Conflicts {
			if after[c.Name] != c.Theirs || !replaced[c.Name] {
				t.Fatalf("%v: the service did not win a conflict", c)
			}
		}
		var ours Catalog
		for n, text := range after {
			ours = append(ours, Unit{Name: n, Text: text})
		}
		again := Merge(Three{Base: m.Agreed, Source: in.Source, Ours: ours, Theirs: in.Theirs})
		if len(again.Changes) > 0 || len(again.Conflicts) > 0 {
			t.Fatalf("a second merge writes %v, conflicts %v", again.Changes, again.Conflicts)
		}
	})
}

// Texts and marks by their keys: all of a key, whether they follow one another or not, and nothing of a neighbour. What
// is appended to those of one key does not reach the catalog.
func TestByKey(t *testing.T) {
	unit := func(key, form, text string) Unit { return Unit{Name: Name{key, form}, Text: text} }
	all := Catalog{unit("a", "one", "1"), unit("a", "other", "2"), unit("ab", "", "3"), unit("a", "few", "4")}
	byKey, marks := all.ByKey(), all.Marks().ByKey()
	for key, want := range map[string]Catalog{"a": {all[0], all[1], all[3]}, "ab": {all[2]}, "": nil, "b": nil} {
		if got := byKey[key]; !slices.Equal(got, want) {
			t.Errorf("%q: %v", key, got)
		}
		if got := marks.Of(key); !maps.Equal(got, want.Marks()) {
			t.Errorf("%q: %v", key, got)
		}
	}
	_ = append(byKey["ab"], unit("ab", "", "5"))
	if all[3].Text != "4" {
		t.Errorf("the catalog has %v", all[3])
	}
	if got := all.Which(func(u Unit) bool { return u.Key == "a" }); !slices.Equal(got, byKey["a"]) || cap(got) != 3 {
		t.Errorf("%v of %d", got, cap(got))
	}
}
