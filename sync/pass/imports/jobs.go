package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/catalog"
)

// record writes an import down before it is sent.
func (p *imports) record(s *Import) (*ledger.Job, error) {
	j := &ledger.Job{ID: uuid.NewString(), Kind: pass.JobImport, At: p.Branch.Now().UTC(),
		Conflicts: string(s.request.Conflicts), Collection: s.request.Collection, Language: s.request.Language}
	for i, up := range s.Uploads {
		remembered := s.accepts[i].Keys()
		others := slices.DeleteFunc(up.Units.KeysInOrder(), func(key string) bool { return remembered[key] })
		j.Files = append(j.Files, ledger.JobFile{Name: up.Name, Memory: s.Remember[i], Units: pass.Accepts(s.accepts[i]),
			Others: others, Over: s.over[i]()})
	}
	return j, p.Branch.Ledger.Update(func(tx ledger.Writer) error {
		if err := ledger.Reconciled.Delete(tx, p.Branch.StateName(), p.Branch.Project.Pull.Branch); err != nil {
			return err
		}
		for _, f := range j.Files {
			if err := begins(p.Branch, tx, f); err != nil {
				return err
			}
		}
		return ledger.Jobs.Put(tx, p.Branch.StateName(), j.ID, *j)
	})
}

// begins remembers that texts of a target file are about to be sent. Should the answer be lost, the service may have
// them: they are not its own change then.
func begins(branch *pass.Branch, tx ledger.Writer, f ledger.JobFile) error {
	if f.Memory.OfSource() {
		return nil
	}
	sent := ledger.Destination{Path: f.Memory.Path, Language: f.Memory.Language, Kinds: []ledger.TargetMarks{ledger.Sent}}
	return branch.Memory().Mark(tx, sent, f.Units)
}

// lose gives up an import that the service may or may not have carried out. What it accepted of these source texts
// before may not be what it has now, so they wait to be sent, also where the change is taken back. Translations are
// remembered for as long as they may arrive.
func (p *imports) lose(ctx context.Context, j *ledger.Job) error {
	sent := make(map[string]catalog.Marks) // source texts, by collection
	for _, f := range j.Files {
		if !f.Memory.OfSource() {
			continue
		}
		if sent[f.Memory.Collection] == nil {
			sent[f.Memory.Collection] = make(catalog.Marks)
		}
		for _, u := range f.Units {
			sent[f.Memory.Collection][u.Name] = u.Mark
		}
	}
	slots, err := p.Branch.Memory().PushedSlots(p.Branch.Ledger)
	if err != nil {
		return err
	}
	var steps []pass.StateStep
	for _, slot := range slots {
		if texts := sent[slot.Collection]; texts != nil {
			steps = append(steps, func(tx ledger.Writer) (int, error) { return p.Branch.Memory().DoubtSlot(tx, slot, texts) })
		}
	}
	lost := *j
	lost.Files = slices.DeleteFunc(slices.Clone(j.Files), func(f ledger.JobFile) bool { return f.Memory.OfSource() })
	return p.Branch.Memory().InPieces(ctx, steps, func(tx ledger.Writer) error {
		if len(lost.Files) == 0 || p.Branch.Now().Sub(j.At) > pass.ForgetAfter {
			return ledger.Jobs.Delete(tx, p.Branch.StateName(), j.ID)
		}
		return errors.Join(p.Branch.Memory().ForgetLost(tx, lost.Files...), p.Branch.Memory().Lose(tx, lost))
	})
}

// Resume finishes the imports that an earlier pass began. One without an identifier may or may not have reached
// the service; it is forgotten, as is one that the service has lost or given up, and their keys, which are still
// pending, are sent again as they are now. While one still runs nothing else may be sent: the older text could arrive
// last.
func (r *imports) Resume(ctx context.Context) error {
	jobs, err := ledger.Jobs.List(r.Branch.Ledger, r.Branch.StateName())
	if err != nil {
		return err
	}
	if err := r.Branch.Memory().ForgetLate(r.Branch.Now()); err != nil {
		return err
	}
	var running []*ledger.Job
	for _, j := range jobs {
		switch {
		case j.Kind != pass.JobImport:
		case j.Service == "" || r.Branch.Now().Sub(j.At) > pass.ForgetAfter:
			if err := r.lose(ctx, &j); err != nil {
				return err
			}
		default:
			r.Branch.Log.Info("taking up an import that was begun earlier",
				zap.String("import", j.Service), zap.Time("begun", j.At))
			j.Files = nil // see ended
			running = append(running, &j)
		}
	}
	var errs []error
	r.await(ctx, running, func(err error) {
		var failed *service.ImportFailed
		if errors.Is(err, service.ErrNotFound) || errors.As(err, &failed) {
			r.Branch.Log.Warn("an import that was begun earlier came to nothing; its keys are sent again", zap.Error(err))
		} else {
			errs = append(errs, err)
		}
	})
	if len(errs) == 0 {
		return ctx.Err()
	}
	return errors.Join(errs...)
}

// await waits for imports and writes down what the service accepted, of each as it ends. While one runs its job stays,
// for the next pass.
func (r *imports) await(ctx context.Context, jobs []*ledger.Job, failed func(error)) {
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
	timeout := r.Branch.Config.Service.JobTimeout
	r.Branch.Service.Strings().WaitImports(ctx, begun, timeout, func(i int, res service.ImportResult, err error) bool {
		if err := r.ended(ctx, jobs[i], res, err); err != nil {
			failed(fmt.Errorf("import into %q: %w", jobs[i].Collection, err))
		}
		left--
		r.done++
		if left > 0 {
			waiting()
		}
		return true
	})
}

// ended writes down how an import ended.
func (r *imports) ended(ctx context.Context, begun *ledger.Job, res service.ImportResult, err error) error {
	var failed *service.ImportFailed
	isLost := errors.Is(err, service.ErrNotFound) || errors.As(err, &failed)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("not finished after %s; it is looked at again by the next push", r.Branch.Config.Service.JobTimeout)
	case err != nil && !isLost:
		return err
	}
	j, known, rerr := ledger.Jobs.Get(r.Branch.Ledger, r.Branch.StateName(), begun.ID)
	switch {
	case rerr != nil:
		return errors.Join(err, rerr)
	case !known:
		return errors.Join(err, errors.New("what it sent is not known any more; it is sent again by the next push"))
	case isLost: // its keys are pending; they are sent again
		return errors.Join(err, r.lose(ctx, &j))
	}
	return r.complete(ctx, &j, res)
}

// complete remembers what a completed import accepted, and forgets the job with the end of that. Where it is
// interrupted, the job is taken up again.
func (r *imports) complete(ctx context.Context, j *ledger.Job, res service.ImportResult) error {
	var steps []pass.StateStep
	sources := make(map[string]*pass.Acceptance) // by collection
	refusals := refusals(j, res)
	if warning, fewer := fewerCounted(j, refusals, res); fewer {
		r.Problem(warning)
	}
	var taken []ledger.JobFile
	for i, f := range j.Files {
		units, ok := r.unitsTaken(j, f, refusals[i], res)
		if ok {
			taken = append(taken, ledger.JobFile{Memory: f.Memory, Units: units, Over: f.Over})
		}
		switch {
		case !ok:
		case f.Memory.OfSource():
			at := f.Memory.Collection
			if sources[at] == nil {
				sources[at] = pass.NewAcceptance(at)
			}
			sources[at].Add(f.Memory.Path, units)
			steps = append(steps, func(tx ledger.Writer) (int, error) {
				return len(f.Over), r.Branch.Memory().AcceptSent(tx, f.Memory, f.Over, units, r.Branch.Now())
			})
		default:
			m := f.Memory
			if m.Further() && res.WithoutSource == 0 {
				m.Kinds = slices.DeleteFunc(slices.Clone(m.Kinds), func(kind ledger.TargetMarks) bool {
					return kind == ledger.Further
				})
			}
			steps = append(steps, func(tx ledger.Writer) (int, error) {
				err := r.Branch.Memory().AcceptSent(tx, m, f.Over, units, r.Branch.Now())
				return 1 + len(units), errors.Join(err, r.Branch.Memory().Mark(tx, m, units))
			})
		}
	}
	err := r.Branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, a := range sources {
			more, err := r.Branch.Memory().AcceptSteps(tx, a)
			if err != nil {
				return err
			}
			steps = append(steps, more...)
		}
		if len(sources) > 0 {
			err := ledger.AcceptedAt.Put(tx, r.Branch.StateName(), "", r.Branch.Now().UTC())
			if err != nil {
				return err
			}
		}
		// What a pull merges is about to change.
		return ledger.Reconciled.Delete(tx, r.Branch.StateName(), r.Branch.Project.Pull.Branch)
	})
	if err != nil {
		return err
	}
	return r.Branch.Memory().InPieces(ctx, steps, func(tx ledger.Writer) error {
		return errors.Join(r.Branch.Memory().ForgetLost(tx, taken...), ledger.Jobs.Delete(tx, r.Branch.StateName(), j.ID))
	})
}

// refusals says of each file of an import why it does not count as taken; "" where the service took it. An error that
// names no file of the import may be any file's.
func refusals(j *ledger.Job, res service.ImportResult) []string {
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
	if len(unnamed) > 0 {
		const shown = 3
		more := ""
		if len(unnamed) > shown {
			unnamed, more = unnamed[:shown], fmt.Sprintf(" and %d more", len(unnamed)-shown)
		}
		all = "the service reports an error that names no file as it was sent, so it may be this one's: " +
			strings.Join(unnamed, "; ") + more
	}
	for i := range why {
		why[i] = cmp.Or(why[i], all)
	}
	return why
}

// fewerCounted warns where the counts of a result lack keys of the files that were taken. Services count keys and
// values differently, so the keys count as accepted; what a service really lacks, the next pulls find.
func fewerCounted(j *ledger.Job, refused []string, res service.ImportResult) (report.Problem, bool) {
	counted, known := res.Counted()
	sent := keyCount(j, refused)
	if !known || counted >= sent {
		return report.Problem{}, false
	}
	files := ""
	if len(j.Files) > 1 {
		files = fmt.Sprintf(" of %d files", len(j.Files))
	}
	return report.Problem{Code: report.CodeService, Severity: report.Warning,
		File: j.Files[slices.Index(refused, "")].Memory.Path, Language: j.Language,
		Problem: fmt.Sprintf("%s sent%s, and the service counts %d of them",
			report.Counted(sent, "key was", "keys were"), files, counted),
		Remedy: "the next pull finds what the service lacks; locsync push --all sends all of them again"}, true
}

// keyCount counts the keys of the files that are not refused, each once.
func keyCount(j *ledger.Job, refused []string) int {
	keys := make(map[string]bool)
	for i, f := range j.Files {
		if refused[i] != "" {
			continue
		}
		for _, key := range f.Keys() {
			keys[key] = true
		}
	}
	return len(keys)
}

// unitsTaken are the texts of a file that count as accepted; ok is false where the file does not count at all. What is
// left out is reported.
func (r *imports) unitsTaken(
	j *ledger.Job, f ledger.JobFile, refusal string, res service.ImportResult,
) (units []ledger.Text, ok bool) {
	problem := func(text string) {
		r.Problem(report.Problem{Code: report.CodeService, File: f.Memory.Path, Language: j.Language, Problem: text})
	}
	switch {
	case refusal != "":
		if f.Memory.OfSource() {
			r.Refused[f.Memory.Path] = true
		}
		r.Refused[f.Memory.Path+"\x00"+j.Language] = true
		problem(refusal + "; its keys stay pending. The next push sends them again: " +
			"change what is named before, where it is about this file")
		return nil, false
	case res.WithoutSource > 0 && f.Memory.Further():
		r.Report.Problems = append(r.Report.Problems, furtherProblem(f, j.Language, r.Met))
	case res.WithoutSource > 0 && !f.Memory.OfSource():
		r.Refused[f.Memory.Path+"\x00"+j.Language] = true
		problem(fmt.Sprintf("the service has no source text for %d of the keys that were sent with it; they stay pending; "+
			"locsync push --all sends the source texts again", res.WithoutSource))
		return nil, false
	}
	if j.Conflicts == string(service.Report) && len(res.Conflicts) > 0 {
		return r.withoutConflicts(f, j.Language, res.Conflicts), true
	}
	return f.Units, true
}

// withoutConflicts reports the keys that the service holds differently; they stay pending.
func (r *imports) withoutConflicts(f ledger.JobFile, language string, conflicting map[string][]string) []ledger.Text {
	for _, key := range f.Keys() {
		if values, conflict := conflicting[key]; conflict {
			r.Problem(report.Problem{File: f.Memory.Path, Key: key, Language: language,
				Code: report.CodeConflict, Problem: past.Kept(values...)})
		}
	}
	return slices.DeleteFunc(slices.Clone(f.Units), func(u ledger.Text) bool {
		_, conflict := conflicting[u.Key]
		return conflict
	})
}
