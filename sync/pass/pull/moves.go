package pull

import (
	"context"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// formerly finds the file that had a target's translations before its source file moved. One that belongs to another
// source file by now does not count.
func (r *merging) formerly(target bundle.Target) (former, error) {
	var none former
	if len(target.Sources) != 1 {
		return none, nil
	}
	at, found := r.tree.Of(target.Sources[0]).ID(), none
	var renamed []catalog.Rename
	for range len(r.moves) { // a file may have moved more than once since
		i := slices.IndexFunc(r.moves, func(m ledger.Move) bool { return m.To == at })
		if i < 0 {
			break
		}
		at = r.moves[i].From
		renamed = append(renamed, r.moves[i].Renamed...)
		old := r.branch.Project.FormerTarget(at.Path, at.Collection, target.Language)
		taken := func(s *tree.Source) bool { return s.ID() == at || s.Target(target.Language) == old }
		if old == "" || config.SameFile(old, target.Path) || slices.ContainsFunc(r.tree.Sources, taken) {
			continue
		}
		f, _, err := target.Sources[0].Read(r.tree.FS, old, target.Language)
		if err != nil {
			return none, err
		}
		if found.path == "" || f != nil {
			found = former{old, f, renamed}
		}
		if f != nil {
			break
		}
	}
	return found, nil
}

// readMoves loads the moves and renames that pulls follow: those that pushes remember, and those that are to be seen
// in the tree.
func (r *merging) readMoves(ctx context.Context, tip *gitops.Tip) error {
	a, err := r.branch.Keeper().Compare(r.tree, false)
	if err != nil {
		return err
	}
	if err := r.branch.Keeper().Recall(r.branch.Repo, a, r.branch.Project.Pull.Branch, tip.Hash()); err != nil {
		return err
	}
	r.accepted, r.left = a, a.Left()
	if r.moves, err = ledger.Moves.List(r.branch.Ledger, r.branch.StateName()); err != nil {
		return err
	}
	r.digested = sourceDigests{tree: make(map[*bundle.Bundle]catalog.Marks), service: make(map[string]catalog.Marks)}
	for collection, marks := range a.Texts {
		r.digested.service[collection] = catalog.Digests(marks)
	}
	r.moves = append(r.moves, a.Moves...)
	r.followed, err = ledger.Renames.List(r.branch.Ledger, r.branch.StateName())
	r.renamed, r.removed = make(map[*bundle.Bundle][]ledger.Rename), make(map[*bundle.Bundle]catalog.Marks)
	snapshot := r.branch.Snapshot(r.tree, r.branch.Project.Pull.Branch, r.commits()...)
	snapshot.Moves, snapshot.Deepen = r.moves, func() error { return r.deepen(ctx) }
	for _, s := range r.tree.Sources {
		if s.Broken() || a.Held[s.ID()] {
			continue
		}
		_, base, changes := a.Pending(s)
		search, err := snapshot.Find(s, base, changes)
		if err != nil {
			return err
		}
		r.renamed[s.Bundle] = append(search.Found, search.Pending...)
		r.removed[s.Bundle] = search.Before
	}
	return err
}
