package pull

import (
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
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
	sent    pass.Sent

	first     bool            // no merge has met the file
	along     pass.Marks      // what was remembered of its keys in other files
	conflicts []pass.Conflict // that the service won, and open ones
	settled   []string        // conflicts that are none any more

	former former // the file that had the translations before their source file moved

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
	kept     []pass.Kept     // the repository's texts that are kept against an older one of the service
	wrote    catalog.Packed  // texts that were written
	inherits catalog.Marks   // what the former file had
}

// former is the file that had the translations of a source file before that moved; the zero value when it did not.
type former struct {
	path    string
	file    *resource.File // nil when the tree has it no more
	renamed []catalog.Rename
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
		m.texts.kept = append(m.texts.kept, pass.Kept{Unit: in.Ours[at[n]], Agreed: m.marks.agreed[n]})
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
