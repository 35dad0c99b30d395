package pull

import (
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// account is what a pull reports, and what it left out.
type account struct {
	branch    *pass.Branch
	o         Options
	report    Report
	elsewhere map[report.Problem]bool // of the report: what the status finds itself
	unread    []report.Problem        // of the report: files that could not be read
	holds     []report.Problem        // files that the guard holds back
	left      map[string]leftOut      // by ledger.TargetID: of files that were read, what was left out
}

// clear begins the report again. A commit that was delivered stays in it.
func (a *account) clear() {
	before := a.report.ProjectPull
	a.report.ProjectPull = report.ProjectPull{Scope: pass.Scope(a.branch, a.o.Languages),
		Branch: a.branch.Project.Pull.Branch, Outcome: pass.NoProblems(), Commit: before.Commit, Pushed: before.Pushed,
		Requests: before.Requests, Files: []report.PulledFile{}}
	a.holds, a.unread, a.left, a.elsewhere = nil, nil, make(map[string]leftOut), make(map[report.Problem]bool)
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

// leftOut is what a pull left out of one target file: for a check, the guard, or because it cannot be written.
type leftOut struct {
	bundle.Target
	keys catalog.Marks // the marks are empty
}

// looksAt begins the account of what is left out of a file.
func (a *account) looksAt(t bundle.Target) leftOut {
	id := ledger.TargetID(t.Path, t.Language.Code)
	if _, begun := a.left[id]; !begun {
		a.left[id] = leftOut{t, make(catalog.Marks)}
	}
	return a.left[id]
}

// tells takes what a merge tells of its file; met says that only the ledger is new to what the branch has.
func (a *account) tells(t bundle.Target, of told, met bool) {
	left := a.looksAt(t)
	for _, key := range of.keys {
		left.keys[catalog.Name{Key: key}] = catalog.Mark{}
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
func (a *account) keepLeft(tx ledger.Writer) error {
	for _, l := range a.left {
		slot := a.branch.Memory().Slot(ledger.LeftOut, l.Path, l.Language.Code)
		if len(l.keys) == 0 {
			if err := tx.DropMarks(slot); err != nil {
				return err
			}
			continue
		}
		if err := tx.SetMarks(slot, l.keys); err != nil {
			return err
		}
	}
	return nil
}
