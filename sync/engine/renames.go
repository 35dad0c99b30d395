package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

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

	Left *sourcePlace `json:"left,omitempty"` // the file that the key was in, where that is another one, which stays
}

const kindRenames = "renames"

func (m rename) id() string {
	return m.Collection + "\x00" + m.Path + "\x00" + m.To.Key + "\x00" + m.To.Form
}

// is reports whether two renames are the same.
func (m rename) is(o rename) bool {
	return m.id() == o.id() && m.From == o.From && m.Text == o.Text && m.left() == o.left()
}

// left is where the key was before.
func (m rename) left() sourcePlace {
	if m.Left != nil {
		return *m.Left
	}
	return sourcePlace{m.Collection, m.Path}
}

// renameLook is what a look at one file says about renames.
type renameLook struct {
	fresh []catalog.Change // since the last look; a key that was gone then and is back is new

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
	index := s.texts.Index()
	for _, n := range look.before.Names() {
		if at, back := index[n]; back {
			look.fresh = append(look.fresh, catalog.Change{Op: catalog.Added, Name: n, Text: s.texts[at].Text})
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
	for _, m := range whole(catalog.Renames(base, s.texts, look.fresh), base, s.texts) {
		look.found = append(look.found, rename{Path: s.Path, Collection: s.Collection, From: m.From, To: m.To, Text: base[m.From]})
	}
	var now catalog.Marks
	for _, m := range stored {
		if m.Path != s.Path || m.Collection != s.Collection || slices.ContainsFunc(look.found, m.is) {
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

// compared is a source file beside what the service accepted of it.
type compared struct {
	*source
	pending map[string]bool
	base    catalog.Marks
	look    renameLook
	moved   map[catalog.Name]bool     // keys that stand in another file now
	twins   map[catalog.Name][]string // of keys that are gone: new ones with the same text, where that says nothing
}

// renames returns the file's renames whose translations have to move: those found now, and those that earlier passes did not finish.
func (r *pushing) renames(s *compared) ([]rename, error) {
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
	r.orphaned(s.place(), look.before, lost, s.texts.Keys(), s.twins)
	if r.o.DryRun || len(look.found)+len(look.gone)+len(look.before)+len(look.stale) == 0 {
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

// findFarRenames finds the keys that left one file and stand in another one, while both files stay: under the same name in another collection, or under another
// name. The rule is that of renames within a file, over all files: of a text that could have come from more than one place, or gone to more than one, nothing
// is guessed.
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
		for _, u := range s.texts {
			now = append(now, catalog.Unit{Name: name(i, u.Name), Text: u.Text})
		}
	}
	fresh := make(map[catalog.Mark][]string)
	for _, c := range changes {
		if n := near(c.Name); c.Op == catalog.Added && strings.ContainsFunc(c.Text, unicode.IsLetter) {
			fresh[catalog.MarkOf(c.Text)] = append(fresh[catalog.MarkOf(c.Text)], fmt.Sprintf("%q (%s)", n.Key, at[c.Name].Path))
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
	for _, m := range whole(catalog.Renames(base, now, changes), base, now) {
		from, to := at[m.From], at[m.To]
		if from == to {
			continue
		}
		left := from.place()
		to.look.found = append(to.look.found, rename{Path: to.Path, Collection: to.Collection, From: near(m.From), To: near(m.To), Text: base[m.From], Left: &left})
		if from.moved == nil {
			from.moved = make(map[catalog.Name]bool)
		}
		from.moved[near(m.From)] = true
	}
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
	byPath := make(map[string][]rename)
	for _, m := range renames {
		byPath[m.Path] = append(byPath[m.Path], m)
	}
	asking := &renaming{pushing: r, groups: bundle.Groups(r.tree.bundles()), exports: make(map[*bundle.Group]*exported), moved: make(map[string][]string)}
	for _, g := range asking.groups {
		for _, b := range g.Bundles {
			if len(byPath[b.Path]) == 0 {
				continue
			}
			for _, l := range r.cfg.Targets() {
				if err := asking.moveOne(ctx, b, l, byPath[b.Path]); err != nil {
					return err
				}
			}
		}
	}
	failed := len(r.errs)
	r.shipAll(ctx, asking.ship.shipments)
	for _, m := range renames {
		languages := asking.moved[m.id()]
		slices.Sort(languages)
		told := Renamed{File: m.Path, From: m.From.Key, To: m.To.Key, Languages: append([]string{}, languages...)}
		if m.Left != nil {
			told.FromFile = m.Left.Path
		}
		r.report.Renamed = append(r.report.Renamed, told)
		if !r.o.DryRun && len(r.errs) == failed {
			if err := state.Delete(r.State, r.stateName(), kindRenames, m.id()); err != nil {
				return err
			}
		}
	}
	return nil
}

// renaming gathers the translations that move with renamed keys.
type renaming struct {
	*pushing
	groups  []*bundle.Group
	exports map[*bundle.Group]*exported // asked for when they are needed first
	ship    shipping
	moved   map[string][]string // languages, by rename
}

// present is the service's answer for a bundle's group.
func (r *renaming) present(ctx context.Context, b *bundle.Bundle) (*exported, error) {
	at := slices.IndexFunc(r.groups, func(g *bundle.Group) bool { return slices.Contains(g.Bundles, b) })
	g := r.groups[at]
	if r.exports[g] != nil {
		return r.exports[g], nil
	}
	r.say("asking what the service has in %q", g.Collection)
	x, err := r.export(ctx, g, r.cfg.Targets(), r.cfg.Pull.CompletionState, anew)
	if err != nil {
		return nil, err
	}
	r.exports[g] = x
	r.pushing.exports++
	r.report.Problems = append(r.report.Problems, x.problems...)
	return x, nil
}

// bothSides are a file's translations in a language as the service has them, and as the repository has them without what was only filled in.
func (r *renaming) bothSides(ctx context.Context, b *bundle.Bundle, l config.Language) (theirs, ours catalog.Catalog, err error) {
	present, err := r.present(ctx, b)
	if err != nil {
		return nil, nil, err
	}
	theirs = present.of(b, l)
	path := b.Target(l)
	if path == "" {
		return theirs, nil, nil
	}
	f, _, err := b.Read(r.tree.fsys, path, l)
	if err != nil {
		return nil, nil, err
	}
	filler, err := r.State.Marks(r.slot(kindFiller, path, l.Code))
	if err != nil {
		return nil, nil, err
	}
	return theirs, slices.DeleteFunc(bundle.Texts(f), func(u catalog.Unit) bool { return holds(filler, u) }), nil
}

// moveOne composes the upload of one file's renamed translations in one language.
func (r *renaming) moveOne(ctx context.Context, b *bundle.Bundle, l config.Language, renames []rename) error {
	path := b.Target(l)
	theirs, _, err := r.bothSides(ctx, b, l)
	if err != nil {
		return err
	}
	var history catalog.Marks
	if path != "" {
		if history, err = r.State.Marks(r.slot(kindKnown, path, l.Code)); err != nil {
			return err
		}
	}
	var fresh, again catalog.Catalog // for keys without a translation there, and with one
	keys := make(map[string]bool)    // a key moves whole: a language may have other plural forms than the source
	for _, m := range renames {
		id := m.left().id() + "\x00" + m.From.Key
		if keys[id] {
			r.moved[m.id()] = append(r.moved[m.id()], l.Code)
			continue
		}
		found, err := r.leaving(ctx, b, l, m)
		if err != nil {
			return err
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
			keys[id] = true
			r.moved[m.id()] = append(r.moved[m.id()], l.Code)
		}
	}
	if path == "" {
		path = b.Path
	}
	present, err := r.present(ctx, b)
	if err != nil {
		return err
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
		r.ship.add(req, up, memory{[]string{kindKnown}, path, l.Code}, up.Units)
	}
	return nil
}

// leaving are the translations of a renamed key under its old name: the service's, and where it has none in the state that pulls ask for, the repository's, where
// a pull may have renamed the key already.
func (r *renaming) leaving(ctx context.Context, b *bundle.Bundle, l config.Language, m rename) (catalog.Catalog, error) {
	to := b
	if m.Left != nil {
		at := slices.IndexFunc(r.tree.sources, func(s *source) bool { return s.place() == *m.Left })
		if at < 0 || r.tree.sources[at].broken() {
			return nil, nil
		}
		b = r.tree.sources[at].Bundle
	}
	theirs, ours, err := r.bothSides(ctx, b, l)
	if err != nil {
		return nil, err
	}
	found := forms(theirs, m.From.Key)
	edited, sound, err := r.editedMeanwhile(ctx, b, l, m.From.Key, found)
	switch {
	case err != nil:
		return nil, err
	case sound:
		return edited, nil
	case len(edited) > 0:
		r.problem(Problem{File: b.Target(l), Key: m.From.Key, Language: l.Code, Problem: fmt.Sprintf(
			"was changed in the repository to %s and at the service to %s while the key became %q; the service's goes along. If the repository's is meant, write it under the new key",
			InQuotes(textsByForm(edited)), InQuotes(textsByForm(found)), m.To.Key)})
	}
	if len(found) > 0 {
		return found, nil
	}
	if found = forms(ours, m.From.Key); len(found) > 0 {
		return found, nil
	}
	_, ours, err = r.bothSides(ctx, to, l)
	return forms(ours, m.To.Key), err
}

// editedMeanwhile are the texts of a key that somebody changed in the repository, on the branch or in the tree that pushes read, and that no push has sent: it
// would have been sent under its old name. sound tells that the service's are not newer.
func (r *renaming) editedMeanwhile(ctx context.Context, b *bundle.Bundle, l config.Language, key string, theirs catalog.Catalog) (edited catalog.Catalog, sound bool, err error) {
	path := b.Target(l)
	if path == "" || !r.cfg.Push.Translations {
		return nil, false, nil
	}
	known, err := r.State.Marks(r.slot(kindKnown, path, l.Code))
	if err != nil || known == nil {
		return nil, false, err
	}
	filler, err := r.State.Marks(r.slot(kindFiller, path, l.Code))
	if err != nil {
		return nil, false, err
	}
	if len(r.places) == 0 {
		if err := r.findPlaces(ctx); err != nil {
			return nil, false, err
		}
	}
	for _, at := range r.places {
		f, _, err := b.Read(at.fsys, path, l)
		if err != nil {
			return nil, false, err
		}
		texts := forms(slices.DeleteFunc(bundle.Texts(f), func(u catalog.Unit) bool { return holds(filler, u) }), key)
		if slices.ContainsFunc(texts, func(u catalog.Unit) bool { return !holds(known, u) }) {
			newer := slices.ContainsFunc(theirs, func(u catalog.Unit) bool { return !holds(known, u) && !slices.Contains(texts, u) })
			return texts, !newer, nil
		}
	}
	return nil, false, nil
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
