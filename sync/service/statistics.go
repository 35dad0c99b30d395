package service

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locsync/locsync/sync/service/wire"
)

// TryProjectStatistics looks once at the statistics of a project, by target language: GET /v1/project/{projectId}/statistics
// (service interface, statistics; the rows are the published description's). exactOnly leaves out fuzzy matches. ErrNotReady: they
// are being built (202), which the first look starts. A service that has only the second version of this operation gets that one.
// 422 (ErrRefused): a document could not be taken apart.
func (c *Client) TryProjectStatistics(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	s, err := c.tryStatistics(ctx, wire.PathProjectStatistics, project, exactOnly)
	if !missing(err) {
		return s, err
	}
	again, err2 := c.tryStatistics(ctx, wire.PathProjectStatisticsV2, project, exactOnly)
	if missing(err2) {
		return nil, err // it is the project that is missing
	}
	return again, err2
}

// TryProjectStatisticsByDocument is TryProjectStatistics with every document for itself: GET /v2/project/{projectId}/statistics
// (published description).
func (c *Client) TryProjectStatisticsByDocument(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	return c.tryStatistics(ctx, wire.PathProjectStatisticsV2, project, exactOnly)
}

func (c *Client) tryStatistics(ctx context.Context, path, project string, exactOnly bool) (ProjectStatistics, error) {
	const op = "read project statistics"
	if err := checkID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var s ProjectStatistics
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(path, project), query: exactMatches(exactOnly),
		repeatable: true, poll: true, read: whenReady(c.record(&s)),
	})
	return s, err
}

func exactMatches(only bool) url.Values {
	return url.Values{wire.QueryOnlyExactMatches: {strconv.FormatBool(only)}}
}

// ProjectStatistics waits until the statistics of a project are there, or ctx ends; see TryProjectStatistics.
func (c *Client) ProjectStatistics(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	return waitFor(ctx, c, func(ctx context.Context) (ProjectStatistics, error) {
		return c.TryProjectStatistics(ctx, project, exactOnly)
	})
}

// ProjectStatisticsByDocument waits until the statistics of a project are there, or ctx ends; see TryProjectStatisticsByDocument.
func (c *Client) ProjectStatisticsByDocument(ctx context.Context, project string, exactOnly bool) (ProjectStatistics, error) {
	return waitFor(ctx, c, func(ctx context.Context) (ProjectStatistics, error) {
		return c.TryProjectStatisticsByDocument(ctx, project, exactOnly)
	})
}

// TryDocumentStatistics looks once at the statistics of one document: GET /v1/document/statistics with the composite identifier
// (service interface, statistics; the rows are the published description's). ErrNotReady: they are being built. Progress per stage is not
// in them, whatever the service interface says, but in Document.
func (c *Client) TryDocumentStatistics(ctx context.Context, id string, exactOnly bool) (DocumentStatistics, error) {
	const op = "read document statistics"
	if err := checkID(id); err != nil {
		return DocumentStatistics{}, fmt.Errorf("%s: document id: %w", op, err)
	}
	q := exactMatches(exactOnly)
	q.Set(wire.QueryDocumentID, id)
	var s DocumentStatistics
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: wire.PathDocumentStatistics, query: q, repeatable: true, poll: true, read: whenReady(c.record(&s)),
	})
	return s, err
}

// DocumentStatistics waits until the statistics of a document are there, or ctx ends; see TryDocumentStatistics.
func (c *Client) DocumentStatistics(ctx context.Context, id string, exactOnly bool) (DocumentStatistics, error) {
	return waitFor(ctx, c, func(ctx context.Context) (DocumentStatistics, error) {
		return c.TryDocumentStatistics(ctx, id, exactOnly)
	})
}

// BuildStatistics has a new snapshot of a project's statistics made: POST /v1/project/{projectId}/statistics/build (service
// interface, statistics; its parameter is the published description's). It may not be done when the call returns; the statistics say so.
// 422 (ErrRefused): a document could not be taken apart.
func (c *Client) BuildStatistics(ctx context.Context, project string, exactOnly bool) error {
	const op = "build project statistics"
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPost, path: fill(wire.PathProjectStatisticsBuild, project), query: exactMatches(exactOnly),
		repeatable: true, changes: true,
	})
}

// SetFuzzyRepetitions switches on or off that fuzzy matches within the project count, from the next BuildStatistics on: PUT
// /v1/project/{projectId}/fuzzyRepetitions (service interface, statistics). The switch is a query parameter by the published description; the
// service interface calls it a body and does not show it.
func (c *Client) SetFuzzyRepetitions(ctx context.Context, project string, on bool) error {
	const op = "set fuzzy repetitions"
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPut, path: fill(wire.PathFuzzyRepetitions, project),
		query: url.Values{wire.QueryWithFuzzyMatches: {strconv.FormatBool(on)}}, repeatable: true, changes: true,
	})
}

// CompletedWork reads what everybody has done in a project, by stage and language: GET
// /v1/project/{projectId}/completedWorkStatistics (published description).
func (c *Client) CompletedWork(ctx context.Context, project string) ([]CompletedWork, error) {
	const op = "read completed work"
	if err := checkID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var work wire.List[CompletedWork]
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(wire.PathCompletedWorkStatistics, project), repeatable: true, read: whenReady(c.record(&work)),
	})
	return work, err
}
