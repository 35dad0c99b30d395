package push

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/tree"
)

// compared is a source file beside what the service accepted of it.
type compared struct {
	source  *tree.Source
	pending map[string]bool
	stays   map[string]bool // keys of which the service keeps its own text
	base    catalog.Marks
	renames pass.RenameLook
	moved   map[catalog.Name]bool     // keys that are in another file now
	twins   map[catalog.Name][]string // of keys that are gone: new ones with the same text, where that says nothing
}

// renames returns the file's renames whose translations have to move: those found now, and those that earlier passes
// did not finish.
func (r *sourcePass) renames(s *compared) ([]ledger.Rename, error) {
	known := s.renames
	lost := maps.Clone(known.Gone)
	for _, m := range known.Found {
		if m.Left == nil {
			delete(lost, m.From)
		}
	}
	for n := range s.moved {
		delete(lost, n)
	}
	r.orphaned(s.source.ID(), known.Before, lost, s.source.TextKeys(), s.twins)
	if r.o.DryRun || len(known.Found)+len(known.Gone)+len(known.Before)+len(known.Stale) == 0 {
		return append(known.Found, known.Pending...), nil
	}
	return append(known.Found, known.Pending...), r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, m := range known.Stale {
			if err := ledger.Renames.Delete(tx, r.branch.StateName(), m.ID()); err != nil {
				return err
			}
		}
		for _, m := range known.Found {
			if err := ledger.Renames.Put(tx, r.branch.StateName(), m.ID(), m); err != nil {
				return err
			}
		}
		return tx.SetMarks(ledger.Removed.Of(r.branch.StateName(), s.source.ID()), known.Gone)
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
	for i, s := range all {
		if len(s.renames.Fresh) == 0 {
			continue
		}
		found := make(map[catalog.Name]bool)
		for _, m := range s.renames.Found {
			found[m.From], found[m.To] = true, true
		}
		for _, c := range s.renames.Fresh {
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
	findTwins(base, changes, at)
	for _, m := range catalog.Whole(catalog.Renames(base, now, changes), base, now) {
		from, to := at[m.From], at[m.To]
		if from == to {
			continue
		}
		left := from.source.ID()
		to.renames.Found = append(to.renames.Found, ledger.Rename{
			Path: to.source.Path, Collection: to.source.Collection,
			From: near(m.From), To: near(m.To), Text: base[m.From], Left: &left,
		})
		if from.moved == nil {
			from.moved = make(map[catalog.Name]bool)
		}
		from.moved[near(m.From)] = true
	}
}

// near is a name without the file that a name of findFarRenames is of.
func near(n catalog.Name) catalog.Name {
	_, key, _ := strings.Cut(n.Key, "\x00")
	return catalog.Name{Key: key, Form: n.Form}
}

// findTwins finds the new keys, of whatever file, that have the text of one that is gone. at are the files by name.
func findTwins(base catalog.Marks, changes []catalog.Change, at map[catalog.Name]*compared) {
	fresh := make(map[catalog.Mark][]string)
	for _, c := range changes {
		if n := near(c.Name); c.Op == catalog.Added && strings.ContainsFunc(c.Text, unicode.IsLetter) {
			mark := catalog.MarkOf(c.Text)
			fresh[mark] = append(fresh[mark], fmt.Sprintf("%q (%s)", n.Key, at[c.Name].source.Path))
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
}
