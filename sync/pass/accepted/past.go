package accepted

import (
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Past is what is remembered of the pulled source texts of a collection.
type Past struct {
	History catalog.Marks
	Seen    []catalog.Marks // when commits of its past were read
}

// Recall loads the histories, for the tree at a commit of what is called at: the working tree or a branch.
func (p *Store) Recall(repo *gitops.Repo, a *Sources, at, commit string) error {
	slots, err := ledger.SourceKnown.Slots(p.Ledger, p.Scope)
	if err != nil || len(slots) == 0 {
		return err
	}
	var read []string
	for _, l := range []string{p.Project.Push.Source, p.Project.Pull.Branch} {
		if l == config.Worktree && at != l || slices.Contains(read, l) {
			continue // what was seen there need not be committed, and says nothing about another tree
		}
		last, looked, err := ledger.SourceSeenAt.Get(p.Ledger, p.Scope, l)
		if err != nil {
			return err
		}
		if !looked {
			continue
		}
		past, err := repo.History.Contains(commit, last)
		if err != nil {
			return fmt.Errorf("look for commit %.10s in the past of %.10s: %w", last, commit, err)
		}
		if past || at == l && last == commit {
			read = append(read, l)
		}
	}
	a.GoesOn = slices.Contains(read, at)
	a.Pasts = make(map[string]Past, len(slots))
	for _, slot := range slots {
		var x Past
		if x.History, err = p.Ledger.Marks(slot); err != nil {
			return err
		}
		for _, l := range read {
			seen, err := p.Ledger.Marks(ledger.SourceSeen.In(l).Of(p.Scope, ledger.Source{Collection: slot.Collection}))
			if err != nil {
				return err
			}
			x.Seen = append(x.Seen, seen)
		}
		a.Pasts[slot.Collection] = x
	}
	return nil
}

// Behind reports whether a source text is only behind what a pull brought: whether it is of the history and was not
// brought back.
func (a *Sources) Behind(collection string, n catalog.Name, text string) bool {
	past, mark := a.Pasts[collection], catalog.MarkOf(text)
	at := ledger.Age(past.History, n, mark)
	if at < 0 || !ledger.Knows(past.History, n, a.Texts[collection][n]) {
		return false // not of the history, or the service may have another text than those
	}
	return !slices.ContainsFunc(past.Seen, func(seen catalog.Marks) bool {
		other, there := seen[n]
		if !there || other == mark {
			return false
		}
		when := ledger.Age(past.History, n, other)
		return when < 0 || when > at
	})
}

// behindKeys are the keys of a file of which a text that the service does not have is behind.
func (a *Sources) behindKeys(s *tree.Source) map[string]bool {
	keys := make(map[string]bool)
	if len(a.Pasts[s.Collection].History) == 0 {
		return keys
	}
	for _, u := range s.Texts {
		if !a.Texts[s.Collection].Has(u.Name, u.Text) && a.Behind(s.Collection, u.Name, u.Text) {
			keys[u.Key] = true
		}
	}
	return keys
}

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
	trunk := make(map[string][]catalog.Keyed) // by collection
	for _, slot := range slots {
		marks, err := p.Ledger.Marks(slot)
		if err != nil {
			return err
		}
		trunk[slot.Collection] = append(trunk[slot.Collection], marks.ByKey())
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
		versions := append([]catalog.Keyed{before.ByKey()}, trunk[p.TrunkCollection(s)]...)
		keys, own, texts := make(map[string]bool), a.Texts[s.Collection].Keys(), s.Texts.Marks().ByKey()
		for key := range s.TextKeys() {
			has := func(version catalog.Keyed) bool { return maps.Equal(texts.Of(key), version.Of(key)) }
			if !own[key] && !former[s.Collection][key] && slices.ContainsFunc(versions, has) {
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
