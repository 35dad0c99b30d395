package pull

import (
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// A pull removes an entry of a target file only when the source was seen to have its key and lost it. Any other is an
// orphan, which stays until pull --prune. What the source has in another shape does not count as one.

// gone are the keys of a target file that its source files had and have no more, and those that another shape replaces
// (away).
func (s *situation) gone(in catalog.Three, away map[string]bool) map[string]bool {
	gone := make(map[string]bool)
	for _, u := range in.Ours {
		if !s.living[u.Key] {
			gone[u.Key] = s.options.Prune
		}
	}
	if len(gone) == 0 {
		return nil
	}
	seen := s.seenKeys(in.Ours)
	for _, renamed := range in.Renamed {
		seen[renamed.From.Key] = true
	}
	for key := range gone {
		gone[key] = gone[key] || away[key] || seen[key]
	}
	for _, b := range s.Sources {
		for e := range s.tree.Of(b).File.Entries() { // now of another kind
			delete(gone, e.Key)
		}
	}
	present := s.tree.Present(s.Target)
	for key := range gone {
		if !away[key] && !seen[key] && present(key) {
			delete(gone, key)
		}
	}
	return gone
}

// keepUnsent leaves what was written under a key that the source has no more, for as long as no push has seen that: it
// goes along where the key is in another file now. Where it does not, the report has the text.
func (s *situation) keepUnsent(m *merged, in catalog.Three, result *catalog.Merged) {
	goes := func(c catalog.Change) bool { return c.Op == catalog.Removed && !s.living[c.Key] }
	if s.options.Prune || !slices.ContainsFunc(result.Changes, goes) {
		return
	}
	came := make(map[catalog.Unit]bool) // with a key that was renamed in the file
	for _, c := range result.Changes {
		if c.Op != catalog.Removed {
			came[catalog.Unit{Name: catalog.Name{Form: c.Form}, Text: c.Text}] = true
		}
	}
	ours, unseen := in.Ours.Texts(), s.unseen()
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		u := catalog.Unit{Name: c.Name, Text: ours[c.Name]}
		unsent := goes(c) && u.Text != "" &&
			!in.Base.Has(u.Name, u.Text) && !ledger.Holds(m.texts.inherits, u) && !in.Filler.Has(u.Name, u.Text) &&
			!came[catalog.Unit{Name: catalog.Name{Form: c.Form}, Text: u.Text}]
		stays := unsent && unseen(c.Key)
		switch {
		case stays:
			result.Leave(in.Base, c.Name)
		case unsent:
			s.told.problems = append(s.told.problems, report.Problem{Code: report.CodeOrphan, File: s.Path, Key: c.Key,
				Language: s.Language.Code, Problem: fmt.Sprintf("the source has no such key any more, and its text "+
					"%s, which was never sent, is taken out. If the key has another name or file now, write the text there",
					report.InQuotes(map[string]string{c.Form: u.Text}))})
		}
		return stays
	})
}

// unseen tells of keys whether there is a source file of which no push has seen that it lost them, or where what is
// under them has yet to follow.
func (s *situation) unseen() func(key string) bool {
	var all []func(key string) bool
	for _, b := range s.Sources {
		at := s.tree.Of(b).ID()
		follows := make(map[string]bool)
		for _, m := range s.followed {
			if m.Before() == at {
				follows[m.From.Key] = true
			}
		}
		removed, accepted, fresh := s.removed[b].Keys(), s.accepted.Files[at].Keys(), s.accepted.Files[at] == nil
		all = append(all, func(key string) bool {
			if removed[key] {
				return follows[key]
			}
			return fresh || accepted[key]
		})
	}
	return func(key string) bool {
		return slices.ContainsFunc(all, func(unseen func(string) bool) bool { return unseen(key) })
	}
}

// seenKeys are the keys that the source files of a target were seen to have: those that the service accepted from
// them, or that a merge into the target found there, with the further forms that the target has of their plurals.
func (s *situation) seenKeys(ours catalog.Catalog) map[string]bool {
	all := []catalog.Marks{s.here[ledger.Merged], s.before[ledger.Merged]}
	for _, b := range s.Sources {
		all = append(all, s.accepted.Files[ledger.Source{Collection: b.Collection, Path: b.Path}])
	}
	var seen catalog.Catalog
	for _, marks := range all {
		for n := range marks {
			seen = append(seen, catalog.Unit{Name: n})
		}
	}
	b := s.Sources[0]
	return spelling.Widened(seen, b.Separator, b.Source.Code, ours).Keys()
}

// outdate finds the translations of a target whose source texts changed, and has the merge take them out where the
// configuration says so.
func (s *situation) outdate(m *merged, in *catalog.Three) {
	of := s.here
	if s.former.file != nil {
		of = s.before
	}
	made := catalog.Made{Theirs: in.Theirs, Blank: s.project.Pull.SourceChanged == "blank",
		Base: of[ledger.Merged], For: of[ledger.Made], Outdated: of[ledger.Outdated], Stood: of[s.seen],
		Source: s.digests.tree, Service: s.digests.service}
	if s.options.Full {
		made.For, made.Outdated = nil, nil
	}
	made.Ours = in.Ours.Which(func(u catalog.Unit) bool { return u.Text != "" && !in.Filler.Has(u.Name, u.Text) })
	m.marks.made = catalog.Outdate(made)
	in.Left = m.marks.made.Left
	in.Outdated = m.marks.made.Now
	if !made.Blank { // only what is another key's translation by now
		in.Outdated = make(catalog.Marks)
		for n, mark := range m.marks.made.Now {
			if in.Left[n.Key] {
				in.Outdated[n] = mark
			}
		}
	}
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
func (s *situation) aged(m *merged, result catalog.Merged) {
	s.told.sourceChanged = m.marks.made.Keys
	for n, mark := range m.marks.made.Now {
		if m.marks.after[n] == mark {
			m.marks.made.Outdated[n] = mark
		}
	}
	told := make(map[string]bool)
	for _, n := range result.Blanked {
		if m.marks.after[n] != m.marks.made.Now[n] && !told[n.Key] {
			told[n.Key] = true
			s.told.blanked++
		}
	}
}
