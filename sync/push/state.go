package push

import (
	"context"

	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/imports"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// state is what the parts of a push share: what they read, what is decided, and what is told.
type state struct {
	*imports.Run
	branch *pass.Branch
	o      Options
	tree   *tree.Tree

	out      imports.Carrier
	anew     bool                     // nothing was remembered of the branch
	accepted *accepted.Sources        // what the service has of the sources
	lost     map[string]pass.Conflict // that wait for a decision
	settled  map[string]bool          // conflicts that this push decided

	report    Report
	elsewhere map[report.Problem]bool // of the report: what the status finds where it looks itself
	exports   int
}

func newState(p *pass.Branch, o Options) *state {
	s := &state{branch: p, o: o, settled: make(map[string]bool), elsewhere: make(map[report.Problem]bool),
		report: Report{Open: make(map[string]pass.Conflict), ProjectPush: report.ProjectPush{
			Scope: pass.Scope(p), Files: []report.PushedFile{}, Outcome: pass.NoProblems()}}}
	s.Run = imports.New(p, &s.report.ProjectPush, s.report.Open)
	s.out = imports.For(s.Run, o.DryRun)
	return s
}

// answer is a problem of this report only: the status finds it itself, or it is about what was wished for.
func (r *state) answer(p report.Problem) {
	r.elsewhere[p] = true
	r.Problem(p)
}

// unread tells what of an answer could not be read: it is not known what the service has there.
func unread(r *state, x *pass.Exported) {
	for _, p := range x.Problems {
		r.Problem(p)
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
