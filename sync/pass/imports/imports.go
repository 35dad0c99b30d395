package imports

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// imports are those of a pass: sent, awaited, and remembered as each ends.
type imports struct {
	*Run
	done, total int // of those that are sent now
}

// Ship sends imports and writes down what became of them, a round at a time. The failure of one does not keep the
// others from being sent.
func (r *imports) Ship(ctx context.Context, all []*Import) {
	r.done, r.total = 0, len(all)
	if len(all) > 0 {
		if err := r.forgetExports(); err != nil {
			r.Errs = append(r.Errs, err)
			return
		}
	}
	for _, round := range rounds(all) {
		var begun []*ledger.Job
		for _, s := range round {
			if ctx.Err() != nil {
				break // what was begun is taken up by the next push
			}
			j, err := r.send(ctx, s)
			if err != nil {
				r.Errs = append(r.Errs, err)
				r.done++
				continue
			}
			begun = append(begun, j)
		}
		r.await(ctx, begun, func(err error) { r.Errs = append(r.Errs, err) })
	}
	if err := ctx.Err(); err != nil && !errors.Is(errors.Join(r.Errs...), err) {
		r.Errs = append(r.Errs, err)
	}
}

// Send sends what is in the batch where that is as large, and begins anew.
func (s *Batch) Send(ctx context.Context, to Carrier, least int) {
	if s.Bytes >= least {
		to.Ship(ctx, s.All)
		*s = Batch{}
	}
}

// send begins one import. What its files have is in the ledger only, see ended.
func (r *imports) send(ctx context.Context, s *Import) (*ledger.Job, error) {
	job, err := r.record(s)
	if err != nil {
		return nil, err
	}
	for _, up := range s.Uploads {
		s.request.Files = append(s.request.Files, service.Upload{Name: up.Name, Body: up.Body})
	}
	files := report.Counted(len(s.Uploads), "file", "files")
	r.importing("sending %s to %q (%s)", files, s.request.Collection, s.request.Language)
	id, err := r.Branch.Service.Strings().StartImport(ctx, s.request)
	s.request.Files = nil // it is not needed while the import runs
	if err != nil {
		// Whether the service has it or not, the keys are still pending: the next push sends what they are by then.
		failed := fmt.Errorf("import into %q: %w", s.request.Collection, r.refusal.Of(ctx, r.Branch, err))
		if errors.Is(err, service.ErrRefused) || errors.Is(err, service.ErrAuth) || errors.Is(err, service.ErrNotFound) {
			return nil, errors.Join(failed, r.Branch.Memory().Forget(job))
		}
		return nil, errors.Join(failed, r.lose(ctx, job))
	}
	r.sending(s)
	s.Uploads = nil
	job.Service = string(id)
	err = r.Branch.Memory().Remember(job)
	job.Files = nil // many imports may run
	return job, err
}

// sending puts an import into the report, and returns the files of it there.
func (r *Run) sending(s *Import) []report.PushedFile {
	r.Report.Requests++
	before := len(r.Report.Files)
	for _, up := range s.Uploads {
		f := report.PushedFile{Path: up.Path, Language: s.request.Language, Keys: up.Units.KeysInOrder()}
		r.Report.Files = append(r.Report.Files, f)
		r.Report.Keys += len(f.Keys)
	}
	return r.Report.Files[before:]
}

// has, foretell and waits are for those who see no import: the service answers itself.
func (r *imports) Has(string, string, catalog.Catalog) {}

func (r *imports) Foretell(report.Problem) {}

func (r *imports) Waits(func() pass.Conflict) {}

func (r *imports) After(_ bundle.Target, theirs catalog.Catalog) catalog.Catalog { return theirs }

// importing tells of one of the imports.
func (r *imports) importing(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	r.Branch.Announce(report.Doing{What: what, Done: int64(r.done), Total: int64(r.total)})
}

// forgetExports forgets the exports that wait to be taken up: imports are about to make their answers old, and one of
// them would take back a translation that was just sent.
func (p *imports) forgetExports() error {
	jobs, err := ledger.Jobs.List(p.Branch.Ledger, p.Branch.StateName())
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Kind == pass.JobExport {
			if err := p.Branch.Memory().Forget(&j); err != nil {
				return err
			}
		}
	}
	return nil
}

// furtherProblem names what the service left out since the source lacks it. It is not sent again until it is changed.
func furtherProblem(f ledger.JobFile, language string, met map[string]bool) report.Problem {
	var forms, singles []string
	for _, u := range f.Units {
		if spelling.MayBeForm(u.Key, "") {
			forms = append(forms, u.Key)
		} else {
			singles = append(singles, u.Key)
		}
	}
	var what, advice []string
	if len(forms) > 0 {
		what = append(what, "plural forms that only this language has ("+strings.Join(forms, ", ")+")")
		advice = append(advice, "To have the forms translated at the service, write them into the source file as well")
	}
	if len(singles) > 0 {
		what = append(what, "texts that only this language has instead of a plural ("+strings.Join(singles, ", ")+")")
		advice = append(advice,
			"To have the plurals translated at the service, write their forms instead of the single texts")
	}
	p := report.Problem{Code: report.CodeService, File: f.Memory.Path, Language: language,
		Problem: "the service has no source text for " + strings.Join(what, " and ") +
			"; they stay in the repository. " + strings.Join(advice, ". ")}
	if met[ledger.TargetID(f.Memory.Path, language)] {
		p.Severity = report.Warning
	}
	return p
}
