package pull

import (
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/spelling"
	"github.com/locsync/locsync/sync/tree"
)

// A pull removes an entry of a target file only when the source was seen to have its key and lost it. Any other is an
// orphan, which stays until pull --prune. What the source has in another shape does not count as one.

// gone are the keys of a target file that its source files had and have no more, and those that another shape replaces
// (away).
func (r *merging) gone(
	t *tree.Tree, x pass.Translated, m *merged, in catalog.Three, away map[string]bool,
) (map[string]bool, error) {
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

// seenKeys are the keys that the source files of a target were seen to have: those that the service accepted from
// them, or that a merge into the target found there, with the further forms that the target has of their plurals.
func (r *merging) seenKeys(x pass.Translated, m *merged, ours catalog.Catalog) (map[string]bool, error) {
	var seen catalog.Catalog
	slots := []ledger.Slot{r.branch.Memory().Slot(ledger.Merged, x.Path, x.Language.Code)}
	if m.former.path != "" {
		slots = append(slots, r.branch.Memory().Slot(ledger.Merged, m.former.path, x.Language.Code))
	}
	for _, b := range x.Sources {
		slots = append(slots, r.branch.Memory().PushedSlot(ledger.Source{Collection: b.Collection, Path: b.Path}))
	}
	for _, slot := range slots {
		marks, err := r.branch.Ledger.Marks(slot)
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

// sourceDigests are the digests of source texts that a pull compares with, as the tree and as the service has them.
type sourceDigests struct {
	tree    map[*bundle.Bundle]catalog.Marks
	service map[string]catalog.Marks // by collection
}

// digests gathers them for one target.
func (r *merging) digests(t *tree.Tree, target bundle.Target) (source, service catalog.Marks) {
	source = make(catalog.Marks)
	if r.digested.tree == nil {
		r.digested.tree = make(map[*bundle.Bundle]catalog.Marks)
	}
	for _, b := range target.Sources {
		if r.digested.tree[b] == nil {
			r.digested.tree[b] = catalog.Digests(t.Of(b).All.Marks())
		}
		if len(target.Sources) == 1 {
			source = r.digested.tree[b]
			break
		}
		for n, m := range r.digested.tree[b] {
			source[n] = m
		}
	}
	return source, r.digested.service[target.Sources[0].Collection]
}

// outdate finds the translations of a target whose source texts changed, and has the merge take them out where the
// configuration says so.
func (r *merging) outdate(t *tree.Tree, x pass.Translated, m *merged, in *catalog.Three) error {
	blank := r.branch.Project.Pull.SourceChanged == "blank"
	made := catalog.Made{Theirs: in.Theirs, Blank: blank}
	path := x.Path
	if m.former.file != nil {
		path = m.former.path
	}
	for kind, marks := range map[ledger.TargetMarks]*catalog.Marks{
		ledger.Merged: &made.Base, ledger.Made: &made.For, ledger.Outdated: &made.Outdated,
		pass.LookAt(r.branch.Project.Pull.Branch).Kind(): &made.Stood,
	} {
		var err error
		if *marks, err = r.branch.Ledger.Marks(r.branch.Memory().Slot(kind, path, x.Language.Code)); err != nil {
			return err
		}
	}
	if r.o.Full {
		made.For, made.Outdated = nil, nil
	}
	made.Source, made.Service = r.digests(t, x.Target)
	made.Ours = slices.DeleteFunc(slices.Clone(in.Ours), func(u catalog.Unit) bool {
		return u.Text == "" || in.Filler.Has(u.Name, u.Text)
	})
	m.made = catalog.Outdate(made)
	if blank {
		in.Outdated = m.made.Now
	}
	return nil
}

// replace makes one change of the two by which a blanked translation goes and something is filled in for it.
func replace(result *catalog.Merged, fill []catalog.Change) []catalog.Change {
	if len(result.Blanked) == 0 {
		return fill
	}
	filled := make(map[catalog.Name]string)
	for _, c := range fill {
		if c.Op == catalog.Added && slices.Contains(result.Blanked, c.Name) {
			filled[c.Name] = c.Text
		}
	}
	for i, c := range result.Changes {
		if text, is := filled[c.Name]; is && c.Op == catalog.Removed {
			result.Changes[i] = catalog.Change{Op: catalog.Changed, Name: c.Name, Text: text}
		}
	}
	return slices.DeleteFunc(fill, func(c catalog.Change) bool { _, is := filled[c.Name]; return is })
}

// aged counts what a merge found outdated, and keeps what could not be taken out for the next one.
func (r *merging) aged(m *merged, result catalog.Merged) {
	r.account.report.SourceChanged += m.made.Keys
	for n, mark := range m.made.Now {
		if m.after[n] == mark {
			m.made.Outdated[n] = mark
		}
	}
	told := make(map[string]bool)
	for _, n := range result.Blanked {
		if m.after[n] != m.made.Now[n] && !told[n.Key] {
			told[n.Key] = true
			r.account.report.Blanked++
		}
	}
}
