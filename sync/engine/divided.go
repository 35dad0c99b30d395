package engine

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
)

// The service has one text for a key of a collection; two files may have the key, each with a translation of its own. Where these differ in a language, each file
// keeps its own: neither is sent, and neither is written over the other. Where one file has a translation and the other has none, the gap is no request for
// it: at first contact it stays, too.

// shared are the translations of keys that stand in more than one source file of a collection.
type shared struct {
	texts   map[string]map[string]map[string]catalog.Marks // by collection and language, key, and target file
	divided map[string]bool                                // by conflictID of each of the files
	told    []report.Problem
}

// sharedIn reads them. It reads only files of which others have the keys.
func (t *tree) sharedIn(fsys fs.FS, languages []config.Language) (*shared, error) {
	s := &shared{texts: make(map[string]map[string]map[string]catalog.Marks), divided: make(map[string]bool)}
	count := make(map[string]map[string]int) // of files, by collection and key
	for _, src := range t.sources {
		if count[src.Collection] == nil {
			count[src.Collection] = make(map[string]int)
		}
		for key := range src.texts.Keys() {
			count[src.Collection][key]++
		}
	}
	for _, src := range t.sources {
		several := count[src.Collection]
		if src.Output.HasLabel() || !slices.ContainsFunc(src.texts, func(u catalog.Unit) bool { return several[u.Key] > 1 }) {
			continue
		}
		for _, l := range languages {
			f, _, err := src.Read(fsys, src.Target(l), l)
			if err != nil {
				return nil, err
			}
			for _, u := range bundle.Texts(f) {
				if several[u.Key] > 1 && u.Text != "" {
					s.add(src.Collection, l, u, src.Target(l))
				}
			}
		}
	}
	s.divide()
	return s, nil
}

func (s *shared) add(collection string, l config.Language, u catalog.Unit, path string) {
	id := goneID(collection, l.Code)
	if s.texts[id] == nil {
		s.texts[id] = make(map[string]map[string]catalog.Marks)
	}
	if s.texts[id][u.Key] == nil {
		s.texts[id][u.Key] = make(map[string]catalog.Marks)
	}
	if s.texts[id][u.Key][path] == nil {
		s.texts[id][u.Key][path] = make(catalog.Marks)
	}
	s.texts[id][u.Key][path][u.Name] = catalog.MarkOf(u.Text)
}

// divide finds the keys whose translations differ.
func (s *shared) divide() {
	for _, id := range slices.Sorted(maps.Keys(s.texts)) {
		for _, key := range slices.Sorted(maps.Keys(s.texts[id])) {
			files := s.texts[id][key]
			paths := slices.Sorted(maps.Keys(files))
			other := slices.IndexFunc(paths, func(path string) bool { return !maps.Equal(files[path], files[paths[0]]) })
			if other < 0 {
				continue
			}
			collection, language, _ := strings.Cut(id, "\x00")
			for _, path := range paths {
				s.divided[conflictID(path, language, key)] = true
			}
			s.told = append(s.told, report.Problem{File: paths[other], Key: key, Language: language, Problem: fmt.Sprintf(
				"is translated otherwise in %s, in the same collection %q; each file keeps its own, and neither is sent. Make them agree, or give the files collections of their own", paths[0], collection)})
		}
	}
}

// elsewhere reports whether another file of the collection has a translation of a key that this one lacks.
func (s *shared) elsewhere(b *bundle.Bundle, l config.Language, path, key string) []string {
	files := s.texts[goneID(b.Collection, l.Code)][key]
	if _, here := files[path]; here {
		return nil
	}
	return slices.Sorted(maps.Keys(files))
}

// undivided are the service's translations of keys on which the files agree: no decision is about the others.
func (s *shared) undivided(x translated) catalog.Catalog {
	return slices.DeleteFunc(slices.Clone(x.texts), func(u catalog.Unit) bool {
		return s.divided[conflictID(x.Path, x.Language.Code, u.Key)]
	})
}

// kindElsewhere is of target file, language: the keys that only other files of the collection have a translation of, since first contact. The marks say
// nothing.
const kindElsewhere = "elsewhere"

// leaveToOthers takes out of a merge what belongs to other files of the collection: changes of divided keys, and what would fill a gap that was there when both
// files were met.
func (r *pulling) leaveToOthers(x translated, m *merged, in catalog.Three, result *catalog.Merged) error {
	b := x.Sources[0]
	before, err := r.State.Marks(r.slot(kindElsewhere, x.Path, x.Language.Code))
	if err != nil {
		return err
	}
	keys := make(map[string]bool)
	for key := range in.Source.Keys() {
		if r.shared.divided[conflictID(x.Path, x.Language.Code, key)] {
			keys[key] = true
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
	result.Conflicts = slices.DeleteFunc(result.Conflicts, func(c catalog.Conflict) bool { return keys[c.Key] })
	result.Undecided = slices.DeleteFunc(result.Undecided, func(c catalog.Conflict) bool {
		return r.shared.divided[conflictID(x.Path, x.Language.Code, c.Key)]
	})
	return nil
}

// neverMerged reports whether no pull has merged any of these files yet.
func (r *pulling) neverMerged(paths []string, l config.Language) (bool, error) {
	for _, path := range paths {
		if marks, err := r.State.Marks(r.slot(kindMerged, path, l.Code)); err != nil || marks != nil {
			return false, err
		}
	}
	return true, nil
}
