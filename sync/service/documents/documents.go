package documents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Documents are the operations on the documents of projects.
type Documents struct{ client *service.Client }

// Of are the operations of a client on documents.
func Of(c *service.Client) Documents { return Documents{c} }

// Add adds documents to a project and returns their records, one per file and target language: POST
// /v1/project/document with the query parameter projectId (service interface, document-based projects; the
// answer is the published description's). They are taken apart afterwards: see Wait. It is not repeated when
// its answer is lost: look at the project's record then. 400 (ErrRefused): an empty file, or a model, named by
// its member; 403 (ErrAuth): another account's project, or a personal account; 404 (ErrNotFound): no such
// project; 409 (ErrRefused): the project has a document of that name.
func (ds Documents) Add(ctx context.Context, project string, documents []service.NewDocument) ([]Document, error) {
	const op = "add documents"
	if err := service.CheckID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	if len(documents) == 0 {
		return nil, fmt.Errorf("%s: no files", op)
	}
	files, models := service.DocumentParts(documents)
	body, err := service.NewForm(append([]service.Part{service.ModelPart(wire.PartDocumentModel, models)}, files...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	var added wire.List[Document]
	err = ds.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: wire.PathProjectDocument, Query: url.Values{wire.QueryProjectID: {project}},
		Form: body, Changes: true, Read: service.JSON(&added),
	})
	return added, err
}

// Update replaces a document by a new version of its file: PUT /v1/document/update, whose parameter documentId
// is the composite identifier (service interface, document-based projects; the answer is the published
// description's). Translations that are there already are put into the new version by pretranslation. A service
// that has only PUT /v2/document/update gets that one, which updates all target languages of the document at
// once. A document that is still being taken apart cannot be updated: see WaitDocument. 403 is ErrAuth, 404
// ErrNotFound.
func (ds Documents) Update(ctx context.Context, id string, file service.File,
	model DocumentUpdateModel) ([]Document, error) {
	const op = "update document"
	body, err := updateForm(op, id, &file, model)
	if err != nil {
		return nil, err
	}
	updated, err := ds.update(ctx, op, wire.PathDocumentUpdate, id, body)
	document, language := wire.SplitDocumentID(id)
	if !service.Missing(err) || language == "" || body.Rewind() != nil {
		return updated, err
	}
	again, err2 := ds.update(ctx, op, wire.PathDocumentUpdateV2, document, body)
	if service.Missing(err2) {
		return nil, err // it is the document that is missing
	}
	return again, err2
}

// UpdateAll is Update in all target languages of the document in one request: PUT /v2/document/update (published
// description), whose identifier has no language; the one of id is left out. 404 (ErrNotFound) is a document that does
// not exist, or a service that has Update only.
func (ds Documents) UpdateAll(ctx context.Context, id string, file service.File,
	model DocumentUpdateModel) ([]Document, error) {
	const op = "update document"
	body, err := updateForm(op, id, &file, model)
	if err != nil {
		return nil, err
	}
	document, _ := wire.SplitDocumentID(id)
	return ds.update(ctx, op, wire.PathDocumentUpdateV2, document, body)
}

// updateForm is the body of both updates.
func updateForm(op, id string, file *service.File, model DocumentUpdateModel) (*service.Form, error) {
	if err := service.CheckID(id); err != nil {
		return nil, fmt.Errorf("%s: document id: %w", op, err)
	}
	body, err := service.NewForm(service.ModelPart(wire.PartUpdateDocumentModel, model),
		service.FilePart(wire.PartFile, file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return body, nil
}

func (ds Documents) update(ctx context.Context, op, path, id string, body *service.Form) ([]Document, error) {
	var updated wire.List[Document]
	err := ds.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPut, Path: path, Query: url.Values{wire.QueryDocumentID: {id}},
		Form: body, Repeatable: true, Changes: true, Read: service.JSON(&updated),
	})
	return updated, err
}

// Delete deletes documents by their composite identifiers: DELETE /v1/document (service interface,
// document-based projects). Many of them take several requests; when one of those fails, those before it have
// done their work. 400 (ErrRefused): a malformed identifier; 403 (ErrAuth): one of another account; 404
// (ErrNotFound): one that does not exist.
func (ds Documents) Delete(ctx context.Context, ids ...string) error {
	const op = "delete documents"
	if err := checkDocuments(ids); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	for _, some := range Together(ids) {
		err := ds.client.Do(ctx, service.Call{
			Op: op, Method: http.MethodDelete, Path: wire.PathDocument, Query: url.Values{wire.QueryDocumentIDs: some},
			Repeatable: true, Changes: true,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func checkDocuments(ids []string) error {
	if len(ids) == 0 {
		return errors.New("no documents")
	}
	for _, id := range ids {
		if err := service.CheckID(id); err != nil || strings.Contains(id, ",") {
			return fmt.Errorf("document id %q: want <documentId>_<languageId>", id)
		}
	}
	return nil
}

// Together divides identifiers into those that one request takes: a query of them stays below the 2048 characters
// that some servers take at most.
func Together(ids []string) [][]string {
	const longest, around = 1800, len(wire.QueryDocumentIDs) + len("&=")
	var chunks [][]string
	length := longest
	for _, id := range ids {
		n := len(url.QueryEscape(id)) + around
		if length+n > longest {
			chunks, length = append(chunks, nil), 0
		}
		chunks[len(chunks)-1] = append(chunks[len(chunks)-1], id)
		length += n
	}
	return chunks
}

// Read reads the record of a document in one target language: GET /v1/document with the query parameter
// documentId, the composite identifier (service interface, document-based projects). Its progress is in the
// record's workflow stages. 403 is ErrAuth, 404 ErrNotFound.
func (ds Documents) Read(ctx context.Context, id string) (Document, error) {
	const op = "read document"
	if err := service.CheckID(id); err != nil {
		return Document{}, fmt.Errorf("%s: document id: %w", op, err)
	}
	return ds.read(ctx, op, id, false)
}

func (ds Documents) read(ctx context.Context, op, id string, poll bool) (Document, error) {
	var d Document
	err := ds.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: wire.PathDocument, Query: url.Values{wire.QueryDocumentID: {id}},
		Repeatable: true, Poll: poll, Read: service.JSON(&d),
	})
	if err == nil && d.ID == "" {
		return Document{}, &service.Error{Op: op, Err: fmt.Errorf("%w: it is not a document record", service.ErrUnusable)}
	}
	return d, err
}

// Wait waits until a document has been taken apart into segments, or ctx ends. A file that the service could
// not take apart is ErrDisassembly.
func (ds Documents) Wait(ctx context.Context, id string) (Document, error) {
	const op = "wait for document"
	if err := service.CheckID(id); err != nil {
		return Document{}, fmt.Errorf("%s: document id: %w", op, err)
	}
	var d Document
	err := ds.client.Wait(ctx, func(ctx context.Context) (bool, error) {
		seen, err := ds.read(ctx, op, id, true)
		if err == nil {
			d = seen
		}
		return err == nil && d.DocumentDisassemblyStatus != wire.DisassemblyInProgress, err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return d, service.Unfinished("document", service.JobID(id), err)
	case err == nil && d.DocumentDisassemblyStatus == wire.DisassemblyError:
		return d, Broken(d)
	}
	return d, err
}

// Broken says that the service could not take a document apart.
func Broken(d Document) error {
	return fmt.Errorf("document %s (%s): %w; look at the file in the service's editor", d.Name, d.ID,
		service.ErrDisassembly)
}

// WaitAll waits until documents of a project have been taken apart, or could not be, or ctx ends, and returns their
// records. Each look is one request, whatever their number: the project's record has them all. One that the project
// does not have any more is not waited for.
func (ds Documents) WaitAll(ctx context.Context, project string, ids []string) ([]Document, error) {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	var records []Document
	err := ds.client.Wait(ctx, func(ctx context.Context) (bool, error) {
		p, err := ds.client.Projects().WithSome(ctx, project, func(d *Document) bool { return wanted[d.ID] })
		if err != nil {
			return false, err
		}
		records = p.Documents
		return !slices.ContainsFunc(records, func(d Document) bool {
			return d.DocumentDisassemblyStatus == wire.DisassemblyInProgress
		}), nil
	})
	if err != nil && ctx.Err() != nil {
		err = service.Unfinished("documents of project", service.JobID(project), err)
	}
	return records, err
}

// Rename gives a document another name: PUT /v1/document/rename (published description). 409 (ErrRefused): the name is
// taken.
func (ds Documents) Rename(ctx context.Context, id, name string) error {
	const op = "rename document"
	if err := service.CheckID(id); err != nil || name == "" {
		return fmt.Errorf("%s %q: it needs a document id and a name", op, id)
	}
	return ds.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPut, Path: wire.PathDocumentRename,
		Query:      url.Values{wire.QueryDocumentID: {id}, wire.QueryName: {name}},
		Repeatable: true, Changes: true,
	})
}

// SetMetaInfo replaces the free text that goes with a document: PUT /v1/document/updateMetaInfo, a JSON string
// (published description).
func (ds Documents) SetMetaInfo(ctx context.Context, id, metaInfo string) error {
	const op = "set meta info of document"
	if err := service.CheckID(id); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return ds.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPut, Path: wire.PathDocumentMetaInfo, Query: url.Values{wire.QueryDocumentID: {id}},
		Body: metaInfo, Repeatable: true, Changes: true,
	})
}

// Complete marks a document as completed: POST /v1/document/complete (published description). One that is completed
// already does no harm. 400 (ErrRefused): it is not in a state that can be completed.
func (ds Documents) Complete(ctx context.Context, id string) error {
	const op = "complete document"
	if err := service.CheckID(id); err != nil {
		return fmt.Errorf("%s: document id: %w", op, err)
	}
	return ds.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: wire.PathDocumentComplete, Query: url.Values{wire.QueryDocumentID: {id}},
		Repeatable: true, Changes: true,
	})
}

// Translate brings a translated file into a document: PUT /v1/document/translate (published description), for
// resource files, whose segments have identifiers. It is not done yet when the call returns: see
// TranslationState. The request is made once.
func (ds Documents) Translate(ctx context.Context, id string, file service.File, overwrite, confirm bool) error {
	return ds.translate(ctx, "translate document", wire.PathDocumentTranslate, id, file, url.Values{
		wire.QueryOverwrite: {strconv.FormatBool(overwrite)}, wire.QueryConfirmTranslation: {strconv.FormatBool(confirm)},
	})
}

// TranslateWithXLIFF brings an XLIFF file, as an export of ExportXLIFF gave it, back into its document: PUT
// /v1/document/translateWithXliff (published description; its end, which a notification tells, is in the
// service interface). overwriteUpdated also replaces translations that changed since that export. The request
// is made once.
func (ds Documents) TranslateWithXLIFF(ctx context.Context, id string, file service.File, overwriteUpdated,
	confirm bool) error {
	return ds.translate(ctx, "translate document with XLIFF", wire.PathDocumentTranslateXLIFF, id, file, url.Values{
		wire.QueryOverwriteUpdated:   {strconv.FormatBool(overwriteUpdated)},
		wire.QueryConfirmTranslation: {strconv.FormatBool(confirm)},
	})
}

func (ds Documents) translate(ctx context.Context, op, path, id string, file service.File, query url.Values) error {
	if err := service.CheckID(id); err != nil {
		return fmt.Errorf("%s: document id: %w", op, err)
	}
	body, err := service.NewForm(service.FilePart(wire.PartTranslationFile, &file))
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	query.Set(wire.QueryDocumentID, id)
	return ds.client.Do(ctx, service.Call{Op: op, Method: http.MethodPut, Path: path, Query: query, Form: body,
		Changes: true})
}

// TranslationState asks once how far the import of a translation into a document is: GET
// /v1/document/translate/status (published description).
func (ds Documents) TranslationState(ctx context.Context, id string) (TaskState, error) {
	const op = "read translation state"
	if err := service.CheckID(id); err != nil {
		return "", fmt.Errorf("%s: document id: %w", op, err)
	}
	var state TaskState
	err := ds.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: wire.PathDocumentTranslateStatus, Query: url.Values{wire.QueryDocumentID: {id}},
		Repeatable: true, Poll: true, Read: service.Word(&state),
	})
	return state, err
}

// WaitTranslation waits until a translation has been brought into a document, or ctx ends. One that failed is
// ErrTaskFailed; the report is TranslationReport.
func (ds Documents) WaitTranslation(ctx context.Context, id string) error {
	return service.WaitTask(ctx, ds.client, "translation", id,
		func(ctx context.Context) (TaskState, error) { return ds.TranslationState(ctx, id) })
}

// TranslationReport reads the report on the translation that was last brought into a document, in a form that
// is not published: GET /v1/document/translate/result (published description). ErrNotReady: there is none yet.
func (ds Documents) TranslationReport(ctx context.Context, id string) (json.RawMessage, error) {
	const op = "read translation report"
	if err := service.CheckID(id); err != nil {
		return nil, fmt.Errorf("%s: document id: %w", op, err)
	}
	var report json.RawMessage
	err := ds.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: wire.PathDocumentTranslateResult, Query: url.Values{wire.QueryDocumentID: {id}},
		Repeatable: true, Read: service.JSON(&report).WhenReady(),
	})
	return report, err
}

// Formats lists the file formats that the service can take apart: GET /v1/directory/formats (service interface,
// document-based projects; experimental, and its parameters are not published).
func (ds Documents) Formats(ctx context.Context) ([]FileFormat, error) {
	var formats wire.List[FileFormat]
	err := ds.client.Do(ctx, service.Call{
		Op: "list document formats", Method: http.MethodGet, Path: wire.PathDirectoryFormats, Repeatable: true,
		Read: service.JSON(&formats),
	})
	return formats, err
}
