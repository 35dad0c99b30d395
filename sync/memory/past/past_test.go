package past

import (
	"slices"
	"testing"

	"github.com/locsync/locsync/sync/text/catalog"
)

// The decision about a source text that the service has otherwise, over all that git can know of it.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	n := catalog.Name{Key: "k"}
	of := func(list ...string) map[catalog.Name]map[string]bool {
		all := map[catalog.Name]map[string]bool{n: {}}
		for _, text := range list {
			all[n][text] = true
		}
		return all
	}
	none := of()
	for _, c := range []struct {
		what string
		past texts
		want catalog.Outcome
	}{
		{"nothing is known", texts{none, none, none, none}, catalog.Unmet},
		{"an older text of the tree", texts{of("ours", "theirs"), none, none, none}, catalog.Replaces},
		{"base has it now", texts{of("ours"), of("theirs"), of("ours"), of("theirs")}, catalog.Older},
		{"base had it meanwhile", texts{of("ours"), of("theirs", "third"), of("ours"), of("third")}, catalog.Older},
		{"base has it again", texts{of("theirs", "ours"), of("theirs"), of("ours"), of("theirs")}, catalog.Older},
		{"base has kept it", texts{of("theirs", "ours"), of("theirs"), of("theirs"), of("theirs")}, catalog.Replaces},
		{"both have changed it", texts{of("old", "ours"), of("theirs"), of("old"), of("theirs")}, catalog.Both},
	} {
		if got := c.past.of(n, "ours", "theirs"); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

// What a name had before its new text, as far as it is younger than what was agreed on.
func TestSince(t *testing.T) {
	t.Parallel()
	n, none := catalog.Name{Key: "k"}, ""
	for _, c := range []struct {
		what    string
		history []string // the youngest first
		agreed  string
		want    []string
	}{
		{"nothing", nil, none, nil},
		{"only the new text", []string{"new", "new"}, none, nil},
		{"nothing is agreed on", []string{"new", "1", "0"}, none, []string{"0", "1"}},
		{"the agreed one and later ones", []string{"new", "2", "1", "0"}, "1", []string{"2"}},
		{"not written down yet", []string{"1", "0"}, "0", []string{"1"}},
		{"brought back", []string{"new", "1", "new"}, "new", []string{"1"}},
	} {
		h := make(History)
		for _, text := range c.history {
			h[n] = append(h[n], catalog.MarkOf(text))
		}
		var want []catalog.Mark
		for _, text := range c.want {
			want = append(want, catalog.MarkOf(text))
		}
		if got := h.Since(n, catalog.MarkOf("new"), catalog.MarkOf(c.agreed)); !slices.Equal(got, want) {
			t.Errorf("%s: %x, want %x", c.what, got, want)
		}
	}
}

// Of asked keys the texts that the service has otherwise; of shared keys not those that it has as they were agreed on.
func TestDiffer(t *testing.T) {
	t.Parallel()
	unit := func(key, text string) catalog.Unit { return catalog.Unit{Name: catalog.Name{Key: key}, Text: text} }
	ours := catalog.Catalog{unit("k", "new")}
	agreed := catalog.Catalog{unit("k", "agreed")}.Marks()
	yes := map[string]bool{"k": true}
	for _, c := range []struct {
		what          string
		theirs        catalog.Catalog
		asked, shared map[string]bool
		want          string
	}{
		{"the service has none", nil, yes, nil, ""},
		{"the service has an empty one", catalog.Catalog{unit("k", "")}, yes, nil, ""},
		{"both are alike", catalog.Catalog{unit("k", "new")}, yes, nil, ""},
		{"another text", catalog.Catalog{unit("k", "other")}, yes, nil, "other"},
		{"the agreed text", catalog.Catalog{unit("k", "agreed")}, yes, nil, "agreed"},
		{"another text, and the key is not asked for", catalog.Catalog{unit("k", "other")}, nil, yes, ""},
		{"shared: another text", catalog.Catalog{unit("k", "other")}, yes, yes, "other"},
		{"shared: the agreed text", catalog.Catalog{unit("k", "agreed")}, yes, yes, ""},
	} {
		got := ""
		for _, d := range Differ(ours, c.theirs, c.asked, c.shared, agreed) {
			got += d.Theirs
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
