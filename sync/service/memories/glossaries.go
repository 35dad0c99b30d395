package memories

import (
	"cmp"
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
	return service.Get[wire.List[Glossary]](ctx, g.client, service.Call{Op: "list glossaries",
		Path: wire.PathGlossaries}, service.Reader.UnlessEmpty)
}

// Attached lists the glossaries that are attached to a project: GET /v1/project/{projectId}/glossaries (published
// description).
func (g Glossaries) Attached(ctx context.Context, project string) ([]Glossary, error) {
	return service.Get[wire.List[Glossary]](ctx, g.client, service.Call{
		Op: "read the project's glossaries", Bad: service.Named("project", project),
		Path: service.PathOf(wire.PathProjectGlossaries, project),
	}, service.Reader.UnlessEmpty)
}

// Default reads the default glossary of the account: GET /v1/glossaries/default (published description).
// ErrNotFound: there is none.
func (g Glossaries) Default(ctx context.Context) (Glossary, error) {
	return service.Get[Glossary](ctx, g.client, service.Call{Op: "read default glossary",
		Path: wire.PathGlossariesDefault})
}

// Attach attaches glossaries to a project in place of all that are attached: PUT
// /v1/project/{projectId}/glossaries, an array of identifiers (service interface, project configuration). 400
// (ErrRefused): a glossary without the project's languages; 404 (ErrNotFound): one that does not exist.
func (g Glossaries) Attach(ctx context.Context, project string, ids []string) error {
	bad := service.Named("project", project)
	for _, id := range ids {
		bad = cmp.Or(bad, service.Named("glossary", id))
	}
	if ids == nil {
		ids = []string{}
	}
	return g.client.Do(ctx, service.Call{
		Op: "set the project's glossaries", Bad: bad, Method: http.MethodPut,
		Path: service.PathOf(wire.PathProjectGlossaries, project), Body: ids, Repeatable: true, Changes: true,
	})
}

// StartImport brings a workbook or CSV file of terms into a glossary, after emptying it or in addition: POST
// /v1/glossary/import (service interface, methods named without detail; parameters and answer are the published
// description's). The file has at most 10 MB. It returns the identifier of a task, see WaitImport. The request
// is made once. 404 (ErrNotFound): no such glossary.
func (g Glossaries) StartImport(ctx context.Context, glossary string, file service.File, clear bool) (service.JobID,
	error) {
	bad := service.Named("glossary", glossary)
	if file.Size > wire.MaxGlossaryImport {
		bad = fmt.Errorf("%s has %d bytes; the service takes %d at most: divide it", file.Name, file.Size,
			wire.MaxGlossaryImport)
	}
	return service.Start(ctx, g.client, service.Call{
		Op: "start glossary import", Bad: bad, Method: http.MethodPost, Path: wire.PathGlossaryImport,
		Query: url.Values{wire.QueryGlossaryID: {glossary}, wire.QueryClearBeforeImport: {strconv.FormatBool(clear)}},
		Parts: []service.Part{service.FilePart(wire.PartFile, &file)}, Changes: true,
	})
}

// ImportState asks once how far the import of a glossary is: GET /v1/glossary/importTaskState/{taskId} (published
// description, without the words; one that is not known counts as not ended).
func (g Glossaries) ImportState(ctx context.Context, id service.JobID) (TaskState, error) {
	var state TaskState
	err := g.client.Do(ctx, service.Call{
		Op: "read glossary import", Bad: service.CheckID(string(id)), Method: http.MethodGet,
		Path: service.PathOf(wire.PathGlossaryImportState, string(id)), Repeatable: true, Poll: true,
		Read: service.Word(&state),
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
	return service.Start(ctx, g.client, service.Call{
		Op: "start glossary export", Bad: service.Named("glossary", glossary), Method: http.MethodPost,
		Path: wire.PathGlossaryExport, Query: url.Values{wire.QueryGlossaryID: {glossary}}, Repeatable: true,
	})
}

// PendingExports lists the exports of glossaries that have not been fetched: GET
// /v1/glossary/export/pendingTasks (service interface, methods named without detail; path and answer are the
// published description's).
func (g Glossaries) PendingExports(ctx context.Context) ([]GlossaryExport, error) {
	return service.Get[wire.List[GlossaryExport]](ctx, g.client, service.Call{Op: "list glossary exports",
		Path: wire.PathGlossaryExportPending}, service.Reader.UnlessEmpty)
}

// TryDownload looks once whether the export of a glossary is ready and, if so, writes the workbook into w and
// returns how many bytes it has: GET /v1/glossary/export/{taskId} (service interface, methods named without
// detail; the path is the published description's). ErrNotReady: not yet, which this operation says with 400
// and not, like the other exports, with 204. 404 (ErrNotFound): no such task; 500 (ErrExportFailed): it failed.
// An answer that breaks off is not asked for again once something was written.
func (g Glossaries) TryDownload(ctx context.Context, id service.JobID, w io.Writer) (int64, error) {
	var written int64
	err := g.client.Do(ctx, service.Call{
		Op: "download glossary", Bad: service.CheckID(string(id)), Method: http.MethodGet,
		Path:       service.PathOf(wire.PathGlossaryExportResult, string(id)),
		Repeatable: true, Poll: true, Download: true,
		Read: service.Copy(w, &written).NoPage().WhenReady(),
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
