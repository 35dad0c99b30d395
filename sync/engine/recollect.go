package engine

import (
	"context"
	"fmt"
	"maps"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

// Git is the memory, and the state makes it quick: what commits of ours brought into the files of the branch is what repository and service agreed on, and is
// nobody's change, whichever process made them and whatever this state remembers. A state that is new, was lost, or is older than the branch learns it from
// there: of every name the texts that such a commit wrote, and those in whose place it wrote them. What stands in the files without one of our commits having
// written it was agreed on by nobody.

// recollectMost is how many commits of ours are looked at, the youngest.
const recollectMost = 200

// recollected is what is learned about one target file.
type recollected struct {
	bundle.Target
	known  catalog.Catalog // the oldest first
	agreed catalog.Marks
}

// recollect learns what the branch has of ours since it was read last. A dry run keeps it to itself.
func (p *project) recollect(ctx context.Context, repo *gitops.Repo, tip *gitops.Tip, bundles []*bundle.Bundle, dry bool) error {
	p.overlay = nil
	since, done, err := ledger.RecollectedAt.Get(p.State, p.stateName(), p.cfg.Pull.Branch)
	if err == nil && !done {
		since, _, err = ledger.MergedAt.Get(p.State, p.stateName(), p.cfg.Pull.Branch)
	}
	if err != nil || tip.Hash() == "" || since == tip.Hash() {
		return err
	}
	made, err := repo.History.Ours(tip, since, p.cfg.Name, recollectMost)
	if err != nil {
		return fmt.Errorf("read the history of branch %s: %w", p.cfg.Pull.Branch, err)
	}
	found := make(map[string]*recollected)
	for _, m := range made {
		if err := p.recollectOne(ctx, repo, m, bundles, found); err != nil {
			return fmt.Errorf("read what commit %.10s brought: %w", m.Commit, err)
		}
	}
	if dry {
		return p.overlaid(found)
	}
	return p.State.Update(func(tx ledger.Writer) error {
		for _, f := range found {
			for kind, now := range map[ledger.TargetMarks]func(catalog.Marks) catalog.Marks{ledger.Known: f.learned, ledger.Merged: f.merged} {
				slot := p.slot(kind, f.Path, f.Language.Code)
				before, err := tx.Marks(slot)
				if err != nil {
					return err
				}
				if err := tx.SetMarks(slot, now(before)); err != nil {
					return err
				}
			}
		}
		return ledger.RecollectedAt.Put(tx, p.stateName(), p.cfg.Pull.Branch, tip.Hash())
	})
}

// overlaid is what a dry run takes for remembered, beside what is.
func (p *project) overlaid(found map[string]*recollected) error {
	p.overlay = make(map[ledger.Slot]catalog.Marks)
	for _, f := range found {
		for kind, now := range map[ledger.TargetMarks]func(catalog.Marks) catalog.Marks{ledger.Known: f.learned, ledger.Merged: f.merged} {
			slot := p.slot(kind, f.Path, f.Language.Code)
			before, err := p.State.Marks(slot)
			if err != nil {
				return err
			}
			p.overlay[slot] = now(before)
		}
	}
	return nil
}

// marks are what is remembered in a slot.
func (p *project) marks(slot ledger.Slot) (catalog.Marks, error) {
	if marks, is := p.overlay[slot]; is {
		return maps.Clone(marks), nil
	}
	return p.State.Marks(slot)
}

func (f *recollected) learned(history catalog.Marks) catalog.Marks {
	if history == nil {
		history = make(catalog.Marks)
	}
	for _, u := range f.known {
		ledger.Learn(history, u.Name, catalog.MarkOf(u.Text))
	}
	return history
}

func (f *recollected) merged(base catalog.Marks) catalog.Marks {
	if base == nil {
		base = make(catalog.Marks)
	}
	maps.Copy(base, f.agreed)
	return base
}

// recollectOne adds what one commit of ours brought: texts that none of its parents has.
func (p *project) recollectOne(ctx context.Context, repo *gitops.Repo, made gitops.Made, bundles []*bundle.Bundle, found map[string]*recollected) error {
	paths := make(map[string]int)
	parents := make([]*gitops.Tip, len(made.Parents))
	for i, parent := range made.Parents {
		changed, err := repo.History.Changed(ctx, parent, made.Commit)
		if err != nil {
			return err
		}
		for _, path := range changed {
			paths[path]++
		}
		if parents[i], err = repo.AtCommit(parent); err != nil {
			return err
		}
	}
	now, err := repo.AtCommit(made.Commit)
	if err != nil {
		return err
	}
	targets, err := bundle.Existing(now, bundles, p.cfg.Targets())
	if err != nil {
		return err
	}
	for _, t := range targets {
		if paths[t.Path] < len(parents) {
			continue
		}
		texts, err := textsAt(now, t)
		if err != nil {
			return err
		}
		f := found[ledger.TargetID(t.Path, t.Language.Code)]
		if f == nil {
			f = &recollected{Target: t, agreed: make(catalog.Marks)}
			found[ledger.TargetID(t.Path, t.Language.Code)] = f
		}
		brought := texts.Marks()
		for _, parent := range parents {
			before, err := textsAt(parent, t)
			if err != nil {
				return err
			}
			for _, u := range before {
				if brought.Has(u.Name, u.Text) {
					delete(brought, u.Name)
				}
			}
			for _, u := range before {
				if _, replaced := brought[u.Name]; replaced && u.Text != "" {
					f.known = append(f.known, u)
				}
			}
		}
		for _, u := range texts {
			if _, ours := brought[u.Name]; ours {
				f.known = append(f.known, u)
				f.agreed[u.Name] = catalog.MarkOf(u.Text)
			}
		}
	}
	return nil
}

// textsAt are the texts of a target file in a commit; none where it cannot be read there.
func textsAt(tip *gitops.Tip, t bundle.Target) (catalog.Catalog, error) {
	f, _, err := t.Sources[0].Read(tip, t.Path, t.Language)
	return bundle.Texts(f), err
}
