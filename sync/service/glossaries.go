package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locsync/locsync/sync/service/wire"
)

// Glossaries lists the glossaries of the account: GET /v1/glossaries (service interface, project configuration).
func (c *Client) Glossaries(ctx context.Context) ([]Glossary, error) {
	return c.glossaries(ctx, "list glossaries", wire.PathGlossaries)
}

// ProjectGlossaries lists the glossaries that are attached to a project: GET /v1/project/{projectId}/glossaries (published
// description).
func (c *Client) ProjectGlossaries(ctx context.Context, project string) ([]Glossary, error) {
	const op = "read the project's glossaries"
	if err := checkID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	return c.glossaries(ctx, op, fill(wire.PathProjectGlossaries, project))
}

func (c *Client) glossaries(ctx context.Context, op, path string) ([]Glossary, error) {
	var glossaries wire.List[Glossary]
	err := c.do(ctx, call{op: op, method: http.MethodGet, path: path, repeatable: true, read: unlessEmpty(c.record(&glossaries))})
	return glossaries, err
}

// DefaultGlossary reads the default glossary of the account: GET /v1/glossaries/default (published description). ErrNotFound: there
// is none.
func (c *Client) DefaultGlossary(ctx context.Context) (Glossary, error) {
	return c.defaultGlossary(ctx, wire.PathGlossariesDefault, nil)
}

// ProjectDefaultGlossary reads the default glossary of a project, or, where it has none and orAccount is set, that of the account: GET
// /v1/project/{projectId}/glossaries/default (published description). ErrNotFound: there is none.
func (c *Client) ProjectDefaultGlossary(ctx context.Context, project string, orAccount bool) (Glossary, error) {
	if err := checkID(project); err != nil {
		return Glossary{}, fmt.Errorf("read default glossary: project id: %w", err)
	}
	q := url.Values{wire.QueryFallbackToAccount: {strconv.FormatBool(orAccount)}}
	return c.defaultGlossary(ctx, fill(wire.PathProjectGlossaryDefault, project), q)
}

func (c *Client) defaultGlossary(ctx context.Context, path string, query url.Values) (Glossary, error) {
	var g Glossary
	err := c.do(ctx, call{op: "read default glossary", method: http.MethodGet, path: path, query: query, repeatable: true, read: c.record(&g)})
	return g, err
}

// SetProjectGlossaries attaches glossaries to a project in place of all that are attached: PUT
// /v1/project/{projectId}/glossaries, an array of identifiers (service interface, project configuration). 400 (ErrRefused): a
// glossary without the project's languages; 404 (ErrNotFound): one that does not exist.
func (c *Client) SetProjectGlossaries(ctx context.Context, project string, ids []string) error {
	const op = "set the project's glossaries"
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	for _, id := range ids {
		if err := checkID(id); err != nil {
			return fmt.Errorf("%s: glossary id: %w", op, err)
		}
	}
	if ids == nil {
		ids = []string{}
	}
	return c.set(ctx, op, http.MethodPut, fill(wire.PathProjectGlossaries, project), nil, ids)
}

// StartGlossaryImport brings a workbook or CSV file of terms into a glossary, after emptying it or in addition: POST
// /v1/glossary/import (service interface, methods named without detail; parameters and answer are the published description's). The file
// has at most 10 MB. It returns the identifier of a task, see WaitGlossaryImport. The request is made once. 404 (ErrNotFound): no such
// glossary.
func (c *Client) StartGlossaryImport(ctx context.Context, glossary string, file File, clear bool) (JobID, error) {
	const op = "start glossary import"
	if err := checkID(glossary); err != nil {
		return "", fmt.Errorf("%s: glossary id: %w", op, err)
	}
	if file.Size > wire.MaxGlossaryImport {
		return "", fmt.Errorf("%s: %s has %d bytes; the service takes %d at most: divide it", op, file.Name, file.Size, wire.MaxGlossaryImport)
	}
	body, err := newForm(formPart{name: wire.PartFile, kind: anyFile, file: &file})
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	var id JobID
	err = c.do(ctx, call{
		op: op, method: http.MethodPost, path: wire.PathGlossaryImport,
		query: url.Values{wire.QueryGlossaryID: {glossary}, wire.QueryClearBeforeImport: {strconv.FormatBool(clear)}},
		form:  body, changes: true, read: c.identifier(&id),
	})
	return id, err
}

// GlossaryImportState looks once at how the import of a glossary stands: GET /v1/glossary/importTaskState/{taskId} (published
// description, without the words; one that is not known counts as not ended).
func (c *Client) GlossaryImportState(ctx context.Context, id JobID) (TaskState, error) {
	const op = "read glossary import"
	if err := checkID(string(id)); err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	var state TaskState
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(wire.PathGlossaryImportState, string(id)), repeatable: true, poll: true, read: c.word(&state),
	})
	return state, err
}

// WaitGlossaryImport waits until the import of a glossary is over, or ctx ends. One that failed is ErrTaskFailed.
func (c *Client) WaitGlossaryImport(ctx context.Context, id JobID) error {
	return c.waitTask(ctx, "glossary import", string(id), func(ctx context.Context) (TaskState, error) { return c.GlossaryImportState(ctx, id) })
}

// StartGlossaryExport starts the export of a glossary and returns the identifier of a task, see DownloadGlossary: POST
// /v1/glossary/export (service interface, methods named without detail; the path is the published description's). An export changes nothing,
// so a lost answer is repeated.
func (c *Client) StartGlossaryExport(ctx context.Context, glossary string) (JobID, error) {
	const op = "start glossary export"
	if err := checkID(glossary); err != nil {
		return "", fmt.Errorf("%s: glossary id: %w", op, err)
	}
	var id JobID
	err := c.do(ctx, call{
		op: op, method: http.MethodPost, path: wire.PathGlossaryExport, query: url.Values{wire.QueryGlossaryID: {glossary}},
		repeatable: true, read: c.identifier(&id),
	})
	return id, err
}

// PendingGlossaryExports lists the exports of glossaries that have not been fetched: GET /v1/glossary/export/pendingTasks (service
// interface, methods named without detail; path and answer are the published description's).
func (c *Client) PendingGlossaryExports(ctx context.Context) ([]GlossaryExport, error) {
	var pending wire.List[GlossaryExport]
	err := c.do(ctx, call{
		op: "list glossary exports", method: http.MethodGet, path: wire.PathGlossaryExportPending, repeatable: true, read: unlessEmpty(c.record(&pending)),
	})
	return pending, err
}

// TryDownloadGlossary looks once whether the export of a glossary is ready and, if so, writes the workbook into w and returns how many
// bytes it has: GET /v1/glossary/export/{taskId} (service interface, methods named without detail; the path is the published
// description's). ErrNotReady: not yet, which this operation says with 400 and not, like the other exports, with 204. 404
// (ErrNotFound): no such task; 500 (ErrExportFailed): it failed. An answer that breaks off is not asked for again once something was written.
func (c *Client) TryDownloadGlossary(ctx context.Context, id JobID, w io.Writer) (int64, error) {
	const op = "download glossary"
	if err := checkID(string(id)); err != nil {
		return 0, fmt.Errorf("%s: %w", op, err)
	}
	var written int64
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(wire.PathGlossaryExportResult, string(id)), repeatable: true, poll: true,
		read: whenReady(noPage(c.copyTo(w, &written))),
	})
	var e *Error
	if errors.As(err, &e) {
		switch e.Status {
		case http.StatusBadRequest:
			e.kinds = append(e.kinds, ErrNotReady)
		case http.StatusInternalServerError:
			e.kinds = append(e.kinds, ErrExportFailed)
		}
	}
	return written, err
}

// DownloadGlossary waits until the export of a glossary is ready, or ctx ends, and writes it into w as TryDownloadGlossary does.
func (c *Client) DownloadGlossary(ctx context.Context, id JobID, w io.Writer) (int64, error) {
	written, err := waitFor(ctx, c, func(ctx context.Context) (int64, error) { return c.TryDownloadGlossary(ctx, id, w) })
	if err != nil && ctx.Err() != nil {
		err = unfinished("glossary export", id, err)
	}
	return written, err
}
