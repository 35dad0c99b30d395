package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

// renameLook is what a look at one file says about renames.
type renameLook struct {
	fresh []catalog.Change // since the last look; a key that was gone then and is back is new

	found   []ledger.Rename // now
	pending []ledger.Rename // by earlier pushes, whose translations have yet to move
	stale   []ledger.Rename // by earlier pushes, of keys that have another text by now, or are gone: the old translations are not their own
	gone    catalog.Marks   // keys that the service has and the file has not
	before  catalog.Marks   // those of them that an earlier push saw
}

// lookForRenames compares a file with what was accepted of it. Removed keys count once: a new key is never taken for one that was gone already at an
// earlier look, unless that one was renamed then, and renamed again before its translations moved.
func (p *project) lookForRenames(s *tree.Source, base catalog.Marks, changes []catalog.Change) (look renameLook, err error) {
	if look.before, err = p.State.Marks(ledger.Removed.Of(p.stateName(), s.ID())); err != nil {
		return look, err
	}
	stored, err := ledger.Renames.List(p.State, p.stateName())
	if err != nil {
		return look, err
	}
	living := s.TextKeys()
	known := maps.Clone(look.before)
	for _, m := range stored {
		if m.Path == s.Path && m.Collection == s.Collection && !living[m.To.Key] {
			delete(known, m.From)
		}
	}
	look.gone = make(catalog.Marks)
	index := s.Texts.Index()
	for _, n := range look.before.Names() {
		if at, back := index[n]; back {
			look.fresh = append(look.fresh, catalog.Change{Op: catalog.Added, Name: n, Text: s.Texts[at].Text})
		}
	}
	for _, c := range changes {
		if _, back := look.before[c.Name]; back && c.Op != catalog.Removed {
			continue // it is there already
		}
		if c.Op == catalog.Removed {
			if living[c.Key] {
				continue // a form of a key that stays
			}
			look.gone[c.Name] = base[c.Name]
			if _, old := known[c.Name]; old {
				continue
			}
		}
		look.fresh = append(look.fresh, c)
	}
	for _, m := range catalog.Whole(catalog.Renames(base, s.Texts, look.fresh), base, s.Texts) {
		look.found = append(look.found, ledger.Rename{Path: s.Path, Collection: s.Collection, From: m.From, To: m.To, Text: base[m.From]})
	}
	var now catalog.Marks
	for _, m := range stored {
		if m.Path != s.Path || m.Collection != s.Collection || slices.ContainsFunc(look.found, m.Equal) {
			continue
		}
		if now == nil {
			now = s.Texts.Marks()
		}
		if now[m.To] == m.Text {
			look.pending = append(look.pending, m)
		} else {
			look.stale = append(look.stale, m)
		}
	}
	return look, nil
}

// compared is a source file beside what the service accepted of it.
type compared struct {
	source  *tree.Source
	pending map[string]bool
	stays   map[string]bool // keys of which the service keeps its own text
	base    catalog.Marks
	look    renameLook
	moved   map[catalog.Name]bool     // keys that stand in another file now
	twins   map[catalog.Name][]string // of keys that are gone: new ones with the same text, where that says nothing
}

// renames returns the file's renames whose translations have to move: those found now, and those that earlier passes did not finish.
func (r *pushing) renames(s *compared) ([]ledger.Rename, error) {
	look := s.look
	lost := maps.Clone(look.gone)
	for _, m := range look.found {
		if m.Left == nil {
			delete(lost, m.From)
		}
	}
	for n := range s.moved {
		delete(lost, n)
	}
	r.orphaned(s.source.ID(), look.before, lost, s.source.TextKeys(), s.twins)
	if r.o.DryRun || len(look.found)+len(look.gone)+len(look.before)+len(look.stale) == 0 {
		return append(look.found, look.pending...), nil
	}
	return append(look.found, look.pending...), r.State.Update(func(tx ledger.Writer) error {
		for _, m := range look.stale {
			if err := ledger.Renames.Delete(tx, r.stateName(), m.ID()); err != nil {
				return err
			}
		}
		for _, m := range look.found {
			if err := ledger.Renames.Put(tx, r.stateName(), m.ID(), m); err != nil {
				return err
			}
		}
		return tx.SetMarks(ledger.Removed.Of(r.stateName(), s.source.ID()), look.gone)
	})
}

// findFarRenames finds the keys that left one file for another, under the same name in another collection or under
// another name. As within a file, a text that could come from, or go to, more than one key is not guessed.
func findFarRenames(all []*compared) {
	base := make(catalog.Marks)
	var now catalog.Catalog
	var changes []catalog.Change
	at := make(map[catalog.Name]*compared) // by names that say which file they are of
	name := func(i int, n catalog.Name) catalog.Name {
		far := catalog.Name{Key: fmt.Sprint(i, "\x00", n.Key), Form: n.Form}
		at[far] = all[i]
		return far
	}
	near := func(n catalog.Name) catalog.Name {
		_, key, _ := strings.Cut(n.Key, "\x00")
		return catalog.Name{Key: key, Form: n.Form}
	}
	for i, s := range all {
		if len(s.look.fresh) == 0 {
			continue
		}
		found := make(map[catalog.Name]bool)
		for _, m := range s.look.found {
			found[m.From], found[m.To] = true, true
		}
		for _, c := range s.look.fresh {
			if !found[c.Name] {
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
	fresh := make(map[catalog.Mark][]string)
	for _, c := range changes {
		if n := near(c.Name); c.Op == catalog.Added && strings.ContainsFunc(c.Text, unicode.IsLetter) {
			fresh[catalog.MarkOf(c.Text)] = append(fresh[catalog.MarkOf(c.Text)], fmt.Sprintf("%q (%s)", n.Key, at[c.Name].source.Path))
		}
	}
	for _, c := range changes {
		if s := at[c.Name]; c.Op == catalog.Removed {
			if s.twins == nil {
				s.twins = make(map[catalog.Name][]string)
			}
			s.twins[near(c.Name)] = fresh[base[c.Name]]
		}
	}
	for _, m := range catalog.Whole(catalog.Renames(base, now, changes), base, now) {
		from, to := at[m.From], at[m.To]
		if from == to {
			continue
		}
		left := from.source.ID()
		to.look.found = append(to.look.found, ledger.Rename{Path: to.source.Path, Collection: to.source.Collection, From: near(m.From), To: near(m.To), Text: base[m.From], Left: &left})
		if from.moved == nil {
			from.moved = make(map[catalog.Name]bool)
		}
		from.moved[near(m.From)] = true
	}
}
