package pull

import (
	"errors"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// account is what a pull reports, and what it left out.
type account struct {
	branch    *pass.Branch
	o         Options
	report    Report
	elsewhere map[report.Problem]bool // of the report: what the status finds itself
	unread    []report.Problem        // of the report: files that could not be read
	holds     []report.Problem        // files that the guard holds back
	// of files that were read, the keys that were left out: for a check, the guard, or because they cannot be written; the
	// marks are empty
	left map[ledger.Slot]catalog.Marks
}

// clear begins the report again. A commit that was delivered stays in it.
func (a *account) clear() {
	before := a.report.ProjectPull
	a.report.ProjectPull = report.ProjectPull{Scope: pass.Scope(a.branch, a.o.Languages),
		Branch: a.branch.Project.Pull.Branch, Outcome: pass.NoProblems(), Commit: before.Commit, Pushed: before.Pushed,
		Requests: before.Requests, Files: []report.PulledFile{}}
	a.holds, a.unread, a.left, a.elsewhere = nil, nil, make(map[ledger.Slot]catalog.Marks), make(map[report.Problem]bool)
}

// problem puts a problem into the report.
func (a *account) problem(p report.Problem) { a.report.Problems = append(a.report.Problems, p) }

// unreadable is the problem of a file as the branch or its base has it.
func (a *account) unreadable(p report.Problem) {
	a.unread, a.elsewhere[p] = append(a.unread, p), true
	a.problem(p)
}

// conflict reports one whose text of the repository a pull leaves behind.
func (a *account) conflict(c pass.Conflict, met bool) {
	if p := a.branch.ProblemOf(c, met); !slices.Contains(a.report.Problems, p) {
		a.elsewhere[p] = true
		a.problem(p)
		if !c.Open {
			a.branch.LogReplaced(p)
		}
	}
}

// looksAt begins the account of what is left out of a file.
func (a *account) looksAt(t bundle.Target) catalog.Marks {
	slot := a.branch.Memory().Slot(ledger.LeftOut, t.Path, t.Language.Code)
	if a.left[slot] == nil {
		a.left[slot] = make(catalog.Marks)
	}
	return a.left[slot]
}

// tells takes what a merge tells of its file; met says that only the ledger is new to what the branch has.
func (a *account) tells(t bundle.Target, of told, met bool) {
	left := a.looksAt(t)
	for _, key := range of.keys {
		left[catalog.Name{Key: key}] = catalog.Mark{}
	}
	a.report.Problems = append(a.report.Problems, of.problems...)
	if of.held != nil {
		a.holds = append(a.holds, *of.held)
		a.problem(*of.held)
	}
	for _, c := range of.conflicts {
		a.conflict(c, met)
	}
	a.report.Unsent = a.report.Unsent || of.kept
	a.report.SourceChanged += of.sourceChanged
	a.report.Blanked += of.blanked
}

// keepLeft remembers what was left out of the files that a pull looked at, instead of what earlier ones left out of
// them.
func (a *account) keepLeft(tx ledger.Writer) (err error) {
	for slot, keys := range a.left {
		if len(keys) == 0 {
			err = errors.Join(err, tx.DropMarks(slot))
		} else {
			err = errors.Join(err, tx.SetMarks(slot, keys))
		}
	}
	return err
}
