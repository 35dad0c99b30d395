package pull

import (
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// overridden are the texts written on base, before a conflict or in a merge that has left no trace, that edits replace
// because they have lost one.
func overridden(
	ancestor catalog.Marks, base *resource.File, edits []catalog.Change, lost func(catalog.Unit) bool,
) catalog.Catalog {
	there := bundle.Texts(base)
	index := there.Index()
	var all catalog.Catalog
	for _, e := range edits {
		at, is := index[e.Name]
		if is && lost(there[at]) && there[at].Text != e.Text && !ancestor.Has(e.Name, there[at].Text) {
			all = append(all, there[at])
		}
	}
	return all
}

// brought are the texts that the branch changed since the ancestor and that base's file is to have. Those of base that
// have lost a conflict with the service are replaced; replaced are texts of the branch that base's are kept against,
// unless a push has told of it when it delivered base's.
func brought(
	ancestor catalog.Marks, branch catalog.Catalog, base *resource.File, history catalog.Marks,
	lost func(catalog.Unit) bool,
) (edits []catalog.Change, replaced catalog.Catalog) {
	there := bundle.Texts(base)
	index, brings := there.Index(), branch.Texts()
	written := make(map[catalog.Name]bool) // or removed, on base
	for _, c := range catalog.Diff(ancestor, there) {
		at, is := index[c.Name]
		if !is {
			written[c.Name] = true
			continue
		}
		if there[at].Text == "" || lost(there[at]) {
			continue
		}
		// A text of the history that is younger than the branch's was not left behind by a merge: a push has delivered
		// it since.
		claim := catalog.Claim{New: brings[c.Name], Present: there[at].Text, Past: ledger.Texts(history, c.Name)}
		written[c.Name] = catalog.Decide(claim) != catalog.Replaces
	}
	for _, u := range branch {
		at, is := index[u.Name]
		if is && lost(there[at]) && ancestor.Has(u.Name, u.Text) { // also where the branch has not changed it
			edits = append(edits, catalog.Change{Op: catalog.Changed, Name: u.Name, Text: u.Text})
		}
	}
	for _, c := range catalog.Diff(ancestor, branch) {
		switch {
		case c.Op == catalog.Removed:
		case !written[c.Name]:
			edits = append(edits, c)
		default:
			if at, is := index[c.Name]; is && there[at].Text != c.Text && !ledger.Holds(history, there[at]) {
				replaced = append(replaced, catalog.Unit{Name: c.Name, Text: c.Text})
			}
		}
	}
	return edits, replaced
}
