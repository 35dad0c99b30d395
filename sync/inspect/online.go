package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/service"
)

// Online asks the service about one project: whether it is there, and has the languages that the configuration names.
func Online(ctx context.Context, svc *service.Client, cfg *config.Project) (errs []error) {
	record, err := svc.Project(ctx, cfg.ID)
	switch {
	case errors.Is(err, service.ErrNotFound):
		return []error{&failure.UsageError{Err: cfg.Problem("id", "the service has no project %s", cfg.ID)}}
	case err != nil:
		return []error{fmt.Errorf("project %q: %w", cfg.Name, err)}
	}
	if record.SourceLanguage != "" && !strings.EqualFold(record.SourceLanguage, cfg.SourceLanguage) {
		errs = append(errs, &failure.UsageError{Err: cfg.Problem("source_language",
			"the project's source language at the service is %s", record.SourceLanguage)})
	}
	unknown := make(map[string]string)
	for _, u := range cfg.UnknownLanguages() {
		unknown[u.Code] = "; " + u.Remedy
	}
	for _, l := range cfg.TargetLanguages {
		if !slices.ContainsFunc(record.TargetLanguages, func(have string) bool { return strings.EqualFold(have, l) }) {
			errs = append(errs, &failure.UsageError{Err: cfg.Problem("target_languages",
				"the project at the service has no target language %q; it has %s%s", l, strings.Join(record.TargetLanguages,
					", "), unknown[l])})
		}
	}
	return errs
}
