package push

import (
	"errors"
	"fmt"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// missing lists the target files with a history that no snapshot has, as far as that is new.
func (r *reader) missing() ([]ledger.Slot, error) {
	slots, err := ledger.Known.Slots(r.branch.Ledger, r.branch.StateName())
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slots, func(s ledger.Slot) bool {
		if r.present[ledger.TargetID(s.Path, s.Language)] {
			return true
		}
		_, is, gerr := ledger.Gone.Get(r.branch.Ledger, r.branch.StateName(), ledger.TargetID(s.Path, s.Language))
		history, herr := r.branch.Ledger.Marks(s)
		if gerr = errors.Join(gerr, herr); gerr != nil {
			err = fmt.Errorf("look for %s among the files that are gone: %w", s.Path, gerr)
		}
		return is || len(history) == 0 // a language that has no translation yet has no file
	}), err
}

// returned ends the absence of a file. What was remembered of another one at its path is forgotten.
func (r *reader) returned(tx ledger.Writer, c *candidate) error {
	if !c.memory.back {
		return nil
	}
	var kinds []ledger.TargetMarks
	if c.memory.other {
		kinds = []ledger.TargetMarks{ledger.Known, ledger.Filler, ledger.Merged, ledger.Sent, ledger.Delivered,
			ledger.SeenHere}
		for _, l := range r.branch.LookedAt() {
			kinds = append(kinds, l.Kind())
		}
	}
	return errors.Join(ledger.Gone.Delete(tx, r.branch.StateName(), c.id()),
		ledger.Each(kinds, func(kind ledger.TargetMarks) error {
			return tx.DropMarks(r.branch.Memory().Slot(kind, c.Path, c.Language.Code))
		}))
}

// untouched reports whether the tree that pushes read is as the last push saw it, at the same commit, and with nothing
// to send. Then the branch need not be looked at: fetching it is the slowest step of a push.
func (r *reader) untouched() (bool, error) {
	if _, tip := r.tree.FS.(*gitops.Tip); tip {
		return false, nil // it was fetched just now
	}
	_, head, err := r.branch.Repo.Head()
	if err != nil {
		return false, err
	}
	here := pass.LookAt(config.Worktree)
	last, looked, err := ledger.SeenAt.Get(r.branch.Ledger, r.branch.StateName(), here.Record())
	if err != nil || !looked || last != head || r.o.Translations || r.o.Ours {
		return false, err
	}
	if rung, err := r.branch.Memory().Rung(); err != nil || rung {
		return false, err
	}
	targets, err := bundle.Existing(r.tree.FS, r.tree.Bundles(), r.branch.Project.Targets())
	if err != nil {
		return false, err
	}
	for _, t := range targets {
		f, problem, err := t.Sources[0].Read(r.tree.FS, t.Path, t.Language)
		if err != nil || problem != nil {
			return false, err
		}
		marks, err := r.branch.Memory().Read(t.Path, t.Language.Code, here.Kind(), ledger.Known)
		texts, seen, history := bundle.Texts(f), marks[here.Kind()], marks[ledger.Known]
		if err != nil || (f == nil) != (seen == nil) || len(catalog.Diff(seen, texts)) > 0 {
			return false, err
		}
		of, err := r.offers(t, texts, history)
		if err != nil {
			return false, err
		}
		for _, u := range texts {
			if lost, is := r.lost[ledger.ConflictID(t.Path, t.Language.Code, u.Key)]; is && lost.IsOurs(u) || !of.asked(u) {
				continue
			}
			if (!ledger.Holds(history, u) || of.again(u)) && u.Text != "" {
				return false, nil // written here, and not sent yet
			}
		}
	}
	return true, nil
}

// remember keeps what the snapshots held: all of it but changes that the service has not confirmed, which are found
// again.
func (r *reader) remember(found []*candidate) error {
	if r.snapshots.branchUnread {
		return nil
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, c := range found {
			slot := r.branch.Memory().Slot(c.snapshot.name.Kind(), c.Path, c.Language.Code)
			seen := c.texts.Marks()
			before, err := tx.Marks(slot)
			history, herr := tx.Marks(r.branch.Memory().Slot(ledger.Known, c.Path, c.Language.Code))
			if err = errors.Join(err, herr); err != nil {
				return err
			}
			if len(r.Errs) == 0 && !slices.Contains(c.snapshot.earlier, c.snapshot.name) {
				before = nil // another branch had that, and its commit is forgotten now
			}
			for _, open := range []map[catalog.Name]bool{c.changed, c.back} {
				for n := range open {
					ledger.KeepSeen(seen, before, history, n)
				}
			}
			packed := seen.Pack()
			err = tx.SetMarks(slot, packed)
			if c.snapshot.name == config.Worktree {
				here := r.branch.Memory().Slot(ledger.SeenHere, c.Path, c.Language.Code)
				err = errors.Join(err, ledger.KeepMarks(tx, here, ledger.Replacing(history, c.texts)),
					ledger.SeenHereAt.Put(tx, r.branch.StateName(), c.id(), ledger.Digest(packed.Encode())))
			}
			if err != nil {
				return err
			}
		}
		if len(r.Errs) > 0 {
			return nil
		}
		waits := r.waits || slices.ContainsFunc(found, func(c *candidate) bool {
			return len(c.changed) > 0 && !r.o.Pushes(c.Path)
		})
		err := ledger.UnsentAt.Delete(tx, r.branch.StateName(), r.branch.Project.Pull.Branch)
		if waits { // perhaps on the branch, which the next push reads then
			err = ledger.UnsentAt.Put(tx, r.branch.StateName(), r.branch.Project.Pull.Branch, r.snapshots.all[0].commit)
		}
		return errors.Join(err,
			ledger.Each(found, func(c *candidate) error {
				return ledger.Each(c.yielded, func(lost pass.Conflict) error { return lost.KeepFirst(r.branch, tx) })
			}),
			ledger.Each(r.snapshots.all, func(at *opened) error {
				refused := func(c *candidate) bool {
					return c.snapshot == &at.snapshot && len(c.back)+len(c.changed) > 0 && r.Refused[c.Path+"\x00"+c.Language.Code]
				}
				if slices.Contains(at.earlier, at.name) && slices.ContainsFunc(found, refused) {
					return nil // the commit may be amended before the service takes what it brings back
				}
				err := ledger.SeenAt.Put(tx, r.branch.StateName(), at.name.Record(), at.commit)
				if at.name == config.Worktree {
					err = errors.Join(err, ledger.SeenHereAt.Put(tx, r.branch.StateName(), "", at.commit))
				}
				return err
			}))
	})
}
