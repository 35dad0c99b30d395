// Package renames tells which keys of a source file became other ones: a text that left one key and is under exactly
// one other now. Their translations follow.
//
// Its law: a key is gone from a tree only if the tree had it. A tree that lacks another clone's new key, or new name of
// a key, has lost nothing and renamed nothing.
//
// It only tells: pushes and pulls take the translations along.
package renames

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Search is what is found out about renames in one file.
type Search struct {
	Fresh []catalog.Change // since the last push; a key that was gone then and is back is new

	Found   []ledger.Rename // now
	Pending []ledger.Rename // by earlier pushes, whose translations have yet to move
	// by earlier pushes, of keys that have another text by now, or are gone: the old translations are not their own
	Stale  []ledger.Rename
	Gone   catalog.Marks // keys that the service has and the file does not have
	Before catalog.Marks // those of them that an earlier push saw

	Moved map[catalog.Name]bool // of those, by FindFar: keys that are in another file now
	// keys whose text left them, with the keys that have got it, where none is taken for theirs
	Twins map[string][]string

	source   *tree.Source
	base     catalog.Marks
	snapshot *Snapshot
	fresh    catalog.Marks // texts that the working tree has, and its commit does not; nil where it was not looked at
}

// Snapshot is a tree whose files are compared with what was accepted of them.
type Snapshot struct {
	Ledger ledger.Store
	Scope  string // in the ledger
	Repo   *gitops.Repo
	Tree   *tree.Tree
	Of     string        // where the tree was read: config.Worktree, or a branch
	Past   []string      // the commits that it is based on
	Moves  []ledger.Move // files that are elsewhere in it now
	Deepen func() error  // brings the history that a shallow clone left out, where it can be had

	commit *gitops.Tip // that a working tree has; nil before it was asked for
}

// Find compares a file with what was accepted of it. Removed keys count once: a new key is never taken for
// one that was gone before, unless that one was renamed then, and renamed again before its translations moved. A key
// that the tree never had is not gone from it: another clone has added it, or renamed one to it, and the tree is behind
// that.
func (p *Snapshot) Find(s *tree.Source, base catalog.Marks, changes []catalog.Change) (found Search, err error) {
	found.source, found.base, found.snapshot = s, base, p
	found.Moved, found.Twins = make(map[catalog.Name]bool), make(map[string][]string)
	found.Before, err = p.Ledger.Marks(ledger.Removed.Of(p.Scope, s.ID()))
	stored, serr := ledger.Renames.List(p.Ledger, p.Scope)
	if err = errors.Join(err, serr); err != nil {
		return found, err
	}
	stored = slices.DeleteFunc(stored, func(m ledger.Rename) bool {
		return m.Path != s.Path || m.Collection != s.Collection
	})
	found.compare(s, base, changes, stored)
	unknown, err := p.unknown(&found, stored)
	if err != nil {
		return found, err
	}
	found.Fresh = slices.DeleteFunc(found.Fresh, func(c catalog.Change) bool {
		return c.Op == catalog.Removed && unknown[c.Name]
	})
	maps.DeleteFunc(found.Gone, func(n catalog.Name, _ catalog.Mark) bool { return unknown[n] })
	for _, m := range catalog.Whole(catalog.Renames(base, s.Texts, found.Fresh), base, s.Texts) {
		found.Found = append(found.Found, found.Rename(s, m, base[m.From]))
	}
	now := s.Texts.Marks()
	for _, m := range stored {
		again := func(o ledger.Rename) bool { return m.Equal(o) || m.Language != "" && m.To == o.To }
		if slices.ContainsFunc(found.Found, again) {
			continue
		}
		switch {
		case now[m.To] == m.Text:
			found.Pending = append(found.Pending, m)
		case !unknown[m.To]:
			found.Stale = append(found.Stale, m)
		}
	}
	return found, nil
}

// unknown are the keys that the service has, or that were renamed to, and that the tree neither has nor had: neither in
// its history, nor, of a working tree, in what pushes from here have read of it.
func (p *Snapshot) unknown(r *Search, stored []ledger.Rename) (map[catalog.Name]bool, error) {
	names := make(map[catalog.Name]bool)
	for _, c := range r.Fresh {
		if c.Op == catalog.Removed {
			names[c.Name] = true
		}
	}
	living := r.source.TextKeys()
	for _, m := range stored {
		if !living[m.To.Key] {
			names[m.To] = true
		}
	}
	var err error
	if p.Of == config.Worktree && len(r.Fresh) > 0 {
		r.fresh, err = p.uncommitted(r.source)
		if err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	if err := p.Deepen(); err != nil {
		return nil, err
	}
	paths := []string{r.source.Path}
	for _, m := range p.Moves {
		if m.To == r.source.ID() {
			paths = append(paths, m.From.Path)
		}
	}
	err = ledger.Each(paths, func(path string) error {
		had, err := p.Had(r.source.Bundle, path, names)
		maps.DeleteFunc(names, func(n catalog.Name, _ bool) bool { return had[n] })
		return err
	})
	return names, err
}

// Had are those of some names that the tree had in a source file: in its history or, of a working tree, when a push
// from here read it.
func (p *Snapshot) Had(b *bundle.Bundle, path string, names map[catalog.Name]bool) (map[catalog.Name]bool, error) {
	file := bundle.Target{Path: path, Language: b.Source, Sources: []*bundle.Bundle{b}}
	commits, here := slices.Clone(p.Past), make(map[catalog.Name]bool)
	if p.Of == config.Worktree {
		own, _, err := ledger.SeenHereAt.Get(p.Ledger, p.Scope, ledger.TargetID(path, b.Source.Code))
		seen, serr := p.Ledger.Marks(ledger.SeenHere.Of(p.Scope, path, b.Source.Code))
		err = errors.Join(err, serr)
		if err != nil {
			return nil, err
		}
		commits = append(commits, own)
		for n := range names {
			if _, had := seen[n]; had {
				here[n] = true
			}
		}
	}
	had, err := past.Had(p.Repo, file, names, commits...)
	maps.Copy(here, had)
	return here, err
}

// uncommitted are the texts of a file of the working tree under names that its commit does not have.
func (p *Snapshot) uncommitted(s *tree.Source) (catalog.Marks, error) {
	fresh, index := make(catalog.Marks), map[catalog.Name]int(nil)
	if commit := p.Tree.Commit(); commit != "" {
		if p.commit == nil {
			tip, err := p.Repo.AtCommit(commit)
			if err != nil {
				return nil, err
			}
			p.commit = tip
		}
		here, err := fs.ReadFile(p.Tree.FS, s.Path)
		there, terr := fs.ReadFile(p.commit, s.Path)
		if err == nil && terr == nil && bytes.Equal(here, there) {
			return fresh, nil
		}
		committed, _, err := s.Read(p.commit, s.Path, s.Source)
		if err != nil {
			return nil, err
		}
		index = bundle.Texts(committed).Index()
	}
	for _, u := range s.Texts {
		if _, is := index[u.Name]; !is {
			fresh[u.Name] = catalog.MarkOf(u.Text)
		}
	}
	return fresh, nil
}

// Remember stores the renames of a file, the keys that are gone from it, and those that only the working tree has.
func (r *Search) Remember(tx ledger.Writer) error {
	var err error
	p := r.snapshot
	if r.fresh != nil {
		at := r.source.Source.Code
		err = errors.Join(tx.SetMarks(ledger.SeenHere.Of(p.Scope, r.source.Path, at), r.fresh),
			ledger.SeenHereAt.Put(tx, p.Scope, ledger.TargetID(r.source.Path, at), p.Tree.Commit()))
	}
	if len(r.Found)+len(r.Gone)+len(r.Before)+len(r.Stale) == 0 {
		return err
	}
	return errors.Join(err, ledger.DeleteAll(ledger.Renames, tx, p.Scope, r.Stale),
		ledger.PutAll(ledger.Renames, tx, p.Scope, r.Found),
		tx.SetMarks(ledger.Removed.Of(p.Scope, r.source.ID()), r.Gone))
}

// Rename is a rename of a source text to a key of a file.
func (r *Search) Rename(s *tree.Source, m catalog.Rename, text catalog.Mark) ledger.Rename {
	before, had := r.Before[m.To]
	if !had {
		before, had = r.base[m.To]
	}
	return ledger.Rename{Path: s.Path, Collection: s.Collection, From: m.From, To: m.To, Text: text,
		Reused: had && before != text}
}

// compare finds the keys that are gone and the changes that a rename may be made of, given the earlier renames. It
// keeps the changes.
func (r *Search) compare(s *tree.Source, base catalog.Marks, changes []catalog.Change, stored []ledger.Rename) {
	living := s.TextKeys()
	known := maps.Clone(r.Before)
	for _, m := range stored {
		if !living[m.To.Key] {
			delete(known, m.From)
		}
	}
	r.Gone = make(catalog.Marks)
	texts := s.Texts.Texts()
	for _, n := range r.Before.Names() {
		if text, back := texts[n]; back {
			r.Fresh = append(r.Fresh, catalog.Change{Op: catalog.Added, Name: n, Text: text})
		}
	}
	changes = slices.DeleteFunc(changes, func(c catalog.Change) bool {
		_, back := r.Before[c.Name]
		if c.Op != catalog.Removed {
			return back // it is there already
		}
		if living[c.Key] {
			return true // a form of a key that stays
		}
		r.Gone[c.Name] = base[c.Name]
		_, old := known[c.Name]
		return old
	})
	if len(r.Fresh) == 0 {
		r.Fresh = changes
	} else {
		r.Fresh = append(r.Fresh, changes...)
	}
}

// FindFar finds the keys that left one file for another, under the same name in another collection or under
// another name. As within a file, a text that could come from, or go to, more than one key is not guessed.
func FindFar(all []*Search) {
	moving := movingTexts(all)
	if len(moving) == 0 {
		return
	}
	base := make(catalog.Marks)
	var now catalog.Catalog
	var changes, doubts []catalog.Change // doubts are without those that a rename explains
	at := make(map[catalog.Name]*Search) // by names that say which file they are of
	for i, s := range all {
		keys := s.keysOf(moving) // of others nothing has to be known
		name := func(n catalog.Name) catalog.Name {
			far := catalog.Name{Key: fmt.Sprint(i, "\x00", n.Key), Form: n.Form}
			at[far] = s
			return far
		}
		for _, u := range s.source.Texts {
			if keys[u.Key] {
				now = append(now, catalog.Unit{Name: name(u.Name), Text: u.Text})
			}
		}
		if len(s.Fresh) == 0 {
			continue
		}
		for n, mark := range s.base {
			if keys[n.Key] {
				base[name(n)] = mark
			}
		}
		left, got := s.explained()
		for _, c := range s.Fresh {
			if !keys[c.Key] {
				continue
			}
			near := c.Name
			c.Name = name(near)
			if !left[near] && !got[near] && c.Op != catalog.Changed {
				changes = append(changes, c)
			}
			if c.Op != catalog.Added && !left[near] {
				doubts = append(doubts, catalog.Change{Op: catalog.Removed, Name: c.Name})
			}
			if c.Op != catalog.Removed && !got[near] {
				doubts = append(doubts, catalog.Change{Op: catalog.Added, Name: c.Name, Text: c.Text})
			}
		}
	}
	far := make(map[catalog.Name]bool)
	for _, m := range catalog.Whole(catalog.Renames(base, now, changes), base, now) {
		from, to := at[m.From], at[m.To]
		if from == to {
			continue
		}
		left := from.source.ID()
		rename := to.Rename(to.source, catalog.Rename{From: near(m.From), To: near(m.To)}, base[m.From])
		rename.Left = &left
		to.Found = append(to.Found, rename)
		from.Moved[near(m.From)], far[m.From], far[m.To] = true, true, true
	}
	doubts = slices.DeleteFunc(doubts, func(c catalog.Change) bool { return far[c.Name] })
	findTwins(base, now, doubts, at)
}

// movingTexts are those that a key does not have any more and another one has got, without those that a rename within
// a file explains.
func movingTexts(all []*Search) map[catalog.Mark]bool {
	gets := make(map[catalog.Mark]bool)
	for _, s := range all {
		_, got := s.explained()
		for _, c := range s.Fresh {
			if c.Op != catalog.Removed && !got[c.Name] {
				gets[catalog.MarkOf(c.Text)] = true
			}
		}
	}
	moving := make(map[catalog.Mark]bool)
	for _, s := range all {
		left, _ := s.explained()
		for _, c := range s.Fresh {
			if mark := s.base[c.Name]; c.Op != catalog.Added && !left[c.Name] && gets[mark] {
				moving[mark] = true
			}
		}
	}
	return moving
}

// explained are the names that a rename within the file has taken a text from, and those that it gave one.
func (r *Search) explained() (left, got map[catalog.Name]bool) {
	left, got = make(map[catalog.Name]bool), make(map[catalog.Name]bool)
	for _, m := range r.Found {
		left[m.From], got[m.To] = true, true
	}
	return left, got
}

// keysOf are the keys of a file that have, or had, one of these texts.
func (r *Search) keysOf(texts map[catalog.Mark]bool) map[string]bool {
	keys := make(map[string]bool)
	for n, mark := range r.base {
		if texts[mark] {
			keys[n.Key] = true
		}
	}
	for _, u := range r.source.Texts {
		if texts[catalog.MarkOf(u.Text)] {
			keys[u.Key] = true
		}
	}
	return keys
}

// near is a name without the file that a name of FindFar is of.
func near(n catalog.Name) catalog.Name {
	_, key, _ := strings.Cut(n.Key, "\x00")
	return catalog.Name{Key: key, Form: n.Form}
}

// twinsMost is how many keys with one text are named.
const twinsMost = 10

// findTwins finds the keys that have got the whole text of one that it left: of any file where that key is gone, else
// of the same. at are the files by name.
func findTwins(base catalog.Marks, now catalog.Catalog, doubts []catalog.Change, at map[catalog.Name]*Search) {
	type slot struct {
		form string
		mark catalog.Mark
	}
	got := make(map[slot][]catalog.Name)
	for _, c := range doubts {
		s := slot{c.Form, catalog.MarkOf(c.Text)}
		if c.Op == catalog.Added && strings.ContainsFunc(c.Text, unicode.IsLetter) && len(got[s]) < twinsMost {
			got[s] = append(got[s], c.Name)
		}
	}
	var pairs []catalog.Rename
	for _, c := range doubts {
		if c.Op != catalog.Removed {
			continue
		}
		file := at[c.Name]
		_, gone := file.Gone[near(c.Name)]
		for _, to := range got[slot{c.Form, base[c.Name]}] {
			if gone || at[to] == file {
				pairs = append(pairs, catalog.Rename{From: c.Name, To: to})
			}
		}
	}
	named := make(map[catalog.Rename]bool) // a plural has several names
	for _, m := range catalog.Whole(pairs, base, now) {
		file, keys := at[m.From], catalog.Rename{From: catalog.Name{Key: m.From.Key}, To: catalog.Name{Key: m.To.Key}}
		if !named[keys] {
			named[keys] = true
			from := near(m.From).Key
			file.Twins[from] = append(file.Twins[from], fmt.Sprintf("%q (%s)", near(m.To).Key, at[m.To].source.Path))
		}
	}
}

// Doubts are the keys whose text left them, and of which it cannot be told which key they have become.
func (r *Search) Doubts() (all []report.Problem) {
	living := r.source.TextKeys()
	for _, key := range slices.Sorted(maps.Keys(r.Twins)) {
		left := "is gone, and its text is"
		if living[key] {
			left = "has another text, and the one that it had is"
		}
		problem := fmt.Sprintf("%s under %s now; which key has become which is not guessed, and its translations go with "+
			"none of them", left, strings.Join(r.Twins[key], ", "))
		all = append(all, report.Problem{Code: report.CodeRename, File: r.source.Path, Key: key,
			Language: r.source.Source.Code, Problem: problem,
			Remedy: "rename one key at a time, with a push after each, to take translations along"})
	}
	return all
}
