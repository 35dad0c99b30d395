package engine

import (
	"context"
	"maps"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

// inherits finds the keys of a line that its trunk has, as they are or were when they were first seen, and that were not sent for the line itself.
func (p *project) inherits(a *accepted) error {
	if p.trunk == nil {
		return nil
	}
	slots, err := ledger.Pushed.Slots(p.State, p.trunk.stateName())
	if err != nil {
		return err
	}
	trunk := make(map[string]map[string]catalog.Marks) // by collection and key
	for _, slot := range slots {
		marks, err := p.State.Marks(slot)
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
	for _, s := range a.tree.Sources {
		if s.Broken() {
			continue
		}
		before, err := p.State.Marks(ledger.Inherited.Of(p.stateName(), s.ID()))
		if err != nil {
			return err
		}
		there, once, own := trunk[p.trunk.collectionOf(p, s)], before.ByKey(), a.texts[s.Collection].ByKey()
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

// collectionOf is the collection that a source file of another line has in this one.
func (p *project) collectionOf(other *project, s *tree.Source) string {
	for i := range other.cfg.Files {
		if &other.cfg.Files[i] == s.Files {
			if file, ok := s.Files.SourceFile(s.Path); ok {
				return p.cfg.Files[i].CollectionOf(file)
			}
		}
	}
	return s.Collection
}

// inherited are the keys of a file that the trunk has and that were not sent for the line itself.
func (a *accepted) inherited(s *tree.Source) map[string]bool { return a.inherit[s.ID()] }

// keepInherited remembers the texts that are inherited, for the time when the trunk has others.
func (p *project) keepInherited(a *accepted) error {
	if len(a.inherit) == 0 {
		return nil
	}
	return p.State.Update(func(tx ledger.Writer) error {
		for _, s := range a.tree.Sources {
			if s.Broken() || a.held[s.ID()] {
				continue
			}
			marks, keys := make(catalog.Marks), a.inherited(s)
			for _, u := range s.Texts {
				if keys[u.Key] {
					marks[u.Name] = catalog.MarkOf(u.Text)
				}
			}
			if err := keepMarks(tx, ledger.Inherited.Of(p.stateName(), s.ID()), marks); err != nil {
				return err
			}
		}
		return nil
	})
}

// sendInherited sends the source texts of inherited keys of which somebody changed a translation: a collection takes no translation of a key that it does
// not have.
func (r *pushing) sendInherited(ctx context.Context, found []*candidate) error {
	if r.trunk == nil {
		return nil
	}
	wanted := make(map[*tree.Source]map[string]bool)
	for _, c := range found {
		for n := range c.changed {
			for _, b := range c.Sources {
				s := r.tree.Of(b)
				if !r.accepted.inherited(s)[n.Key] || r.trunk.collectionOf(r.project, s) == s.Collection {
					continue
				}
				if wanted[s] == nil {
					wanted[s] = make(map[string]bool)
				}
				wanted[s][n.Key] = true
			}
		}
	}
	ship := &shipping{}
	for _, s := range r.tree.Sources {
		if wanted[s] == nil {
			continue
		}
		if err := r.addSource(ship, s, func(key string) bool { return wanted[s][key] }); err != nil {
			return err
		}
	}
	r.shipAll(ctx, ship.shipments)
	return nil
}
