package accepted

import (
	"maps"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

// formerKeys are the keys that the collections got from an earlier branch of the line's name.
func (p *Store) formerKeys() (map[string]map[string]bool, error) {
	slots, err := ledger.Former.Slots(p.Ledger, p.Scope)
	if err != nil {
		return nil, err
	}
	keys := make(map[string]map[string]bool)
	for _, slot := range slots {
		marks, err := p.Ledger.Marks(slot)
		if err != nil {
			return nil, err
		}
		if keys[slot.Collection] == nil {
			keys[slot.Collection] = make(map[string]bool)
		}
		for n := range marks {
			keys[slot.Collection][n.Key] = true
		}
	}
	return keys, nil
}

// inherits finds the keys of a line that its trunk has, as they are or were when they were first seen, and that were
// not sent for the line itself.
func (p *Store) inherits(a *Sources) error {
	if p.Trunk == nil {
		return nil
	}
	slots, err := ledger.Pushed.Slots(p.Ledger, p.Trunk.Scope)
	if err != nil {
		return err
	}
	trunk := make(map[string]map[string]catalog.Marks) // by collection and key
	for _, slot := range slots {
		marks, err := p.Ledger.Marks(slot)
		if err != nil {
			return err
		}
		if trunk[slot.Collection] == nil {
			trunk[slot.Collection] = make(map[string]catalog.Marks)
		}
		maps.Copy(trunk[slot.Collection], marks.ByKey())
	}
	former, err := p.formerKeys()
	if err != nil {
		return err
	}
	a.inherit = make(map[ledger.Source]map[string]bool)
	for _, s := range a.Tree.Sources {
		if s.Broken() {
			continue
		}
		before, err := p.Ledger.Marks(ledger.Inherited.Of(p.Scope, s.ID()))
		if err != nil {
			return err
		}
		there, once, own := trunk[p.TrunkCollection(s)], before.ByKey(), a.Texts[s.Collection].ByKey()
		keys := make(map[string]bool)
		for key, marks := range s.Texts.Marks().ByKey() {
			if own[key] == nil && !former[s.Collection][key] && (maps.Equal(marks, there[key]) || maps.Equal(marks, once[key])) {
				keys[key] = true
			}
		}
		a.inherit[s.ID()] = keys
	}
	return nil
}

// TrunkCollection is the collection that a source file of a line has in its trunk.
func (p *Store) TrunkCollection(s *tree.Source) string {
	for i := range p.Project.Files {
		if &p.Project.Files[i] == s.Files {
			if file, ok := s.Files.SourceFile(s.Path); ok {
				return p.Trunk.Project.Files[i].CollectionOf(file)
			}
		}
	}
	return s.Collection
}

// Inherited are the keys of a file that the trunk has and that were not sent for the line itself.
func (a *Sources) Inherited(s *tree.Source) map[string]bool { return a.inherit[s.ID()] }

// KeepInherited remembers the texts that are inherited, for the time when the trunk has others.
func (p *Store) KeepInherited(a *Sources) error {
	if len(a.inherit) == 0 {
		return nil
	}
	return p.Ledger.Update(func(tx ledger.Writer) error {
		for _, s := range a.Tree.Sources {
			if s.Broken() || a.Held[s.ID()] {
				continue
			}
			marks, keys := make(catalog.Marks), a.Inherited(s)
			for _, u := range s.Texts {
				if keys[u.Key] {
					marks[u.Name] = catalog.MarkOf(u.Text)
				}
			}
			if err := ledger.KeepMarks(tx, ledger.Inherited.Of(p.Scope, s.ID()), marks); err != nil {
				return err
			}
		}
		return nil
	})
}
