package pass

import (
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// A key that moves to another file of its collection is the same one at the service, which has nothing to move. Its
// translations and what is remembered of them go along in the repository.

// Along is what a target file takes over from those that its keys were in before.
type Along struct {
	Marks Marks           // what is remembered there of the keys
	Texts catalog.Catalog // texts that those files still have, and that were agreed on or sent
}

// alongKinds are the marks that go along.
var alongKinds = []ledger.TargetMarks{ledger.Known, ledger.Merged, ledger.Delivered, ledger.Filler}

// TakesAlong finds it for the keys of a target file of which nothing is remembered there. left are the files that had
// keys of the collection before, and texts are read from fsys; nil for none.
func (p *Branch) TakesAlong(
	fsys fs.FS, t bundle.Target, left map[string][]ledger.Source, keys map[string]bool, here Marks,
) (a Along, err error) {
	from := make(map[string]map[string]bool)
	var remembered map[string]bool
	for key := range keys { // of a collection, many more may have left files than are in this one
		if len(left[key]) > 0 && remembered == nil {
			remembered = KeysOf(nil, nil, here[ledger.Known], here[ledger.Merged], here[ledger.Delivered])
		}
		if remembered[key] {
			continue
		}
		for _, at := range left[key] {
			path := p.Project.FormerTarget(at.Path, at.Collection, t.Language)
			if path == "" || config.SameFile(path, t.Path) {
				continue
			}
			if from[path] == nil {
				from[path] = make(map[string]bool)
			}
			from[path][key] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(from)) {
		there, rerr := p.Memory().Read(path, t.Language.Code, alongKinds...)
		var texts catalog.Catalog
		err = errors.Join(err, rerr)
		if fsys != nil && err == nil {
			f, _, ferr := t.Sources[0].Read(fsys, path, t.Language)
			texts, err = bundle.Texts(f), ferr
		}
		a.Take(there, texts, from[path])
	}
	return a, err
}

// WithAlong are what is remembered of a target file, with what it takes along.
func (p *Branch) WithAlong(
	t bundle.Target, left map[string][]ledger.Source, keys map[string]bool, here Marks,
) (Marks, error) {
	a, err := p.TakesAlong(nil, t, left, keys, here)
	return a.Over(here), err
}

// Take adds what is remembered of keys in one file, and its texts.
func (a *Along) Take(there Marks, texts catalog.Catalog, keys map[string]bool) {
	for _, u := range texts.Restrict(keys) {
		agreed := ledger.Holds(there[ledger.Known], u) || there[ledger.Merged].Has(u.Name, u.Text) ||
			there[ledger.Delivered].Has(u.Name, u.Text)
		if u.Text != "" && agreed && !ledger.Holds(there[ledger.Filler], u) {
			a.Texts = append(a.Texts, u)
		}
	}
	for kind, marks := range there {
		for n, mark := range marks {
			if !keys[n.Key] || kind == ledger.Filler {
				continue
			}
			if a.Marks == nil {
				a.Marks = make(Marks)
			}
			if a.Marks[kind] == nil {
				a.Marks[kind] = make(catalog.Marks)
			}
			a.Marks[kind][n] = mark
		}
	}
}

// Over are what is remembered of a file with what it takes along.
func (a Along) Over(here Marks) Marks {
	if len(a.Marks) == 0 {
		return here
	}
	all := maps.Clone(here)
	for kind, marks := range a.Marks {
		all[kind] = maps.Clone(here[kind])
		if all[kind] == nil {
			all[kind] = make(catalog.Marks, len(marks))
		}
		maps.Copy(all[kind], marks)
	}
	return all
}
