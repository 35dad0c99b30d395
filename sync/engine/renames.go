package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/state"
)

// rename is a key whose text moved to another key of the same file. It is stored until its translations are at the service under the new
// key: once the new key is pushed, nothing else would tell.
type rename struct {
	Path       string       `json:"path"`
	Collection string       `json:"collection"`
	From       catalog.Name `json:"from"`
	To         catalog.Name `json:"to"`
	Text       catalog.Mark `json:"text"` // that moved: with another text the new key means something else
}

const kindRenames = "renames"

func (m rename) id() string {
	return m.Collection + "\x00" + m.Path + "\x00" + m.To.Key + "\x00" + m.To.Form
}

// renameLook is what a look at one file says about renames.
type renameLook struct {
	found   []rename      // now
	pending []rename      // by earlier pushes, whose translations have yet to move
	stale   []rename      // by earlier pushes, of keys that have another text by now, or are gone: the old translations are not their own
	gone    catalog.Marks // keys that the service has and the file has not
	before  catalog.Marks // those of them that an earlier push saw
}

// lookForRenames compares a file with what was accepted of it. Removed keys count once: a new key is never taken for one that was gone already at an
// earlier look, unless that one was renamed then, and renamed again before its translations moved.
func (p *project) lookForRenames(s *source, base catalog.Marks, changes []catalog.Change) (look renameLook, err error) {
	if look.before, err = p.State.Marks(p.slot(kindRemoved, s.Path, s.Collection)); err != nil {
		return look, err
	}
	stored, err := state.List[rename](p.State, p.stateName(), kindRenames)
	if err != nil {
		return look, err
	}
	living := s.texts.Keys()
	known := maps.Clone(look.before)
	for _, m := range stored {
		if m.Path == s.Path && m.Collection == s.Collection && !living[m.To.Key] {
			delete(known, m.From)
		}
	}
	look.gone = make(catalog.Marks)
	var fresh []catalog.Change
	for _, c := range changes {
		if c.Op == catalog.Removed {
			if living[c.Key] {
				continue // a form of a key that stays
			}
			look.gone[c.Name] = base[c.Name]
			if _, old := known[c.Name]; old {
				continue
			}
		}
		fresh = append(fresh, c)
	}
	for _, m := range whole(catalog.Renames(base, s.texts, fresh), base, s.texts) {
		look.found = append(look.found, rename{s.Path, s.Collection, m.From, m.To, base[m.From]})
	}
	var now catalog.Marks
	for _, m := range stored {
		if m.Path != s.Path || m.Collection != s.Collection || slices.Contains(look.found, m) {
			continue
		}
		if now == nil {
			now = s.texts.Marks()
		}
		if now[m.To] == m.Text {
			look.pending = append(look.pending, m)
		} else {
			look.stale = append(look.stale, m)
		}
	}
	return look, nil
}

// renames returns the file's renames whose translations have to move: those found now, and those that earlier passes did not finish.
func (r *pushing) renames(s *source, base catalog.Marks, changes []catalog.Change) ([]rename, error) {
	look, err := r.lookForRenames(s, base, changes)
	if err != nil {
		return nil, err
	}
	lost := maps.Clone(look.gone)
	for _, m := range look.found {
		delete(lost, m.From)
	}
	r.orphaned(s.place(), look.before, lost, s.texts.Keys())
	if r.o.DryRun || len(look.gone)+len(look.before)+len(look.stale) == 0 {
		return append(look.found, look.pending...), nil
	}
	return append(look.found, look.pending...), r.State.Update(func(tx *state.Tx) error {
		for _, m := range look.stale {
			if err := tx.Delete(r.stateName(), kindRenames, m.id()); err != nil {
				return err
			}
		}
		for _, m := range look.found {
			if err := state.PutTx(tx, r.stateName(), kindRenames, m.id(), m); err != nil {
				return err
			}
		}
		return tx.SetMarks(r.slot(kindRemoved, s.Path, s.Collection), look.gone)
	})
}

// whole keeps the renames of keys that moved with all of their forms: one form in common says nothing about the others.
func whole(renames []catalog.Rename, base catalog.Marks, now catalog.Catalog) []catalog.Rename {
	if len(renames) == 0 {
		return nil
	}
	type keys struct{ from, to string }
	moved, from, to := make(map[keys]int), make(map[string]int), make(map[string]int)
	for _, m := range renames {
		moved[keys{m.From.Key, m.To.Key}]++
	}
	for n := range base {
		from[n.Key]++
	}
	for _, u := range now {
		to[u.Key]++
	}
	return slices.DeleteFunc(renames, func(m catalog.Rename) bool {
		n := moved[keys{m.From.Key, m.To.Key}]
		return n != from[m.From.Key] || n != to[m.To.Key]
	})
}

// moveTranslations sends the translations of renamed keys under their new keys, with the completion state that pulls ask for, so that the
// next pull finds them. They come from the service, and where it has none in that state, from the repository.
func (r *pushing) moveTranslations(ctx context.Context, renames []rename) {
	if len(r.errs) > 0 {
		return // the new keys are not at the service yet; the renames are kept
	}
	// Where the service did not take the file, it may not know the new keys yet; those renames are kept, too.
	renames = slices.DeleteFunc(renames, func(m rename) bool { return r.refused[m.Path] })
	if len(renames) == 0 {
		return
	}
	if err := r.moveEach(ctx, renames); err != nil {
		r.errs = append(r.errs, fmt.Errorf("move the translations of renamed keys: %w", err))
	}
}

func (r *pushing) moveEach(ctx context.Context, renames []rename) error {
	languages := r.cfg.Targets()
	byPath := make(map[string][]rename)
	for _, m := range renames {
		byPath[m.Path] = append(byPath[m.Path], m)
	}
	moved := make(map[rename][]string)
	ship := &shipping{}
	for _, g := range bundle.Groups(r.tree.bundles()) {
		if !slices.ContainsFunc(g.Bundles, func(b *bundle.Bundle) bool { return len(byPath[b.Path]) > 0 }) {
			continue
		}
		present, err := r.export(ctx, g, languages, r.cfg.Pull.CompletionState, anew)
		if err != nil {
			return err
		}
		r.exports++
		r.report.Problems = append(r.report.Problems, present.problems...)
		for _, b := range g.Bundles {
			for _, l := range languages {
				if err := r.moveOne(ship, b, l, byPath[b.Path], present, moved); err != nil {
					return err
				}
			}
		}
	}
	failed := len(r.errs)
	for _, s := range ship.shipments {
		r.ship(ctx, s)
	}
	for _, m := range renames {
		slices.Sort(moved[m])
		r.report.Renamed = append(r.report.Renamed, Renamed{File: m.Path, From: m.From.Key, To: m.To.Key, Languages: append([]string{}, moved[m]...)})
		if !r.o.DryRun && len(r.errs) == failed {
			if err := state.Delete(r.State, r.stateName(), kindRenames, m.id()); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveOne composes the upload of one file's renamed translations in one language.
func (r *pushing) moveOne(ship *shipping, b *bundle.Bundle, l config.Language, renames []rename, present *exported, moved map[rename][]string) error {
	path := b.Target(l)
	var fresh, again catalog.Catalog // for keys without a translation there, and with one
	theirs := present.of(b, l)
	var ours catalog.Catalog
	var history catalog.Marks
	if path != "" {
		f, _, err := b.Read(r.tree.fsys, path, l)
		if err != nil {
			return err
		}
		filler, err := r.State.Marks(r.slot(kindFiller, path, l.Code))
		if err != nil {
			return err
		}
		if history, err = r.State.Marks(r.slot(kindKnown, path, l.Code)); err != nil {
			return err
		}
		ours = slices.DeleteFunc(bundle.Texts(f), func(u catalog.Unit) bool { return holds(filler, u) })
	}
	keys := make(map[string]bool) // a key moves whole: a language may have other plural forms than the source
	for _, m := range renames {
		if keys[m.From.Key] {
			moved[m] = append(moved[m], l.Code)
			continue
		}
		found := forms(theirs, m.From.Key)
		for _, key := range []string{m.From.Key, m.To.Key} { // a pull may have renamed the key in the repository
			if len(found) == 0 {
				found = forms(ours, key)
			}
		}
		var to catalog.Catalog
		for _, u := range found {
			to = append(to, catalog.Unit{Name: catalog.Name{Key: m.To.Key, Form: u.Form}, Text: u.Text})
		}
		to = r.tree.fitted(bundle.Target{Language: l, Sources: []*bundle.Bundle{b}}, to)
		there := forms(theirs, m.To.Key)
		// An earlier push, which was cut short, may have moved it already; or a translator has translated it under its new key since the source has it.
		switch {
		case len(there) == 0:
			fresh = append(fresh, to...)
		case !slices.Equal(to, there) && !slices.ContainsFunc(there, func(u catalog.Unit) bool { return path != "" && !holds(history, u) }):
			again = append(again, to...)
		}
		if len(found) > 0 {
			keys[m.From.Key] = true
			moved[m] = append(moved[m], l.Code)
		}
	}
	if path == "" {
		path = b.Path
	}
	for i, units := range []catalog.Catalog{fresh, again} {
		if len(units) == 0 {
			continue
		}
		up, err := bundle.ComposeUnits(b, path, units)
		if err != nil {
			return err
		}
		req := r.request(b, l.Code, present.group.ExportFormat(), r.cfg.Pull.CompletionState)
		if i == 0 {
			req.Conflicts = service.Skip // a translator may have begun to translate the new key, in a state that this export does not show
		}
		ship.add(req, up, memory{[]string{kindKnown}, path, l.Code}, up.Units)
	}
	return nil
}

// forms are the texts of one key that are not blank.
func forms(c catalog.Catalog, key string) catalog.Catalog {
	var found catalog.Catalog
	for _, u := range c {
		if u.Key == key && u.Text != "" {
			found = append(found, u)
		}
	}
	return found
}
