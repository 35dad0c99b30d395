package push

import (
	"errors"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
)

// apply tells and remembers what was decided about the source files, before anything is sent.
func (r *sourcePass) apply(plan *sourcePlan) error {
	for _, problem := range r.accepted.Problems {
		r.answer(problem)
	}
	if err := r.conclude(r.accepted); err != nil {
		return err
	}
	if !r.o.Partial() { // else what was written under keys that moved has perhaps yet to be sent
		if err := r.branch.Keeper().Adopt(r.accepted); err != nil {
			return err
		}
	}
	if err := r.branch.Keeper().KeepInherited(r.accepted); err != nil {
		return err
	}
	for _, v := range plan.verdicts {
		r.tellVerdict(v)
	}
	r.orphaned(plan.orphans)
	for _, p := range plan.doubts {
		r.Problem(p)
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		err := ledger.Each(plan.verdicts, func(v verdict) (err error) {
			if len(v.accepted) > 0 {
				r.accepted.Add(v.of.Collection, v.accepted.Marks())
				a := pass.NewAcceptance(v.of.Collection)
				a.Add(v.of.Path, pass.Accepts(v.accepted))
				err = r.branch.Memory().Accept(tx, a)
			}
			if v.found != nil && err == nil {
				err = tx.SetMarks(r.branch.Memory().FoundSlot(v.of.Collection), v.found)
			}
			return err
		})
		if err != nil {
			return err
		}
		return ledger.Each(plan.files, func(s *compared) error { return s.renames.Remember(tx) })
	})
}

// tellVerdict tells what becomes of texts that the service has otherwise.
func (r *sourcePass) tellVerdict(v verdict) {
	for _, d := range v.told {
		switch {
		case d.Foretold:
			r.out.Foretell(d.Told)
		case d.Told.Problem == "":
		case d.Told.Code == report.CodeConflict:
			r.Problem(d.Told)
		default:
			r.report.Replaced = append(r.report.Replaced, d.Told)
			if r.branch.Project.Push.Conflicts != "skip" {
				r.branch.LogReplaced(d.Told)
			}
		}
	}
}

// seeMissing remembers which files are missed for the first time, and which are there again.
func (r *sourcePass) seeMissing(a *accepted.Sources) error {
	here := a.Present()
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		err := ledger.Each(a.Missed, func(at ledger.Source) error {
			r.branch.Log.Info("a source file is missing; it counts as deleted when the next push does not find it either")
			absence := ledger.Absence{At: r.branch.Now().UTC(), Run: r.branch.Run}
			return ledger.Missing.Put(tx, r.branch.StateName(), at.ID(), absence)
		})
		return errors.Join(err, ledger.Each(a.All(), func(at ledger.Source) error {
			if !here[at] && !slices.ContainsFunc(a.Moves, func(m ledger.Move) bool { return m.From == at }) {
				return nil
			}
			return ledger.Missing.Delete(tx, r.branch.StateName(), at.ID())
		}))
	})
}

// conclude tells the keys of files that are gone, and remembers them and the files that moved.
func (r *sourcePass) conclude(a *accepted.Sources) error {
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		err := ledger.Each(a.Gone, func(at ledger.Source) error {
			if !r.o.Pushes(at.Path) {
				return nil
			}
			slot := ledger.Removed.Of(r.branch.StateName(), at)
			before, err := tx.Marks(slot)
			if err != nil {
				return err
			}
			lost := orphans(at, before, a.Files[at], a.Living[at.Collection])
			if p, dropped := a.Dropped(at, len(lost)); dropped && len(lost) > 0 {
				r.report.Orphaned = append(r.report.Orphaned, p)
			} else {
				r.orphaned(lost)
			}
			return tx.SetMarks(slot, a.Files[at])
		})
		return errors.Join(err, rememberMoves(tx, r.branch.StateName(), a))
	})
}

// orphaned tells the keys that a file lost since the last push.
func (r *sourcePass) orphaned(keys []orphan) {
	for _, k := range keys {
		r.report.Orphaned = append(r.report.Orphaned, r.accepted.Orphan(k.at, k.key))
	}
}

// rememberMoves stores the moves, and forgets those whose old file is there again or has moved on.
func rememberMoves(tx ledger.Writer, project string, a *accepted.Sources) error {
	stored, err := ledger.Moves.List(tx, project)
	if err != nil {
		return err
	}
	here := a.Present()
	ended := slices.DeleteFunc(stored, func(m ledger.Move) bool {
		return !here[m.From] && !slices.ContainsFunc(a.Moves, func(o ledger.Move) bool { return o.From == m.From })
	})
	return errors.Join(ledger.DeleteAll(ledger.Moves, tx, project, ended),
		ledger.PutAll(ledger.Moves, tx, project, a.Moves))
}

// seeSources remembers which texts with a history are in the tree. A text that was written and is not confirmed by the
// service keeps what was seen before it.
func (r *sourcePass) seeSources(a *accepted.Sources, commit string) error {
	if len(r.Errs) > 0 || len(a.Pasts) == 0 {
		return nil
	}
	from := pass.LookAt(r.branch.Project.Push.Source)
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for collection := range a.Pasts {
			slot := r.branch.Memory().SourceSeen(from, collection)
			history, err := tx.Marks(r.branch.Memory().SourceHistory(collection))
			before, berr := tx.Marks(slot)
			if err := errors.Join(err, berr); err != nil {
				return err
			}
			if !a.GoesOn {
				before = nil // another branch had that, and its commit is forgotten now
			}
			seen := make(catalog.Marks)
			for _, s := range r.tree.Sources {
				if s.Collection != collection {
					continue
				}
				for _, u := range s.Texts {
					if !ledger.Has(history, u.Name) {
						continue
					}
					seen[u.Name] = catalog.MarkOf(u.Text)
					if !a.Texts[collection].Has(u.Name, u.Text) && !a.Behind(collection, u.Name, u.Text) {
						ledger.KeepSeen(seen, before, history, u.Name)
					}
				}
			}
			if err := ledger.KeepMarks(tx, slot, seen); err != nil {
				return err
			}
		}
		return ledger.SourceSeenAt.Put(tx, r.branch.StateName(), string(from), commit)
	})
}
