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
