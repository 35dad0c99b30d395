package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/catalog"
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
	if err := p.forgetExports(); err != nil {
		return nil, err
	}
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

// doubt forgets an import of which nobody knows whether the service has carried it out. What was accepted of its source texts before may not be what the
// service has now, so they wait to be sent, also where somebody takes the change back.
func (p *project) doubt(j *job) error {
	return p.State.Update(func(tx *state.Tx) error {
		slots, err := p.pushedSlots(tx)
		if err != nil {
			return err
		}
		for _, f := range j.Files {
			for _, slot := range slots {
				if !f.Memory.source() || slot.Language != f.Memory.Language {
					continue
				}
				marks, err := tx.Marks(slot)
				if err != nil {
					return err
				}
				doubted := false
				for _, u := range f.Units {
					if m, known := marks[u.Name]; known && m != u.Mark {
						marks[u.Name], doubted = catalog.Mark{}, true // the mark of no text
					}
				}
				if !doubted {
					continue
				}
				if err := p.outdateLook(tx, slot); err != nil {
					return err
				}
				if err := tx.SetMarks(slot, marks); err != nil {
					return err
				}
			}
		}
		return tx.Delete(p.stateName(), kindJobs, j.ID)
	})
}

// resumeImports finishes the imports that an earlier pass began. One without an identifier may or may not have reached the
// service; it is forgotten, as is one that the service has lost or given up, and their keys, which are still pending, are sent again as they
// are now. While one still runs nothing else may be sent: the older text could arrive last.
func (r *pushing) resumeImports(ctx context.Context) error {
	jobs, err := state.List[job](r.State, r.stateName(), kindJobs)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Kind != jobImport {
			continue
		}
		if j.Service == "" || r.Now().Sub(j.At) > forgetAfter {
			if err := r.doubt(&j); err != nil {
				return err
			}
			continue
		}
		r.log.Info("taking up an import that was begun earlier", zap.String("import", j.Service), zap.Time("begun", j.At))
		err := r.await(ctx, &j)
		var failed *service.ImportFailed
		switch {
		case errors.Is(err, service.ErrNotFound), errors.As(err, &failed):
			r.log.Warn("an import that was begun earlier came to nothing; its keys are sent again", zap.Error(err))
		case err != nil:
			return err
		}
	}
	return nil
}

// forgetAfter is when nobody waits for a job any more: the service has forgotten it by then, or never will finish it.
const forgetAfter = 24 * time.Hour

// await waits for an import and writes down what the service accepted. While the import runs the job stays, for the next pass.
func (r *pushing) await(ctx context.Context, j *job) error {
	r.importing("waiting for the import into %q", j.Collection)
	wait, cancel := context.WithTimeout(ctx, r.Config.Service.JobTimeout)
	defer cancel()
	res, err := r.Service.WaitImport(wait, service.JobID(j.Service))
	var failed *service.ImportFailed
	switch {
	case errors.Is(err, service.ErrNotFound), errors.As(err, &failed):
		// The service has lost it or given it up. The keys are pending; they are sent again.
		return errors.Join(fmt.Errorf("import into %q: %w", j.Collection, err), r.doubt(j))
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("import into %q: not finished after %s; it is looked at again by the next push", j.Collection, r.Config.Service.JobTimeout)
	case err != nil:
		return fmt.Errorf("import into %q: %w", j.Collection, err)
	}
	return r.settle(j, res)
}

// settle remembers what a completed import accepted, in one transaction with forgetting the job.
func (r *pushing) settle(j *job, res service.ImportResult) error {
	failed := make(map[string]string)
	for _, e := range res.Failed {
		failed[e.File] = cmp.Or(e.Reason, "it gives no reason")
	}
	return r.State.Update(func(tx *state.Tx) error {
		if err := tx.Delete(r.stateName(), kindReconciled, r.cfg.Pull.Branch); err != nil {
			return err // what a pull merges is about to change
		}
		for _, f := range j.Files {
			why, bad := failed[f.Name]
			if all, unnamed := failed[""]; unnamed && !bad { // an error that may be any file's
				why, bad = all, true
			}
			if bad {
				if f.Memory.source() {
					r.refused[f.Memory.Path] = true
				}
				r.report.Problems = append(r.report.Problems, Problem{File: f.Memory.Path, Language: j.Language,
					Problem: fmt.Sprintf("the service did not take the file: %s; its keys stay pending. Change what it names, and the next push sends them", why)})
				continue
			}
			if f.Memory.further() && res.WithoutSource == 0 {
				f.Memory.Kinds = slices.DeleteFunc(slices.Clone(f.Memory.Kinds), func(kind string) bool { return kind == kindFurther })
			} else if f.Memory.further() {
				r.report.Problems = append(r.report.Problems, furtherProblem(f, j.Language))
			} else if res.WithoutSource > 0 && !f.Memory.source() {
				r.report.Problems = append(r.report.Problems, Problem{File: f.Memory.Path, Language: j.Language,
					Problem: fmt.Sprintf("the service has no source text for %d of the keys that were sent with it; they stay pending. locsync push --all sends the source texts again", res.WithoutSource)})
				continue
			}
			units := f.Units
			if j.Conflicts == service.Report && len(res.Conflicts) > 0 {
				units = r.withoutConflicts(f, j.Language, res.Conflicts)
			}
			if err := r.mark(tx, f.Memory, units); err != nil {
				return err
			}
		}
		return tx.Delete(r.stateName(), kindJobs, j.ID)
	})
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
			r.report.Problems = append(r.report.Problems, Problem{File: f.Memory.Path, Key: u.Key, Language: language,
				Problem: fmt.Sprintf("the service holds another value (%q) and keeps it; the key stays pending. Make them equal, or set push.conflicts to overwrite or skip", values)})
		}
	}
	return units
}
