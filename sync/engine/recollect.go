package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/past"
)

// Git is the memory, and the state makes it quick: texts that commits of ours brought to the branch are agreed on. A state
// that is new, lost or older than the branch learns from them what they wrote, and which texts that replaced.

// recollectMost is how many commits of ours are looked at, the youngest.
const recollectMost = 200

// overlay is what a dry run takes for remembered in place of what the state has.
type overlay struct {
	texts map[ledger.Slot]catalog.Marks
	seen  string // the commit at which the branch was seen; "" for that of the state
	anew  bool   // nothing was remembered before, in a real run either
}

func (r *pushing) marks(slot ledger.Slot) (catalog.Marks, error) {
	return r.unsaved.marks(r.State, slot)
}
func (r *pulling) marks(slot ledger.Slot) (catalog.Marks, error) {
	return r.unsaved.marks(r.State, slot)
}

func (o overlay) marks(state ledger.Reader, slot ledger.Slot) (catalog.Marks, error) {
	if marks, is := o.texts[slot]; is {
		return maps.Clone(marks), nil
	}
	return state.Marks(slot)
}

// recollect learns what the branch has of ours since it was read last. A dry run writes nothing: it gets it as an
// overlay.
func (p *project) recollect(
	ctx context.Context, repo *gitops.Repo, tip *gitops.Tip, bundles []*bundle.Bundle, dry bool,
) (overlay, error) {
	since, done, err := ledger.RecollectedAt.Get(p.State, p.stateName(), p.cfg.Pull.Branch)
	if err == nil && !done {
		since, done, err = ledger.MergedAt.Get(p.State, p.stateName(), p.cfg.Pull.Branch)
	}
	learned := overlay{anew: !done}
	if err != nil || tip.Hash() == "" || since == tip.Hash() {
		return learned, err
	}
	made, err := gitops.Ours(ctx, repo, tip, since, p.cfg.Name, recollectMost)
	if err != nil {
		return learned, fmt.Errorf("read the history of branch %s: %w", p.cfg.Pull.Branch, err)
	}
	found, err := past.Brought(ctx, repo, made, p.targetsOf(bundles))
	if err != nil {
		return learned, err
	}
	if len(made) > 0 { // a tree with it in its history was given a text that we replaced back by a person
		learned.seen = made[len(made)-1].Commit
	}
	if dry {
		learned.texts, err = p.remembered(p.State, found)
		return learned, err
	}
	return learned, p.State.Update(func(tx ledger.Writer) error {
		marks, err := p.remembered(tx, found)
		if err != nil {
			return err
		}
		for slot, m := range marks {
			if err := tx.SetMarks(slot, m); err != nil {
				return err
			}
		}
		if learned.seen != "" {
			err = ledger.SeenAt.Put(tx, p.stateName(), lookAt(p.cfg.Pull.Branch).record(), learned.seen)
		}
		return errors.Join(err, ledger.RecollectedAt.Put(tx, p.stateName(), p.cfg.Pull.Branch, tip.Hash()))
	})
}

// targetsOf finds the target files of a tree.
func (p *project) targetsOf(bundles []*bundle.Bundle) func(fs.FS) ([]bundle.Target, error) {
	return func(tree fs.FS) ([]bundle.Target, error) { return bundle.Existing(tree, bundles, p.cfg.Targets()) }
}

// remembered is what the state has of the target files, with what was found in the history.
func (p *project) remembered(
	state ledger.Reader, found []*past.Merged,
) (map[ledger.Slot]catalog.Marks, error) {
	marks := make(map[ledger.Slot]catalog.Marks)
	for _, f := range found {
		for _, kind := range []ledger.TargetMarks{ledger.Known, ledger.Merged, lookAt(p.cfg.Pull.Branch).kind()} {
			slot := p.slot(kind, f.Path, f.Language.Code)
			before, err := state.Marks(slot)
			if err != nil {
				return nil, err
			}
			if before == nil {
				before = make(catalog.Marks)
			}
			if marks[slot] = before; kind != ledger.Known {
				maps.Copy(before, f.Agreed)
				continue
			}
			for _, u := range f.Known {
				ledger.Learn(before, u.Name, catalog.MarkOf(u.Text))
			}
		}
	}
	return marks, nil
}

// metBefore reports whether only the state is new to a file: the service has texts of it as they are here. What the
// file by itself keeps from being sent was told when they were, and is only a warning now.
func (o overlay) metBefore(ours, theirs catalog.Catalog) bool {
	index := theirs.Index()
	return o.anew && slices.ContainsFunc(ours, func(u catalog.Unit) bool {
		at, both := index[u.Name]
		return both && u.Text != "" && theirs[at].Text == u.Text
	})
}
