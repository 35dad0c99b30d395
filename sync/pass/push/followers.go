package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// followers are translations that follow their keys to new names, files and collections: they are read under the old
// name and sent under the new one.
type followers struct {
	*state
	snapshots *snapshots
}

// moveTranslations sends the translations of renamed keys under their new keys, with the completion state that they
// have: no rename makes final what a translator has not finished. files are what was read for that.
func (r *followers) moveTranslations(
	ctx context.Context, renames []ledger.Rename, files []*followingFile,
) error {
	// Where the service did not take the file, it may not know the new keys yet; those renames are kept, and all of them
	// where it took nothing.
	renames = slices.DeleteFunc(renames, func(m ledger.Rename) bool { return r.Refused[m.Path] })
	files = slices.DeleteFunc(files, func(f *followingFile) bool { return r.Refused[f.bundle.Path] })
	if len(r.Errs) > 0 || len(renames) == 0 {
		return nil
	}
	moved, err := r.follow(ctx, files)
	if err != nil {
		return err
	}
	again := make(map[string]bool) // source files with target files that were refused
	for _, b := range r.tree.Bundles() {
		again[b.Path] = again[b.Path] || r.anyRefused(b)
	}
	for _, m := range renames {
		languages := append([]string{}, moved[m.ID()]...)
		told := report.Renamed{File: m.Path, From: m.From.Key, To: m.To.Key, Languages: languages}
		if m.Left != nil {
			told.FromFile = m.Left.Path
		}
		same := func(o report.Renamed) bool { return reflect.DeepEqual(o, told) } // of another form of its plural
		if (m.Language == "" || len(languages) > 0) && !slices.ContainsFunc(r.report.Renamed, same) {
			r.report.Renamed = append(r.report.Renamed, told)
		}
		if len(r.Errs) == 0 && !again[m.Path] {
			if err := ledger.Renames.Delete(r.branch.Ledger, r.branch.StateName(), m.ID()); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow sends what follows, and gives the languages of each rename. What is inherited is remembered before that: done
// twice, it is the same.
func (r *followers) follow(ctx context.Context, files []*followingFile) (moved map[string][]string, err error) {
	plan, err := planRenames(r.tree, r.branch.Project, files)
	if err != nil {
		return nil, err
	}
	for _, p := range plan.told {
		r.Problem(p)
	}
	if err := ledger.Each(plan.inherits, r.inherit); err != nil {
		return nil, err
	}
	r.out.Ship(ctx, plan.All)
	for _, languages := range plan.moved {
		slices.Sort(languages)
	}
	return plan.moved, nil
}

// inherit gives keys the history of those that they were: what the repository has of that counts as no change.
func (r *followers) inherit(i *inheritance) error {
	if i.file.now.path == "" || len(i.keys) == 0 {
		return nil
	}
	slot := func(kind ledger.TargetMarks) ledger.Slot {
		return r.branch.Memory().Slot(kind, i.file.now.path, i.file.language.Code)
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		err := ledger.Amend(tx, slot(ledger.Known), func(history catalog.Marks) {
			for from, keys := range i.keys {
				ledger.Inherit(history, from.past, keys)
			}
		})
		made := &i.file.now.made
		for key, theirs := range i.left {
			made.Leave(key, i.file.source[catalog.Name{Key: i.keys[i.file.now][key]}], theirs)
		}
		if err != nil || len(i.left) == 0 {
			return err
		}
		return errors.Join(tx.SetMarks(slot(ledger.Made), made.For), tx.SetMarks(slot(ledger.Outdated), made.Outdated))
	})
}

// moveCollections sends the translations of files whose move changed their collection into the new one: those whose
// source text the new file has, under the same key or the one that it was renamed to.
func (r *followers) moveCollections(ctx context.Context, a *accepted.Sources) error {
	stored, err := ledger.Moves.List(r.branch.Ledger, r.branch.StateName())
	if err != nil {
		return err
	}
	all := append(slices.Clone(a.Moves), slices.DeleteFunc(stored, func(m ledger.Move) bool {
		return m.Sent || slices.ContainsFunc(a.Moves, func(n ledger.Move) bool { return n.ID() == m.ID() })
	})...)
	for _, m := range all {
		at := slices.IndexFunc(r.tree.Sources, func(s *tree.Source) bool { return s.ID() == m.To && !s.Broken() })
		if at < 0 || r.Refused[m.To.Path] || !r.o.Pushes(m.To.Path) {
			continue
		}
		renames := renamesOf(m, r.tree.Sources[at], a.Files[m.From])
		told := report.Moved{From: m.From.Path, To: m.To.Path, Left: m.From.Collection, In: m.To.Collection,
			Languages: []string{}, Archived: r.branch.Archives() == accepted.ByTree}
		keys := make(map[string]bool)
		for _, k := range renames {
			keys[k.To.Key] = true
		}
		if m.From.Collection != m.To.Collection && len(r.Errs) == 0 {
			files, err := r.readRenames(ctx, renames)
			var moved map[string][]string
			if err == nil {
				moved, err = r.follow(ctx, files)
			}
			if err != nil {
				return fmt.Errorf("move the translations of %s to collection %q: %w", m.To.Path, m.To.Collection, err)
			}
			for _, languages := range moved {
				told.Languages = append(told.Languages, languages...)
			}
		}
		slices.Sort(told.Languages)
		told.Keys, told.Languages = len(keys), slices.Compact(told.Languages)
		r.report.Moved = append(r.report.Moved, told)
		if m.Sent = true; len(r.Errs) == 0 && !r.anyRefused(r.tree.Sources[at].Bundle) {
			if err := ledger.Moves.Put(r.branch.Ledger, r.branch.StateName(), m.ID(), m); err != nil {
				return err
			}
		}
	}
	return nil
}

// renamesOf are the keys of a file that has moved, as renames. before is what the service accepted of it there.
func renamesOf(m ledger.Move, s *tree.Source, before catalog.Marks) (all []ledger.Rename) {
	add := func(from, to catalog.Name) {
		all = append(all, ledger.Rename{Path: s.Path, Collection: s.Collection, From: from, To: to, Left: &m.From})
	}
	now := s.Texts.Marks()
	for _, u := range s.Texts {
		if before.Has(u.Name, u.Text) {
			add(u.Name, u.Name)
		}
	}
	for _, renamed := range m.Renamed {
		if now[renamed.To] == before[renamed.From] {
			add(renamed.From, renamed.To)
		}
	}
	return all
}

// anyRefused reports whether the service refused translations of a source file in this push.
func (r *followers) anyRefused(b *bundle.Bundle) bool {
	return slices.ContainsFunc(r.branch.Project.Targets(), func(l config.Language) bool {
		return r.Refused[cmp.Or(b.Target(l), b.Path)+"\x00"+l.Code]
	})
}
