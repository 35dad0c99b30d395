package pull

import (
	"context"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
)

// What a commit's merges are to be remembered as is staged before the commit is pushed, and taken over once it has arrived. All of that is
// made in short transactions, and each step may be made again.

// stage writes down a delivery, then its merges: what a crash leaves half staged is dropped with the delivery, since its commit is pushed later
// only. Texts enter the files' histories at once: a reader that finds them in the repository must not take them for a person's change.
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
	put := func(tx ledger.Writer) (int, error) {
		return 0, ledger.Deliveries.Put(tx, p.StateName(), p.Project.Pull.Branch, d)
	}
	steps := append([]pass.StateStep{put}, remembering(p, staged, true)...)
	return p.InPieces(ctx, steps, func(ledger.Writer) error { return nil })
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
	end := func(tx ledger.Writer) error { return mergedAt(p, tx, on.Hash()) }
	if delivered {
		steps, end = append(steps, Unstaging(p, d, true)...), ending(p, d, true)
	}
	err = p.InPieces(ctx, steps, end)
	return delivered && err == nil, err
}

// unstage ends a delivery, which has arrived or not.
func Unstage(ctx context.Context, p *pass.Branch, d ledger.Delivery, arrived bool) error {
	return p.InPieces(ctx, Unstaging(p, d, arrived), ending(p, d, arrived))
}

// unstaging are the steps that take over what is staged where the commit arrived, and drop it otherwise.
func Unstaging(p *pass.Branch, d ledger.Delivery, arrived bool) (steps []pass.StateStep) {
	const weight = pass.PieceWeight / 32 // for the number of texts in one file, which is not known here
	if arrived {
		steps = append(steps, func(tx ledger.Writer) (int, error) { return 0, reworded(p, tx, d) })
	}
	for _, f := range d.Files {
		steps = append(steps, func(tx ledger.Writer) (int, error) { return weight, UnstageOne(p, tx, f, arrived) })
	}
	return steps
}

func UnstageOne(p *pass.Branch, tx ledger.Writer, f ledger.DeliveredFile, arrived bool) error {
	if f.Collection != "" {
		return tx.DropMarks(p.PushedSlot(f.Source()).Stage(true))
	}
	branch := pass.LookAt(p.Project.Pull.Branch).Kind()
	for _, kind := range []ledger.TargetMarks{ledger.Merged, ledger.Filler, ledger.Made, ledger.Outdated, branch} {
		slot := p.Slot(kind, f.Path, f.Language).Stage(true)
		if !arrived {
			if err := tx.DropMarks(slot); err != nil {
				return err
			}
		} else if _, err := tx.MoveMarks(slot, p.Slot(kind, f.Path, f.Language)); err != nil {
			return err
		}
	}
	if !arrived {
		return nil
	}
	return p.Written(tx, f.Path, f.Language)
}

// ending is the last step of a delivery: its record goes, and the branch was merged up to its commit.
func ending(p *pass.Branch, d ledger.Delivery, arrived bool) func(ledger.Writer) error {
	return func(tx ledger.Writer) error {
		if arrived {
			if err := mergedAt(p, tx, d.Commit); err != nil {
				return err
			}
		}
		return ledger.Deliveries.Delete(tx, p.StateName(), p.Project.Pull.Branch)
	}
}

// mergedAt remembers the commit of the branch that everything was merged into, which is also the last one that was looked at there.
func mergedAt(p *pass.Branch, tx ledger.Writer, commit string) error {
	if commit != "" {
		if err := ledger.RecollectedAt.Put(tx, p.StateName(), p.Project.Pull.Branch, commit); err != nil {
			return err
		}
	}
	if err := ledger.MergedAt.Put(tx, p.StateName(), p.Project.Pull.Branch, commit); err != nil {
		return err
	}
	return ledger.SeenAt.Put(tx, p.StateName(), pass.LookAt(p.Project.Pull.Branch).Record(), commit)
}
