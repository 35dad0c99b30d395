package push

import (
	"context"

	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// state is what the parts of a push share: what they read, what is decided, and what is told.
type state struct {
	branch *pass.Branch
	o      Options
	tree   *tree.Tree

	out      carrier
	anew     bool                     // nothing was remembered of the branch
	accepted *accepted.Sources        // what the service has of the sources
	lost     map[string]pass.Conflict // that wait for a decision
	settled  map[string]bool          // conflicts that this push decided
	refused  map[string]bool          // files that the service did not take now: sources by path, else with the language
	met      map[string]bool          // target files that the service had before this ledger; see pass.MetBefore

	report    Report
	elsewhere map[report.Problem]bool // of the report: what the status finds where it looks itself
	exports   int
	errs      []error
}

// carrier is what becomes of what a push has decided to send.
type carrier interface {
	// resume finishes what an earlier push has begun.
	resume(context.Context) error

	// ship makes imports and remembers what was accepted. What failed is among the errors of the state.
	ship(context.Context, []*shipment)

	// has takes note of texts that the service has of a file.
	has(path, language string, texts catalog.Catalog)

	// after is what the service has of a target file after all that was shipped, given an export since.
	after(t bundle.Target, theirs catalog.Catalog) catalog.Catalog

	// foretell is told of a problem that the service will tell when it is sent to.
	foretell(report.Problem)

	// waits is told of first contact that is left open, or decided for the repository.
	waits(func() pass.Conflict)
}

func newState(p *pass.Branch, o Options) *state {
	s := &state{branch: p, o: o, settled: make(map[string]bool), refused: make(map[string]bool),
		met: make(map[string]bool), elsewhere: make(map[report.Problem]bool),
		report: Report{Open: make(map[string]pass.Conflict), ProjectPush: report.ProjectPush{
			Scope: pass.Scope(p), Files: []report.PushedFile{}, Outcome: pass.NoProblems()}}}
	s.out = &imports{state: s}
	if o.DryRun {
		s.branch, s.out = p.Draft(), newPreview(s)
	}
	return s
}

func (r *state) problem(p report.Problem) { r.report.Problems = append(r.report.Problems, p) }

// answer is a problem of this report only: the status finds it itself, or it is about what was wished for.
func (r *state) answer(p report.Problem) {
	r.elsewhere[p] = true
	r.problem(p)
}

// unread tells what of an answer could not be read: it is not known what the service has there.
func unread(r *state, x *pass.Exported) {
	for _, p := range x.Problems {
		r.problem(p)
	}
}

func (r *state) marks(slot ledger.Slot) (catalog.Marks, error) {
	return r.branch.Ledger.Marks(slot)
}

// export asks the service for one group's translations; see exportAll.
func (p *state) export(
	ctx context.Context, g *bundle.Group, languages []config.Language, completion string,
) (*pass.Exported, error) {
	all, err := p.branch.ExportAll(ctx, []pass.ExportAsk{{Group: g, Languages: languages, Completion: completion}},
		pass.Anew)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}
