package pass

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/catalog"
)

// RenameSearch is what is found out about renames in one file.
type RenameSearch struct {
	Fresh []catalog.Change // since the last push; a key that was gone then and is back is new

	Found   []ledger.Rename // now
	Pending []ledger.Rename // by earlier pushes, whose translations have yet to move
	// by earlier pushes, of keys that have another text by now, or are gone: the old translations are not their own
	Stale  []ledger.Rename
	Gone   catalog.Marks // keys that the service has and the file does not have
	Before catalog.Marks // those of them that an earlier push saw

	Moved map[catalog.Name]bool     // of those, by FindFarRenames: keys that are in another file now
	Twins map[catalog.Name][]string // and those with the new keys that have their text, where none is taken for theirs

	source *tree.Source
	base   catalog.Marks
}

// LookForRenames compares a file with what was accepted of it. Removed keys count once: a new key is never taken for
// one that was gone before, unless that one was renamed then, and renamed again before its translations moved.
func (p *Branch) LookForRenames(
	s *tree.Source, base catalog.Marks, changes []catalog.Change,
) (found RenameSearch, err error) {
	found.source, found.base = s, base
	found.Moved, found.Twins = make(map[catalog.Name]bool), make(map[catalog.Name][]string)
	found.Before, err = p.Ledger.Marks(ledger.Removed.Of(p.StateName(), s.ID()))
	stored, serr := ledger.Renames.List(p.Ledger, p.StateName())
	if err = errors.Join(err, serr); err != nil {
		return found, err
	}
	stored = slices.DeleteFunc(stored, func(m ledger.Rename) bool {
		return m.Path != s.Path || m.Collection != s.Collection
	})
	found.compare(s, base, changes, stored)
	for _, m := range catalog.Whole(catalog.Renames(base, s.Texts, found.Fresh), base, s.Texts) {
		found.Found = append(found.Found, found.Rename(s, m, base[m.From]))
	}
	now := s.Texts.Marks()
	for _, m := range stored {
		again := func(o ledger.Rename) bool { return m.Equal(o) || m.Language != "" && m.To == o.To }
		if slices.ContainsFunc(found.Found, again) {
			continue
		}
		if now[m.To] == m.Text {
			found.Pending = append(found.Pending, m)
		} else {
			found.Stale = append(found.Stale, m)
		}
	}
	return found, nil
}

// Rename is a rename of a source text to a key of a file.
func (r *RenameSearch) Rename(s *tree.Source, m catalog.Rename, text catalog.Mark) ledger.Rename {
	before, had := r.Before[m.To]
	if !had {
		before, had = r.base[m.To]
	}
	return ledger.Rename{Path: s.Path, Collection: s.Collection, From: m.From, To: m.To, Text: text,
		Reused: had && before != text}
}

// compare finds the keys that are gone and the changes that a rename may be made of, given the earlier renames.
func (r *RenameSearch) compare(s *tree.Source, base catalog.Marks, changes []catalog.Change, stored []ledger.Rename) {
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
	for _, c := range changes {
		if _, back := r.Before[c.Name]; back && c.Op != catalog.Removed {
			continue // it is there already
		}
		if c.Op == catalog.Removed {
			if living[c.Key] {
				continue // a form of a key that stays
			}
			r.Gone[c.Name] = base[c.Name]
			if _, old := known[c.Name]; old {
				continue
			}
		}
		r.Fresh = append(r.Fresh, c)
	}
}

// FindFarRenames finds the keys that left one file for another, under the same name in another collection or under
// another name. As within a file, a text that could come from, or go to, more than one key is not guessed.
func FindFarRenames(all []*RenameSearch) {
	base := make(catalog.Marks)
	var now catalog.Catalog
	var changes []catalog.Change
	at := make(map[catalog.Name]*RenameSearch) // by names that say which file they are of
	name := func(i int, n catalog.Name) catalog.Name {
		far := catalog.Name{Key: fmt.Sprint(i, "\x00", n.Key), Form: n.Form}
		at[far] = all[i]
		return far
	}
	for i, s := range all {
		if len(s.Fresh) == 0 {
			continue
		}
		found := make(map[catalog.Name]bool)
		for _, m := range s.Found {
			found[m.From], found[m.To] = true, true
		}
		for _, c := range s.Fresh {
			if !found[c.Name] && c.Op != catalog.Changed {
				c.Name = name(i, c.Name)
				changes = append(changes, c)
			}
		}
		for n, mark := range s.base {
			base[name(i, n)] = mark
		}
	}
	if !slices.ContainsFunc(changes, func(c catalog.Change) bool { return c.Op == catalog.Removed }) ||
		!slices.ContainsFunc(changes, func(c catalog.Change) bool { return c.Op == catalog.Added }) {
		return
	}
	for i, s := range all {
		for _, u := range s.source.Texts {
			now = append(now, catalog.Unit{Name: name(i, u.Name), Text: u.Text})
		}
	}
	findTwins(base, changes, at)
	for _, m := range catalog.Whole(catalog.Renames(base, now, changes), base, now) {
		from, to := at[m.From], at[m.To]
		if from == to {
			continue
		}
		left := from.source.ID()
		far := to.Rename(to.source, catalog.Rename{From: near(m.From), To: near(m.To)}, base[m.From])
		far.Left = &left
		to.Found = append(to.Found, far)
		from.Moved[near(m.From)] = true
	}
}

// near is a name without the file that a name of FindFarRenames is of.
func near(n catalog.Name) catalog.Name {
	_, key, _ := strings.Cut(n.Key, "\x00")
	return catalog.Name{Key: key, Form: n.Form}
}

// findTwins finds the new keys, of whatever file, that have the text of one that is gone. at are the files by name.
func findTwins(base catalog.Marks, changes []catalog.Change, at map[catalog.Name]*RenameSearch) {
	fresh := make(map[catalog.Mark][]string)
	for _, c := range changes {
		if n := near(c.Name); c.Op == catalog.Added && strings.ContainsFunc(c.Text, unicode.IsLetter) {
			mark := catalog.MarkOf(c.Text)
			fresh[mark] = append(fresh[mark], fmt.Sprintf("%q (%s)", n.Key, at[c.Name].source.Path))
		}
	}
	for _, c := range changes {
		if s := at[c.Name]; c.Op == catalog.Removed {
			s.Twins[near(c.Name)] = fresh[base[c.Name]]
		}
	}
}
