package pass

import (
	"errors"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
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
}

// LookForRenames compares a file with what was accepted of it. Removed keys count once: a new key is never taken for
// one that was gone before, unless that one was renamed then, and renamed again before its translations moved.
func (p *Branch) LookForRenames(
	s *tree.Source, base catalog.Marks, changes []catalog.Change,
) (found RenameSearch, err error) {
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
