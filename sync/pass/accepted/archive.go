package accepted

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// The embedded service has one client, so it need not keep what that has lost among what is to be translated: such keys
// are archived, and come back with the next push that has them. That they were accepted once stays known, for what
// pulls take out of target files.

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
