package push

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/tree"
)

// The translations of a renamed key follow it at the service: they are read under the old key and sent under the new
// one.

// followers are translations that follow their keys to new names, files and collections.
type followers struct {
	*state
	snapshots *snapshots
}

// moveTranslations sends the translations of renamed keys under their new keys, with the completion state that pulls
// ask for, so that the next pull finds them. They come from the service, and where it has none in that state, from the
// repository.
func (r *followers) moveTranslations(ctx context.Context, renames []ledger.Rename) {
	if len(r.errs) > 0 {
		return // the new keys are not at the service yet; the renames are kept
	}
	// Where the service did not take the file, it may not know the new keys yet; those renames are kept, too.
	renames = slices.DeleteFunc(renames, func(m ledger.Rename) bool { return r.refused[m.Path] })
	if len(renames) == 0 {
		return
	}
	if err := r.moveEach(ctx, renames); err != nil {
		r.errs = append(r.errs, fmt.Errorf("move the translations of renamed keys: %w", err))
	}
}

func (r *followers) moveEach(ctx context.Context, renames []ledger.Rename) error {
	byPath := make(map[string][]ledger.Rename)
	for _, m := range renames {
		byPath[m.Path] = append(byPath[m.Path], m)
	}
	asking := &renaming{push: r, groups: bundle.Groups(r.tree.Bundles()),
		exports: make(map[*bundle.Group]*pass.Exported), moved: make(map[string][]string)}
	for _, g := range asking.groups {
		for _, b := range g.Bundles {
			if len(byPath[b.Path]) == 0 {
				continue
			}
			for _, l := range r.branch.Project.Targets() {
				if err := asking.moveOne(ctx, b, l, byPath[b.Path]); err != nil {
					return err
				}
			}
		}
	}
	failed := len(r.errs)
	r.out.ship(ctx, asking.ship.shipments)
	again := make(map[string]bool) // source files with target files that were refused
	for _, b := range r.tree.Bundles() {
		if len(byPath[b.Path]) > 0 && r.anyRefused(b) {
			again[b.Path] = true
		}
	}
	for _, m := range renames {
		languages := asking.moved[m.ID()]
		slices.Sort(languages)
		told := report.Renamed{File: m.Path, From: m.From.Key, To: m.To.Key, Languages: append([]string{}, languages...)}
		if m.Left != nil {
			told.FromFile = m.Left.Path
		}
		r.report.Renamed = append(r.report.Renamed, told)
		if len(r.errs) == failed && !again[m.Path] {
			if err := ledger.Renames.Delete(r.branch.Ledger, r.branch.StateName(), m.ID()); err != nil {
				return err
			}
		}
	}
	return nil
}

// renaming gathers the translations that move with renamed keys.
type renaming struct {
	push    *followers
	groups  []*bundle.Group
	exports map[*bundle.Group]*pass.Exported // asked for when they are needed first
	ship    shipping
	moved   map[string][]string // languages, by rename
}

// present is the service's answer for a bundle's group.
func (r *renaming) present(ctx context.Context, b *bundle.Bundle) (*pass.Exported, error) {
	at := slices.IndexFunc(r.groups, func(g *bundle.Group) bool { return slices.Contains(g.Bundles, b) })
	g := r.groups[at]
	if r.exports[g] != nil {
		return r.exports[g], nil
	}
	r.push.branch.Say("asking what the service has in %q", g.Collection)
	of := r.push.branch.Project
	x, err := r.push.export(ctx, g, of.Targets(), of.Pull.CompletionState)
	if err != nil {
		return nil, err
	}
	r.exports[g] = x
	r.push.exports++
	r.push.report.Problems = append(r.push.report.Problems, x.Problems...)
	return x, nil
}

// bothSides are a file's translations in a language as the service has them, and as the repository has them without
// what was only filled in.
func (r *renaming) bothSides(
	ctx context.Context, b *bundle.Bundle, l config.Language,
) (theirs, ours catalog.Catalog, err error) {
	present, err := r.present(ctx, b)
	if err != nil {
		return nil, nil, err
	}
	if present.Lacks(b, l) {
		return nil, nil, fmt.Errorf("what the service has for %s (%s) cannot be read", b.Path, l.Code)
	}
	theirs = present.Of(b, l)
	path := b.Target(l)
	if path == "" {
		return theirs, nil, nil
	}
	f, _, err := b.Read(r.push.tree.FS, path, l)
	if err != nil {
		return nil, nil, err
	}
	filler, err := r.push.marks(r.push.branch.Memory().Slot(ledger.Filler, path, l.Code))
	if err != nil {
		return nil, nil, err
	}
	return theirs, slices.DeleteFunc(bundle.Texts(f), func(u catalog.Unit) bool { return ledger.Holds(filler, u) }), nil
}

// moveOne composes the upload of one file's renamed translations in one language.
func (r *renaming) moveOne(ctx context.Context, b *bundle.Bundle, l config.Language, renames []ledger.Rename) error {
	path := b.Target(l)
	theirs, _, err := r.bothSides(ctx, b, l)
	if err != nil {
		return err
	}
	var history catalog.Marks
	if path != "" {
		if history, err = r.push.marks(r.push.branch.Memory().Slot(ledger.Known, path, l.Code)); err != nil {
			return err
		}
	}
	isNew := func(u catalog.Unit) bool { return path != "" && !ledger.Holds(history, u) }
	var fresh, again catalog.Catalog // for keys without a translation there, and with one
	keys := make(map[string]bool)    // a key moves whole: a language may have other plural forms than the source
	for _, m := range renames {
		id := m.Before().ID() + "\x00" + m.From.Key
		if keys[id] {
			r.moved[m.ID()] = append(r.moved[m.ID()], l.Code)
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
		to, _ = r.push.tree.Fitted(bundle.Target{Language: l, Sources: []*bundle.Bundle{b}}, to)
		there := forms(theirs, m.To.Key)
		// An earlier push, which was cut short, may have moved it already; or a translator has translated it under its new
		// key since the source has it.
		switch {
		case len(there) == 0:
			fresh = append(fresh, to...)
		case !slices.Equal(to, there) && !slices.ContainsFunc(there, isNew):
			carried, err := r.carried(ctx, b, l, m, there, slices.ContainsFunc(append(found, to...), isNew))
			if err != nil {
				return err
			}
			if !carried {
				again = append(again, to...)
			}
		}
		if len(found) > 0 {
			keys[id] = true
			r.moved[m.ID()] = append(r.moved[m.ID()], l.Code)
		}
	}
	return r.add(ctx, b, l, fresh, again)
}

// carried reports whether another clone has moved a key already: the branch has what the service has under the new key,
// and nothing under the old one, whose texts are not new.
func (r *renaming) carried(
	ctx context.Context, b *bundle.Bundle, l config.Language, m ledger.Rename, there catalog.Catalog, isNew bool,
) (bool, error) {
	if b.Target(l) == "" || m.Left != nil || isNew {
		return false, nil
	}
	if len(r.push.snapshots.all) == 0 {
		if err := r.push.snapshots.find(ctx); err != nil {
			return false, err
		}
	}
	branch := r.push.snapshots.all[0]
	if branch.name != pass.LookAt(r.push.branch.Project.Pull.Branch) {
		return false, nil
	}
	f, _, err := b.Read(branch.fsys, b.Target(l), l)
	if err != nil {
		return false, err
	}
	texts := bundle.Texts(f)
	moved := forms(texts, m.To.Key)
	return len(forms(texts, m.From.Key)) == 0 &&
		!slices.ContainsFunc(there, func(u catalog.Unit) bool { return !slices.Contains(moved, u) }), nil
}

// add puts the translations of renamed keys into imports: fresh where the service has none, again over those it has.
func (r *renaming) add(ctx context.Context, b *bundle.Bundle, l config.Language, fresh, again catalog.Catalog) error {
	path := cmp.Or(b.Target(l), b.Path)
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
		project := r.push.branch.Project
		req := request(project, b, l.Code, present.Group.ExportFormat(), project.Pull.CompletionState)
		if i == 0 {
			// A translator may have begun to translate the new key, in a state that this export does not show.
			req.Conflicts = service.Skip
		}
		kinds := []ledger.TargetMarks{ledger.Known}
		r.ship.add(req, up, ledger.Destination{Path: path, Language: l.Code, Kinds: kinds}, up.Units)
	}
	return nil
}

// leaving are the translations of a renamed key under its old name: the service's, and where it has none in the state
// that pulls ask for, the repository's. A pull may have renamed the key there already.
func (r *renaming) leaving(
	ctx context.Context, b *bundle.Bundle, l config.Language, m ledger.Rename,
) (catalog.Catalog, error) {
	to := b
	if m.Left != nil {
		at := slices.IndexFunc(r.push.tree.Sources, func(s *tree.Source) bool { return s.ID() == *m.Left })
		if at < 0 || r.push.tree.Sources[at].Broken() {
			return nil, nil
		}
		b = r.push.tree.Sources[at].Bundle
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
		r.push.problem(report.Problem{Code: report.CodeConflict, File: b.Target(l), Key: m.From.Key, Language: l.Code,
			Problem: fmt.Sprintf("was changed in the repository to %s and at the service to %s while the key became %q; "+
				"the service's goes along. If the repository's is meant, write it under the new key",
				report.InQuotes(pass.TextsByForm(edited)), report.InQuotes(pass.TextsByForm(found)), m.To.Key)})
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

// editedMeanwhile are the texts of a key that were changed in the repository, on the branch or in the tree that pushes
// read, and that no push has sent under the old name. sound tells that the service's are not newer.
func (r *renaming) editedMeanwhile(
	ctx context.Context, b *bundle.Bundle, l config.Language, key string, theirs catalog.Catalog,
) (edited catalog.Catalog, sound bool, err error) {
	path := b.Target(l)
	if path == "" || !r.push.branch.Project.Push.Translations {
		return nil, false, nil
	}
	known, err := r.push.marks(r.push.branch.Memory().Slot(ledger.Known, path, l.Code))
	if err != nil || known == nil {
		return nil, false, err
	}
	filler, err := r.push.marks(r.push.branch.Memory().Slot(ledger.Filler, path, l.Code))
	if err != nil {
		return nil, false, err
	}
	if len(r.push.snapshots.all) == 0 {
		if err := r.push.snapshots.find(ctx); err != nil {
			return nil, false, err
		}
	}
	for _, at := range r.push.snapshots.all {
		f, _, err := b.Read(at.fsys, path, l)
		if err != nil {
			return nil, false, err
		}
		texts := forms(slices.DeleteFunc(bundle.Texts(f), func(u catalog.Unit) bool { return ledger.Holds(filler, u) }), key)
		if slices.ContainsFunc(texts, func(u catalog.Unit) bool { return !ledger.Holds(known, u) }) {
			newer := slices.ContainsFunc(theirs, func(u catalog.Unit) bool {
				return !ledger.Holds(known, u) && !slices.Contains(texts, u)
			})
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
