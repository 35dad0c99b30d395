package push

import (
	"testing"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// What becomes of a translation that follows its key, where the service has one under the new key: who has had which
// text is in the histories of the two names, the oldest first.
func TestRenamesThatMeet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		found, there string
		was, now     []string // the histories of the old and of the new name
		reused       bool
		want         catalog.Outcome
	}{
		"moved before":                        {"A", "A", []string{"A"}, []string{"A"}, false, catalog.Alike},
		"moved before, and changed since":     {"B", "A", []string{"A", "B"}, []string{"A"}, false, catalog.Replaces},
		"changed since, and not pulled":       {"new", "A", []string{"A"}, []string{"A"}, false, catalog.Replaces},
		"a branch without the rename":         {"A", "newer", []string{"A"}, []string{"A", "newer"}, false, catalog.Older},
		"so, changed under both names":        {"B", "newer", []string{"A", "B"}, []string{"A", "newer"}, false, catalog.Older},
		"moved by another clone":              {"A", "newer", []string{"A"}, []string{"newer"}, false, catalog.Older},
		"translated under the new name":       {"A", "new", []string{"A"}, nil, false, catalog.Older},
		"so, and under the old one":           {"new", "other", []string{"A"}, nil, false, catalog.Both},
		"nothing is remembered":               {"A", "B", nil, nil, false, catalog.Unmet},
		"set back under the new name":         {"B", "A", []string{"A", "B"}, nil, false, catalog.Older},
		"so, after it was moved here":         {"B", "A", []string{"A", "B"}, []string{"B"}, false, catalog.Older},
		"so, and pulled":                      {"B", "A", []string{"A", "B"}, []string{"B", "A"}, false, catalog.Older},
		"so, and changed under the old one":   {"new", "A", []string{"A", "B"}, []string{"B"}, false, catalog.Both},
		"so, where the name had another text": {"B", "A", []string{"A", "B"}, []string{"old"}, true, catalog.Older},
		"the name had another text":           {"A", "old", []string{"A"}, []string{"old"}, true, catalog.Replaces},
		"so, and was translated for this one": {"A", "new", []string{"A"}, []string{"old"}, true, catalog.Older},
	} {
		history := func(key string, texts []string) catalog.Marks {
			marks := make(catalog.Marks)
			for _, text := range texts {
				ledger.Learn(marks, catalog.Name{Key: key}, catalog.MarkOf(text))
			}
			return marks
		}
		text := func(text string) catalog.Catalog {
			return catalog.Catalog{{Name: catalog.Name{Key: "now"}, Text: text}}
		}
		k := &followingKey{was: &translations{past: history("was", c.was)}, rename: ledger.Rename{
			From: catalog.Name{Key: "was"}, To: catalog.Name{Key: "now"}, Reused: c.reused}}
		if got := k.meets(text(c.found), text(c.there), history("now", c.now)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
