package accepted

import (
	"maps"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

// adopted are the marks of the files that are to be remembered otherwise, so that each key is with the file that has
// it.
func (a *Sources) adopted(here map[ledger.Source]*tree.Source) map[ledger.Source]catalog.Marks {
	changed := make(map[ledger.Source]catalog.Marks)
	edit := func(at ledger.Source) catalog.Marks {
		if changed[at] == nil {
			changed[at] = make(catalog.Marks, len(a.Files[at]))
			maps.Copy(changed[at], a.Files[at])
		}
		return changed[at]
	}
	settled := make(map[ledger.Source]bool) // remembered with exactly the keys that stand there
	for _, s := range a.Tree.Sources {
		if s.Broken() || a.Held[s.ID()] {
			continue
		}
		own, all, n := a.Files[s.ID()], a.Texts[s.Collection], 0
		for _, u := range s.Texts {
			if _, known := own[u.Name]; known {
				n++
			} else if m, ok := all[u.Name]; ok {
				edit(s.ID())[u.Name] = m
			}
		}
		settled[s.ID()] = n == len(own)
	}
	for at, marks := range a.Files {
		s := here[at]
		if s != nil && s.Broken() || settled[at] || a.Held[at] {
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
			if a.Living[at.Collection][n.Key] && !has[n.Key] {
				delete(edit(at), n)
			}
		}
	}
	return changed
}

// Adopt remembers keys with the file that they are in now.
func (p *Store) Adopt(a *Sources) error {
	here := make(map[ledger.Source]*tree.Source)
	for _, s := range a.Tree.Sources {
		here[s.ID()] = s
	}
	changed := a.adopted(here)
	if len(changed) == 0 {
		return nil
	}
	return p.Ledger.Update(func(tx ledger.Writer) error {
		for at, marks := range changed {
			a.Files[at] = marks
			if here[at] == nil && len(marks) == 0 {
				delete(a.Files, at)
				if err := tx.DropMarks(ledger.Pushed.Of(p.Scope, at)); err != nil {
					return err
				}
				continue
			}
			if err := tx.SetMarks(ledger.Pushed.Of(p.Scope, at), marks); err != nil {
				return err
			}
		}
		return nil
	})
}
