package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/state"
)

// pushing is one push of one project, under way.
type pushing struct {
	*project
	o      PushOptions
	tree   *tree
	report ProjectPush
	errs   []error
}

// push is one pass: what changed in the source files, then renamed keys' translations, then what people changed in the target files.
// A part that fails keeps what depends on it from being sent, and nothing else.
func (p *project) push(ctx context.Context, o PushOptions) (ProjectPush, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := &pushing{project: p, o: o, report: ProjectPush{Name: p.cfg.Name, Files: []PushedFile{}, Problems: []Problem{}}}
	if !p.cfg.Push.Enabled {
		return run.report, nil
	}
	err := run.pass(ctx)
	p.finished()
	if !o.DryRun {
		p.past(pastPush, outcome(p.Now(), run.report.Keys, "", run.report.Problems, err))
	}
	return run.report, err
}

func (r *pushing) pass(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	defer r.close()
	if !r.o.DryRun {
		if err := r.resumeImports(ctx); err != nil {
			return err
		}
	}
	t, held, err := r.pushTree(ctx)
	if err != nil {
		return err
	}
	if held != "" {
		r.log.Info("nothing is pushed", zap.String("why", held))
		return nil
	}
	r.tree = t
	r.report.Problems = append(r.report.Problems, t.problems...)
	plan, err := r.planSources()
	if err != nil {
		return err
	}
	for _, s := range plan.shipments {
		r.ship(ctx, s)
	}
	if len(plan.renames) > 0 {
		r.moveTranslations(ctx, plan.renames)
	}
	if (r.cfg.Push.Translations || r.o.Translations) && len(r.errs) == 0 {
		if err := r.pushTranslations(ctx); err != nil {
			r.errs = append(r.errs, err)
		}
	}
	return errors.Join(r.errs...)
}

// shipment is one import: files of one collection, language and format, and what is remembered when the service accepted them.
type shipment struct {
	request  service.ImportRequest
	uploads  []bundle.Upload
	remember []memory // beside each upload
}

// memory says where an accepted upload is written down.
type memory struct {
	Kinds    []string `json:"kinds"`
	Path     string   `json:"path"`
	Language string   `json:"language"`
}

// shipping gathers uploads into the fewest imports: one for each collection, language, format, state and set of labels.
type shipping struct {
	shipments []*shipment
	index     map[string]*shipment
}

func (s *shipping) add(req service.ImportRequest, up bundle.Upload, m memory) {
	key := fmt.Sprintf("%q", []string{req.Collection, req.Language, string(req.Format), req.PathSeparator, string(req.CompletionState), fmt.Sprint(req.Labels)})
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
}

// request is an import of a bundle's format as the configuration wants it (the contract: "What a push sends").
func (p *project) request(b *bundle.Bundle, language, format, completion string) service.ImportRequest {
	return service.ImportRequest{
		Project: p.cfg.ID, Collection: b.Collection, Language: language, Format: service.Format(format), PathSeparator: b.Separator,
		CompletionState: service.CompletionState(completion), Conflicts: service.Conflicts(p.cfg.Push.Conflicts), Labels: b.Labels,
	}
}

// sourcePlan is what a push does for the source files.
type sourcePlan struct {
	shipping
	renames []rename
}

// planSources compares every source file with what the service accepted last and composes the imports.
func (r *pushing) planSources() (*sourcePlan, error) {
	plan := &sourcePlan{}
	accepted, err := r.accepted()
	if err != nil {
		return nil, err
	}
	for _, s := range r.tree.sources {
		if s.broken() {
			continue
		}
		changes := catalog.Diff(accepted.base(s), s.texts)
		renames, err := r.renames(s, accepted.base(s), changes)
		if err != nil {
			return nil, err
		}
		plan.renames = append(plan.renames, renames...)
		changed := make(map[catalog.Name]bool)
		for _, c := range changes {
			changed[c.Name] = c.Op != catalog.Removed
		}
		living := s.texts.Index()
		up, err := bundle.Compose(s.Bundle, s.file, s.Path, func(n catalog.Name) bool {
			_, ok := living[n]
			return ok && (r.o.All || changed[n])
		}, nil)
		if err != nil {
			return nil, err
		}
		if len(up.Units) == 0 {
			continue
		}
		plan.add(r.request(s.Bundle, s.Source.Code, s.Format.Name, r.cfg.Push.CompletionState), up,
			memory{[]string{kindPushed + " " + s.Collection}, s.Path, s.Source.Code})
	}
	return plan, nil
}

// accepted is what the service accepted of a project's source files, by collection and path.
type accepted struct {
	marks map[string]map[string]catalog.Marks
	tree  *tree
	moved map[string]catalog.Marks // by collection: of files that are not there any more
}

func (r *pushing) accepted() (*accepted, error) { return r.acceptedOf(r.tree) }

// acceptedOf loads what was accepted of the collections of a tree. Marks of files that are gone stay: their keys are
// still at the service, and a file that comes back, or moves, costs nothing.
func (p *project) acceptedOf(t *tree) (*accepted, error) {
	a := &accepted{marks: make(map[string]map[string]catalog.Marks), tree: t, moved: make(map[string]catalog.Marks)}
	here := make(map[string]bool)
	for _, s := range t.sources {
		here[s.Collection+"\x00"+s.Path] = true
		a.marks[s.Collection] = nil
	}
	for collection := range a.marks {
		slots, err := p.State.Slots(p.stateName(), kindPushed+" "+collection)
		if err != nil {
			return nil, err
		}
		paths := make(map[string]catalog.Marks)
		gone := make(catalog.Marks)
		for _, slot := range slots {
			marks, err := p.State.Marks(slot)
			if err != nil {
				return nil, err
			}
			paths[slot.Path] = marks
			if !here[collection+"\x00"+slot.Path] {
				for n, m := range marks {
					gone[n] = m
				}
			}
		}
		a.marks[collection], a.moved[collection] = paths, gone
	}
	return a, nil
}

// base is what the service has of a file: what was accepted from it, and what was accepted from a file that is gone and stands in
// this one now.
func (a *accepted) base(s *source) catalog.Marks {
	marks := a.marks[s.Collection][s.Path]
	gone := a.moved[s.Collection]
	if len(gone) == 0 {
		return marks
	}
	all := make(catalog.Marks, len(marks))
	for n, m := range marks {
		all[n] = m
	}
	for _, u := range s.texts {
		if m, ok := gone[u.Name]; ok {
			if _, own := all[u.Name]; !own {
				all[u.Name] = m
			}
		}
	}
	return all
}

// removed are the keys of a collection that the service accepted once and that no source file has now.
func (a *accepted) removed(collection string) []string {
	living := make(map[string]bool)
	for _, s := range a.tree.sources {
		if s.Collection != collection {
			continue
		}
		if s.broken() {
			for n := range a.marks[collection][s.Path] {
				living[n.Key] = true
			}
			continue
		}
		for e := range s.file.Entries() {
			living[e.Key] = true
		}
	}
	gone := make(map[string]bool)
	for _, marks := range a.marks[collection] {
		for n := range marks {
			if !living[n.Key] {
				gone[n.Key] = true
			}
		}
	}
	keys := make([]string, 0, len(gone))
	for key := range gone {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// ship sends one import and writes down what became of it. Its error is kept, so that other imports go on.
func (r *pushing) ship(ctx context.Context, s *shipment) {
	bundle.Distinguish(s.uploads)
	for _, up := range s.uploads {
		var keys []string
		for _, u := range up.Units {
			if len(keys) == 0 || keys[len(keys)-1] != u.Key {
				keys = append(keys, u.Key)
			}
		}
		r.report.Files = append(r.report.Files, PushedFile{Path: up.Path, Language: s.request.Language, Keys: keys})
		r.report.Keys += len(keys)
	}
	r.report.Requests++
	if r.o.DryRun {
		return
	}
	if err := r.send(ctx, s); err != nil {
		r.errs = append(r.errs, err)
	}
}

func (r *pushing) send(ctx context.Context, s *shipment) error {
	job, err := r.intend(s)
	if err != nil {
		return err
	}
	for _, up := range s.uploads {
		s.request.Files = append(s.request.Files, service.Upload{Name: up.Name, Body: up.Body})
	}
	r.say("sending %d file(s) in %s to collection %q", len(s.uploads), s.request.Language, s.request.Collection)
	id, err := r.Service.StartImport(ctx, s.request)
	if err != nil {
		// Whether the service has it or not, the keys are still pending: the next push sends what they are by then.
		return errors.Join(fmt.Errorf("import into %q: %w", s.request.Collection, err), r.forget(job))
	}
	job.Service = string(id)
	if err := r.remember(job); err != nil {
		return err
	}
	return r.await(ctx, job)
}

// outcome sums a pass up.
func outcome(at time.Time, keys int, commit string, problems []Problem, err error) Past {
	past := Past{At: at.UTC(), Result: ResultOK, Keys: keys, Commit: commit, Problems: problems}
	if len(problems) > 0 {
		past.Result = ResultPartial
	}
	if err != nil {
		past.Result, past.Error = ResultFailed, err.Error()
	}
	return past
}

// mark writes accepted texts into slots, keeping what is there.
func (p *project) mark(tx *state.Tx, m memory, units []accept) error {
	for _, kind := range m.Kinds {
		slot := p.slot(kind, m.Path, m.Language)
		marks, err := tx.Marks(slot)
		if err != nil {
			return err
		}
		if marks == nil {
			marks = make(catalog.Marks, len(units))
		}
		for _, u := range units {
			if kind == kindKnown {
				learn(marks, u.Name, u.Mark)
			} else {
				marks[u.Name] = u.Mark
			}
		}
		if err := tx.SetMarks(slot, marks); err != nil {
			return err
		}
	}
	return nil
}
