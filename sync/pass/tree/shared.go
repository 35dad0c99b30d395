package tree

import (
	"io/fs"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// sharedKey is a key of a collection in a language.
type sharedKey struct{ collection, language, key string }

// Shared are the translations of keys that more than one source file has of a collection.
type Shared struct {
	alone   map[string]*Source                     // by collection: its only source file
	files   map[string]map[string]int              // how many source files have a key, by other collections
	texts   map[sharedKey]map[string]catalog.Marks // by target file
	divided map[string]string                      // by ledger.ConflictID of each of the files: another file
}

// NewShared counts the source files of each key.
func (t *Tree) NewShared() *Shared {
	s := &Shared{make(map[string]*Source), make(map[string]map[string]int), make(map[sharedKey]map[string]catalog.Marks),
		make(map[string]string)}
	number := make(map[string]int)
	for _, src := range t.Sources {
		number[src.Collection]++
	}
	for _, src := range t.Sources {
		if number[src.Collection] == 1 {
			s.alone[src.Collection] = src
			continue
		}
		keys := s.files[src.Collection]
		if keys == nil {
			keys = make(map[string]int)
			s.files[src.Collection] = keys
		}
		for key := range src.TextKeys() {
			keys[key]++
		}
	}
	return s
}

// SharedIn reads the shared translations of a tree of files. It reads only files of which others have the keys.
func (t *Tree) SharedIn(fsys fs.FS, languages []config.Language) (*Shared, error) {
	s := t.NewShared()
	for _, src := range t.Sources {
		if !slices.ContainsFunc(src.Texts, func(u catalog.Unit) bool { return s.several(src.Bundle, u.Key) }) {
			continue
		}
		for _, l := range languages {
			f, _, err := src.Read(fsys, src.Target(l), l)
			if err != nil {
				return nil, err
			}
			for _, u := range bundle.Texts(f) {
				s.Add(src.Bundle, l.Code, src.Target(l), u)
			}
		}
	}
	s.Divide()
	return s, nil
}

// HasIn tells of a key whether a source file of a collection has it.
func (s *Shared) HasIn(collection string) func(key string) bool {
	if alone := s.alone[collection]; alone != nil {
		return func(key string) bool { return alone.TextKeys()[key] }
	}
	files := s.files[collection]
	return func(key string) bool { return files[key] > 0 }
}

func (s *Shared) several(b *bundle.Bundle, key string) bool {
	return !b.Output.HasLabel() && s.files[b.Collection][key] > 1
}

// Add takes in a text of a file of translations, where several source files have its key.
func (s *Shared) Add(b *bundle.Bundle, language, path string, u catalog.Unit) {
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

// Translates reports whether a file is among those that were added for a key.
func (s *Shared) Translates(b *bundle.Bundle, language, path, key string) bool {
	_, has := s.texts[sharedKey{b.Collection, language, key}][path]
	return has
}

// Beside is another file of the collection that has another translation of a key; "" for none.
func (s *Shared) Beside(path, language, key string) string {
	if len(s.divided) == 0 {
		return ""
	}
	return s.divided[ledger.ConflictID(path, language, key)]
}

// Divide finds the keys whose translations differ.
func (s *Shared) Divide() {
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

// Elsewhere are the other files of the collection that have a translation of a key which this one lacks.
func (s *Shared) Elsewhere(b *bundle.Bundle, l config.Language, path, key string) []string {
	if len(s.texts) == 0 {
		return nil
	}
	files := s.texts[sharedKey{b.Collection, l.Code, key}]
	if _, here := files[path]; here {
		return nil
	}
	return slices.Sorted(maps.Keys(files))
}
