package engine

import (
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

func (p *Branch) sourceHistory(collection string) ledger.Slot {
	return ledger.SourceKnown.Of(p.stateName(), ledger.Source{Collection: collection})
}

func (p *Branch) sourceSeen(at lookAt, collection string) ledger.Slot {
	return ledger.SourceSeen.In(string(at)).Of(p.stateName(), ledger.Source{Collection: collection})
}

// lookAtSources remembers which of the texts that have a history stand in the tree of a push in which nothing went wrong.
func (r *pushing) lookAtSources(a *accepted.Sources, commit string) error {
	if r.o.DryRun || len(r.errs) > 0 || len(a.Pasts) == 0 {
		return nil
	}
	place := lookAt(r.branch.Project.Push.Source)
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for collection := range a.Pasts {
			history, err := tx.Marks(r.branch.sourceHistory(collection))
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
			if err := ledger.KeepMarks(tx, r.branch.sourceSeen(place, collection), seen); err != nil {
				return err
			}
		}
		return ledger.SourceSeenAt.Put(tx, r.branch.stateName(), string(place), commit)
	})
}

// relearn makes accepted texts the youngest of their histories, where they have one.
func (p *Branch) relearn(tx ledger.Writer, collection string, units []ledger.Text) error {
	history, err := tx.Marks(p.sourceHistory(collection))
	if err != nil || len(history) == 0 {
		return err
	}
	learned := false
	for _, u := range units {
		if ledger.Has(history, u.Name) {
			ledger.Learn(history, u.Name, u.Mark)
			learned = true
		}
	}
	if !learned {
		return nil
	}
	return tx.SetMarks(p.sourceHistory(collection), history)
}
