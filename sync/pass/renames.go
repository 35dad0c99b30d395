package pass

import (
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

// RenameLook is what a look at one file says about renames.
type RenameLook struct {
	Fresh []catalog.Change // since the last look; a key that was gone then and is back is new

	Found   []ledger.Rename // now
	Pending []ledger.Rename // by earlier pushes, whose translations have yet to move
	Stale   []ledger.Rename // by earlier pushes, of keys that have another text by now, or are gone: the old translations are not their own
	Gone    catalog.Marks   // keys that the service has and the file has not
	Before  catalog.Marks   // those of them that an earlier push saw
}

// LookForRenames compares a file with what was accepted of it. Removed keys count once: a new key is never taken for one that was gone already at an
// earlier look, unless that one was renamed then, and renamed again before its translations moved.
func (p *Branch) LookForRenames(s *tree.Source, base catalog.Marks, changes []catalog.Change) (look RenameLook, err error) {
	if look.Before, err = p.Ledger.Marks(ledger.Removed.Of(p.StateName(), s.ID())); err != nil {
		return look, err
	}
	stored, err := ledger.Renames.List(p.Ledger, p.StateName())
	if err != nil {
		return look, err
	}
	living := s.TextKeys()
	known := maps.Clone(look.Before)
	for _, m := range stored {
		if m.Path == s.Path && m.Collection == s.Collection && !living[m.To.Key] {
			delete(known, m.From)
		}
	}
	look.Gone = make(catalog.Marks)
	index := s.Texts.Index()
	for _, n := range look.Before.Names() {
		if at, back := index[n]; back {
			look.Fresh = append(look.Fresh, catalog.Change{Op: catalog.Added, Name: n, Text: s.Texts[at].Text})
		}
	}
	for _, c := range changes {
		if _, back := look.Before[c.Name]; back && c.Op != catalog.Removed {
			continue // it is there already
		}
		if c.Op == catalog.Removed {
			if living[c.Key] {
				continue // a form of a key that stays
			}
			look.Gone[c.Name] = base[c.Name]
			if _, old := known[c.Name]; old {
				continue
			}
		}
		look.Fresh = append(look.Fresh, c)
	}
	for _, m := range catalog.Whole(catalog.Renames(base, s.Texts, look.Fresh), base, s.Texts) {
		look.Found = append(look.Found, ledger.Rename{Path: s.Path, Collection: s.Collection, From: m.From, To: m.To, Text: base[m.From]})
	}
	var now catalog.Marks
	for _, m := range stored {
		if m.Path != s.Path || m.Collection != s.Collection || slices.ContainsFunc(look.Found, m.Equal) {
			continue
		}
		if now == nil {
			now = s.Texts.Marks()
		}
		if now[m.To] == m.Text {
			look.Pending = append(look.Pending, m)
		} else {
			look.Stale = append(look.Stale, m)
		}
	}
	return look, nil
}
