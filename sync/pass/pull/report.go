package pull

import (
	"slices"

	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// Options narrow or widen a pull.
type Options struct {
	Project string // "" for all
	Full    bool   // ignore what was pulled before
	Force   bool   // past the guard
	DryRun  bool   // only report
	Prune   bool   // remove entries of target files whose keys the source lacks, also those it was never seen to have

	// Languages are those that the pull is for; empty: all. The files of others stay as they are, as do those of a service
	// that did not answer for them.
	Languages []string

	// AcceptService lets the service's translations stand wherever the two sides never agreed on a text.
	AcceptService bool

	// Told is of a dry run: what the push before told of first contact, by project and branch.
	Told map[string]map[string]pass.Conflict

	Diff bool // put the commit's difference into the report
}

// Has reports whether a pull is for a language.
func (o Options) Has(code string) bool {
	return len(o.Languages) == 0 || slices.Contains(o.Languages, code)
}

// Report is the report of a pull, and what the push after it needs to know.
type Report struct {
	report.ProjectPull
	Unsent bool // a push now may find texts that the service does not have: of base, or of a commit since the last pull
}

// Line is the base branch that was pulled for.
func (first Report) Line() string { return first.Base }

// Then is a pull that was made again. A commit of the first run that was not delivered is gone with the clone, and all
// that it brought was computed again.
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
	both.Files = slices.Concat(first.Files, second.Files)
	both.Problems = pass.Union(first.Problems, second.Problems)
	both.SourceChanged, both.Blanked = max(first.SourceChanged, second.SourceChanged), first.Blanked+second.Blanked
	if both.Request == "" {
		both.Request, both.RequestURL = first.Request, first.RequestURL
	}
	both.Diff = first.Diff + second.Diff
	return both
}
