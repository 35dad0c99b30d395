package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/service"
)

// Online asks the service about one project: whether it is there, and has the languages that the configuration names.
func Online(ctx context.Context, svc *service.Client, cfg *config.Project) (errs []error) {
	record, err := svc.Projects().Read(ctx, cfg.ID)
	switch {
	case errors.Is(err, service.ErrNotFound):
		return []error{&failure.UsageError{Err: cfg.Problem("id",
			"the service has no project %s; correct the id, or take it out and run locsync project create --write", cfg.ID)}}
	case err != nil:
		return []error{fmt.Errorf("project %q: %w", cfg.Name, err)}
	}
	// An error of this question alone says nothing: the service need not have it.
	if documents, err := svc.Projects().ForDocuments(ctx, record); err == nil && documents {
		errs = append(errs, &failure.UsageError{Err: cfg.Problem("id", "the project %s translates documents, not keys; "+
			"write its id under [project.documents], and let locsync project create --write make one for keys", cfg.ID)})
	}
	if record.SourceLanguage != "" && !strings.EqualFold(record.SourceLanguage, cfg.SourceLanguage) {
		errs = append(errs, &failure.UsageError{Err: cfg.Problem("source_language",
			"the project's source language at the service is %s", record.SourceLanguage)})
	}
	if lacks := lackedLanguages(cfg, record); lacks != nil {
		errs = append(errs, lacks)
	}
	return errs
}

// lackedLanguages is the problem of target languages that the project at the service does not have; nil for none.
func lackedLanguages(cfg *config.Project, record service.Project) error {
	remedies := make(map[string]string)
	for _, u := range cfg.UnknownLanguages() {
		remedies[u.Code] = u.Remedy
	}
	var lacked, todo []string
	for _, l := range cfg.TargetLanguages {
		if slices.ContainsFunc(record.TargetLanguages, func(have string) bool { return strings.EqualFold(have, l) }) {
			continue
		}
		lacked = append(lacked, strconv.Quote(l))
		remedy := cmp.Or(remedies[l], "add what is missing with locsync project apply, or take it out here")
		if !slices.Contains(todo, remedy) {
			todo = append(todo, remedy)
		}
	}
	if lacked == nil {
		return nil
	}
	return &failure.UsageError{Err: cfg.Problem("target_languages", "the project at the service has no target language "+
		"%s; it has %s; %s", strings.Join(lacked, ", "), strings.Join(record.TargetLanguages, ", "),
		strings.Join(todo, "; "))}
}

// Refusal explains why the service refuses requests of a pass. The zero one is of a pass to come.
type Refusal struct {
	asked bool
	why   error // how the project there is otherwise than the configuration says
}

// Of is why the service refuses a request: the project's fault where that is one, else the error as it is. It asks the
// service about the project once.
func (r *Refusal) Of(ctx context.Context, p *Branch, err error) error {
	if !errors.Is(err, service.ErrRefused) && !errors.Is(err, service.ErrNotFound) {
		return err
	}
	if !r.asked {
		why := errors.Join(Online(ctx, p.Service, p.Project)...)
		if errors.As(why, new(*failure.UsageError)) {
			r.why = why
		}
		r.asked = true
	}
	return cmp.Or(r.why, err)
}
