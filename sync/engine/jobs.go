package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/state"
)

// job is an import or export that was begun: stored as JSON before the request (without Service), and again when the service has named
// it. A job that is found at the start of a pass was interrupted.
type job struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"` // import or export
	At      time.Time `json:"at"`
	Service string    `json:"service,omitempty"` // the service's identifier; empty while it is not known whether the service has it

	// of an import
	Conflicts  service.Conflicts `json:"conflicts,omitempty"`
	Collection string            `json:"collection,omitempty"`
	Language   string            `json:"language,omitempty"`
	Files      []jobFile         `json:"files,omitempty"`

	// of an export
	Request string `json:"request,omitempty"` // a digest of what was asked for: only the same question may use the answer
	Slow    bool   `json:"slow,omitempty"`    // it was waited for as long as the configuration allows
}

// jobFile is one file of an import and what is to be remembered when it is accepted.
type jobFile struct {
	Name   string   `json:"name"`
	Memory memory   `json:"memory"`
	Units  []accept `json:"units"`
}

// accept is a text that is accepted with its file.
type accept struct {
	catalog.Name
	Mark catalog.Mark `json:"mark"`
}

func accepts(c catalog.Catalog) []accept {
	units := make([]accept, len(c))
	for i, u := range c {
		units[i] = accept{u.Name, catalog.MarkOf(u.Text)}
	}
	return units
}

// source tells a source file's memory from a translation's.
func (m memory) source() bool { return slices.Contains(m.Kinds, kindPushed) }

const (
	jobImport = "import"
	jobExport = "export"
)

// intend writes an import down before it is sent.
func (p *project) intend(s *shipment) (*job, error) {
	j := &job{ID: uuid.NewString(), Kind: jobImport, At: p.Now().UTC(), Conflicts: s.request.Conflicts,
		Collection: s.request.Collection, Language: s.request.Language}
	for i, up := range s.uploads {
		j.Files = append(j.Files, jobFile{Name: up.Name, Memory: s.remember[i], Units: accepts(s.accepts[i])})
	}
	return j, p.State.Update(func(tx *state.Tx) error {
		if err := tx.Delete(p.stateName(), kindReconciled, p.cfg.Pull.Branch); err != nil {
			return err
		}
		for _, f := range j.Files {
			if f.Memory.source() {
				continue
			}
			// Should the answer be lost, the service may have these texts: they are no change of its own then.
			if err := p.mark(tx, memory{[]string{kindSent}, f.Memory.Path, f.Memory.Language}, f.Units); err != nil {
				return err
			}
		}
		return state.PutTx(tx, p.stateName(), kindJobs, j.ID, *j)
	})
}

func (p *project) remember(j *job) error {
	return state.Put(p.State, p.stateName(), kindJobs, j.ID, *j)
}

func (p *project) forget(j *job) error {
	return state.Delete(p.State, p.stateName(), kindJobs, j.ID)
}

// doubt forgets an import of which it is not known whether the service has carried it out. What was accepted of its source texts before may not be
// what the service has now, so they wait to be sent, also where the change is taken back.
func (p *project) doubt(ctx context.Context, j *job) error {
	sent := make(map[string]catalog.Marks) // source texts, by collection
	for _, f := range j.Files {
		if !f.Memory.source() {
			continue
		}
		if sent[f.Memory.Language] == nil {
			sent[f.Memory.Language] = make(catalog.Marks)
		}
		for _, u := range f.Units {
			sent[f.Memory.Language][u.Name] = u.Mark
		}
	}
	var slots []state.Slot
	if len(sent) > 0 {
		err := p.State.View(func(tx *state.Tx) (err error) {
			slots, err = p.pushedSlots(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	var steps []stateStep
	for _, slot := range slots {
		if texts := sent[slot.Language]; texts != nil {
			steps = append(steps, func(tx *state.Tx) (int, error) { return p.doubtSlot(tx, slot, texts) })
		}
	}
	return p.inPieces(ctx, steps, func(tx *state.Tx) error { return tx.Delete(p.stateName(), kindJobs, j.ID) })
}

func (p *project) doubtSlot(tx *state.Tx, slot state.Slot, sent catalog.Marks) (weight int, err error) {
	marks, err := tx.Marks(slot)
	if err != nil {
		return 0, err
	}
	doubted := false
	for n, m := range marks {
		if was, there := sent[n]; there && was != m {
			marks[n], doubted = catalog.Mark{}, true // the mark of no text
		}
	}
	if !doubted {
		return 1 + len(marks), nil
	}
	if err := p.outdateLook(tx, slot); err != nil {
		return 0, err
	}
	return 1 + 2*len(marks), tx.SetMarks(slot, marks)
}

// resumeImports finishes the imports that an earlier pass began. One without an identifier may or may not have reached the
// service; it is forgotten, as is one that the service has lost or given up, and their keys, which are still pending, are
// sent again as they are now. While one still runs nothing else may be sent: the older text could arrive last.
func (r *pushing) resumeImports(ctx context.Context) error {
	jobs, err := state.List[job](r.State, r.stateName(), kindJobs)
	if err != nil {
		return err
	}
	var running []*job
	for _, j := range jobs {
		switch {
		case j.Kind != jobImport:
		case j.Service == "" || r.Now().Sub(j.At) > forgetAfter:
			if err := r.doubt(ctx, &j); err != nil {
				return err
			}
		default:
			r.log.Info("taking up an import that was begun earlier", zap.String("import", j.Service), zap.Time("begun", j.At))
			running = append(running, &j)
		}
	}
	var errs []error
	r.await(ctx, running, func(err error) {
		var failed *service.ImportFailed
		if errors.Is(err, service.ErrNotFound) || errors.As(err, &failed) {
			r.log.Warn("an import that was begun earlier came to nothing; its keys are sent again", zap.Error(err))
		} else {
			errs = append(errs, err)
		}
	})
	if len(errs) == 0 {
		return ctx.Err()
	}
	return errors.Join(errs...)
}

// forgetAfter is when a job is not waited for any more: the service has forgotten it by then, or never will finish it.
const forgetAfter = 24 * time.Hour

// await waits for imports and writes down what the service accepted, of each as it ends. While one runs its job stays, for the next pass.
func (r *pushing) await(ctx context.Context, jobs []*job, failed func(error)) {
	if len(jobs) == 0 {
		return
	}
	begun := make([]service.Begun, len(jobs))
	for i, j := range jobs {
		begun[i] = service.Begun{ID: service.JobID(j.Service), At: j.At}
	}
	left := len(jobs)
	waiting := func() {
		if left == 1 {
			r.importing("waiting for the import into %q", jobs[len(jobs)-1].Collection)
		} else {
			r.importing("waiting for %d imports", left)
		}
	}
	waiting()
	r.Service.WaitImports(ctx, begun, r.Config.Service.JobTimeout, func(i int, res service.ImportResult, err error) bool {
		if err := r.ended(ctx, jobs[i], res, err); err != nil {
			failed(fmt.Errorf("import into %q: %w", jobs[i].Collection, err))
		}
		left--
		r.imports.done++
		if left > 0 {
			waiting()
		}
		return true
	})
}

// ended writes down how an import ended.
func (r *pushing) ended(ctx context.Context, j *job, res service.ImportResult, err error) error {
	var failed *service.ImportFailed
	switch {
	case errors.Is(err, service.ErrNotFound), errors.As(err, &failed):
		// The service has lost it or given it up. The keys are pending; they are sent again.
		return errors.Join(err, r.doubt(ctx, j))
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("not finished after %s; it is looked at again by the next push", r.Config.Service.JobTimeout)
	case err != nil:
		return err
	}
	return r.settle(ctx, j, res)
}

// settle remembers what a completed import accepted, and forgets the job with the end of that. Where it is interrupted, the job is taken up again.
func (r *pushing) settle(ctx context.Context, j *job, res service.ImportResult) error {
	var steps []stateStep
	sources := make(map[string]*acceptance) // by collection
	refusals := j.refusals(res)
	for i, f := range j.Files {
		units, ok := r.unitsTaken(j, f, refusals[i], res)
		switch {
		case !ok:
		case f.Memory.source():
			at := f.Memory.Language
			if sources[at] == nil {
				sources[at] = newAcceptance(at)
			}
			sources[at].add(f.Memory.Path, units)
		default:
			m := f.Memory
			if m.further() && res.WithoutSource == 0 {
				m.Kinds = slices.DeleteFunc(slices.Clone(m.Kinds), func(kind string) bool { return kind == kindFurther })
			}
			steps = append(steps, func(tx *state.Tx) (int, error) { return 1 + len(units), r.mark(tx, m, units) })
		}
	}
	err := r.State.Update(func(tx *state.Tx) error {
		for _, a := range sources {
			more, err := r.acceptSteps(tx, a)
			if err != nil {
				return err
			}
			steps = append(steps, more...)
		}
		return tx.Delete(r.stateName(), kindReconciled, r.cfg.Pull.Branch) // what a pull merges is about to change
	})
	if err != nil {
		return err
	}
	return r.inPieces(ctx, steps, func(tx *state.Tx) error { return tx.Delete(r.stateName(), kindJobs, j.ID) })
}

// refusals says of each file of an import why it does not count as taken; "" where the service took it. An error that names no file of the import may
// be any file's, as may keys that the counts of the result lack.
func (j *job) refusals(res service.ImportResult) []string {
	index := make(map[string]int, len(j.Files))
	for i, f := range j.Files {
		index[f.Name] = i
	}
	why := make([]string, len(j.Files))
	var unnamed []string
	for _, e := range res.Failed {
		i, ours := index[e.File]
		switch {
		case ours:
			why[i] = "the service did not take the file: " + cmp.Or(e.Reason, "it gives no reason")
		case e.File == "":
			unnamed = append(unnamed, cmp.Or(e.Reason, "it gives no reason"))
		default:
			unnamed = append(unnamed, fmt.Sprintf("%q: %s", e.File, cmp.Or(e.Reason, "it gives no reason")))
		}
	}
	all := ""
	if keys, known := res.Counted(); len(unnamed) > 0 {
		const shown = 3
		more := ""
		if len(unnamed) > shown {
			unnamed, more = unnamed[:shown], fmt.Sprintf(" and %d more", len(unnamed)-shown)
		}
		all = "the service reports an error that names no file as it was sent, so it may be this one's: " + strings.Join(unnamed, "; ") + more
	} else if sent := j.keys(why); known && keys < sent {
		all = fmt.Sprintf("%s sent, and the service counts %d of them: which it did not take is not known", counted(sent, "key was", "keys were"), keys)
	}
	for i := range why {
		why[i] = cmp.Or(why[i], all)
	}
	return why
}

// keys counts the keys of the files that are not refused, each once.
func (j *job) keys(refused []string) int {
	keys := make(map[string]bool)
	for i, f := range j.Files {
		if refused[i] != "" {
			continue
		}
		for _, u := range f.Units {
			keys[u.Key] = true
		}
	}
	return len(keys)
}

// unitsTaken are the texts of a file that count as accepted; ok is false where the file does not count at all. What is left out is reported.
func (r *pushing) unitsTaken(j *job, f jobFile, refusal string, res service.ImportResult) (units []accept, ok bool) {
	problem := func(text string) {
		r.report.Problems = append(r.report.Problems, report.Problem{File: f.Memory.Path, Language: j.Language, Problem: text})
	}
	switch {
	case refusal != "":
		if f.Memory.source() {
			r.refused[f.Memory.Path] = true
		}
		problem(refusal + "; its keys stay pending. The next push sends them again: change what is named before, where it is about this file")
		return nil, false
	case res.WithoutSource > 0 && f.Memory.further():
		r.report.Problems = append(r.report.Problems, furtherProblem(f, j.Language))
	case res.WithoutSource > 0 && !f.Memory.source():
		problem(fmt.Sprintf("the service has no source text for %d of the keys that were sent with it; they stay pending. locsync push --all sends the source texts again", res.WithoutSource))
		return nil, false
	}
	if j.Conflicts == service.Report && len(res.Conflicts) > 0 {
		return r.withoutConflicts(f, j.Language, res.Conflicts), true
	}
	return f.Units, true
}

// withoutConflicts reports the keys that the service holds differently; they stay pending.
func (r *pushing) withoutConflicts(f jobFile, language string, conflicting map[string][]string) []accept {
	var units []accept
	told := make(map[string]bool)
	for _, u := range f.Units {
		values, conflict := conflicting[u.Key]
		if !conflict {
			units = append(units, u)
		} else if !told[u.Key] {
			told[u.Key] = true
			r.report.Problems = append(r.report.Problems, report.Problem{File: f.Memory.Path, Key: u.Key, Language: language,
				Problem: fmt.Sprintf("the service holds another value (%q) and keeps it; the key stays pending. Make them equal, or set push.conflicts to overwrite or skip", values)})
		}
	}
	return units
}
