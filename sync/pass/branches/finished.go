package branches

import (
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"go.uber.org/zap"
)

// A branch that the remote had and has no more is finished: it is named once. At the service nothing is deleted. What
// is remembered of it goes after a month, since a branch may be restored. Which keys its own collections got is
// remembered for good: they may still be at the service with other texts, so that a later branch of that name
// inherits none of them.
const keepFinished = 30 * 24 * time.Hour

// finish finds the lines whose branch is gone: that the remote had once and has no more, or that are nowhere. The one
// that is checked out is in use.
func (r registry) finish(
	records map[string]ledger.Line, there map[string]string, head string,
) ([]report.FinishedLine, error) {
	var finished []report.FinishedLine
	for _, name := range slices.Sorted(maps.Keys(records)) {
		record := records[name]
		if _, at := there[name]; at || name == head {
			continue
		}
		if record.Finished != nil {
			if err := r.forgetLine(record); err != nil {
				return nil, err
			}
			continue
		}
		if here, err := r.branch.Repo.Branches.Has(name); err != nil {
			return nil, err
		} else if here && !record.Published {
			continue
		}
		collections, err := r.ownCollections(name, records)
		if err != nil {
			return nil, err
		}
		finished = append(finished, report.FinishedLine{Base: name, Branch: record.Branch, Collections: collections})
		now := r.branch.Now().UTC()
		record.Finished = &now
		if err := ledger.Lines.Put(r.branch.Ledger, r.branch.ProjectName(), name, record); err != nil {
			return nil, err
		}
	}
	return finished, nil
}

// forgetLine drops what is remembered of a line that has been finished for long. What people have decided about its
// request stays with it: it is a few words, and they may have closed it for good.
func (r registry) forgetLine(line ledger.Line) error {
	if line.Forgotten != nil || line.Base == r.branch.Project.Trunk() ||
		r.branch.Now().Sub(*line.Finished) < keepFinished {
		return nil
	}
	name := ledger.BranchScope(r.branch.ProjectName(), line.Base)
	err := r.branch.Ledger.Update(func(tx ledger.Writer) error {
		pushed, err := ledger.Pushed.Slots(tx, name)
		if err != nil {
			return err
		}
		line.Forgotten = &ledger.Forgotten{}
		for _, from := range pushed {
			if err := r.former(tx, from); err != nil {
				return err
			}
		}
		if err := tx.Forget(name, ledger.Former.Kind(), ledger.Requests.Kind()); err != nil {
			return err
		}
		return ledger.Lines.Put(tx, r.branch.ProjectName(), line.Base, line)
	})
	if err == nil {
		r.branch.Log.Info("what was remembered of a branch that is gone is forgotten", zap.String("base", line.Base),
			zap.Time("gone", *line.Finished))
	}
	return err
}

// former adds what was pushed of a file to what stays known of it.
func (r registry) former(tx ledger.Writer, pushed ledger.Slot) error {
	to := pushed
	to.Kind = ledger.Former.Kind()
	marks, err := tx.Marks(to)
	if err != nil {
		return err
	}
	if marks == nil {
		_, err = tx.MoveMarks(pushed, to)
		return err
	}
	more, err := tx.Marks(pushed)
	if err != nil {
		return err
	}
	maps.Copy(marks, more)
	return tx.SetMarks(to, marks)
}

// collectionsOf are the collections that were pushed for a line: for the branch that it is now, and for those of its
// name that are forgotten.
func (r registry) collectionsOf(line string) (map[string]bool, error) {
	collections := make(map[string]bool)
	for _, kind := range []ledger.SourceMarks{ledger.Pushed, ledger.Former} {
		slots, err := kind.Slots(r.branch.Ledger, ledger.BranchScope(r.branch.ProjectName(), line))
		if err != nil {
			return nil, err
		}
		for _, slot := range slots {
			collections[slot.Collection] = true
		}
	}
	return collections, nil
}

// ownCollections are the collections that were pushed for a line and for no other that is alive.
func (r registry) ownCollections(name string, records map[string]ledger.Line) ([]string, error) {
	own, err := r.collectionsOf(name)
	if err != nil {
		return nil, err
	}
	for other, record := range records {
		if other == name || record.Finished != nil {
			continue
		}
		used, err := r.collectionsOf(other)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(own, func(collection string, _ bool) bool { return used[collection] })
	}
	names := slices.AppendSeq([]string{}, maps.Keys(own))
	slices.Sort(names)
	return names, nil
}
