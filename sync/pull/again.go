package pull

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// pulled is the report of a pull, and what the push after it needs to know.
type Report struct {
	report.ProjectPull
	Unsent bool // a push now may find texts that the service does not have: of base, or of a commit since the last pull
}

func (first Report) Line() string { return first.Base }

// then is a pull that was made again. A commit of the first run that was not delivered is gone with the clone, and all that it brought was computed again.
func (first Report) Then(second Report) Report {
	both := second
	both.Requests += first.Requests
	both.Calls += first.Calls
	both.Finished = slices.Concat(first.Finished, second.Finished)
	both.Unsent = first.Unsent || second.Unsent
	if !first.Pushed {
		return both
	}
	if second.Commit == "" {
		both.Commit, both.Pushed = first.Commit, true
	}
	both.Keys += first.Keys
	both.Files = withFiles(first.Files, second.Files)
	both.Problems = pass.Union(first.Problems, second.Problems)
	both.SourceChanged, both.Blanked = max(first.SourceChanged, second.SourceChanged), first.Blanked+second.Blanked
	if both.Request == "" {
		both.Request, both.RequestURL = first.Request, first.RequestURL
	}
	both.Diff = first.Diff + second.Diff
	return both
}

// withFiles counts what two commits changed, file by file.
func withFiles(first, second []report.PulledFile) []report.PulledFile {
	type place struct{ path, language string }
	files := make(map[place]report.PulledFile)
	for _, f := range slices.Concat(first, second) {
		at := place{f.Path, f.Language}
		sum := files[at]
		sum.Path, sum.Language = f.Path, f.Language
		sum.Added, sum.Changed, sum.Removed = sum.Added+f.Added, sum.Changed+f.Changed, sum.Removed+f.Removed
		files[at] = sum
	}
	return slices.SortedFunc(maps.Values(files), func(a, b report.PulledFile) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Language, b.Language))
	})
}
