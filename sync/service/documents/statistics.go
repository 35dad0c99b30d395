package documents

import (
	"context"
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

// TryByDocument asks once for the statistics of a project, by target language and document: GET
// /v2/project/{projectId}/statistics (published description). exactOnly leaves out fuzzy matches. ErrNotReady: they are
// being built (202), which the first request starts. A service that has only the first version of this operation
// (service interface, statistics) gets that one. 422 (ErrRefused): a document could not be taken apart.
func (s Statistics) TryByDocument(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	found, err := s.try(ctx, wire.PathProjectStatisticsV2, project, exactOnly)
	if !service.Missing(err) {
		return found, err
	}
	again, err2 := s.try(ctx, wire.PathProjectStatistics, project, exactOnly)
	if service.Missing(err2) {
		return nil, err // it is the project that is missing
	}
	return again, err2
}

func (s Statistics) try(ctx context.Context, path, project string, exactOnly bool) (ProjectStatistics, error) {
	return service.Get[ProjectStatistics](ctx, s.client, service.Call{
		Op: "read project statistics", Bad: service.Named("project", project), Path: service.PathOf(path, project),
		Query: exactMatches(exactOnly), Poll: true,
	}, service.Reader.WhenReady)
}

func exactMatches(only bool) url.Values {
	return url.Values{wire.QueryOnlyExactMatches: {strconv.FormatBool(only)}}
}

// ByDocument waits until the statistics of a project are there, or ctx ends; see TryByDocument.
func (s Statistics) ByDocument(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	return service.WaitFor(ctx, s.client, func(ctx context.Context) (ProjectStatistics, error) {
		return s.TryByDocument(ctx, project, exactOnly)
	})
}

// TryDocument looks once at the statistics of one document: GET /v1/document/statistics with the composite
// identifier (service interface, statistics; the rows are the published description's). ErrNotReady: they are
// being built. Progress per stage is not in them, whatever the service interface says, but in Document.
func (s Statistics) TryDocument(ctx context.Context, id string, exactOnly bool) (DocumentStatistics, error) {
	q := exactMatches(exactOnly)
	q.Set(wire.QueryDocumentID, id)
	return service.Get[DocumentStatistics](ctx, s.client, service.Call{
		Op: "read document statistics", Bad: service.Named("document", id), Path: wire.PathDocumentStatistics, Query: q,
		Poll: true,
	}, service.Reader.WhenReady)
}

// Document waits until the statistics of a document are there, or ctx ends; see TryDocument.
func (s Statistics) Document(ctx context.Context, id string, exactOnly bool) (DocumentStatistics, error) {
	return service.WaitFor(ctx, s.client, func(ctx context.Context) (DocumentStatistics, error) {
		return s.TryDocument(ctx, id, exactOnly)
	})
}

// Build has a new snapshot of a project's statistics made: POST /v1/project/{projectId}/statistics/build
// (service interface, statistics; its parameter is the published description's). It may not be done when the
// call returns; the statistics say so. 422 (ErrRefused): a document could not be taken apart.
func (s Statistics) Build(ctx context.Context, project string, exactOnly bool) error {
	return s.client.Do(ctx, service.Call{
		Op: "build project statistics", Bad: service.Named("project", project), Method: http.MethodPost,
		Path:  service.PathOf(wire.PathProjectStatisticsBuild, project),
		Query: exactMatches(exactOnly), Repeatable: true, Changes: true,
	})
}

// SetFuzzyRepetitions switches on or off that fuzzy matches within the project count, from the next
// BuildStatistics on: PUT /v1/project/{projectId}/fuzzyRepetitions (service interface, statistics). The switch
// is a query parameter by the published description; the service interface calls it a body and does not show
// it.
func (s Statistics) SetFuzzyRepetitions(ctx context.Context, project string, on bool) error {
	return s.client.Do(ctx, service.Call{
		Op: "set fuzzy repetitions", Bad: service.Named("project", project), Method: http.MethodPut,
		Path:  service.PathOf(wire.PathFuzzyRepetitions, project),
		Query: url.Values{wire.QueryWithFuzzyMatches: {strconv.FormatBool(on)}}, Repeatable: true, Changes: true,
	})
}
