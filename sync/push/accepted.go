package push

import (
	"context"

	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/tree"
)

// seeSources remembers which texts that have a history are in the tree of a push in which nothing went wrong.
func (r *pushing) seeSources(a *accepted.Sources, commit string) error {
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

// sendInherited sends the source texts of inherited keys of which a translation was changed here. A collection takes no
// translation of a key that it does not have.
func (r *pushing) sendInherited(ctx context.Context, found []*candidate) error {
	if r.branch.Trunk == nil {
		return nil
	}
	of, wanted := r.branch.Keeper(), make(map[*tree.Source]map[string]bool)
	for _, c := range found {
		for n := range c.changed {
			for _, b := range c.Sources {
				s := r.tree.Of(b)
				if !r.accepted.Inherited(s)[n.Key] || of.TrunkCollection(s) == s.Collection {
					continue
				}
				if wanted[s] == nil {
					wanted[s] = make(map[string]bool)
				}
				wanted[s][n.Key] = true
			}
		}
	}
	ship := &shipping{}
	for _, s := range r.tree.Sources {
		if wanted[s] == nil {
			continue
		}
		if err := r.addSource(ship, s, func(key string) bool { return wanted[s][key] }); err != nil {
			return err
		}
	}
	r.shipAll(ctx, ship.shipments)
	return nil
}
