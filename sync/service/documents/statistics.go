package documents

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Statistics are the operations on the statistics of projects and documents.
type Statistics struct{ client *service.Client }

// StatisticsOf are the operations of a client on statistics.
func StatisticsOf(c *service.Client) Statistics { return Statistics{c} }

// TryProject asks once for the statistics of a project, by target language: GET /v1/project/{projectId}/statistics
// (service interface, statistics; the rows are the published description's). exactOnly leaves out fuzzy matches.
// ErrNotReady: they are being built (202), which the first request starts. A service that has only the second version
// of this operation gets that one. 422 (ErrRefused): a document could not be taken apart.
func (s Statistics) TryProject(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	found, err := s.try(ctx, wire.PathProjectStatistics, project, exactOnly)
	if !service.Missing(err) {
		return found, err
	}
	again, err2 := s.try(ctx, wire.PathProjectStatisticsV2, project, exactOnly)
	if service.Missing(err2) {
		return nil, err // it is the project that is missing
	}
	return again, err2
}

// TryByDocument is TryProjectStatistics with every document for itself: GET /v2/project/{projectId}/statistics
// (published description).
func (s Statistics) TryByDocument(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	return s.try(ctx, wire.PathProjectStatisticsV2, project, exactOnly)
}

func (s Statistics) try(ctx context.Context, path, project string, exactOnly bool) (ProjectStatistics, error) {
	const op = "read project statistics"
	if err := service.CheckID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var found ProjectStatistics
	err := s.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: service.PathOf(path, project), Query: exactMatches(exactOnly),
		Repeatable: true, Poll: true, Read: service.JSON(&found).WhenReady(),
	})
	return found, err
}

func exactMatches(only bool) url.Values {
	return url.Values{wire.QueryOnlyExactMatches: {strconv.FormatBool(only)}}
}

// Project waits until the statistics of a project are there, or ctx ends; see TryProjectStatistics.
func (s Statistics) Project(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	return service.WaitFor(ctx, s.client, func(ctx context.Context) (ProjectStatistics, error) {
		return s.TryProject(ctx, project, exactOnly)
	})
}

// ByDocument waits until the statistics of a project are there, or ctx ends; see TryProjectStatisticsByDocument.
func (s Statistics) ByDocument(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	return service.WaitFor(ctx, s.client, func(ctx context.Context) (ProjectStatistics, error) {
		return s.TryByDocument(ctx, project, exactOnly)
	})
}

// TryDocument looks once at the statistics of one document: GET /v1/document/statistics with the composite
// identifier (service interface, statistics; the rows are the published description's). ErrNotReady: they are
// being built. Progress per stage is not in them, whatever the service interface says, but in Document.
func (s Statistics) TryDocument(ctx context.Context, id string, exactOnly bool) (DocumentStatistics, error) {
	const op = "read document statistics"
	if err := service.CheckID(id); err != nil {
		return DocumentStatistics{}, fmt.Errorf("%s: document id: %w", op, err)
	}
	q := exactMatches(exactOnly)
	q.Set(wire.QueryDocumentID, id)
	var found DocumentStatistics
	err := s.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: wire.PathDocumentStatistics, Query: q, Repeatable: true, Poll: true,
		Read: service.JSON(&found).WhenReady(),
	})
	return found, err
}

// Document waits until the statistics of a document are there, or ctx ends; see TryDocumentStatistics.
func (s Statistics) Document(ctx context.Context, id string, exactOnly bool) (DocumentStatistics, error) {
	return service.WaitFor(ctx, s.client, func(ctx context.Context) (DocumentStatistics, error) {
		return s.TryDocument(ctx, id, exactOnly)
	})
}

// Build has a new snapshot of a project's statistics made: POST /v1/project/{projectId}/statistics/build
// (service interface, statistics; its parameter is the published description's). It may not be done when the
// call returns; the statistics say so. 422 (ErrRefused): a document could not be taken apart.
func (s Statistics) Build(ctx context.Context, project string, exactOnly bool) error {
	const op = "build project statistics"
	if err := service.CheckID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	return s.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: service.PathOf(wire.PathProjectStatisticsBuild, project),
		Query:      exactMatches(exactOnly),
		Repeatable: true, Changes: true,
	})
}

// SetFuzzyRepetitions switches on or off that fuzzy matches within the project count, from the next
// BuildStatistics on: PUT /v1/project/{projectId}/fuzzyRepetitions (service interface, statistics). The switch
// is a query parameter by the published description; the service interface calls it a body and does not show
// it.
func (s Statistics) SetFuzzyRepetitions(ctx context.Context, project string, on bool) error {
	const op = "set fuzzy repetitions"
	if err := service.CheckID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	return s.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPut, Path: service.PathOf(wire.PathFuzzyRepetitions, project),
		Query: url.Values{wire.QueryWithFuzzyMatches: {strconv.FormatBool(on)}}, Repeatable: true, Changes: true,
	})
}

// CompletedWork reads what was done in a project, by stage and language: GET
// /v1/project/{projectId}/completedWorkStatistics (published description).
func (s Statistics) CompletedWork(ctx context.Context, project string) ([]CompletedWork, error) {
	const op = "read completed work"
	if err := service.CheckID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var work wire.List[CompletedWork]
	err := s.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: service.PathOf(wire.PathCompletedWorkStatistics, project), Repeatable: true,
		Read: service.JSON(&work).WhenReady(),
	})
	return work, err
}
