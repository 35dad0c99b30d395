package pull

import (
	"slices"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// merged is one target file after its merge: what is written, and what is remembered once it is.
type merged struct {
	bundle.Target
	bytes  []byte // nil when the file stays as it is
	counts report.PulledFile

	marks   marks
	records []marked // what is to be remembered: marks are empty once they are among these
	weight  int      // how many marks are in records
	texts   history

	first     bool            // no merge has met the file
	conflicts []pass.Conflict // that the service won, and open ones
	settled   []string        // conflicts that are none any more

	back   catalog.Catalog // texts of the base branch that are put back
	former former          // the file that had the translations before their source file moved

	wording *wording // of a source file, which has nothing of the above but path, bytes and counts
}

// marks are those that a merge leaves.
type marks struct {
	agreed    catalog.Marks
	filler    catalog.Marks // a history, see package ledger
	after     catalog.Marks // what the branch has then
	elsewhere catalog.Marks
	made      catalog.Fresh // what the translations were made for
}

// marked are the marks of one kind that a merge leaves.
type marked struct {
	kind  ledger.TargetMarks
	marks catalog.Packed
}

// history is what a merge adds to the file's.
type history struct {
	met      bool            // there is one
	stayed   catalog.Catalog // texts that were not changed since a merge, and that it does not have
	kept     []kept          // the repository's texts that are kept against an older one of the service
	wrote    catalog.Packed  // texts that were written
	inherits catalog.Marks   // what the former file had
}

// kept is a text of the repository that is kept, and the one that is agreed on.
type kept struct {
	catalog.Unit
	agreed catalog.Mark
}

// former is the file that had the translations of a source file before that moved; the zero value when it did not.
type former struct {
	path    string
	file    *resource.File // nil when the tree has it no more
	renamed []catalog.Rename
}

// carry makes a merge with the file at the old path one that writes the file at the new one.
func (m *merged) carry(source catalog.Catalog, in *catalog.Three, result *catalog.Merged) {
	after := make(map[string]catalog.Catalog)
	changed := catalog.Names(result.Changes)
	for _, c := range result.Changes {
		if c.Op != catalog.Removed {
			after[c.Key] = append(after[c.Key], catalog.Unit{Name: c.Name, Text: c.Text})
		}
	}
	for _, u := range in.Ours {
		if !changed[u.Name] && u.Text != "" {
			after[u.Key] = append(after[u.Key], u)
		}
	}
	ours := in.Ours
	in.Ours, result.Changes = nil, nil
	for _, s := range slices.Concat(source, ours) { // what stays though no source has it moves along
		for _, u := range after[s.Key] {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Added, Name: u.Name, Text: u.Text})
		}
		delete(after, s.Key)
	}
}

// leaves reports whether the file at the old path goes: when the new one has everything in it that is still asked for.
func (m *merged) leaves(t *tree.Tree) bool {
	if m.former.file == nil {
		return false
	}
	living := make(map[string]bool)
	for _, s := range t.Sources {
		if s.Broken() {
			return false
		}
		for key := range s.EntryKeys() {
			living[key] = true
		}
	}
	for _, u := range bundle.Texts(m.former.file) {
		_, there := m.marks.after[u.Name]
		if !there && living[u.Key] && u.Text != "" && !ledger.Knows(m.marks.filler, u.Name, catalog.MarkOf(u.Text)) {
			return false
		}
	}
	return true
}

// putsBack makes additions of what is put back, as the merge left it: the file does not have it yet.
func (m *merged) putsBack(in *catalog.Three, result *catalog.Merged) {
	if len(m.back) == 0 {
		return
	}
	index := m.back.Index()
	in.Ours = slices.DeleteFunc(slices.Clone(in.Ours), func(u catalog.Unit) bool { _, is := index[u.Name]; return is })
	for i, c := range result.Changes {
		if _, is := index[c.Name]; is && c.Op == catalog.Changed {
			result.Changes[i].Op = catalog.Added
		}
	}
	changed := catalog.Names(result.Changes)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		_, is := index[c.Name]
		return is && c.Op == catalog.Removed
	})
	for _, u := range m.back {
		if !changed[u.Name] {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Added, Name: u.Name, Text: u.Text})
		}
	}
}

// learn gathers what goes into the file's history: what was written and agreed, and the repository's texts that were
// replaced. One that the repository alone has stays out: it may be a change that waits for a push.
//
// One that is kept against a younger text was brought back, with the base branch that a pull takes in, say. It is
// taken out of the history until a push has delivered it.
func (m *merged) learn(in catalog.Three, result catalog.Merged, changes []catalog.Change) {
	lost, theirs := make(map[catalog.Name]bool), in.Theirs.Marks()
	for _, c := range result.Conflicts {
		lost[c.Name] = true
	}
	for _, c := range changes {
		lost[c.Name] = lost[c.Name] || c.Op == catalog.Changed
	}
	for _, u := range in.Ours {
		agreed := m.marks.agreed.Has(u.Name, u.Text) && theirs.Has(u.Name, u.Text)
		if (lost[u.Name] || agreed) && !ledger.Holds(m.texts.inherits, u) {
			m.texts.stayed = append(m.texts.stayed, u)
		}
	}
	at := in.Ours.Index()
	for _, n := range result.Kept {
		m.texts.kept = append(m.texts.kept, kept{in.Ours[at[n]], m.marks.agreed[n]})
	}
	wrote := make(catalog.Marks)
	for _, c := range changes {
		// What is put back, or only moved with its key or its file, may still have to be pushed.
		mark := catalog.MarkOf(c.Text)
		if c.Op != catalog.Removed && (theirs.Has(c.Name, c.Text) || ledger.Knows(m.marks.filler, c.Name, mark)) {
			wrote[c.Name] = mark
		}
	}
	if len(wrote) > 0 {
		m.texts.wrote = wrote.Pack()
	}
}
