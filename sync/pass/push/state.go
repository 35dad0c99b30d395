package push

import (
	"context"

	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/imports"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
)

// state is what the parts of a push share: what they read, what is decided, and what is told.
type state struct {
	*imports.Run
	branch *pass.Branch
	o      Options
	tree   *tree.Tree

	out      imports.Carrier
	fresh    bool                     // nothing was remembered of the branch
	accepted *accepted.Sources        // what the service has of the sources
	lost     map[string]pass.Conflict // that wait for a decision
	settled  map[string]bool          // conflicts that this push decided

	unanswered pass.Unanswered // texts that may be at the service, or arrive there
	report     Report
	elsewhere  map[report.Problem]bool // of the report: what the status finds where it looks itself
	exports    int
	waits      bool // files that the push is not for have source texts to send
}

func newState(p *pass.Branch, o Options) *state {
	s := &state{branch: p, o: o, settled: make(map[string]bool), elsewhere: make(map[report.Problem]bool),
		report: Report{Open: make(map[string]pass.Conflict), ProjectPush: report.ProjectPush{
			Scope: pass.Scope(p, o.Part()), Files: []report.PushedFile{}, Outcome: pass.NoProblems()}}}
	s.Run = imports.New(p, &s.report.ProjectPush, s.report.Open)
	s.out = imports.For(s.Run, o.DryRun)
	return s
}

// answer is a problem of this report only: the status finds it itself, or it is about what was wished for.
func (r *state) answer(p report.Problem) {
	r.elsewhere[p] = true
	r.Problem(p)
}

// ask asks the service what it has, and tells what of its answers could not be read: what it has there is not known.
func (r *state) ask(ctx context.Context, asks []pass.ExportAsk) ([]*pass.Exported, error) {
	r.exports += len(asks)
	answers, err := r.branch.ExportAll(ctx, asks)
	for _, x := range answers {
		r.report.Problems = append(r.report.Problems, x.Problems...)
	}
	return answers, err
}
