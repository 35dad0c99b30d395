package documents

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// ExportRequest says which documents are to be exported, and how. The constants of its words are in package wire.
type ExportRequest struct {
	Documents []string   // composite identifiers; at least one
	Type      ExportType // empty: target
	Mode      ExportMode // empty: current
	Stage     int        // the stage that ExportConfirmed means, 1 being the first; 0: not sent
}

// ExportJob is an export that was started, and of which documents.
type ExportJob struct {
	ID        service.JobID
	Documents []string
}

// StartExport starts the export of documents: POST /v1/document/export (service interface, export of document
// translations; which values type and mode have is the published description's). Many documents become several
// exports, since they are named in the query; where one of those cannot be started, the ones that were stand
// beside the error. An export changes nothing, so a lost answer is repeated. Fetch the export of one document
// with Download, of several with service.Strings.Download. 400 (ErrRefused): no such stage, or a type that the
// documents cannot be exported as; 403 (ErrAuth): a document of another account.
func (ds Documents) StartExport(ctx context.Context, r ExportRequest) ([]ExportJob, error) {
	const op = "start document export"
	if err := checkDocuments(r.Documents); err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	if r.Stage < 0 {
		return nil, fmt.Errorf("%s: stage %d: the first stage is 1", op, r.Stage)
	}
	var jobs []ExportJob
	for _, some := range Together(r.Documents) {
		q := url.Values{
			wire.QueryDocumentIDs: some,
			wire.QueryExportType:  {string(cmp.Or(r.Type, wire.ExportTarget))},
			wire.QueryExportMode:  {string(cmp.Or(r.Mode, wire.ExportCurrent))},
		}
		if r.Stage > 0 {
			q.Set(wire.QueryStageNumber, strconv.Itoa(r.Stage))
		}
		id, err := service.Start(ctx, ds.client, service.Call{
			Op: op, Method: http.MethodPost, Path: wire.PathDocumentExport, Query: q, Repeatable: true,
		})
		if err != nil {
			return jobs, err
		}
		jobs = append(jobs, ExportJob{id, some})
	}
	return jobs, nil
}

// TryDownload looks once whether the export of a single document is ready and, if so, takes it as TryDownload
// does, but as the file that it is: a workbook is an archive by its first bytes, and a web page may be what was
// translated. GET /v1/document/export/{taskId} (service interface, export of document translations).
func (ds Documents) TryDownload(ctx context.Context, id service.JobID, dir string) (*service.Archive, error) {
	return ds.client.TryArchive(ctx, "download document", id, dir, true)
}

// Download waits until the export of a single document is ready, or ctx ends, and takes it as TryDownloadDocument does.
func (ds Documents) Download(ctx context.Context, id service.JobID, dir string) (*service.Archive, error) {
	return ds.client.WaitArchive(ctx, id, func(ctx context.Context) (*service.Archive,
		error) {
		return ds.TryDownload(ctx, id, dir)
	})
}
