package engine

import (
	"fmt"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/state"
)

// A source text that a pull brought (see reword.go) stands on the branch at first. The tree that pushes read has the one from before until the branch is
// merged, and an old commit that is checked out has it again: neither is somebody's change, and sending it would undo the service's. So the texts of such a
// name are remembered as a history (see known.go), from the one that the pull replaced on. A text of the history is sent only when somebody must have brought
// it back: when the place has a commit in its past at which another text was seen that is younger, or is nobody's but a person's.
//
// Names that no pull ever wrote have no history, and whatever is written in them is sent.
const (
	kindSourceKnown = "source known" // by collection: the histories
	kindSourceSeen  = "source seen"  // by place and collection: what stood there at the last look; the record of a place is the commit that was looked at
)

func (p *project) sourceHistory(collection string) state.Slot {
	return p.slot(kindSourceKnown, "", collection)
}

func (p *project) sourceSeen(at lookAt, collection string) state.Slot {
	return p.slot(kindSourceSeen+" "+string(at), "", collection)
}

// sourcePast is what is remembered of the pulled source texts of a collection.
type sourcePast struct {
	history catalog.Marks
	seen    []catalog.Marks // at the looks at commits of the place's past
}

// recallPasts loads the histories, for the tree of one place at a commit.
func (p *project) recallPasts(repo *gitops.Repo, a *accepted, at lookAt, commit string) error {
	slots, err := p.State.Slots(p.stateName(), kindSourceKnown)
	if err != nil || len(slots) == 0 {
		return err
	}
	var looks []lookAt
	for _, l := range []lookAt{lookAt(p.cfg.Push.Source), lookAt(p.cfg.Pull.Branch)} {
		if l == config.Worktree && at != l || slices.Contains(looks, l) {
			continue // what was seen there need not be committed, and says nothing about another place
		}
		last, looked, err := state.Get[string](p.State, p.stateName(), kindSourceSeen, string(l))
		if err != nil {
			return err
		}
		if !looked {
			continue
		}
		past, err := repo.Contains(commit, last)
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
			seen, err := p.State.Marks(p.sourceSeen(l, slot.Language))
			if err != nil {
				return err
			}
			x.seen = append(x.seen, seen)
		}
		a.pasts[slot.Language] = x
	}
	return nil
}

// behind reports whether a source text only lies behind what a pull brought: whether it is of the history and nobody brought it back.
func (a *accepted) behind(collection string, n catalog.Name, text string) bool {
	past, mark := a.pasts[collection], catalog.MarkOf(text)
	at := age(past.history, n, mark)
	if at < 0 || !knows(past.history, n, a.texts[collection][n]) {
		return false // not of the history, or the service may have another text than those
	}
	return !slices.ContainsFunc(past.seen, func(seen catalog.Marks) bool {
		other, there := seen[n]
		if !there || other == mark {
			return false
		}
		when := age(past.history, n, other)
		return when < 0 || when > at
	})
}

// behindKeys are the keys of a file of which a text that the service does not have lies behind.
func (a *accepted) behindKeys(s *source) map[string]bool {
	keys := make(map[string]bool)
	if len(a.pasts[s.Collection].history) == 0 {
		return keys
	}
	for _, u := range s.texts {
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
	return r.State.Update(func(tx *state.Tx) error {
		for collection := range a.pasts {
			history, err := tx.Marks(r.sourceHistory(collection))
			if err != nil {
				return err
			}
			seen := make(catalog.Marks)
			for _, s := range r.tree.sources {
				if s.Collection != collection {
					continue
				}
				for _, u := range s.texts {
					if _, has := history[known(u.Name, 0)]; has {
						seen[u.Name] = catalog.MarkOf(u.Text)
					}
				}
			}
			if err := keepMarks(tx, r.sourceSeen(place, collection), seen); err != nil {
				return err
			}
		}
		return state.PutTx(tx, r.stateName(), kindSourceSeen, string(place), commit)
	})
}

// sourceCommit is the commit that the tree of pushes stands on; "" before the first.
func (t *tree) sourceCommit() string {
	if t.look != nil {
		return t.look.Commit
	}
	if tip, ok := t.fsys.(*gitops.Tip); ok {
		return tip.Hash()
	}
	return ""
}

// relearn makes accepted texts the youngest of their histories, where they have one.
func (p *project) relearn(tx *state.Tx, collection string, units []accept) error {
	history, err := tx.Marks(p.sourceHistory(collection))
	if err != nil || len(history) == 0 {
		return err
	}
	learned := false
	for _, u := range units {
		if _, has := history[known(u.Name, 0)]; has {
			learn(history, u.Name, u.Mark)
			learned = true
		}
	}
	if !learned {
		return nil
	}
	return tx.SetMarks(p.sourceHistory(collection), history)
}

// keepMarks stores marks; nil stores nothing where nothing is.
func keepMarks(tx *state.Tx, slot state.Slot, now catalog.Marks) error {
	if now == nil && !tx.HasMarks(slot) {
		return nil
	}
	return tx.SetMarks(slot, now)
}
