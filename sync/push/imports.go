package push

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/spelling"
)

// imports are those of a pass: sent, awaited, and remembered as each ends.
type imports struct {
	*state
	done, total int // of those that are sent now
}

// shipment is one import: files of one collection, language and format, and what is remembered when the service
// accepted them.
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
	key := fmt.Sprintf("%q", []string{
		req.Collection, req.Language, string(req.Format), req.PathSeparator, string(req.CompletionState),
		string(req.Conflicts), fmt.Sprintf("%q %v", req.Labels, m.Further()),
	})
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
func request(p *pass.Branch, b *bundle.Bundle, language, format, completion string) service.ImportRequest {
	return service.ImportRequest{
		Project: p.Project.ID, Collection: b.Collection, Language: language,
		Format: service.Format(format), PathSeparator: b.Separator, Labels: b.Labels,
		CompletionState: service.CompletionState(completion),
		Conflicts:       service.Conflicts(p.Project.Push.Conflicts),
	}
}

// shipAll sends imports and writes down what became of them. All are under way at once, but of one collection and
// language one at a time: of two, the older text could arrive last. The failure of one does not keep the others from
// being sent.
func (r *imports) shipAll(ctx context.Context, all []*shipment) {
	r.done, r.total = 0, len(all)
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
				r.done++
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

// send begins one import.
func (r *imports) send(ctx context.Context, s *shipment) (*ledger.Job, error) {
	job, err := r.intend(s)
	if err != nil {
		return nil, err
	}
	for _, up := range s.uploads {
		s.request.Files = append(s.request.Files, service.Upload{Name: up.Name, Body: up.Body})
	}
	files := report.Counted(len(s.uploads), "file", "files")
	r.importing("sending %s to %q (%s)", files, s.request.Collection, s.request.Language)
	id, err := r.branch.Service.Strings().StartImport(ctx, s.request)
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

// sent puts an import into the report.
func (r *imports) sent(s *shipment) {
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

// values are the texts that a dry run would send, beside those that the service has.
func (r *imports) values(path, language string, units catalog.Catalog) []report.Value {
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

// importing tells of one of the imports.
func (r *imports) importing(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	r.branch.Announce(report.Doing{What: what, Done: int64(r.done), Total: int64(r.total)})
}

// forgetExports forgets the exports that wait to be taken up: imports are about to make their answers old, and one of
// them would take back a translation that was just sent.
func (p *imports) forgetExports() error {
	jobs, err := ledger.Jobs.List(p.branch.Ledger, p.branch.StateName())
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Kind == pass.JobExport {
			if err := p.branch.Forget(&j); err != nil {
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
