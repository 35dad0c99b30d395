package pass

import (
	"time"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
)

// Besides are problems without those that are found elsewhere.
func Besides(problems []report.Problem, elsewhere map[report.Problem]bool) []report.Problem {
	var others []report.Problem
	for _, p := range problems {
		if !elsewhere[p] {
			others = append(others, p)
		}
	}
	return others
}

// stillHolding is how a pass ended that did not come to its end: what the one before it left out is left out still, as
// far as is known.
func stillHolding(past, last report.Past) report.Past {
	past.Look = last.Look
	past.Problems = append(past.Problems, Besides(last.Problems, problemSet(past.Problems))...)
	past.Unread = append(past.Unread, Besides(last.Unread, problemSet(past.Unread))...)
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

// Outcome sums a pass up.
func Outcome(at time.Time, keys int, commit string, problems []report.Problem, err error) report.Past {
	past := report.Past{At: at.UTC(), Result: report.ResultOK, Keys: keys, Commit: commit, Problems: problems}
	if report.LeavesOut(problems) {
		past.Result = report.ResultPartial
	}
	if err != nil {
		past.Result, past.Error, past.ErrorCode = report.ResultFailed, err.Error(), failure.Code(err)
	}
	return past
}

// Subject says what the problems of a pull are about: where branch and base were, with which configuration.
func (p *Branch) Subject(of string) string { return p.Configured() + " " + of }
