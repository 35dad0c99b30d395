package service

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locsync/locsync/sync/service/wire"
)

// DocumentExportRequest says which documents are to be exported, and how. The constants of its words are in package wire.
type DocumentExportRequest struct {
	Documents []string   // composite identifiers; at least one
	Type      ExportType // empty: target
	Mode      ExportMode // empty: current
	Stage     int        // the stage that ExportConfirmed means, 1 being the first; 0: not sent
}

// DocumentExportJob is an export that was started, and of which documents.
type DocumentExportJob struct {
	ID        JobID
	Documents []string
}

// StartDocumentExport starts the export of documents: POST /v1/document/export (service interface, export of document
// translations; which values type and mode have is the published description's). Many documents become several exports, since
// they are named in the query; where one of those cannot be started, the ones that were stand beside the error. An export changes
// nothing, so a lost answer is repeated. Fetch the export of one document with DownloadDocument, of several with Download.
// 400 (ErrRefused): no such stage, or a type that the documents cannot be exported as; 403 (ErrAuth): a document of another
// account.
func (c *Client) StartDocumentExport(ctx context.Context, r DocumentExportRequest) ([]DocumentExportJob, error) {
	const op = "start document export"
	if err := checkDocuments(r.Documents); err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	if r.Stage < 0 {
		return nil, fmt.Errorf("%s: stage %d: the first stage is 1", op, r.Stage)
	}
	var jobs []DocumentExportJob
	for _, some := range chunked(r.Documents) {
		q := url.Values{
			wire.QueryDocumentIDs: some,
			wire.QueryExportType:  {string(cmp.Or(r.Type, wire.ExportTarget))},
			wire.QueryExportMode:  {string(cmp.Or(r.Mode, wire.ExportCurrent))},
		}
		if r.Stage > 0 {
			q.Set(wire.QueryStageNumber, strconv.Itoa(r.Stage))
		}
		var id JobID
		err := c.do(ctx, call{
			op: op, method: http.MethodPost, path: wire.PathDocumentExport, query: q, repeatable: true, read: c.identifier(&id),
		})
		if err != nil {
			return jobs, err
		}
		jobs = append(jobs, DocumentExportJob{id, some})
	}
	return jobs, nil
}

// TryDownloadDocument looks once whether the export of a single document is ready and, if so, takes it as TryDownload does, but as
// the file that it is: a workbook is an archive by its first bytes, and a web page may be what was translated. GET
// /v1/document/export/{taskId} (service interface, export of document translations).
func (c *Client) TryDownloadDocument(ctx context.Context, id JobID, dir string) (*Archive, error) {
	return c.tryDownload(ctx, "download document", id, dir, true)
}

// DownloadDocument waits until the export of a single document is ready, or ctx ends, and takes it as TryDownloadDocument does.
func (c *Client) DownloadDocument(ctx context.Context, id JobID, dir string) (*Archive, error) {
	return c.download(ctx, id, func(ctx context.Context) (*Archive, error) { return c.TryDownloadDocument(ctx, id, dir) })
}
