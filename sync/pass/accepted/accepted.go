// Package accepted is what the translation service has accepted of a project's source files, compared with a tree:
// which keys are pending, which are gone, which files moved, and what may not be concluded yet.
//
// Its law: nothing counts as gone that may only be missing. What a file lacks that cannot be read, or that lost more
// than the guard allows, says nothing; a file that is missing is gone at the second pass that misses it.
//
// It sends nothing. It remembers in which file keys are (Adopt) and what a line inherits; what a push did with the
// rest is for the push to remember.
package accepted

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Sources is what the service accepted of a project's source files. It has one text for a key of a collection; which
// file a key is in is remembered only to tell a key that is gone from one whose file cannot be read. Marks of files
// that are gone stay until their keys are elsewhere: a file that comes back, or moves, costs nothing.
type Sources struct {
	Tree    *tree.Tree
	project *config.Project

	Files  map[ledger.Source]catalog.Marks
	Texts  map[string]catalog.Marks             // by collection; that of its only file where it has one
	joined map[string]bool                      // collections whose texts are those of several files
	left   map[ledger.Source]catalog.Marks      // keys that are in other files of their collections since
	forms  map[string]map[string][]catalog.Name // by collection and key: the texts of keys that have several
	// by collection: keys that a file has, and those of files that cannot be read or are held
	Living map[string]map[string]bool
	// by collection: keys that the service has archived; see archive.go
	archived map[string]map[string]bool
	back     map[string]map[string]bool // those of them that are sent again
	archives Archives

	Held     map[ledger.Source]bool // nothing is concluded from what these lack; see judge.go
	Missed   []ledger.Source        // of those, files that were never missed before
	Gone     []ledger.Source        // deleted for good
	Moves    []ledger.Move
	Problems []report.Problem

	Pasts   map[string]Past                   // by collection, of source texts that pulls brought; see Recall
	GoesOn  bool                              // the tree has in its past what was read there last; see Recall
	inherit map[ledger.Source]map[string]bool // of a line: keys that its trunk has; see inherited.go
}

// Store reads and remembers what was accepted for a project, or for one of its lines.
type Store struct {
	Ledger   ledger.Store
	Scope    string // in the ledger
	Project  *config.Project
	Trunk    *Store // of a line: the one that it inherits from
	Run      string // names this process
	Now      func() time.Time
	Rescan   time.Duration // after which a file that is missing still is gone
	Archives Archives
	// Base gives the keys that the base branch has, by collection; nil where a tree is behind it.
	Base func(*tree.Tree) map[string]map[string]bool
	// Had gives those of some names that a tree had in a source file; nil where that cannot be told.
	Had func(repo *gitops.Repo, t *tree.Tree, b *bundle.Bundle, names map[catalog.Name]bool) (
		map[catalog.Name]bool, error)
	Repo *gitops.Repo // for Had; nil where it is not open
}

// Compare loads what was accepted and compares it with a tree. With force, whatever is missing is meant to be.
func (p *Store) Compare(t *tree.Tree, force bool) (*Sources, error) {
	a := &Sources{Tree: t, project: p.Project,
		Held: make(map[ledger.Source]bool), Files: make(map[ledger.Source]catalog.Marks),
		Texts: make(map[string]catalog.Marks), joined: make(map[string]bool),
		forms:  make(map[string]map[string][]catalog.Name),
		Living: make(map[string]map[string]bool), archived: make(map[string]map[string]bool), archives: p.Archives}
	slots, err := ledger.Pushed.Slots(p.Ledger, p.Scope)
	if err != nil {
		return nil, err
	}
	for _, slot := range slots {
		marks, err := p.Ledger.Marks(slot)
		if err != nil {
			return nil, err
		}
		a.Files[ledger.Source{Collection: slot.Collection, Path: slot.Path}] = marks
		a.Add(slot.Collection, marks)
		if a.archived[slot.Collection] != nil {
			continue
		}
		a.archived[slot.Collection], err = archived(p.Ledger, p.Scope, slot.Collection)
		if err != nil {
			return nil, err
		}
	}
	if a.left, err = p.readLeft(); err != nil {
		return nil, err
	}
	for _, s := range t.Sources {
		living := a.Living[s.Collection]
		if living == nil {
			living = make(map[string]bool)
			a.Living[s.Collection] = living
		}
		if s.Broken() {
			for n := range a.Files[s.ID()] {
				living[n.Key] = true
			}
			continue
		}
		for e := range s.File.Entries() {
			living[e.Key] = true
		}
	}
	a.back = p.returned(a)
	if err := p.inherits(a); err != nil {
		return nil, err
	}
	return a, p.judge(a, force)
}

// Add counts texts of a file as accepted into a collection.
func (a *Sources) Add(collection string, marks catalog.Marks) {
	all, forms := a.Texts[collection], a.forms[collection]
	if forms == nil {
		forms = make(map[string][]catalog.Name)
		a.forms[collection] = forms
	}
	for n := range marks {
		if _, twice := all[n]; !twice && n.Form != "" {
			forms[n.Key] = append(forms[n.Key], n)
		}
	}
	if len(all) == 0 {
		a.Texts[collection] = marks
		return
	}
	if a.joined[collection] {
		maps.Copy(all, marks)
		return
	}
	all = maps.Clone(all)
	maps.Copy(all, marks)
	a.Texts[collection], a.joined[collection] = all, true
}

// Present are the files that are there.
func (a *Sources) Present() map[ledger.Source]bool {
	here := make(map[ledger.Source]bool)
	for _, s := range a.Tree.Sources {
		here[s.ID()] = true
	}
	return here
}

// Left are the files that had a key which another file of their collection has now, by collection and key.
func (a *Sources) Left() map[string]map[string][]ledger.Source {
	has := make(map[ledger.Source]*tree.Source, len(a.Tree.Sources))
	for _, s := range a.Tree.Sources {
		has[s.ID()] = s
	}
	left := make(map[string]map[string][]ledger.Source)
	for _, files := range []map[ledger.Source]catalog.Marks{a.Files, a.left} {
		for at, marks := range files {
			s, is := has[at]
			if a.Held[at] || is && s.Broken() {
				continue
			}
			var here map[string]bool
			if is {
				here = s.EntryKeys()
			}
			for n := range marks {
				of := left[at.Collection]
				if here[n.Key] || !a.Living[at.Collection][n.Key] || slices.Contains(of[n.Key], at) {
					continue
				}
				if of == nil {
					of = make(map[string][]ledger.Source)
					left[at.Collection] = of
				}
				of[n.Key] = append(of[n.Key], at)
			}
		}
	}
	return left
}

// readLeft loads the keys that pushes have seen to be in other files.
func (p *Store) readLeft() (map[ledger.Source]catalog.Marks, error) {
	slots, err := ledger.Left.Slots(p.Ledger, p.Scope)
	left := make(map[ledger.Source]catalog.Marks, len(slots))
	for _, slot := range slots {
		marks, merr := p.Ledger.Marks(slot)
		left[slot.Source()], err = marks, errors.Join(err, merr)
	}
	return left, err
}

// leaves remembers the keys that a file has no more and another one has.
func (a *Sources) leaves(tx ledger.Writer, p *Store, at ledger.Source, now catalog.Marks) error {
	before := a.left[at]
	left := maps.Clone(before)
	if left == nil {
		left = make(catalog.Marks)
	}
	for n, mark := range a.Files[at] {
		if _, is := now[n]; !is {
			left[n] = mark
		}
	}
	maps.DeleteFunc(left, func(n catalog.Name, _ catalog.Mark) bool { _, back := now[n]; return back })
	if maps.Equal(left, before) {
		return nil
	}
	a.left[at] = left
	return tx.SetMarks(ledger.Left.Of(p.Scope, at), left)
}

// base is what the service has of a file: of the keys that it has, wherever they were accepted from, and of those that
// it had and that no file has now. It is not to be changed.
func (a *Sources) base(s *tree.Source) catalog.Marks {
	all, forms := a.Texts[s.Collection], a.forms[s.Collection]
	base := make(catalog.Marks, min(len(s.Texts), len(all)))
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
	for _, m := range a.Moves {
		if m.To == s.ID() && m.From.Collection == s.Collection {
			own = append(own, m.From)
		}
	}
	for _, at := range own {
		for n := range a.Files[at] {
			if !a.Living[s.Collection][n.Key] {
				take(n)
			}
		}
	}
	if own := a.Files[s.ID()]; maps.Equal(base, own) {
		return own
	}
	return base
}

// Pending are the keys of a file that the service does not have as they are, but for texts older than what a pull
// brought, once the histories are loaded (Recall). changes has the keys that are gone as well, against base.
func (a *Sources) Pending(s *tree.Source) (keys map[string]bool, base catalog.Marks, changes []catalog.Change) {
	keys, base = make(map[string]bool), a.base(s)
	changes = catalog.Diff(base, s.Texts)
	var here map[string]bool
	for _, c := range changes {
		if c.Op == catalog.Removed {
			if here == nil {
				here = s.TextKeys()
			}
			if !here[c.Key] {
				continue
			}
		}
		if c.Op == catalog.Changed && a.Behind(s.Collection, c.Name, c.Text) {
			continue
		}
		keys[c.Key] = true
	}
	for _, u := range s.Texts {
		if a.back[s.Collection][u.Key] {
			keys[u.Key] = true
		}
	}
	if inherited := a.Inherited(s); len(inherited) > 0 {
		maps.DeleteFunc(keys, func(key string, _ bool) bool { return inherited[key] })
		changes = slices.DeleteFunc(changes, func(c catalog.Change) bool { return inherited[c.Key] })
	}
	return keys, base, changes
}

// Begins reports whether a push gives the service a key of a file that it did not have.
func (a *Sources) Begins(s *tree.Source, key string) bool {
	_, has := a.Texts[s.Collection][catalog.Name{Key: key}]
	return !has && len(a.forms[s.Collection][key]) == 0 && !a.Held[s.ID()] && !a.Inherited(s)[key]
}

// NotSent are the keys of a file that are not sent even when all are: those that lie behind, and those of which the
// trunk has what is to be had.
func (a *Sources) NotSent(s *tree.Source) map[string]bool {
	keys := a.behindKeys(s)
	maps.Copy(keys, a.Inherited(s))
	return keys
}

// Removed are the keys that the service accepted once and that no source file has now, by the file that had them,
// archived ones included. Those of a file that the configuration does not name any more are not looked for.
func (a *Sources) Removed() map[ledger.Source][]string {
	anywhere := make(map[string]bool)
	for _, living := range a.Living {
		for key := range living {
			anywhere[key] = true
		}
	}
	type gone struct{ collection, key string }
	told := make(map[gone]bool)
	keys := make(map[ledger.Source][]string)
	for _, at := range a.All() {
		living := a.Living[at.Collection]
		if living == nil { // no file belongs to the collection any more: its keys may have moved to another one
			living = anywhere
		}
		if a.dropped(at) {
			continue
		}
		for n := range a.Files[at] {
			if !living[n.Key] && !told[gone{at.Collection, n.Key}] {
				told[gone{at.Collection, n.Key}] = true
				keys[at] = append(keys[at], n.Key)
			}
		}
		slices.Sort(keys[at])
	}
	return keys
}

// Orphans are the removed keys, in words.
func (a *Sources) Orphans() []report.Problem {
	var all []report.Problem
	removed := a.Removed()
	for _, at := range a.All() {
		for _, key := range removed[at] {
			all = append(all, a.Orphan(at, key))
		}
	}
	return all
}

// Orphan is the problem of a key that is gone from its source file.
func (a *Sources) Orphan(at ledger.Source, key string) report.Problem {
	p := report.Problem{Code: report.CodeRemoved, File: at.Path, Key: key, Language: a.project.SourceLanguage}
	switch a.archives {
	case ByTree:
		p.Problem = fmt.Sprintf("is gone from the source; the embedded service archives it in collection %q: it is in no "+
			"list of texts to translate, and its translations come back with the key", at.Collection)
		return p
	case ByBase:
		p.Problem = fmt.Sprintf("is gone from the source, and no pull brings it back; when the base branch has lost it, "+
			"too, the service archives it in collection %q, from where its translations come back with the key", at.Collection)
		p.Remedy = "put it back if that is not meant"
		return p
	}
	p.Problem = fmt.Sprintf("is gone from the source; the service keeps it in collection %q, and no pull brings it back",
		at.Collection)
	p.Remedy = "delete it there if its translations are not needed"
	return p
}

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
	settled := make(map[ledger.Source]bool) // remembered with exactly the keys that are there
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
			if err := a.leaves(tx, p, at, marks); err != nil {
				return err
			}
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
