package pull

import (
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// leftOut is what a pull left out of one target file: for a check, the guard, or because it cannot be written.
type leftOut struct {
	bundle.Target
	keys map[string]bool
}

// looksAt begins the account of what is left out of a file.
func (r *pulling) looksAt(t bundle.Target) leftOut {
	id := ledger.TargetID(t.Path, t.Language.Code)
	if _, begun := r.left[id]; !begun {
		r.left[id] = leftOut{t, make(map[string]bool)}
	}
	return r.left[id]
}

// leaveOut reports a translation that is left out.
func (r *pulling) leaveOut(x pass.Translated, code, key, why string) {
	r.looksAt(x.Target).keys[key] = true
	r.problem(report.Problem{Code: code, File: x.Path, Key: key, Language: x.Language.Code, Problem: why})
}

// leaveChanges takes note of all that a file does not get which is left as it is.
func (r *pulling) leaveChanges(x pass.Translated, changes []catalog.Change) {
	left := r.looksAt(x.Target)
	for _, c := range changes {
		left.keys[c.Key] = true
	}
}

// keepLeft remembers what was left out of the files that a pull looked at, in place of what earlier ones left out of them.
func (r *pulling) keepLeft(tx ledger.Writer) error {
	for _, l := range r.left {
		slot := r.branch.Slot(ledger.LeftOut, l.Path, l.Language.Code)
		if len(l.keys) == 0 {
			if err := tx.DropMarks(slot); err != nil {
				return err
			}
			continue
		}
		marks := make(catalog.Marks, len(l.keys))
		for key := range l.keys {
			marks[catalog.Name{Key: key}] = catalog.Mark{}
		}
		if err := tx.SetMarks(slot, marks); err != nil {
			return err
		}
	}
	return nil
}

// valueOf is a change of a catalog as a dry run shows it; at is the catalog's index.
func valueOf(before catalog.Catalog, at map[catalog.Name]int, c catalog.Change) report.Value {
	v := report.Value{Key: c.Key, Form: c.Form}
	if c.Op != catalog.Removed {
		v.New = &c.Text
	}
	if i, there := at[c.Name]; there {
		v.Old = &before[i].Text
	}
	return v
}
