package past

import (
	"testing"

	"github.com/locsync/locsync/sync/catalog"
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
