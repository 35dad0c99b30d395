package pull

import (
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/spelling"
	"github.com/locsync/locsync/sync/tree"
)

// A pull removes an entry of a target file only when the source was seen to have its key and lost it. Any other is an
// orphan, which stays until pull --prune. What the source has in another shape is no orphan.

// gone are the keys of a target file that its source files had and have no more, and those that give way to another shape (away).
func (r *pulling) gone(t *tree.Tree, x pass.Translated, m *merged, in catalog.Three, away map[string]bool) (map[string]bool, error) {
	living, dead := in.Source.Keys(), make(map[string]bool)
	for _, u := range in.Ours {
		if !living[u.Key] {
			dead[u.Key] = true
		}
	}
	if len(dead) == 0 {
		return nil, nil
	}
	seen, err := r.seenKeys(x, m, in.Ours)
	if err != nil {
		return nil, err
	}
	for _, renamed := range in.Renamed {
		seen[renamed.From.Key] = true
	}
	gone := make(map[string]bool)
	for key := range dead {
		gone[key] = away[key] || seen[key] || r.o.Prune
	}
	for _, b := range x.Sources {
		for e := range t.Of(b).File.Entries() { // now of another kind
			delete(gone, e.Key)
		}
	}
	present := t.Present(x.Target)
	for key := range gone {
		if !away[key] && !seen[key] && present(key) {
			delete(gone, key)
		}
	}
	return gone, nil
}

// seenKeys are the keys that the source files of a target were seen to have: those that the service accepted from them, or that a merge into the target
// found there, with the further forms that the target has of their plurals.
func (r *pulling) seenKeys(x pass.Translated, m *merged, ours catalog.Catalog) (map[string]bool, error) {
	var seen catalog.Catalog
	slots := []ledger.Slot{r.branch.Slot(ledger.Merged, x.Path, x.Language.Code)}
	if m.former.path != "" {
		slots = append(slots, r.branch.Slot(ledger.Merged, m.former.path, x.Language.Code))
	}
	for _, b := range x.Sources {
		slots = append(slots, r.branch.PushedSlot(ledger.Source{Collection: b.Collection, Path: b.Path}))
	}
	for _, slot := range slots {
		marks, err := r.marks(slot)
		if err != nil {
			return nil, err
		}
		for n := range marks {
			seen = append(seen, catalog.Unit{Name: n})
		}
	}
	b := x.Sources[0]
	return spelling.Widened(seen, b.Separator, b.Source.Code, ours).Keys(), nil
}
