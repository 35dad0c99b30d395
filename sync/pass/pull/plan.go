package pull

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// common is what the merges of all files of a pull know.
type common struct {
	project  *config.Project
	options  Options
	at       time.Time
	tree     *tree.Tree
	catalogs oracle.Catalogs
	lost     map[string]pass.Conflict // that are not decided yet
	shared   *tree.Shared
	accepted *accepted.Sources // what the service has of the sources, compared with the branch's tree
	renamed  map[*bundle.Bundle][]ledger.Rename
	followed []ledger.Rename                  // those that pushes remember
	removed  map[*bundle.Bundle]catalog.Marks // keys that a push has seen to be gone
	merged   map[string]bool                  // target files that a pull has merged before, by ledger.TargetID
	show     bool                             // the report shows each change
	seen     ledger.TargetMarks               // what the branch has
}

// situation is what the merge of one target file knows: its texts on both sides, and what is remembered of it.
type situation struct {
	*common
	pass.Translated
	source       catalog.Catalog
	living       map[string]bool // the keys of the source, with the forms that both sides have; not to be changed
	old          *resource.File  // nil where there is none
	ours, back   catalog.Catalog
	former       former
	along        pass.Along   // from files that keys were in before
	here, before pass.Marks   // what is remembered of the file, and of the former one
	past         past.History // texts of the git history, of names of which both sides have a new text
	recent       past.History // texts since the last merge, of names of which the service alone has another text now
	sent         pass.Sent
	digests      digests
	told         told
}

// digests are the digests of source texts, as the tree and as the service has them.
type digests struct{ tree, service catalog.Marks }

// told is what the report says of a merge.
type told struct {
	problems               []report.Problem
	keys                   []string        // of what the file does not get
	held                   *report.Problem // it is left as it is, by the guard
	conflicts              []pass.Conflict // that were not told before
	kept                   bool            // texts of the repository that a push is to send
	sourceChanged, blanked int
}

// leaveOut reports a translation that is left out.
func (s *situation) leaveOut(code, key, why string) {
	s.told.keys = append(s.told.keys, key)
	s.told.problems = append(s.told.problems,
		report.Problem{Code: code, Severity: report.Error, File: s.Path, Key: key, Language: s.Language.Code, Problem: why})
}

// leaveChanges takes note of all that a file does not get which is left as it is.
func (s *situation) leaveChanges(changes []catalog.Change) {
	for _, c := range changes {
		s.told.keys = append(s.told.keys, c.Key)
	}
}

// renames are the keys of a target's source files that became other keys: of all renames those that concern it.
func (s *situation) renames() []catalog.Rename {
	renamed := slices.Clone(s.former.renamed)
	for _, b := range s.Sources {
		for _, m := range s.renamed[b] {
			if m.In(s.Language.Code) {
				renamed = append(renamed, catalog.Rename{From: m.From, To: m.To})
			}
		}
	}
	return renamed
}

// merge brings the service's texts into the file, in memory. It returns nil when the file is to be left alone.
func (s *situation) merge() *merged {
	m := &merged{Target: s.Target, former: s.former,
		counts: report.PulledFile{Path: s.Path, Language: s.Language.Code}}
	carried := s.old == nil && m.former.file != nil
	source, stand, away := s.widen()
	s.living = source.Keys()
	three := s.mergeInput(m, source)
	three.Gone = s.gone(three, away)
	if carried { // what is filled in is decided anew
		three.Ours = slices.DeleteFunc(three.Ours, func(u catalog.Unit) bool { return three.Filler.Has(u.Name, u.Text) })
	}
	s.outdate(m, &three)
	three.Elsewhere = s.elsewhere(m, three)
	result := catalog.Merge(three)
	indexed := s.tree.Indexed(s.Target, cmp.Or(s.old, s.former.file))
	for _, l := range examine.Withhold(s.Target, indexed, source, three, &result) {
		s.leaveOut(l.Code, l.Key, l.Why)
	}
	s.keepUnsent(m, three, &result)
	stays := s.keepApart(m, stand, three, &result)
	s.decided(m, three, result)
	m.marks.agreed = result.Agreed
	s.told.kept = s.told.kept || len(result.Kept) > 0
	if s.guarded(three, result.Changes) {
		return nil
	}
	own := spelling.Own(source, bundle.Rules(s.Sources[0], s.Language))
	fill := replace(&result, s.fill(m, unfilled(own, stays), three, result))
	file := three // with what the file has of the repository's texts
	file.Ours = s.present(three.Ours)
	result.Changes = written(source, three.Ours, file.Ours, result.Changes)
	changes := append(result.Changes, fill...)
	if !s.render(m, file, &result, changes) {
		return nil
	}
	s.concluded(m, three, result, changes)
	return m
}

// concluded tells what a merge replaced, once its file is known not to be held back, and gathers what to remember.
func (s *situation) concluded(m *merged, in catalog.Three, result catalog.Merged, changes []catalog.Change) {
	for _, lost := range m.conflicts {
		if !lost.Open || !lost.Known(s.lost) {
			s.told.conflicts = append(s.told.conflicts, lost)
		}
	}
	s.aged(m, result)
	m.learn(in, result, changes)
	if !m.leaves(s.tree) {
		m.former.file = nil // it stays
	}
}

// mergeInput gathers what the merge reads.
func (s *situation) mergeInput(m *merged, source catalog.Catalog) (in catalog.Three) {
	of := s.here
	if of[ledger.Known] == nil && s.former.path != "" {
		of = s.before // nothing is remembered of it under its new path
	}
	ours := s.ours
	m.first, m.along = of[ledger.Merged] == nil, s.along.Marks
	of = s.along.Over(of)
	history, delivered := of[ledger.Known], of[ledger.Delivered]
	in.Base, m.marks.filler = of[ledger.Merged], maps.Clone(of[ledger.Filler]) // which is added to
	m.texts.met = s.here[ledger.Known] != nil
	m.texts.inherits = history
	in.Filler = make(catalog.Marks)
	in.Base = s.agreed(in.Base, delivered, history, undivided(s.shared, s.Translated))
	for _, u := range ours {
		if ledger.Holds(m.marks.filler, u) {
			in.Filler[u.Name] = catalog.MarkOf(u.Text)
		}
		// A change of the repository's that the service took since the last merge is agreed on: what the service has now
		// is newer, and so is what the branch has now, if it had that change.
		base, merged := in.Base[u.Name]
		took, sent := delivered[u.Name]
		if merged && sent && (took == catalog.MarkOf(u.Text) || took == of[s.seen][u.Name]) &&
			ledger.Age(history, u.Name, base) < ledger.Age(history, u.Name, took) {
			in.Base[u.Name] = took
		}
		// Of a full pull, the service wins where anything was agreed on; what is lost is reported.
		if s.options.Full && merged && !in.Base.Has(u.Name, u.Text) {
			in.Base[u.Name] = catalog.Mark{} // the mark of no text
		}
	}
	s.seeHistory(m, &in)
	s.sent.Rebase(in.Base)
	m.sent = s.sent
	s.told.kept = len(m.sent.Again) > 0
	theirs := s.living
	if in.Renamed = s.renames(); len(in.Renamed) > 0 {
		theirs = maps.Clone(theirs)
	}
	news := make(map[string]bool) // keys of texts that were not here before
	for _, u := range s.Texts {
		if len(in.Renamed) > 0 && u.Text != "" && !ledger.Holds(history, u) {
			news[u.Key] = true
		}
	}
	for _, moved := range in.Renamed {
		if !news[moved.To.Key] {
			delete(theirs, moved.To.Key) // an earlier use of the name: the text that moves along is newer
		}
	}
	for _, moved := range in.Renamed {
		theirs[moved.From.Key] = true
	}
	in.Source, in.Ours, in.Theirs = source, ours, s.Texts.Restrict(theirs)
	return in
}

// differing are the names of which the git history is to tell whether the service's text was seen by the one who wrote
// the repository's: that of texts which were edited since the last merge, and, of those that were not, and of which the
// service's is new here, what was written since. At first contact it is not asked: neither side changes then.
func (s *situation) differing() (edited, unedited []catalog.Name) {
	merged := s.here[ledger.Merged]
	if merged == nil || s.options.Full || s.options.AcceptService {
		return nil, nil
	}
	theirs := s.Texts.Texts()
	for _, u := range s.ours {
		text := theirs[u.Name]
		if text == "" || text == u.Text || u.Text == "" || merged.Has(u.Name, text) {
			continue
		}
		if merged.Has(u.Name, u.Text) {
			if !ledger.Knows(s.here[ledger.Known], u.Name, catalog.MarkOf(text)) {
				unedited = append(unedited, u.Name)
			}
			continue
		}
		if lost, waits := s.lost[ledger.ConflictID(s.Path, s.Language.Code, u.Key)]; !waits || !lost.IsOurs(u) {
			edited = append(edited, u.Name)
		}
	}
	return edited, unedited
}

// seeHistory makes the service's texts that were seen the agreed ones: the repository's were written after them. One
// that is as it was agreed on was, where the service's was between.
func (s *situation) seeHistory(m *merged, in *catalog.Three) {
	if len(s.past)+len(s.recent) == 0 {
		return
	}
	theirs := s.Texts.Texts()
	for _, u := range s.ours {
		text, had, unedited := theirs[u.Name], s.past, in.Base.Has(u.Name, u.Text)
		if unedited {
			had = s.recent
		}
		mark := catalog.MarkOf(text)
		if !slices.Contains(had.Since(u.Name, catalog.MarkOf(u.Text), in.Base[u.Name]), mark) {
			continue
		}
		in.Base[u.Name] = mark
		if unedited { // once: what the service gets after that is new
			m.texts.stayed = append(m.texts.stayed, catalog.Unit{Name: u.Name, Text: text})
		}
	}
}

// agreed is the base of a merge: what the last one agreed on; for new names, what the service took from here or an
// earlier pull wrote. With --accept-service so are texts of which the service has others, so that those are taken.
func (s *situation) agreed(merged, delivered, history catalog.Marks, theirs catalog.Catalog) catalog.Marks {
	has := theirs.Index()
	base := make(catalog.Marks, len(merged))
	maps.Copy(base, merged)
	for _, u := range s.ours {
		if _, known := base[u.Name]; known {
			continue
		}
		_, answered := has[u.Name]
		if took, sent := delivered[u.Name]; sent && !s.options.AcceptService {
			base[u.Name] = took
		} else if s.options.AcceptService && answered || ledger.Holds(history, u) {
			base[u.Name] = catalog.MarkOf(u.Text)
		}
	}
	return base
}

// decided gathers the conflicts that the merge decided or left open, names what is left out, and ends conflicts of
// which the service has the repository's text by now or whose key is gone.
func (s *situation) decided(m *merged, in catalog.Three, result catalog.Merged) {
	taken := catalog.Names(result.Changes)
	told := make(map[string]bool)
	for _, c := range result.Conflicts {
		if !taken[c.Name] || told[c.Key] {
			continue // left out, and reported as that
		}
		told[c.Key] = true
		lost := pass.NewConflict(s.at, s.Path, s.Language.Code, c.Key, in.Ours, in.Theirs, in.Base)
		if before, is := s.lost[lost.ID()]; is {
			lost = lost.With(before.Ours, func(there, here catalog.Unit) bool {
				return before.About(there.Name) && lost.Agreed(here)
			})
		}
		m.conflicts = append(m.conflicts, lost)
	}
	for _, c := range result.Undecided {
		if !told[c.Key] {
			told[c.Key] = true
			open := pass.NewConflict(s.at, s.Path, s.Language.Code, c.Key, in.Ours, in.Theirs, nil)
			m.conflicts = append(m.conflicts, open)
		}
	}
	var has catalog.Marks
	for id, c := range s.lost {
		if c.Path != s.Path || c.Language != s.Language.Code || told[c.Key] {
			continue
		}
		if has == nil {
			has = in.Theirs.Marks()
		}
		differs := func(u catalog.Unit) bool { return has[u.Name] != catalog.MarkOf(u.Text) }
		unanswered := func(u catalog.Unit) bool { _, answered := has[u.Name]; return !answered }
		over := !s.living[c.Key] || !slices.ContainsFunc(c.Ours, differs) ||
			c.Open && c.Beside == "" && !slices.ContainsFunc(c.Ours, unanswered)
		if over {
			m.settled = append(m.settled, id)
		}
	}
	for _, h := range result.Held {
		s.leaveOut(report.CodeConflict, h.Key, h.Reason)
	}
}
