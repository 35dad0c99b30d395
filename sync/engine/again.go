package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/report"
)

// A pass for which a clone had to be made again (see clone.go) is two runs, and one report: what the first run did before the clone broke is done, so the
// second finds nothing of it to do.

// runReport is a line's report of a run, which can be continued by the report of another run.
type runReport[R any] interface {
	Line() string
	Then(R) R
}

// twice makes a pass, and makes it again where what it failed for could be repaired.
func twice[R runReport[R]](ctx context.Context, p *project, dry bool, run func() ([]R, error)) ([]R, error) {
	first, err := run()
	if !p.mended(ctx, err) {
		return first, err
	}
	second, err := run()
	if dry { // nothing was done
		return second, err
	}
	return continued(first, second), err
}

// continued are the reports of two runs by line, in the second's order.
func continued[R runReport[R]](first, second []R) []R {
	at := make(map[string]int, len(second))
	for i, r := range second {
		at[r.Line()] = i
	}
	for _, r := range first {
		i, both := at[r.Line()]
		switch {
		case both:
			second[i] = r.Then(second[i])
		case r.Line() == "": // it did not come as far as to the lines
			second[0] = r.Then(second[0])
		default: // its branch is gone since
			second = append(second, r)
		}
	}
	return second
}

// pushed is the report of a push, and what the pull after it needs to know.
type pushed struct {
	report.ProjectPush
	Open      map[string]conflict // of a dry run: first contact that the pull need not tell
	Decidable map[Decidable]bool  // the conflicts, and whether they were to be decided; nil when that is not known
}

// pulled is the report of a pull, and what the push after it needs to know.
type pulled struct {
	report.ProjectPull
	Unsent bool // a push now may find texts that the service does not have: of base, or of a commit since the last pull
}

// scope is what a pass of the project is for.
func scope(p *Branch) report.Scope { return report.Scope{Name: p.Project.Name, Base: p.Base} }

// noProblems is the outcome that a pass begins with.
func noProblems() report.Outcome { return report.Outcome{Problems: []report.Problem{}} }

func (first pushed) Line() string { return first.Base }

// then is a push that was made again. Both runs' problems count: what was sent by the first is not looked at again.
func (first pushed) Then(second pushed) pushed {
	both := second
	both.Requests += first.Requests
	both.Exports += first.Exports
	both.Calls += first.Calls
	both.Keys += first.Keys
	both.Files = slices.Concat(first.Files, second.Files)
	both.Renamed = slices.Concat(first.Renamed, second.Renamed)
	both.Moved = slices.Concat(first.Moved, second.Moved)
	both.Settled = slices.Concat(first.Settled, second.Settled)
	both.Orphaned = union(first.Orphaned, second.Orphaned)
	both.Replaced = union(first.Replaced, second.Replaced)
	both.Finished = slices.Concat(first.Finished, second.Finished)
	both.Problems = union(first.Problems, second.Problems)
	if first.Decidable != nil {
		both.Decidable = maps.Clone(first.Decidable)
		maps.Copy(both.Decidable, second.Decidable)
	}
	return both
}

func (first pulled) Line() string { return first.Base }

// then is a pull that was made again. A commit of the first run that was not delivered is gone with the clone, and all that it brought was computed again.
func (first pulled) Then(second pulled) pulled {
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
	both.Problems = union(first.Problems, second.Problems)
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

// union are the problems of two runs, each once.
func union(first, second []report.Problem) []report.Problem {
	all := slices.Clone(first)
	for _, p := range second {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
