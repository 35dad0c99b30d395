package push

import (
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
)

// seeSources remembers which texts that have a history are in the tree of a push in which nothing went wrong.
func (r *sourcePass) seeSources(a *accepted.Sources, commit string) error {
	if r.o.DryRun || len(r.errs) > 0 || len(a.Pasts) == 0 {
		return nil
	}
	from := pass.LookAt(r.branch.Project.Push.Source)
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for collection := range a.Pasts {
			history, err := tx.Marks(r.branch.SourceHistory(collection))
			if err != nil {
				return err
			}
			seen := make(catalog.Marks)
			for _, s := range r.tree.Sources {
				if s.Collection != collection {
					continue
				}
				for _, u := range s.Texts {
					if ledger.Has(history, u.Name) {
						seen[u.Name] = catalog.MarkOf(u.Text)
					}
				}
			}
			if err := ledger.KeepMarks(tx, r.branch.SourceSeen(from, collection), seen); err != nil {
				return err
			}
		}
		return ledger.SourceSeenAt.Put(tx, r.branch.StateName(), string(from), commit)
	})
}
