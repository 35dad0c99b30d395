package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// The service has one text for a key of a collection; two files may have the key, each with a translation of its own. Where
// these differ in a language, each file keeps its own: neither is sent, and neither is written over the other. That is an open
// conflict of each file whose text the service does not have, which is told once and waits for a person: push --ours chooses
// one file's text for the service, push --theirs leaves what the service has. Where one file has a translation and the other
// has none, the gap is no request for it: at first contact it stays, too.

// beside is another file of the collection that has another translation of a key of a candidate; "" for none.
func (c *candidate) beside(key string) string {
	return c.place.shared.Beside(c.Path, c.Language.Code, key)
}

// about reports whether a stored conflict is still what it was: of a divided key, or of none.
func (c *candidate) about(lost conflict) bool {
	return (lost.Beside == "") == (c.beside(lost.Key) == "")
}

// beside makes a conflict one of a divided key where another file is given.
func (c conflict) beside(path string) conflict {
	if path != "" {
		c.Beside, c.Open, c.Base = path, true, nil
	}
	return c
}

// group is the same for the conflicts that files of one collection have about a key.
func (c conflict) group() string { return ledger.ConflictID(min(c.Path, c.Beside), c.Language, c.Key) }

// gather reads those of all places together, as they will be merged: the texts that are about to be sent, and else those
// of the first place that has the key.
func gather(s *tree.Shared, found []*candidate) {
	for _, c := range found {
		had := c.texts.Keys()
		for key := range had {
			had[key] = s.Translates(c.Sources[0], c.Language.Code, c.Path, key)
		}
		for _, u := range c.texts {
			if c.changed[u.Name] || !had[u.Key] {
				s.Add(c.Sources[0], c.Language.Code, c.Path, u)
			}
		}
	}
	s.Divide()
}

// choose prepares the decision on divided keys: the service has one text for all files, so one file is to be named. The others
// keep what they have, and nothing waits for them any more.
func choose(r *pushing, wanted map[string]conflict) error {
	groups := make(map[string][]conflict)
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		if c := wanted[id]; c.Beside != "" {
			groups[c.group()] = append(groups[c.group()], c)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.lost)) {
		c := r.lost[id]
		chosen := groups[c.group()]
		switch _, is := wanted[id]; {
		case c.Beside == "" || len(chosen) == 0:
		case len(chosen) > 1:
			if is && c.ID() == chosen[0].ID() {
				r.answer(report.Problem{Code: report.CodeDivided, File: c.Path, Key: c.Key, Language: c.Language,
					Problem: fmt.Sprintf("is translated otherwise in %s, and the service has one text for both: neither is sent. Name one of the files with --file", c.Beside)})
			}
			delete(wanted, id)
		case !is:
			if err := r.yieldConflict(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// undivided are the service's translations of keys on which the files agree: no decision is about the others.
func undivided(s *tree.Shared, x translated) catalog.Catalog {
	return slices.DeleteFunc(slices.Clone(x.texts), func(u catalog.Unit) bool {
		return s.Beside(x.Path, x.Language.Code, u.Key) != ""
	})
}

// leaveToOthers takes out of a merge what belongs to other files of the collection: changes of divided keys, and what would fill a gap that was there when both
// files were met.
func (r *pulling) leaveToOthers(x translated, m *merged, in catalog.Three, result *catalog.Merged) error {
	b := x.Sources[0]
	before, err := r.branch.Ledger.Marks(r.branch.slot(ledger.Elsewhere, x.Path, x.Language.Code))
	if err != nil {
		return err
	}
	keys := make(map[string]bool)
	for key := range in.Source.Keys() {
		if beside := r.shared.Beside(x.Path, x.Language.Code, key); beside != "" {
			keys[key] = true
			divided(r, x, m, in, key, beside)
			continue
		}
		others := r.shared.Elsewhere(b, x.Language, x.Path, key)
		if len(others) == 0 {
			continue
		}
		_, stays := before[catalog.Name{Key: key}]
		if !stays && m.first {
			if stays, err = r.neverMerged(others, x.Language); err != nil {
				return err
			}
		}
		if stays {
			keys[key] = true
			if m.elsewhere == nil {
				m.elsewhere = make(catalog.Marks)
			}
			m.elsewhere[catalog.Name{Key: key}] = catalog.Mark{}
		}
	}
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		leaves := keys[c.Key] && c.Op != catalog.Removed
		if leaves {
			result.Leave(in.Base, c.Name)
		}
		return leaves
	})
	left := func(c catalog.Conflict) bool { return keys[c.Key] }
	result.Conflicts, result.Undecided = slices.DeleteFunc(result.Conflicts, left), slices.DeleteFunc(result.Undecided, left)
	return nil
}

// divided makes a conflict of a divided key where a pull is the first to find it.
func divided(r *pulling, x translated, m *merged, in catalog.Three, key, beside string) {
	found := newConflict(r.branch.Now(), x.Path, x.Language.Code, key, in.Ours, in.Theirs, nil).beside(beside)
	if before, waits := r.lost[found.ID()]; waits && before.Beside != "" && sameTexts(before.Ours, found.Ours) {
		return
	}
	fresh := func(u catalog.Unit) bool { return !ledger.Holds(m.inherits, u) && !hasText(found.Theirs, u) }
	if slices.ContainsFunc(found.Ours, fresh) {
		m.conflicts = append(m.conflicts, found)
	}
}

// neverMerged reports whether no pull has merged any of these files yet.
func (r *pulling) neverMerged(paths []string, l config.Language) (bool, error) {
	for _, path := range paths {
		if marks, err := r.branch.Ledger.Marks(r.branch.slot(ledger.Merged, path, l.Code)); err != nil || marks != nil {
			return false, err
		}
	}
	return true, nil
}
