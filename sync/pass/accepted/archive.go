package accepted

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Our own service need not keep what its clients have lost among what is to be translated: such keys are archived, and
// come back with the next push that has them. That they were accepted once stays known, for what pulls take out of
// target files.
//
// The embedded service has one client, whose tree decides. Of several clients one may be behind, or on a branch that
// has keys of its own, so that the base branch decides: a key that it has lost since it was looked at last is archived,
// once, and one that it has again is sent again. A push of a tree that lacks commits of the base branch does neither.

// Archives is what decides that a key is archived.
type Archives int

const (
	Never  Archives = iota // another service
	ByTree                 // what is pushed
	ByBase                 // the base branch
)

// returned are the archived keys of a tree that the service is to have again.
func (p *Store) returned(a *Sources) map[string]map[string]bool {
	if p.Archives != ByBase {
		return a.archived
	}
	back := make(map[string]map[string]bool)
	for collection, keys := range a.archived {
		of := maps.Clone(keys)
		maps.DeleteFunc(of, func(key string, _ bool) bool { return !a.Living[collection][key] })
		if len(of) > 0 {
			back[collection] = of
		}
	}
	if len(back) == 0 {
		return nil
	}
	base := p.Base(a.Tree)
	for collection, of := range back {
		maps.DeleteFunc(of, func(key string, _ bool) bool { return !base[collection][key] })
	}
	return back
}

// Lost are the keys that the base branch has lost since it was looked at last, by collection, as far as no source file
// of the tree has them. More may follow while translations have yet to go to another key or collection.
//
// A key whose text is under another one was renamed, perhaps: were it archived, it would come back with older
// translations than the other one takes along when it is renamed back.
func (p *Store) Lost(a *Sources, base map[string]map[string]bool) (lost map[string][]string, more bool, err error) {
	all, err := p.archivable(a)
	slots, serr := ledger.Based.Slots(p.Ledger, p.Scope)
	renames, rerr := ledger.Renames.List(p.Ledger, p.Scope)
	moves, merr := ledger.Moves.List(p.Ledger, p.Scope)
	if err = errors.Join(err, serr, rerr, merr); err != nil {
		return nil, false, err
	}
	lost = make(map[string][]string)
	texts := make(map[string]map[catalog.Mark]bool) // of the tree
	for _, s := range a.Tree.Sources {
		if texts[s.Collection] == nil {
			texts[s.Collection] = make(map[catalog.Mark]bool)
		}
		for _, mark := range s.Texts.Marks() {
			texts[s.Collection][mark] = true
		}
	}
	for _, slot := range slots {
		marks, err := p.Ledger.Marks(slot)
		if err != nil {
			return nil, false, err
		}
		at, renamed := slot.Collection, make(map[string]bool)
		for n, mark := range a.Texts[at] {
			renamed[n.Key] = renamed[n.Key] || texts[at][mark]
		}
		for key := range marks.Keys() {
			if all[at][key] && !base[at][key] && !a.archived[at][key] && !renamed[key] {
				lost[at] = append(lost[at], key)
			}
		}
		slices.Sort(lost[at])
	}
	unsent := func(m ledger.Move) bool { return !m.Sent }
	return lost, len(renames) > 0 || slices.ContainsFunc(moves, unsent), nil
}

// SeeBase remembers which keys were archived, and which are back. Unless more keys may follow, it remembers what the
// base branch has at its commit, too.
func (p *Store) SeeBase(a *Sources, base *tree.Tree, lost map[string][]string, more bool) error {
	keys, texts := KeysOf(base), make(map[string]catalog.Marks)
	for _, s := range base.Sources {
		if texts[s.Collection] == nil {
			texts[s.Collection] = make(catalog.Marks)
		}
		maps.Copy(texts[s.Collection], s.Texts.Marks())
	}
	return p.Ledger.Update(func(tx ledger.Writer) error {
		for collection, was := range a.archived {
			marks := make(catalog.Marks)
			for key := range was {
				if !keys[collection][key] {
					marks[catalog.Name{Key: key}] = catalog.MarkOf(key)
				}
			}
			for _, key := range lost[collection] {
				marks[catalog.Name{Key: key}] = catalog.MarkOf(key)
			}
			if len(was) == 0 && len(marks) == 0 {
				continue
			}
			if err := tx.SetMarks(ledger.Archived.Of(p.Scope, ledger.Source{Collection: collection}), marks); err != nil {
				return err
			}
		}
		if more {
			return nil
		}
		slots, err := ledger.Based.Slots(tx, p.Scope)
		for _, slot := range slots {
			if texts[slot.Collection] == nil {
				err = errors.Join(err, tx.DropMarks(slot))
			}
		}
		for collection, marks := range texts {
			slot := ledger.Based.Of(p.Scope, ledger.Source{Collection: collection})
			err = errors.Join(err, tx.SetMarks(slot, marks))
		}
		return errors.Join(err, ledger.BasedAt.Put(tx, p.Scope, "", base.Commit()))
	})
}

// ForgetBase forgets what the base branch had: the service is not ours any more.
func (p *Store) ForgetBase() error {
	return p.Ledger.Update(func(tx ledger.Writer) error {
		slots, err := ledger.Based.Slots(tx, p.Scope)
		for _, slot := range slots {
			err = errors.Join(err, tx.DropMarks(slot))
		}
		return errors.Join(err, ledger.BasedAt.Delete(tx, p.Scope, ""))
	})
}

// KeysOf are the keys of a tree, by collection; nil where one of its files cannot be read.
func KeysOf(t *tree.Tree) map[string]map[string]bool {
	keys := make(map[string]map[string]bool)
	for _, s := range t.Sources {
		if s.Broken() {
			return nil
		}
		if keys[s.Collection] == nil {
			keys[s.Collection] = make(map[string]bool)
		}
		for e := range s.File.Entries() {
			keys[s.Collection][e.Key] = true
		}
	}
	return keys
}

// Archived are the keys of a collection that the service has put aside; not to be changed.
func (a *Sources) Archived(collection string) map[string]bool { return a.archived[collection] }

// archived are the keys of a collection that were archived.
func archived(r ledger.Reader, scope, collection string) (map[string]bool, error) {
	marks, err := r.Marks(ledger.Archived.Of(scope, ledger.Source{Collection: collection}))
	keys := make(map[string]bool, len(marks))
	for n := range marks {
		keys[n.Key] = true
	}
	return keys, err
}

// Archive calls archive with the keys of each collection that no source file has any more, and remembers that. Keys
// whose translations have yet to follow to another key or collection are left for a later pass. It is for the end of a
// push that sent everything.
func (p *Store) Archive(a *Sources, archive func(collection string, keys []string) error) error {
	all, err := p.archivable(a)
	if err != nil {
		return err
	}
	for _, collection := range slices.Sorted(maps.Keys(all)) {
		was, keys := a.archived[collection], all[collection]
		fresh := slices.Sorted(maps.Keys(keys))
		fresh = slices.DeleteFunc(fresh, func(key string) bool { return was[key] })
		if len(fresh) > 0 {
			if err := archive(collection, fresh); err != nil {
				return fmt.Errorf("archive %d keys of collection %q: %w", len(fresh), collection, err)
			}
		}
		if maps.Equal(was, keys) {
			continue
		}
		marks := make(catalog.Marks)
		for key := range keys {
			marks[catalog.Name{Key: key}] = catalog.MarkOf(key)
		}
		err := p.Ledger.Update(func(tx ledger.Writer) error {
			return tx.SetMarks(ledger.Archived.Of(p.Scope, ledger.Source{Collection: collection}), marks)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// archivable are the keys that are, or can be, archived, by collection: of each that has a file.
func (p *Store) archivable(a *Sources) (map[string]map[string]bool, error) {
	moves, err := ledger.Moves.List(p.Ledger, p.Scope)
	renames, rerr := ledger.Renames.List(p.Ledger, p.Scope)
	err = errors.Join(err, rerr)
	if err != nil {
		return nil, err
	}
	left := make(map[ledger.Source]bool) // files that moved to another collection: whether all of them has followed
	for _, m := range moves {
		left[m.From] = m.Sent && m.From.Collection != m.To.Collection
	}
	keys := make(map[string]map[string]bool)
	for collection, was := range a.archived {
		keys[collection] = maps.Clone(was)
	}
	add := func(file ledger.Source, key string) {
		if keys[file.Collection] == nil {
			keys[file.Collection] = make(map[string]bool)
		}
		keys[file.Collection][key] = true
	}
	for file, removed := range a.Removed() {
		if _, moved := left[file]; !moved {
			for _, key := range removed {
				add(file, key)
			}
		}
	}
	for file, all := range left {
		for n := range a.Files[file] {
			if all {
				add(file, n.Key)
			}
		}
	}
	for collection, ofCollection := range keys {
		maps.DeleteFunc(ofCollection, func(key string, _ bool) bool { return a.Living[collection][key] })
	}
	for _, m := range renames {
		delete(keys[m.Before().Collection], m.From.Key)
	}
	return keys, nil
}
