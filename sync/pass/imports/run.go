// Package imports sends what a push has decided to send, and remembers what the service accepted of it.
//
// Its law: an import is written down before it is sent, and is forgotten when what it accepted is remembered; what the
// service did not confirm stays pending. The imports of a push are under way at once, those of one collection and
// language one after the other. A dry run shows them instead (preview).
//
// It decides nothing about texts: push does.
package imports

import (
	"context"

	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Run is the push that imports are made for: what it has found out, and what it tells.
type Run struct {
	Branch  *pass.Branch
	Report  *report.ProjectPush
	Open    map[string]pass.Conflict // of a dry run: first contact that the pull need not tell
	Met     map[string]bool          // target files that the service had before this ledger; see pass.MetBefore
	Refused map[string]bool          // files that the service did not take now: sources by path, else with the language
	Errs    []error
	refusal pass.Refusal
}

// New is a run of which nothing has happened yet.
func New(branch *pass.Branch, told *report.ProjectPush, open map[string]pass.Conflict) *Run {
	return &Run{Branch: branch, Report: told, Open: open, Met: make(map[string]bool), Refused: make(map[string]bool)}
}

// Problem puts a problem into the report.
func (r *Run) Problem(p report.Problem) { r.Report.Problems = append(r.Report.Problems, p) }

// Carrier is what becomes of what a push has decided to send.
type Carrier interface {
	// Resume finishes what an earlier push has begun.
	Resume(context.Context) error

	// Ship makes imports and remembers what was accepted. What failed is among the errors of the run.
	Ship(context.Context, []*Import)

	// Has takes note of texts that the service has of a file.
	Has(path, language string, texts catalog.Catalog)

	// After is what the service has of a target file after all that was shipped, given an export since.
	After(t bundle.Target, theirs catalog.Catalog) catalog.Catalog

	// Foretell is told of a problem that the service will tell when it is sent to.
	Foretell(report.Problem)

	// Waits is told of first contact that is left open, or decided for the repository.
	Waits(func() pass.Conflict)
}

// For makes the imports of a run; for a dry run it shows them.
func For(r *Run, dry bool) Carrier {
	if dry {
		return newPreview(r)
	}
	return &imports{Run: r}
}
