package engine

import (
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// accepted is what the service accepted of a project's source files. It has one text for a key of a collection; which
// file a key is in is remembered only to tell a key that is gone from one whose file cannot be read. Marks of files
// that are gone stay until their keys are elsewhere: a file that comes back, or moves, costs nothing.
type accepted struct {
	tree   *tree.Tree
	files  map[ledger.Source]catalog.Marks
	texts  map[string]catalog.Marks             // by collection
	forms  map[string]map[string][]catalog.Name // by collection and key: the texts of keys that have several
	living map[string]map[string]bool           // by collection: keys that stand in a file, and those of files that cannot be read or are held

	held     map[ledger.Source]bool // nothing is concluded from what these lack; see brake.go
	missed   []ledger.Source        // of those, files that were never missed before
	gone     []ledger.Source        // deleted for good
	moves    []ledger.Move
	problems []report.Problem

	pasts   map[string]sourcePast             // by collection, of source texts that pulls brought; see recallPasts
	inherit map[ledger.Source]map[string]bool // of a line: keys that its trunk has; see inherited.go
}

// pushedSlot is where a source file's accepted texts are remembered.
func (p *project) pushedSlot(at ledger.Source) ledger.Slot {
	return ledger.Pushed.Of(p.stateName(), ledger.Source{Collection: at.Collection, Path: at.Path})
}

// acceptedOf loads what was accepted and compares it with a tree. With force, whatever is missing is meant to be.
func (p *project) acceptedOf(t *tree.Tree, force bool) (*accepted, error) {
	a := &accepted{tree: t, held: make(map[ledger.Source]bool), files: make(map[ledger.Source]catalog.Marks), texts: make(map[string]catalog.Marks),
		forms: make(map[string]map[string][]catalog.Name), living: make(map[string]map[string]bool)}
	slots, err := ledger.Pushed.Slots(p.State, p.stateName())
	if err != nil {
		return nil, err
	}
	for _, slot := range slots {
		marks, err := p.State.Marks(slot)
		if err != nil {
			return nil, err
		}
		a.files[ledger.Source{Collection: slot.Collection, Path: slot.Path}] = marks
		a.add(slot.Collection, marks)
	}
	for _, s := range t.Sources {
		living := a.living[s.Collection]
		if living == nil {
			living = make(map[string]bool)
			a.living[s.Collection] = living
		}
		if s.Broken() {
			for n := range a.files[s.ID()] {
				living[n.Key] = true
			}
			continue
		}
		for e := range s.File.Entries() {
			living[e.Key] = true
		}
	}
	if err := p.inherits(a); err != nil {
		return nil, err
	}
	return a, p.judge(a, force)
}

func (a *accepted) add(collection string, marks catalog.Marks) {
	all := a.texts[collection]
	if all == nil {
		all = make(catalog.Marks, len(marks))
		a.texts[collection], a.forms[collection] = all, make(map[string][]catalog.Name)
	}
	for n, m := range marks {
		if _, twice := all[n]; !twice && n.Form != "" {
			a.forms[collection][n.Key] = append(a.forms[collection][n.Key], n)
		}
		all[n] = m
	}
}

// base is what the service has of a file: of the keys that stand in it, wherever they were accepted from, and of those that stood in it and
// stand nowhere now.
func (a *accepted) base(s *tree.Source) catalog.Marks {
	all, forms := a.texts[s.Collection], a.forms[s.Collection]
	base := make(catalog.Marks, len(s.Texts))
	take := func(n catalog.Name) {
		if m, ok := all[n]; ok {
			base[n] = m
		}
	}
	for _, u := range s.Texts {
		take(u.Name)
		if u.Form != "" {
			take(catalog.Name{Key: u.Key})
		}
		for _, n := range forms[u.Key] {
			take(n)
		}
	}
	own := []ledger.Source{s.ID()}
	for _, m := range a.moves {
		if m.To == s.ID() && m.From.Collection == s.Collection {
			own = append(own, m.From)
		}
	}
	for _, at := range own {
		for n := range a.files[at] {
			if !a.living[s.Collection][n.Key] {
				take(n)
			}
		}
	}
	return base
}

// pending are the keys of a file that the service does not have as they are, but for texts older than what a pull
// brought, once the histories are loaded (recallPasts). changes has the keys that are gone as well, against base.
func (a *accepted) pending(s *tree.Source) (keys map[string]bool, base catalog.Marks, changes []catalog.Change) {
	keys, base = make(map[string]bool), a.base(s)
	changes = catalog.Diff(base, s.Texts)
	var here map[string]bool
	for _, c := range changes {
		if c.Op == catalog.Removed {
			if here == nil {
				here = s.Texts.Keys()
			}
			if !here[c.Key] {
				continue
			}
		}
		if c.Op == catalog.Changed && a.behind(s.Collection, c.Name, c.Text) {
			continue
		}
		keys[c.Key] = true
	}
	if inherited := a.inherited(s); len(inherited) > 0 {
		maps.DeleteFunc(keys, func(key string, _ bool) bool { return inherited[key] })
		changes = slices.DeleteFunc(changes, func(c catalog.Change) bool { return inherited[c.Key] })
	}
	return keys, base, changes
}

// notSent are the keys of a file that are not sent even when all are: those that lie behind, and those of which the trunk has what is to be had.
func (a *accepted) notSent(s *tree.Source) map[string]bool {
	keys := a.behindKeys(s)
	maps.Copy(keys, a.inherited(s))
	return keys
}

// removed are the keys that the service accepted once and that no source file has now, by the file that had them.
func (a *accepted) removed() map[ledger.Source][]string {
	anywhere := make(map[string]bool)
	for _, living := range a.living {
		for key := range living {
			anywhere[key] = true
		}
	}
	type gone struct{ collection, key string }
	told := make(map[gone]bool)
	keys := make(map[ledger.Source][]string)
	for _, at := range a.places() {
		living := a.living[at.Collection]
		if living == nil { // no file belongs to the collection any more: its keys may have moved to another one
			living = anywhere
		}
		for n := range a.files[at] {
			if !living[n.Key] && !told[gone{at.Collection, n.Key}] {
				told[gone{at.Collection, n.Key}] = true
				keys[at] = append(keys[at], n.Key)
			}
		}
		slices.Sort(keys[at])
	}
	return keys
}

// orphans are the removed keys, in words.
func (a *accepted) orphans(language string) []report.Problem {
	var all []report.Problem
	removed := a.removed()
	for _, at := range a.places() {
		for _, key := range removed[at] {
			all = append(all, orphan(at, key, language))
		}
	}
	return all
}

// adopt remembers keys with the file that they stand in now.
func (p *project) adopt(a *accepted) error {
	changed := make(map[ledger.Source]catalog.Marks)
	edit := func(at ledger.Source) catalog.Marks {
		if changed[at] == nil {
			marks := make(catalog.Marks, len(a.files[at]))
			for n, m := range a.files[at] {
				marks[n] = m
			}
			changed[at] = marks
		}
		return changed[at]
	}
	here := make(map[ledger.Source]*tree.Source)
	settled := make(map[ledger.Source]bool) // remembered with exactly the keys that stand there
	for _, s := range a.tree.Sources {
		here[s.ID()] = s
		if s.Broken() || a.held[s.ID()] {
			continue
		}
		own, all, n := a.files[s.ID()], a.texts[s.Collection], 0
		for _, u := range s.Texts {
			if _, known := own[u.Name]; known {
				n++
			} else if m, ok := all[u.Name]; ok {
				edit(s.ID())[u.Name] = m
			}
		}
		settled[s.ID()] = n == len(own)
	}
	for at, marks := range a.files {
		s := here[at]
		if s != nil && s.Broken() || settled[at] || a.held[at] {
			continue
		}
		var has map[string]bool
		for n := range marks {
			if s != nil {
				if _, there := s.File.Lookup(n.Key, n.Form); there {
					continue
				}
				if has == nil {
					has = s.EntryKeys()
				}
			}
			if a.living[at.Collection][n.Key] && !has[n.Key] {
				delete(edit(at), n)
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return p.State.Update(func(tx ledger.Writer) error {
		for at, marks := range changed {
			a.files[at] = marks
			if here[at] == nil && len(marks) == 0 {
				delete(a.files, at)
				if err := tx.DropMarks(p.pushedSlot(at)); err != nil {
					return err
				}
				continue
			}
			if err := tx.SetMarks(p.pushedSlot(at), marks); err != nil {
				return err
			}
		}
		return nil
	})
}
