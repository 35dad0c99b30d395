// Package push is one push of a branch: the source texts that changed, the translations of renamed and moved keys, and the translations that
// people changed in target files are imported into the service.
//
//	read   files -> catalogs, what the service accepted, what it has now where nothing is remembered
//	plan   what changed since -> imports, one for each collection, language, format, state and labels
//	apply  imports, all under way at once; what was accepted is remembered as each ends
//
// Its law: what the service has is replaced only by a text whose writer has had it, and what it did not confirm stays pending. A dry run
// makes the same plan and neither sends nor remembers.
//
// It writes no file and no commit, and does not decide when it runs.
package push

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/events"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/tree"
	"go.uber.org/zap"
)

// pushing is one push of one project, under way.
type pushing struct {
	branch  *pass.Branch
	o       Options
	tree    *tree.Tree
	unsaved pass.Overlay // of a dry run
	report  Report
	errs    []error

	begun    time.Time
	failure  error             // of the whole pass, as it is told
	accepted *accepted.Sources // what the service has of the sources

	refused map[string]bool // source files that the service did not take in this push: it may not know their keys
	places  []*place
	blind   bool            // the branch could not be looked at, or need not be
	targets map[string]bool // paths of all target files, there or not

	lost     map[string]pass.Conflict // that nobody has decided on
	settled  map[string]bool          // conflicts that this push decided
	present  map[string]bool          // target files that some place has; by ledger.TargetID
	met      map[string]bool          // those that were met before this state, by what the service has; see overlay.metBefore
	lastPull time.Time

	found     map[string]catalog.Marks  // by collection: source texts that a pull found at the service
	before    map[string]*pass.Exported // by group: what the service had before the source texts of this push; see readBefore
	elsewhere map[report.Problem]bool   // of the report: what the status finds where it looks itself
	exports   int
	imports   struct{ done, total int }          // of those that are sent now
	skipped   string                             // why nothing may be pushed now
	old       map[string]map[catalog.Name]string // of a dry run: what the service has, by file and language
	following map[string][]foreseen              // of a dry run: what would have been sent of translations that follow their keys, by source file and language
}

// Failed is the report of a push that was not begun: because of an error, or because none is wanted.
func Failed(p *pass.Branch, o Options, err error) Report {
	run := begin(p, o)
	if err != nil {
		run.report.Failure = failure.Of(err)
	}
	return run.report
}

// None remembers and reports a push that came to no branch: why says why where that is as it should be. found is what it reports of other branches.
func None(p *pass.Branch, o Options, why string, found pass.Found, err error) (Report, error) {
	run := begin(p, o)
	run.skipped = why
	run.answers(found)
	return run.end(err), run.failure
}

// Make is one push. found is what the pass reports of other branches. The report is as far as the pass came, also where it fails.
func Make(ctx context.Context, p *pass.Branch, o Options, found pass.Found) (Report, error) {
	run := begin(p, o)
	ctx, calls := service.Counting(ctx)
	err := run.pass(ctx)
	run.report.Calls = calls.Requests()
	run.answers(found)
	return run.end(err), run.failure
}

func (r *pushing) answers(found pass.Found) {
	for _, p := range found.Problems {
		r.elsewhere[p] = true
		r.problem(p)
	}
	r.report.Finished = found.Finished
}

func begin(p *pass.Branch, o Options) *pushing {
	return &pushing{branch: p, o: o, begun: p.Now(), elsewhere: make(map[report.Problem]bool),
		refused: make(map[string]bool), settled: make(map[string]bool), before: make(map[string]*pass.Exported), found: make(map[string]catalog.Marks),
		present: make(map[string]bool), met: make(map[string]bool),
		old: make(map[string]map[catalog.Name]string), following: make(map[string][]foreseen),
		report: Report{Open: make(map[string]pass.Conflict), ProjectPush: report.ProjectPush{
			Scope: pass.Scope(p), Files: []report.PushedFile{}, Outcome: pass.NoProblems()}}}
}

// end remembers how the pass ended, and gives the report of it; failure then says why it failed.
func (r *pushing) end(err error) Report {
	r.report.Exports, r.report.Skipped = r.exports, r.skipped
	if !r.o.DryRun {
		passed := pass.Passed{Took: r.branch.Now().Sub(r.begun), Sent: r.report.Keys}
		if r.skipped != "" || errors.Is(err, gitops.ErrBusy) {
			passed.Result = report.ResultSkipped
		}
		past := pass.Outcome(r.branch.Now(), r.report.Keys, "", r.report.Problems, err)
		past.Problems = pass.Besides(past.Problems, r.elsewhere)
		if past.Keys > 0 {
			past.SentAt = &past.At
		} else if last, _, err := ledger.Passes.Get(r.branch.Ledger, r.branch.StateName(), ledger.PassPush); err == nil {
			past.Keys, past.SentAt = last.Keys, last.SentAt
		}
		r.branch.Past(ledger.PassPush, past, passed, func(_ ledger.Writer, d *events.Entry) error {
			r.tell(d, err)
			return nil
		})
	}
	if err != nil {
		r.failure = fmt.Errorf("push %s: %w", r.branch.Called(), err)
		r.report.Failure = failure.Of(r.failure)
	}
	report.Advise(r.report.Problems)
	report.Advise(r.report.Orphaned)
	report.Advise(r.report.Replaced)
	return r.report
}

func (r *pushing) pass(ctx context.Context) error {
	if err := r.branch.MakeRoom(ctx); err != nil {
		return err
	}
	if !r.o.DryRun {
		if err := r.resumeImports(ctx); err != nil {
			return err
		}
	}
	if same, err := r.untouchedSince(ctx); err != nil || same {
		return err
	}
	if err := r.looking(); err != nil {
		return err
	}
	t, held, err := r.pushTree(ctx, r.o.DryRun)
	if err != nil {
		return err
	}
	if held != "" {
		r.branch.Log.Info("nothing is pushed", zap.String("why", held))
		r.skipped = held
		return nil
	}
	r.tree = t
	for _, problem := range t.Problems {
		r.answer(problem)
	}
	plan, err := r.planSources(ctx)
	if err != nil {
		return err
	}
	if err := r.readBefore(ctx, plan); err != nil {
		return err
	}
	r.shipAll(ctx, plan.shipments)
	if err := r.lookAtSources(plan.accepted, t.Commit()); err != nil {
		return err
	}
	if len(plan.renames) > 0 {
		r.moveTranslations(ctx, plan.renames)
	}
	if err := r.moveCollections(ctx, plan.accepted); err != nil {
		r.errs = append(r.errs, err)
	}
	if err := r.readConflicts(); err != nil {
		return err
	}
	if (r.o.Ours || r.o.Theirs) && len(r.errs) == 0 {
		if err := r.settleConflicts(ctx); err != nil {
			r.errs = append(r.errs, err)
		}
	}
	if (r.branch.Project.Push.Translations || r.o.Translations) && len(r.errs) == 0 {
		if err := r.pushTranslations(ctx); err != nil {
			r.errs = append(r.errs, err)
		}
	}
	if len(r.errs) > 0 {
		return errors.Join(r.errs...)
	}
	return r.sawAll()
}

// shipment is one import: files of one collection, language and format, and what is remembered when the service accepted them.
type shipment struct {
	request  service.ImportRequest
	uploads  []bundle.Upload
	remember []ledger.Destination // beside each upload
	accepts  []catalog.Catalog    // beside each upload: what is remembered of it
}

// shipping gathers uploads into the fewest imports: one for each collection, language, format, state and set of labels.
type shipping struct {
	shipments []*shipment
	index     map[string]*shipment
}

// add puts an upload into an import of its kind. accepts are the texts of it that are remembered when it is accepted.
func (s *shipping) add(req service.ImportRequest, up bundle.Upload, m ledger.Destination, accepts catalog.Catalog) {
	key := fmt.Sprintf("%q", []string{req.Collection, req.Language, string(req.Format), req.PathSeparator, string(req.CompletionState), string(req.Conflicts), fmt.Sprintf("%q %v", req.Labels, m.Further())})
	if s.index == nil {
		s.index = make(map[string]*shipment)
	}
	at := s.index[key]
	if at == nil {
		at = &shipment{request: req}
		s.index[key] = at
		s.shipments = append(s.shipments, at)
	}
	at.uploads = append(at.uploads, up)
	at.remember = append(at.remember, m)
	at.accepts = append(at.accepts, accepts)
}

// request is an import of a bundle's format as the configuration wants it (the contract: "What a push sends").
func (p *pushing) request(b *bundle.Bundle, language, format, completion string) service.ImportRequest {
	return service.ImportRequest{
		Project: p.branch.Project.ID, Collection: b.Collection, Language: language, Format: service.Format(format), PathSeparator: b.Separator,
		CompletionState: service.CompletionState(completion), Conflicts: service.Conflicts(p.branch.Project.Push.Conflicts), Labels: b.Labels,
	}
}

// sourcePlan is what a push does for the source files.
type sourcePlan struct {
	shipping
	renames  []ledger.Rename
	accepted *accepted.Sources
}

// planSources compares every source file with what the service accepted last and composes the imports.
func (r *pushing) planSources(ctx context.Context) (*sourcePlan, error) {
	plan := &sourcePlan{}
	accepted, err := r.branch.Keeper().Compare(r.tree, r.o.Force)
	if err != nil {
		return nil, err
	}
	plan.accepted, r.accepted = accepted, accepted
	if err := r.branch.Keeper().Recall(r.branch.Repo, accepted, r.branch.Project.Push.Source, r.tree.Commit()); err != nil {
		return nil, err
	}
	if err := r.conclude(accepted); err != nil {
		return nil, err
	}
	if !r.o.DryRun {
		if err := errors.Join(r.branch.Keeper().Adopt(accepted), r.branch.Keeper().KeepInherited(accepted)); err != nil {
			return nil, err
		}
	}
	var all []*compared
	for _, s := range r.tree.Sources {
		if s.Broken() || accepted.Held[s.ID()] {
			continue
		}
		pending, base, changes := accepted.Pending(s)
		look, err := r.branch.LookForRenames(s, base, changes)
		if err != nil {
			return nil, err
		}
		all = append(all, &compared{source: s, pending: pending, base: base, look: look})
	}
	if err := r.meetSources(ctx, all); err != nil {
		return nil, err
	}
	findFarRenames(all)
	for _, s := range all {
		pending := s.pending
		renames, err := r.renames(s)
		if err != nil {
			return nil, err
		}
		plan.renames = append(plan.renames, renames...)
		if len(pending) == 0 && !r.o.All {
			continue
		}
		not := accepted.NotSent(s.source)
		wanted := func(key string) bool { return !s.stays[key] && (pending[key] || r.o.All && (r.o.Force || !not[key])) }
		err = r.addSource(&plan.shipping, s.source, wanted)
		if err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// addSource adds keys of a source file to the imports.
func (r *pushing) addSource(ship *shipping, s *tree.Source, wanted func(key string) bool) error {
	texts := s.Texts.Index()
	up, err := bundle.Compose(s.Bundle, s.File, s.Path, func(n catalog.Name) bool {
		_, there := texts[n]
		return there && wanted(n.Key)
	}, nil, nil)
	if err == nil && len(up.Units) > 0 {
		ship.add(r.request(s.Bundle, s.Source.Code, s.Format.Name, r.branch.Project.Push.CompletionState), up, ledger.Destination{Path: s.Path, Collection: s.Collection}, up.Units)
	}
	return err
}

// shipAll sends imports and writes down what became of them. All are under way at once, but of one collection and language
// one at a time: of two, the older text could arrive last. The failure of one does not keep the others from being sent.
func (r *pushing) shipAll(ctx context.Context, all []*shipment) {
	r.imports.done, r.imports.total = 0, len(all)
	if len(all) > 0 && !r.o.DryRun {
		if err := r.forgetExports(); err != nil {
			r.errs = append(r.errs, err)
			return
		}
	}
	for len(all) > 0 && ctx.Err() == nil {
		var later []*shipment
		var begun []*ledger.Job
		busy := make(map[[2]string]bool)
		for _, s := range all {
			to := [2]string{s.request.Collection, s.request.Language}
			if busy[to] {
				later = append(later, s)
				continue
			}
			busy[to] = true
			bundle.Distinguish(s.uploads)
			if r.o.DryRun {
				r.sent(s)
				continue
			}
			j, err := r.send(ctx, s)
			if err != nil {
				r.errs = append(r.errs, err)
				r.imports.done++
			}
			if err == nil {
				begun = append(begun, j)
			}
			if ctx.Err() != nil {
				break // what was begun is taken up by the next push
			}
		}
		r.await(ctx, begun, func(err error) { r.errs = append(r.errs, err) })
		all = later
	}
	if err := ctx.Err(); err != nil && !errors.Is(errors.Join(r.errs...), err) {
		r.errs = append(r.errs, err)
	}
}

// sent puts an import into the report.
func (r *pushing) sent(s *shipment) {
	r.report.Requests++
	for _, up := range s.uploads {
		f := report.PushedFile{Path: up.Path, Language: s.request.Language, Keys: up.Units.KeysInOrder()}
		if r.o.DryRun {
			f.Changes = r.values(f.Path, f.Language, up.Units)
		}
		r.report.Files = append(r.report.Files, f)
		r.report.Keys += len(f.Keys)
	}
}

func (r *pushing) problem(p report.Problem) { r.report.Problems = append(r.report.Problems, p) }

// answer is a problem of this report only: the status finds it itself, or it is about what was wished for.
func (r *pushing) answer(p report.Problem) {
	r.elsewhere[p] = true
	r.problem(p)
}

// was takes note of what the service has of a file, for the values of a dry run.
func (r *pushing) was(path, language string, texts catalog.Catalog) {
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

// values are the texts that a dry run would send, beside those that the service has.
func (r *pushing) values(path, language string, units catalog.Catalog) []report.Value {
	var all []report.Value
	for _, u := range units {
		v := report.Value{Key: u.Key, Form: u.Form, New: &u.Text}
		if old, ok := r.old[path+"\x00"+language][u.Name]; ok {
			v.Old = &old
		}
		all = append(all, v)
	}
	return all
}

// send begins one import.
func (r *pushing) send(ctx context.Context, s *shipment) (*ledger.Job, error) {
	job, err := r.intend(s)
	if err != nil {
		return nil, err
	}
	for _, up := range s.uploads {
		s.request.Files = append(s.request.Files, service.Upload{Name: up.Name, Body: up.Body})
	}
	r.importing("sending %s to %q (%s)", report.Counted(len(s.uploads), "file", "files"), s.request.Collection, s.request.Language)
	id, err := r.branch.Service.StartImport(ctx, s.request)
	s.request.Files = nil // it is not needed while the import runs
	if err != nil {
		// Whether the service has it or not, the keys are still pending: the next push sends what they are by then.
		return nil, errors.Join(fmt.Errorf("import into %q: %w", s.request.Collection, err), r.doubt(ctx, job))
	}
	r.sent(s)
	s.uploads = nil
	job.Service = string(id)
	return job, r.branch.Remember(job)
}

// importing tells of one of the imports.
func (r *pushing) importing(format string, args ...any) {
	r.branch.Announce(report.Doing{What: fmt.Sprintf(format, args...), Done: int64(r.imports.done), Total: int64(r.imports.total)})
}

// noBranch reports whether a line's branch is not where its translations could be built on it: it is somebody's own yet.
func (p *pushing) noBranch(err error) bool {
	return p.branch.Base != "" && errors.Is(err, gitops.ErrNoBranch)
}
