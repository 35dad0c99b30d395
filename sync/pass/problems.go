package pass

import (
	"slices"
	"time"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
)

// Outcome sums a pass up, without the problems that are found elsewhere.
func Outcome(
	at time.Time, keys int, commit string, problems []report.Problem, elsewhere map[report.Problem]bool, err error,
) report.Past {
	past := report.Past{At: at.UTC(), Result: report.ResultOK, Keys: keys, Commit: commit}
	past.Problems = slices.DeleteFunc(slices.Clone(problems), func(p report.Problem) bool { return elsewhere[p] })
	if report.LeavesOut(problems) {
		past.Result = report.ResultPartial
	}
	if err != nil {
		past.Result, past.Error, past.ErrorCode = report.ResultFailed, failure.Text(err), failure.Code(err)
	}
	return past
}
