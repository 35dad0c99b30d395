package pull

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/text/catalog"
)

// remember writes the merge down, as far as anything in it is new. staged is what only counts once the commit has
// arrived; the history counts at once.
func (m *merged) remember(p *pass.Branch, tx ledger.Writer, staged bool) error {
	if m.wording != nil {
		return m.wording.remember(p, tx, staged)
	}
	return errors.Join(
		ledger.Each(m.conflicts, func(c pass.Conflict) error { return c.Keep(p, tx) }),
		ledger.Each(m.settled, func(id string) error { return ledger.Conflicts.Delete(tx, p.StateName(), id) }),
		ledger.Each(m.records, func(r marked) error { return m.record(p, tx, r, staged && r.kind != ledger.Elsewhere) }),
		m.rememberTexts(p, tx), m.takeDelivered(p, tx), m.settleSent(p, tx))
}

// takeDelivered takes over what the service accepted of keys that were in another file then.
func (m *merged) takeDelivered(p *pass.Branch, tx ledger.Writer) error {
	if len(m.along[ledger.Delivered]) == 0 {
		return nil
	}
	return ledger.Amend(tx, p.Memory().Slot(ledger.Delivered, m.Path, m.Language.Code),
		func(delivered catalog.Marks) { maps.Copy(delivered, m.along[ledger.Delivered]) })
}

// settleSent notes what was sent and is shown by now.
func (m *merged) settleSent(p *pass.Branch, tx ledger.Writer) error {
	err := p.Memory().SettleSent(tx, ledger.TargetID(m.Path, m.Language.Code), m.sent.Done, p.Now())
	if m.former.path != "" {
		id := ledger.TargetID(m.former.path, m.Language.Code)
		err = errors.Join(err, p.Memory().SettleSent(tx, id, m.sent.Done, p.Now()))
	}
	return err
}

// record writes down the marks of one kind; none of them are written only over others.
func (m *merged) record(p *pass.Branch, tx ledger.Writer, r marked, staged bool) error {
	slot := p.Memory().Slot(r.kind, m.Path, m.Language.Code)
	if r.marks == (catalog.Packed{}) {
		if has, err := tx.HasMarks(slot); err != nil || !has {
			return err
		}
	}
	return tx.SetMarks(slot.Stage(staged), r.marks)
}

// rememberTexts adds what the file had and has got to its history.
func (m *merged) rememberTexts(p *pass.Branch, tx ledger.Writer) error {
	changes := len(m.texts.stayed) + len(m.texts.kept) + len(m.sent.Again) + len(m.along[ledger.Known])
	if m.texts.met && changes == 0 && m.texts.wrote == (catalog.Packed{}) {
		return nil // the history has all of it
	}
	slot := p.Memory().Slot(ledger.Known, m.Path, m.Language.Code)
	history, err := tx.Marks(slot)
	wrote, werr := m.texts.wrote.Marks()
	if err = errors.Join(err, werr); err != nil {
		return err
	}
	now := make(catalog.Marks, len(history)+len(m.texts.stayed))
	if maps.Copy(now, history); history == nil {
		maps.Copy(now, m.texts.inherits)
	}
	maps.Copy(now, m.along[ledger.Known])
	for _, u := range m.texts.stayed {
		if !ledger.Holds(now, u) {
			ledger.Learn(now, u.Name, catalog.MarkOf(u.Text))
		}
	}
	for name, mark := range wrote {
		ledger.Learn(now, name, mark)
	}
	for _, k := range m.texts.kept {
		if mark := catalog.MarkOf(k.Text); ledger.Age(now, k.Name, mark) < ledger.Age(now, k.Name, k.Agreed) {
			ledger.Forget(now, k.Name, mark)
		}
	}
	for _, k := range m.sent.Again { // as if it had been written now: the next push sends it
		ledger.Learn(now, k.Name, k.Agreed)
		ledger.Forget(now, k.Name, catalog.MarkOf(k.Text))
	}
	if history != nil && maps.Equal(now, history) {
		return nil
	}
	return tx.SetMarks(slot, now)
}

// What a commit's merges are to be remembered as is staged before the commit is pushed, and taken over once it has
// arrived. All of that is made in short transactions, and each step may be made again.

// stage writes down a delivery, then its merges, then that all of them are staged: of one that a crash or a full disk
// left half staged, nothing counts, and the history tells what its commit brought. Texts enter the histories at once:
// readers must not take them for changes made by hand.
func stage(ctx context.Context, p *pass.Branch, d ledger.Delivery, done []*merged) error {
	var staged []*merged
	for _, m := range done {
		if m.bytes == nil {
			continue
		}
		f := ledger.DeliveredFile{Path: m.Path, Language: m.Language.Code}
		if m.wording != nil {
			f.Collection = m.wording.at.Collection
		}
		d.Files, staged = append(d.Files, f), append(staged, m)
	}
	put := func(tx ledger.Writer) error {
		return ledger.Deliveries.Put(tx, p.StateName(), p.Project.Pull.Branch, d)
	}
	begins := func(tx ledger.Writer) (int, error) { return 0, put(tx) }
	steps := append([]pass.StateStep{begins}, remembering(p, staged, true)...)
	return p.Memory().InPieces(ctx, steps, func(tx ledger.Writer) error {
		d.Staged = true
		return put(tx)
	})
}

// remembering are the steps that write down merges.
func remembering(p *pass.Branch, done []*merged, staged bool) (steps []pass.StateStep) {
	for _, m := range done {
		steps = append(steps, func(tx ledger.Writer) (int, error) { return m.weight, m.remember(p, tx, staged) })
	}
	return steps
}

// rememberAll writes down all merges, also those that were staged with a delivery, which it ends and reports.
func rememberAll(ctx context.Context, p *pass.Branch, on *gitops.Tip, done []*merged) (delivered bool, err error) {
	d, delivered, err := ledger.Deliveries.Get(p.Ledger, p.StateName(), p.Project.Pull.Branch)
	if err != nil {
		return false, err
	}
	isStaged := func(m *merged) bool { return delivered && m.bytes != nil && m.wording == nil }
	steps := remembering(p, slices.DeleteFunc(slices.Clone(done), isStaged), false)
	end := func(tx ledger.Writer) error { return seenAt(p, tx, on.Hash()) }
	if delivered {
		steps, end = append(steps, Unstaging(p, d, true)...), ending(p, d, true)
	}
	err = p.Memory().InPieces(ctx, steps, end)
	return delivered && err == nil, err
}

// Unstage ends a delivery, which has arrived or not.
func Unstage(ctx context.Context, p *pass.Branch, d ledger.Delivery, arrived bool) error {
	return p.Memory().InPieces(ctx, Unstaging(p, d, arrived), ending(p, d, arrived))
}

// Unstaging are the steps that take over what is staged where the commit arrived, and drop it otherwise.
func Unstaging(p *pass.Branch, d ledger.Delivery, arrived bool) (steps []pass.StateStep) {
	const weight = pass.PieceWeight / 32 // for the number of texts in one file, which is not known here
	if arrived {
		steps = append(steps, func(tx ledger.Writer) (int, error) { return 0, reworded(p, tx, d) })
	}
	for _, f := range d.Files {
		steps = append(steps, func(tx ledger.Writer) (int, error) { return weight, unstageOne(p, tx, f, arrived) })
	}
	return steps
}

// unstageOne takes over what is staged of one file, or drops it.
func unstageOne(p *pass.Branch, tx ledger.Writer, f ledger.DeliveredFile, arrived bool) error {
	if f.Collection != "" {
		return tx.DropMarks(p.Memory().PushedSlot(f.Source()).Stage(true))
	}
	branch := pass.LookAt(p.Project.Pull.Branch).Kind()
	kinds := []ledger.TargetMarks{ledger.Merged, ledger.Filler, ledger.Made, ledger.Outdated, branch}
	err := ledger.Each(kinds, func(kind ledger.TargetMarks) error {
		slot := p.Memory().Slot(kind, f.Path, f.Language).Stage(true)
		if !arrived {
			return tx.DropMarks(slot)
		}
		_, err := tx.MoveMarks(slot, p.Memory().Slot(kind, f.Path, f.Language))
		return err
	})
	if err != nil || !arrived {
		return err
	}
	return ledger.Gone.Delete(tx, p.StateName(), ledger.TargetID(f.Path, f.Language)) // it is the same file as before
}

// ending is the last step of a delivery: its record goes, and the branch was merged up to its commit.
func ending(p *pass.Branch, d ledger.Delivery, arrived bool) func(ledger.Writer) error {
	return func(tx ledger.Writer) error {
		if arrived {
			err := ledger.RecollectedAt.Put(tx, p.StateName(), p.Project.Pull.Branch, d.Commit)
			if err := errors.Join(err, seenAt(p, tx, d.Commit)); err != nil {
				return err
			}
		}
		return ledger.Deliveries.Delete(tx, p.StateName(), p.Project.Pull.Branch)
	}
}

// seenAt remembers the commit that everything was merged into as the last one that was looked at on the branch.
func seenAt(p *pass.Branch, tx ledger.Writer, commit string) error {
	return ledger.SeenAt.Put(tx, p.StateName(), pass.LookAt(p.Project.Pull.Branch).Record(), commit)
}
