package push

import (
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// pushed is the report of a push, and what the pull after it needs to know.
type Report struct {
	report.ProjectPush
	Open      map[string]pass.Conflict // of a dry run: first contact that the pull need not tell
	Decidable map[Decidable]bool       // the conflicts, and whether they were to be decided; nil when that is not known
}

func (first Report) Line() string { return first.Base }

// then is a push that was made again. Both runs' problems count: what was sent by the first is not looked at again.
func (first Report) Then(second Report) Report {
	both := second
	both.Requests += first.Requests
	both.Exports += first.Exports
	both.Calls += first.Calls
	both.Keys += first.Keys
	both.Files = slices.Concat(first.Files, second.Files)
	both.Renamed = slices.Concat(first.Renamed, second.Renamed)
	both.Moved = slices.Concat(first.Moved, second.Moved)
	both.Settled = slices.Concat(first.Settled, second.Settled)
	both.Orphaned = pass.Union(first.Orphaned, second.Orphaned)
	both.Replaced = pass.Union(first.Replaced, second.Replaced)
	both.Finished = slices.Concat(first.Finished, second.Finished)
	both.Problems = pass.Union(first.Problems, second.Problems)
	if first.Decidable != nil {
		both.Decidable = maps.Clone(first.Decidable)
		maps.Copy(both.Decidable, second.Decidable)
	}
	return both
}
