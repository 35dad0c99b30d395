package engine

import (
	"slices"
	"time"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// besides are problems without those that are found elsewhere.
func besides(problems []report.Problem, elsewhere map[report.Problem]bool) []report.Problem {
	var others []report.Problem
	for _, p := range problems {
		if !elsewhere[p] {
			others = append(others, p)
		}
	}
	return others
}

// stillHolding is how a pass ended that did not come to its end: what the one before it left out is left out still, as far as anybody knows.
func stillHolding(past, last report.Past) report.Past {
	past.Look = last.Look
	past.Problems = append(past.Problems, besides(last.Problems, problemSet(past.Problems))...)
	past.Unread = append(past.Unread, besides(last.Unread, problemSet(past.Unread))...)
	past.Held = max(past.Held, last.Held)
	return past
}

func problemSet(problems []report.Problem) map[report.Problem]bool {
	set := make(map[report.Problem]bool, len(problems))
	for _, p := range problems {
		set[p] = true
	}
	return set
}

// outcome sums a pass up.
func outcome(at time.Time, keys int, commit string, problems []report.Problem, err error) report.Past {
	past := report.Past{At: at.UTC(), Result: report.ResultOK, Keys: keys, Commit: commit, Problems: problems}
	if report.LeavesOut(problems) {
		past.Result = report.ResultPartial
	}
	if err != nil {
		past.Result, past.Error, past.ErrorCode = report.ResultFailed, err.Error(), failure.Code(err)
	}
	return past
}

// subject says what the problems of a pull are about: where branch and base were, with which configuration.
func (p *Branch) subject(look string) string { return p.configured() + " " + look }

// keepWaiting remembers the branches that wait, in place of those that the last such pass found.
func (p *project) keepWaiting(pass string, now []ledger.WaitingBranch) error {
	before, _, err := ledger.Waiting.Get(p.branch.Ledger, p.branch.projectName(), pass)
	if err != nil || slices.Equal(before, now) {
		return err
	}
	return ledger.Waiting.Put(p.branch.Ledger, p.branch.projectName(), pass, now)
}

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
func (r *pulling) leaveOut(x translated, code, key, why string) {
	r.looksAt(x.Target).keys[key] = true
	r.problem(report.Problem{Code: code, File: x.Path, Key: key, Language: x.Language.Code, Problem: why})
}

// leaveChanges takes note of all that a file does not get which is left as it is.
func (r *pulling) leaveChanges(x translated, changes []catalog.Change) {
	left := r.looksAt(x.Target)
	for _, c := range changes {
		left.keys[c.Key] = true
	}
}

// keepLeft remembers what was left out of the files that a pull looked at, in place of what earlier ones left out of them.
func (r *pulling) keepLeft(tx ledger.Writer) error {
	for _, l := range r.left {
		slot := r.branch.slot(ledger.LeftOut, l.Path, l.Language.Code)
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
