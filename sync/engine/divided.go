package engine

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// The service has one text for a key of a collection; two files may have the key, each with a translation of its own. Where
// these differ in a language, each file keeps its own: neither is sent, and neither is written over the other. That is an open
// conflict of each file whose text the service does not have, which is told once and waits for a person: push --ours chooses
// one file's text for the service, push --theirs leaves what the service has. Where one file has a translation and the other
// has none, the gap is no request for it: at first contact it stays, too.

// sharedKey is a key of a collection in a language.
type sharedKey struct{ collection, language, key string }

// shared are the translations of keys that stand in more than one source file of a collection.
type shared struct {
	files   map[sharedKey]int                      // how many source files have a key; of no language
	texts   map[sharedKey]map[string]catalog.Marks // by target file
	divided map[string]string                      // by ledger.ConflictID of each of the files: another file
}

// newShared counts the source files of each key.
func (t *tree) newShared() *shared {
	s := &shared{make(map[sharedKey]int), make(map[sharedKey]map[string]catalog.Marks), make(map[string]string)}
	for _, src := range t.sources {
		for key := range src.texts.Keys() {
			s.files[sharedKey{src.Collection, "", key}]++
		}
	}
	return s
}

// sharedIn reads them. It reads only files of which others have the keys.
func (t *tree) sharedIn(fsys fs.FS, languages []config.Language) (*shared, error) {
	s := t.newShared()
	for _, src := range t.sources {
		if !slices.ContainsFunc(src.texts, func(u catalog.Unit) bool { return s.several(src.Bundle, u.Key) }) {
			continue
		}
		for _, l := range languages {
			f, _, err := src.Read(fsys, src.Target(l), l)
			if err != nil {
				return nil, err
			}
			for _, u := range bundle.Texts(f) {
				s.add(src.Bundle, l.Code, src.Target(l), u)
			}
		}
	}
	s.divide()
	return s, nil
}

// gather reads those of all places together, as they will be merged: the texts that are about to be sent, and else those
// of the first place that has the key.
func (s *shared) gather(found []*candidate) {
	for _, c := range found {
		had := c.texts.Keys()
		for key := range had {
			_, had[key] = s.texts[sharedKey{c.Sources[0].Collection, c.Language.Code, key}][c.Path]
		}
		for _, u := range c.texts {
			if c.changed[u.Name] || !had[u.Key] {
				s.add(c.Sources[0], c.Language.Code, c.Path, u)
			}
		}
	}
	s.divide()
}

func (s *shared) several(b *bundle.Bundle, key string) bool {
	return !b.Output.HasLabel() && s.files[sharedKey{b.Collection, "", key}] > 1
}

func (s *shared) add(b *bundle.Bundle, language, path string, u catalog.Unit) {
	if u.Text == "" || !s.several(b, u.Key) {
		return
	}
	id := sharedKey{b.Collection, language, u.Key}
	if s.texts[id] == nil {
		s.texts[id] = make(map[string]catalog.Marks)
	}
	if s.texts[id][path] == nil {
		s.texts[id][path] = make(catalog.Marks)
	}
	s.texts[id][path][u.Name] = catalog.MarkOf(u.Text)
}

// divide finds the keys whose translations differ.
func (s *shared) divide() {
	for id, files := range s.texts {
		paths := slices.Sorted(maps.Keys(files))
		other := slices.IndexFunc(paths, func(path string) bool { return !maps.Equal(files[path], files[paths[0]]) })
		if other < 0 {
			continue
		}
		for _, path := range paths {
			s.divided[ledger.ConflictID(path, id.language, id.key)] = paths[0]
		}
		s.divided[ledger.ConflictID(paths[0], id.language, id.key)] = paths[other]
	}
}

// elsewhere reports whether another file of the collection has a translation of a key that this one lacks.
func (s *shared) elsewhere(b *bundle.Bundle, l config.Language, path, key string) []string {
	files := s.texts[sharedKey{b.Collection, l.Code, key}]
	if _, here := files[path]; here {
		return nil
	}
	return slices.Sorted(maps.Keys(files))
}

// beside is another file of the collection that has another translation of a key of a candidate; "" for none.
func (c *candidate) beside(key string) string {
	return c.place.shared.divided[ledger.ConflictID(c.Path, c.Language.Code, key)]
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
func (s *shared) undivided(x translated) catalog.Catalog {
	return slices.DeleteFunc(slices.Clone(x.texts), func(u catalog.Unit) bool {
		return s.divided[ledger.ConflictID(x.Path, x.Language.Code, u.Key)] != ""
	})
}

// leaveToOthers takes out of a merge what belongs to other files of the collection: changes of divided keys, and what would fill a gap that was there when both
// files were met.
func (r *pulling) leaveToOthers(x translated, m *merged, in catalog.Three, result *catalog.Merged) error {
	b := x.Sources[0]
	before, err := r.State.Marks(r.slot(ledger.Elsewhere, x.Path, x.Language.Code))
	if err != nil {
		return err
	}
	keys := make(map[string]bool)
	for key := range in.Source.Keys() {
		if beside := r.shared.divided[ledger.ConflictID(x.Path, x.Language.Code, key)]; beside != "" {
			keys[key] = true
			divided(r, x, m, in, key, beside)
			continue
		}
		others := r.shared.elsewhere(b, x.Language, x.Path, key)
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
	if len(keys) == 0 {
		return nil
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
	found := newConflict(r.Now(), x.Path, x.Language.Code, key, in.Ours, in.Theirs, nil).beside(beside)
	if before, waits := r.lost[found.ID()]; waits && before.Beside != "" && same(before.Ours, found.Ours) {
		return
	}
	fresh := func(u catalog.Unit) bool { return !ledger.Holds(m.inherits, u) && !has(found.Theirs, u) }
	if slices.ContainsFunc(found.Ours, fresh) {
		m.conflicts = append(m.conflicts, found)
	}
}

// neverMerged reports whether no pull has merged any of these files yet.
func (r *pulling) neverMerged(paths []string, l config.Language) (bool, error) {
	for _, path := range paths {
		if marks, err := r.State.Marks(r.slot(ledger.Merged, path, l.Code)); err != nil || marks != nil {
			return false, err
		}
	}
	return true, nil
}
