// Package push is one push of a branch: the source texts that changed, the translations of renamed and moved keys, and
// the translations that people changed in target files are imported into the service.
//
//	read   files -> catalogs, what the service accepted, what it has now where nothing is remembered
//	plan   what changed since -> imports, one for each collection, language, format, state and labels
//	apply  imports, all under way at once; what was accepted is remembered as each ends
//
// It goes through these in stages, since what became of the sources decides which translations can follow: source files
// (read_sources, plan_sources, apply_sources), renamed and moved keys (read_renames, plan_renames, followers), decided
// conflicts (plan_decisions, conflicts), and what people changed in target files (read_candidates, plan_candidates,
// plan_translations, translations). The plans are pure.
//
// Its law: what the service has is replaced only by a text whose writer has had it (catalog.Decide), and what it did
// not confirm stays pending. A dry run is a push over a draft of the ledger, which it is given, with a preview in place
// of the imports.
//
// It writes no file and no commit, and does not decide when it runs.
package push

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/events"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
)

// push is one push of one project, under way.
type push struct {
	*state
	begun   time.Time
	failure error  // of the whole pass, as it is told
	skipped string // why nothing may be pushed now

	sources      *sourcePass
	snapshots    *snapshots
	followers    *followers
	decisions    *decisions
	translations *translationPass
}

func begin(p *pass.Branch, o Options) *push {
	s := newState(p, o)
	r := &push{state: s, begun: p.Now(), snapshots: &snapshots{state: s}}
	r.sources = &sourcePass{state: s, snapshots: r.snapshots, before: make(map[string]*pass.Exported)}
	r.decisions = &decisions{state: s, snapshots: r.snapshots}
	r.followers = &followers{state: s, snapshots: r.snapshots}
	r.translations = &translationPass{
		state: s, sources: r.sources, snapshots: r.snapshots, decisions: r.decisions, reader: newReader(s, r.snapshots),
	}
	return r
}

// Failed is the report of a push that was not begun: because of an error, or because none is wanted.
func Failed(p *pass.Branch, o Options, err error) Report {
	run := begin(p, o)
	if err != nil {
		run.report.Failure = failure.Of(err)
	}
	return run.report
}

// None remembers and reports a push that came to no branch: why says why where that is as it should be. found is what
// it reports of other branches.
func None(p *pass.Branch, o Options, why string, found pass.Found, err error) (Report, error) {
	run := begin(p, o)
	run.skipped = why
	run.answers(found)
	return run.end(err), run.failure
}

// Make is one push. found is what the pass reports of other branches. The report is as far as the pass came, also
// where it fails.
func Make(ctx context.Context, p *pass.Branch, o Options, found pass.Found) (Report, error) {
	run := begin(p, o)
	ctx, calls := service.Counting(ctx)
	err := run.pass(ctx)
	run.report.Calls = calls.Requests()
	run.answers(found)
	return run.end(err), run.failure
}

func (r *push) answers(found pass.Found) {
	for _, p := range found.Problems {
		r.answer(p)
	}
	r.report.Finished = found.Finished
}

// end remembers how the pass ended, and gives the report of it; failure then says why it failed.
func (r *push) end(err error) Report {
	r.report.Exports, r.report.Skipped = r.exports, r.skipped
	r.report.Problems = slices.DeleteFunc(r.report.Problems, r.ofOthers)
	passed := pass.Passed{Took: r.branch.Now().Sub(r.begun), Sent: r.report.Keys, Part: r.o.Partial()}
	if r.skipped != "" || errors.Is(err, gitops.ErrBusy) {
		passed.Result = report.ResultSkipped
	}
	past := pass.Outcome(r.branch.Now(), r.report.Keys, "", r.report.Problems, r.elsewhere, err)
	if past.Keys > 0 {
		past.SentAt = &past.At
	} else if last, _, err := ledger.Passes.Get(r.branch.Ledger, r.branch.StateName(), ledger.PassPush); err == nil {
		past.Keys, past.SentAt = last.Keys, last.SentAt
	}
	r.branch.Past(ledger.PassPush, past, passed, func(_ ledger.Writer, d *events.Entry) error {
		r.tell(d, err)
		return nil
	})
	if err != nil {
		r.failure = fmt.Errorf("push %s: %w", r.branch.Called(), err)
		r.report.Failure = failure.Of(r.failure)
	}
	report.Advise(r.report.Problems)
	report.Advise(r.report.Orphaned)
	report.Advise(r.report.Replaced)
	return r.report
}

func (r *push) pass(ctx context.Context) (err error) {
	defer fault.Catch("a push of project "+r.branch.Project.Name, &err)
	if err := r.branch.MakeRoom(ctx); err != nil {
		return err
	}
	if err := r.out.Resume(ctx); err != nil {
		return err
	}
	if same, err := r.untouchedSince(ctx); err != nil || same {
		return err
	}
	if err := r.forgetSeen(); err != nil {
		return err
	}
	t, held, err := pass.PushTree(ctx, r.branch)
	if err != nil {
		return err
	}
	if held != "" {
		r.branch.Log.Info("nothing is pushed", zap.String("why", held))
		r.skipped = held
		return nil
	}
	r.tree = t
	if err := r.deepen(ctx, t.Commit()); err != nil {
		return err
	}
	if r.o.JoinPlurals {
		if joined, err := r.joinPlurals(ctx); err != nil {
			return err
		} else if joined {
			if err := r.readJoined(ctx); err != nil {
				return err
			}
		}
	}
	if err := r.branch.KeepKeyFiles(r.tree); err != nil {
		return err
	}
	for _, problem := range append(r.tree.Nothing(r.branch.Project, "the tree that is pushed"), r.tree.Problems...) {
		r.answer(problem)
	}
	situation, err := r.readSources(ctx)
	if err != nil {
		return err
	}
	plan, err := planSources(situation)
	if err != nil {
		return err
	}
	r.waits = plan.waits
	if err := r.sources.apply(plan); err != nil {
		return err
	}
	plan.files = nil // what was compared takes memory that the imports need
	if err := r.sources.readBefore(ctx, plan); err != nil {
		return err
	}
	// Before the sources are sent: a service may take back the state of translations whose source text changes.
	following, ferr := r.followers.readRenames(ctx, plan.renames)
	r.out.Ship(ctx, plan.All)
	if err := r.sources.seeSources(r.accepted, t.Commit()); err != nil {
		return err
	}
	if ferr == nil {
		ferr = r.followers.moveTranslations(ctx, plan.renames, following)
	}
	if ferr != nil {
		r.Errs = append(r.Errs, fmt.Errorf("move the translations of renamed keys: %w", ferr))
	}
	if err := r.followers.moveCollections(ctx, r.accepted); err != nil {
		r.Errs = append(r.Errs, err)
	}
	if len(r.report.Moved) > 0 {
		clear(r.sources.before) // the service has more in the new collections since
	}
	return r.passTranslations(ctx)
}

// readSources gathers what there is to know of the source files.
func (r *push) readSources(ctx context.Context) (*sourceSituation, error) {
	err := r.sources.compare()
	if err == nil {
		err = r.snapshots.findFirst(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.sources.read(ctx)
}

// passTranslations is the part of a pass that follows the sources: decisions on conflicts, and changed translations.
func (r *push) passTranslations(ctx context.Context) error {
	if err := r.decisions.readConflicts(); err != nil {
		return err
	}
	if len(r.Errs) == 0 {
		if err := r.decisions.settleConflicts(ctx); err != nil {
			r.Errs = append(r.Errs, err)
		}
	}
	if (r.branch.Project.Push.Translations || r.o.Translations) && len(r.Errs) == 0 {
		if err := r.translations.pushTranslations(ctx); err != nil {
			r.Errs = append(r.Errs, err)
		}
	}
	if len(r.Errs) > 0 {
		return errors.Join(r.Errs...)
	}
	if !r.o.DryRun && !r.o.Partial() && len(r.Refused) == 0 { // all that there is was sent
		if err := r.branch.Archive(ctx, r.accepted); err != nil {
			return err
		}
	}
	return r.sawAll()
}

// tell tells what a push did.
func (r *push) tell(d *events.Entry, err error) {
	d.Sent(r.report.ProjectPush, r.branch.Project.SourceLanguage)
	d.Skips(r.skipped)
	if r.skipped != "" {
		return
	}
	d.Finished(r.report.Finished)
	if err == nil && r.accepted != nil {
		d.Holds("push", r.accepted.Holdings())
	}
	d.Conflicts()
	d.Ended("push", err)
}

// A push of some files reads and plans all of them, since what one of them lacks may be in another one. What the others
// have to send counts as not taken by the service: it stays pending, and what was seen of it is as before.

// ofOthers reports whether a problem is about files that a push is not for. A source file counts as one of its
// translations.
func (r *push) ofOthers(p report.Problem) bool {
	if p.File == "" || p.Configuration || r.o.Alone || r.o.Pushes(p.File) || r.tree == nil {
		return false
	}
	targets := bundle.Known(r.tree.Bundles(), r.branch.Project.Targets())
	return !slices.ContainsFunc(targets, func(t bundle.Target) bool {
		return t.Sources[0].Path == p.File && r.o.Pushes(t.Path)
	})
}
