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

	unsaved  pass.Overlay             // of a dry run
	accepted *accepted.Sources        // what the service has of the sources
	lost     map[string]pass.Conflict // that wait for a decision
	settled  map[string]bool          // conflicts that this push decided
	refused  map[string]bool          // source files that the service did not take now: it may not know their keys
	met      map[string]bool          // target files that the service had before this ledger; see pass.Overlay.MetBefore

	report    Report
	elsewhere map[report.Problem]bool // of the report: what the status finds where it looks itself
	exports   int
	errs      []error
	old       map[string]map[catalog.Name]string // of a dry run: what the service has, by file and language
}

func newState(p *pass.Branch, o Options) *state {
	return &state{branch: p, o: o, settled: make(map[string]bool), refused: make(map[string]bool),
		met: make(map[string]bool), elsewhere: make(map[report.Problem]bool),
		old: make(map[string]map[catalog.Name]string),
		report: Report{Open: make(map[string]pass.Conflict), ProjectPush: report.ProjectPush{
			Scope: pass.Scope(p), Files: []report.PushedFile{}, Outcome: pass.NoProblems()}}}
}

func (r *state) problem(p report.Problem) { r.report.Problems = append(r.report.Problems, p) }

// answer is a problem of this report only: the status finds it itself, or it is about what was wished for.
func (r *state) answer(p report.Problem) {
	r.elsewhere[p] = true
	r.problem(p)
}

// was takes note of what the service has of a file, for the values of a dry run.
func (r *state) was(path, language string, texts catalog.Catalog) {
	if !r.o.DryRun {
		return
	}
	id := path + "\x00" + language
	if r.old[id] == nil {
		r.old[id] = make(map[catalog.Name]string)
	}
	for _, u := range texts {
		r.old[id][u.Name] = u.Text
	}
}

// unread tells what of an answer could not be read: it is not known what the service has there.
func unread(r *state, x *pass.Exported) {
	for _, p := range x.Problems {
		r.problem(p)
	}
}

func (r *state) marks(slot ledger.Slot) (catalog.Marks, error) {
	return r.unsaved.Marks(r.branch.Ledger, slot)
}

// export asks the service for one group's translations; see exportAll.
func (p *state) export(
	ctx context.Context, g *bundle.Group, languages []config.Language, completion string, age pass.ExportAge,
) (*pass.Exported, error) {
	all, err := p.branch.ExportAll(ctx, []pass.ExportAsk{{Group: g, Languages: languages, Completion: completion}}, age)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}
