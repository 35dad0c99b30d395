package memories

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Glossaries are the operations on glossaries.
type Glossaries struct{ client *service.Client }

// GlossariesOf are the operations of a client on glossaries.
func GlossariesOf(c *service.Client) Glossaries { return Glossaries{c} }

// List lists the glossaries of the account: GET /v1/glossaries (service interface, project configuration).
func (g Glossaries) List(ctx context.Context) ([]Glossary, error) {
	return g.list(ctx, "list glossaries", wire.PathGlossaries)
}

// Attached lists the glossaries that are attached to a project: GET /v1/project/{projectId}/glossaries (published
// description).
func (g Glossaries) Attached(ctx context.Context, project string) ([]Glossary, error) {
	const op = "read the project's glossaries"
	if err := service.CheckID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	return g.list(ctx, op, service.PathOf(wire.PathProjectGlossaries, project))
}

func (g Glossaries) list(ctx context.Context, op, path string) ([]Glossary, error) {
	var glossaries wire.List[Glossary]
	err := g.client.Do(ctx, service.Call{Op: op, Method: http.MethodGet, Path: path, Repeatable: true,
		Read: service.JSON(&glossaries).UnlessEmpty()})
	return glossaries, err
}

// Default reads the default glossary of the account: GET /v1/glossaries/default (published description).
// ErrNotFound: there is none.
func (g Glossaries) Default(ctx context.Context) (Glossary, error) {
	return g.readDefault(ctx, wire.PathGlossariesDefault, nil)
}

// ProjectDefault reads the default glossary of a project, or, where it has none and orAccount is set, that of
// the account: GET /v1/project/{projectId}/glossaries/default (published description). ErrNotFound: there is
// none.
func (g Glossaries) ProjectDefault(ctx context.Context, project string, orAccount bool) (Glossary, error) {
	if err := service.CheckID(project); err != nil {
		return Glossary{}, fmt.Errorf("read default glossary: project id: %w", err)
	}
	q := url.Values{wire.QueryFallbackToAccount: {strconv.FormatBool(orAccount)}}
	return g.readDefault(ctx, service.PathOf(wire.PathProjectGlossaryDefault, project), q)
}

func (g Glossaries) readDefault(ctx context.Context, path string, query url.Values) (Glossary, error) {
	var found Glossary
	err := g.client.Do(ctx, service.Call{Op: "read default glossary", Method: http.MethodGet, Path: path, Query: query,
		Repeatable: true, Read: service.JSON(&found)})
	return found, err
}

// Attach attaches glossaries to a project in place of all that are attached: PUT
// /v1/project/{projectId}/glossaries, an array of identifiers (service interface, project configuration). 400
// (ErrRefused): a glossary without the project's languages; 404 (ErrNotFound): one that does not exist.
func (g Glossaries) Attach(ctx context.Context, project string, ids []string) error {
	const op = "set the project's glossaries"
	if err := service.CheckID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	for _, id := range ids {
		if err := service.CheckID(id); err != nil {
			return fmt.Errorf("%s: glossary id: %w", op, err)
		}
	}
	if ids == nil {
		ids = []string{}
	}
	return g.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPut, Path: service.PathOf(wire.PathProjectGlossaries, project),
		Body: ids, Repeatable: true, Changes: true,
	})
}

// StartImport brings a workbook or CSV file of terms into a glossary, after emptying it or in addition: POST
// /v1/glossary/import (service interface, methods named without detail; parameters and answer are the published
// description's). The file has at most 10 MB. It returns the identifier of a task, see WaitImport. The request
// is made once. 404 (ErrNotFound): no such glossary.
func (g Glossaries) StartImport(ctx context.Context, glossary string, file service.File, clear bool) (service.JobID,
	error) {
	const op = "start glossary import"
	if err := service.CheckID(glossary); err != nil {
		return "", fmt.Errorf("%s: glossary id: %w", op, err)
	}
	if file.Size > wire.MaxGlossaryImport {
		return "", fmt.Errorf("%s: %s has %d bytes; the service takes %d at most: divide it", op, file.Name, file.Size,
			wire.MaxGlossaryImport)
	}
	body, err := service.NewForm(service.FilePart(wire.PartFile, &file))
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	var id service.JobID
	err = g.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: wire.PathGlossaryImport,
		Query: url.Values{wire.QueryGlossaryID: {glossary}, wire.QueryClearBeforeImport: {strconv.FormatBool(clear)}},
		Form:  body, Changes: true, Read: service.Identifier(&id),
	})
	return id, err
}

// ImportState asks once how far the import of a glossary is: GET /v1/glossary/importTaskState/{taskId} (published
// description, without the words; one that is not known counts as not ended).
func (g Glossaries) ImportState(ctx context.Context, id service.JobID) (TaskState, error) {
	const op = "read glossary import"
	if err := service.CheckID(string(id)); err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	var state TaskState
	err := g.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: service.PathOf(wire.PathGlossaryImportState, string(id)), Repeatable: true,
		Poll: true, Read: service.Word(&state),
	})
	return state, err
}

// WaitImport waits until the import of a glossary is over, or ctx ends. One that failed is ErrTaskFailed.
func (g Glossaries) WaitImport(ctx context.Context, id service.JobID) error {
	return service.WaitTask(ctx, g.client, "glossary import", string(id),
		func(ctx context.Context) (TaskState, error) { return g.ImportState(ctx, id) })
}

// StartExport starts the export of a glossary and returns the identifier of a task, see Download: POST
// /v1/glossary/export (service interface, methods named without detail; the path is the published
// description's). An export changes nothing, so a lost answer is repeated.
func (g Glossaries) StartExport(ctx context.Context, glossary string) (service.JobID, error) {
	const op = "start glossary export"
	if err := service.CheckID(glossary); err != nil {
		return "", fmt.Errorf("%s: glossary id: %w", op, err)
	}
	var id service.JobID
	err := g.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: wire.PathGlossaryExport, Query: url.Values{wire.QueryGlossaryID: {glossary}},
		Repeatable: true, Read: service.Identifier(&id),
	})
	return id, err
}

// PendingExports lists the exports of glossaries that have not been fetched: GET
// /v1/glossary/export/pendingTasks (service interface, methods named without detail; path and answer are the
// published description's).
func (g Glossaries) PendingExports(ctx context.Context) ([]GlossaryExport, error) {
	var pending wire.List[GlossaryExport]
	err := g.client.Do(ctx, service.Call{
		Op: "list glossary exports", Method: http.MethodGet, Path: wire.PathGlossaryExportPending, Repeatable: true,
		Read: service.JSON(&pending).UnlessEmpty(),
	})
	return pending, err
}

// TryDownload looks once whether the export of a glossary is ready and, if so, writes the workbook into w and
// returns how many bytes it has: GET /v1/glossary/export/{taskId} (service interface, methods named without
// detail; the path is the published description's). ErrNotReady: not yet, which this operation says with 400
// and not, like the other exports, with 204. 404 (ErrNotFound): no such task; 500 (ErrExportFailed): it failed.
// An answer that breaks off is not asked for again once something was written.
func (g Glossaries) TryDownload(ctx context.Context, id service.JobID, w io.Writer) (int64, error) {
	const op = "download glossary"
	if err := service.CheckID(string(id)); err != nil {
		return 0, fmt.Errorf("%s: %w", op, err)
	}
	var written int64
	err := g.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: service.PathOf(wire.PathGlossaryExportResult, string(id)), Repeatable: true,
		Poll:     true,
		Download: true,
		Read:     service.Copy(w, &written).NoPage().WhenReady(),
		Means: map[int]error{http.StatusBadRequest: service.ErrNotReady,
			http.StatusInternalServerError: service.ErrExportFailed},
	})
	return written, err
}

// Download waits until the export of a glossary is ready, or ctx ends, and writes it into w as TryDownload does.
func (g Glossaries) Download(ctx context.Context, id service.JobID, w io.Writer) (int64, error) {
	written, err := service.WaitFor(ctx, g.client,
		func(ctx context.Context) (int64, error) { return g.TryDownload(ctx, id, w) })
	if err != nil && ctx.Err() != nil {
		err = service.Unfinished("glossary export", id, err)
	}
	return written, err
}
