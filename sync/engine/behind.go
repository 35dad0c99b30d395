package engine

import (
	"fmt"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

func (p *project) sourceHistory(collection string) ledger.Slot {
	return ledger.SourceKnown.Of(p.stateName(), ledger.Source{Collection: collection})
}

func (p *project) sourceSeen(at lookAt, collection string) ledger.Slot {
	return ledger.SourceSeen.In(string(at)).Of(p.stateName(), ledger.Source{Collection: collection})
}

// sourcePast is what is remembered of the pulled source texts of a collection.
type sourcePast struct {
	history catalog.Marks
	seen    []catalog.Marks // at the looks at commits of the place's past
}

// recallPasts loads the histories, for the tree of one place at a commit.
func (p *project) recallPasts(repo *gitops.Repo, a *accepted, at lookAt, commit string) error {
	slots, err := ledger.SourceKnown.Slots(p.State, p.stateName())
	if err != nil || len(slots) == 0 {
		return err
	}
	var looks []lookAt
	for _, l := range []lookAt{lookAt(p.cfg.Push.Source), lookAt(p.cfg.Pull.Branch)} {
		if l == config.Worktree && at != l || slices.Contains(looks, l) {
			continue // what was seen there need not be committed, and says nothing about another place
		}
		last, looked, err := ledger.SourceSeenAt.Get(p.State, p.stateName(), string(l))
		if err != nil {
			return err
		}
		if !looked {
			continue
		}
		past, err := repo.History.Contains(commit, last)
		if err != nil {
			return fmt.Errorf("look for commit %.10s in the past of %.10s: %w", last, commit, err)
		}
		if past || at == l && last == commit {
			looks = append(looks, l)
		}
	}
	a.pasts = make(map[string]sourcePast, len(slots))
	for _, slot := range slots {
		var x sourcePast
		if x.history, err = p.State.Marks(slot); err != nil {
			return err
		}
		for _, l := range looks {
			seen, err := p.State.Marks(p.sourceSeen(l, slot.Collection))
			if err != nil {
				return err
			}
			x.seen = append(x.seen, seen)
		}
		a.pasts[slot.Collection] = x
	}
	return nil
}

// behind reports whether a source text only lies behind what a pull brought: whether it is of the history and nobody brought it back.
func (a *accepted) behind(collection string, n catalog.Name, text string) bool {
	past, mark := a.pasts[collection], catalog.MarkOf(text)
	at := ledger.Age(past.history, n, mark)
	if at < 0 || !ledger.Knows(past.history, n, a.texts[collection][n]) {
		return false // not of the history, or the service may have another text than those
	}
	return !slices.ContainsFunc(past.seen, func(seen catalog.Marks) bool {
		other, there := seen[n]
		if !there || other == mark {
			return false
		}
		when := ledger.Age(past.history, n, other)
		return when < 0 || when > at
	})
}

// behindKeys are the keys of a file of which a text that the service does not have lies behind.
func (a *accepted) behindKeys(s *tree.Source) map[string]bool {
	keys := make(map[string]bool)
	if len(a.pasts[s.Collection].history) == 0 {
		return keys
	}
	for _, u := range s.Texts {
		if !a.texts[s.Collection].Has(u.Name, u.Text) && a.behind(s.Collection, u.Name, u.Text) {
			keys[u.Key] = true
		}
	}
	return keys
}

// lookAtSources remembers which of the texts that have a history stand in the tree of a push in which nothing went wrong.
func (r *pushing) lookAtSources(a *accepted, commit string) error {
	if r.o.DryRun || len(r.errs) > 0 || len(a.pasts) == 0 {
		return nil
	}
	place := lookAt(r.cfg.Push.Source)
	return r.State.Update(func(tx ledger.Writer) error {
		for collection := range a.pasts {
			history, err := tx.Marks(r.sourceHistory(collection))
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
			if err := keepMarks(tx, r.sourceSeen(place, collection), seen); err != nil {
				return err
			}
		}
		return ledger.SourceSeenAt.Put(tx, r.stateName(), string(place), commit)
	})
}

// relearn makes accepted texts the youngest of their histories, where they have one.
func (p *project) relearn(tx ledger.Writer, collection string, units []ledger.Text) error {
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

// keepMarks stores marks; nil stores nothing where nothing is.
func keepMarks(tx ledger.Writer, slot ledger.Slot, now catalog.Marks) error {
	if now == nil {
		if has, err := tx.HasMarks(slot); err != nil || !has {
			return err
		}
	}
	return tx.SetMarks(slot, now)
}
