package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/wire"
)

// NewDocument is a file that becomes a document, with what the service is to know about it. The zero model says nothing.
type NewDocument struct {
	File
	Model DocumentModel
}

// documentFiles are the parts and the models of new documents, in their order.
func documentFiles(documents []NewDocument) ([]formPart, []DocumentModel) {
	parts := make([]formPart, 0, len(documents))
	models := make([]DocumentModel, 0, len(documents))
	for i := range documents {
		parts = append(parts, formPart{name: wire.PartFile, kind: anyFile, file: &documents[i].File})
		models = append(models, documents[i].Model)
	}
	return parts, models
}

// AddDocuments adds documents to a project and returns their records, one per file and target language: POST
// /v1/project/document with the query parameter projectId (service interface, document-based projects; the answer is the published
// description's). They are taken apart afterwards: see WaitDocument. It is not repeated when its answer is lost: look at the
// project's record then. 400 (ErrRefused): an empty file, or a model, named by its member; 403 (ErrAuth): another account's
// project, or a personal account; 404 (ErrNotFound): no such project; 409 (ErrRefused): the project has a document of that name.
func (c *Client) AddDocuments(ctx context.Context, project string, documents []NewDocument) ([]Document, error) {
	const op = "add documents"
	if err := checkID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	if len(documents) == 0 {
		return nil, fmt.Errorf("%s: no files", op)
	}
	files, models := documentFiles(documents)
	body, err := newForm(append([]formPart{modelPart(wire.PartDocumentModel, models)}, files...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	var added wire.List[Document]
	err = c.do(ctx, call{
		op: op, method: http.MethodPost, path: wire.PathProjectDocument, query: url.Values{wire.QueryProjectID: {project}},
		form: body, changes: true, read: c.record(&added),
	})
	return added, err
}

// UpdateDocument replaces a document by a new version of its file: PUT /v1/document/update, whose parameter documentId is the
// composite identifier (service interface, document-based projects; the answer is the published description's). Translations that
// are there already are put into the new version by pretranslation. A service that has only PUT /v2/document/update gets that one,
// which updates all target languages of the document at once. A document that is still being taken apart cannot be updated: see
// WaitDocument. 403 is ErrAuth, 404 ErrNotFound.
func (c *Client) UpdateDocument(ctx context.Context, id string, file File, model DocumentUpdateModel) ([]Document, error) {
	const op = "update document"
	if err := checkID(id); err != nil {
		return nil, fmt.Errorf("%s: document id: %w", op, err)
	}
	body, err := newForm(modelPart(wire.PartUpdateDocumentModel, model), formPart{name: wire.PartFile, kind: anyFile, file: &file})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	update := func(path, id string) ([]Document, error) {
		var updated wire.List[Document]
		err := c.do(ctx, call{
			op: op, method: http.MethodPut, path: path, query: url.Values{wire.QueryDocumentID: {id}},
			form: body, repeatable: true, changes: true, read: c.record(&updated),
		})
		return updated, err
	}
	updated, err := update(wire.PathDocumentUpdate, id)
	document, language := wire.SplitDocumentID(id)
	if !missing(err) || language == "" || body.rewind() != nil {
		return updated, err
	}
	again, err2 := update(wire.PathDocumentUpdateV2, document)
	if missing(err2) {
		return nil, err // it is the document that is missing
	}
	return again, err2
}

// DeleteDocuments deletes documents by their composite identifiers: DELETE /v1/document (service interface, document-based
// projects). Many of them take several requests; when one of those fails, those before it have done their work. 400
// (ErrRefused): a malformed identifier; 403 (ErrAuth): one of another account; 404 (ErrNotFound): one that does not exist.
func (c *Client) DeleteDocuments(ctx context.Context, ids ...string) error {
	const op = "delete documents"
	if err := checkDocuments(ids); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	for _, some := range chunked(ids) {
		err := c.do(ctx, call{
			op: op, method: http.MethodDelete, path: wire.PathDocument, query: url.Values{wire.QueryDocumentIDs: some},
			repeatable: true, changes: true,
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
		if err := checkID(id); err != nil || strings.Contains(id, ",") {
			return fmt.Errorf("document id %q: want <documentId>_<languageId>", id)
		}
	}
	return nil
}

// chunked divides identifiers so that a query of them stays well below what services and proxies take, about 1000 characters.
func chunked(ids []string) [][]string {
	const longest, around = 900, len(wire.QueryDocumentIDs) + len("&=")
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

// Document reads the record of a document in one target language: GET /v1/document with the query parameter documentId, the
// composite identifier (service interface, document-based projects). Its progress is in the record's workflow stages. 403 is
// ErrAuth, 404 ErrNotFound.
func (c *Client) Document(ctx context.Context, id string) (Document, error) {
	const op = "read document"
	if err := checkID(id); err != nil {
		return Document{}, fmt.Errorf("%s: document id: %w", op, err)
	}
	return c.document(ctx, op, id, false)
}

func (c *Client) document(ctx context.Context, op, id string, poll bool) (Document, error) {
	var d Document
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: wire.PathDocument, query: url.Values{wire.QueryDocumentID: {id}},
		repeatable: true, poll: poll, read: c.record(&d),
	})
	if err == nil && d.ID == "" {
		return Document{}, &Error{Op: op, Err: fmt.Errorf("%w: it is no document record", ErrUnusable)}
	}
	return d, err
}

// WaitDocument waits until a document has been taken apart into segments, or ctx ends. A file that the service could not take apart
// is ErrDisassembly.
func (c *Client) WaitDocument(ctx context.Context, id string) (Document, error) {
	const op = "wait for document"
	if err := checkID(id); err != nil {
		return Document{}, fmt.Errorf("%s: document id: %w", op, err)
	}
	var d Document
	err := c.wait(ctx, func(ctx context.Context) (bool, error) {
		seen, err := c.document(ctx, op, id, true)
		if err == nil {
			d = seen
		}
		return err == nil && d.DocumentDisassemblyStatus != wire.DisassemblyInProgress, err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return d, unfinished("document", JobID(id), err)
	case err == nil && d.DocumentDisassemblyStatus == wire.DisassemblyError:
		return d, fmt.Errorf("document %s (%s): %w; look at the file in the service's editor", d.Name, id, ErrDisassembly)
	}
	return d, err
}

// RenameDocument gives a document another name: PUT /v1/document/rename (published description). 409 (ErrRefused): the name is
// taken.
func (c *Client) RenameDocument(ctx context.Context, id, name string) error {
	const op = "rename document"
	if err := checkID(id); err != nil || name == "" {
		return fmt.Errorf("%s %q: it needs a document id and a name", op, id)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPut, path: wire.PathDocumentRename, query: url.Values{wire.QueryDocumentID: {id}, wire.QueryName: {name}},
		repeatable: true, changes: true,
	})
}

// SetDocumentMetaInfo replaces the free text that goes with a document: PUT /v1/document/updateMetaInfo, a JSON string
// (published description).
func (c *Client) SetDocumentMetaInfo(ctx context.Context, id, metaInfo string) error {
	const op = "set meta info of document"
	body, err := json.Marshal(metaInfo)
	if err == nil {
		err = checkID(id)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPut, path: wire.PathDocumentMetaInfo, query: url.Values{wire.QueryDocumentID: {id}},
		body: body, bodyType: jsonType, repeatable: true, changes: true,
	})
}

// CompleteDocument marks a document as completed: POST /v1/document/complete (published description). One that is completed
// already does no harm. 400 (ErrRefused): it is not in a state that can be completed.
func (c *Client) CompleteDocument(ctx context.Context, id string) error {
	const op = "complete document"
	if err := checkID(id); err != nil {
		return fmt.Errorf("%s: document id: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPost, path: wire.PathDocumentComplete, query: url.Values{wire.QueryDocumentID: {id}},
		repeatable: true, changes: true,
	})
}

// TranslateDocument brings a translated file into a document: PUT /v1/document/translate (published description), for resource
// files, whose segments have identifiers. It is not done yet when the call returns: see TranslationState. The request is made once.
func (c *Client) TranslateDocument(ctx context.Context, id string, file File, overwrite, confirm bool) error {
	return c.translateDocument(ctx, "translate document", wire.PathDocumentTranslate, id, file, url.Values{
		wire.QueryOverwrite: {strconv.FormatBool(overwrite)}, wire.QueryConfirmTranslation: {strconv.FormatBool(confirm)},
	})
}

// TranslateDocumentWithXLIFF brings an XLIFF file, as an export of ExportXLIFF gave it, back into its document: PUT
// /v1/document/translateWithXliff (published description; its end, which a notification tells, is in the service interface).
// overwriteUpdated also replaces translations that changed since that export. The request is made once.
func (c *Client) TranslateDocumentWithXLIFF(ctx context.Context, id string, file File, overwriteUpdated, confirm bool) error {
	return c.translateDocument(ctx, "translate document with XLIFF", wire.PathDocumentTranslateXLIFF, id, file, url.Values{
		wire.QueryOverwriteUpdated: {strconv.FormatBool(overwriteUpdated)}, wire.QueryConfirmTranslation: {strconv.FormatBool(confirm)},
	})
}

func (c *Client) translateDocument(ctx context.Context, op, path, id string, file File, query url.Values) error {
	if err := checkID(id); err != nil {
		return fmt.Errorf("%s: document id: %w", op, err)
	}
	body, err := newForm(formPart{name: wire.PartTranslationFile, kind: anyFile, file: &file})
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	query.Set(wire.QueryDocumentID, id)
	return c.do(ctx, call{op: op, method: http.MethodPut, path: path, query: query, form: body, changes: true})
}

// TranslationState looks once at how bringing a translation into a document stands: GET /v1/document/translate/status
// (published description).
func (c *Client) TranslationState(ctx context.Context, id string) (TaskState, error) {
	const op = "read translation state"
	if err := checkID(id); err != nil {
		return "", fmt.Errorf("%s: document id: %w", op, err)
	}
	var state TaskState
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: wire.PathDocumentTranslateStatus, query: url.Values{wire.QueryDocumentID: {id}},
		repeatable: true, poll: true, read: c.word(&state),
	})
	return state, err
}

// WaitTranslation waits until a translation has been brought into a document, or ctx ends. One that failed is ErrTaskFailed; the
// report is TranslationReport.
func (c *Client) WaitTranslation(ctx context.Context, id string) error {
	return c.waitTask(ctx, "translation", id, func(ctx context.Context) (TaskState, error) { return c.TranslationState(ctx, id) })
}

// TranslationReport reads the report on the translation that was last brought into a document, in a form that is not published: GET
// /v1/document/translate/result (published description). ErrNotReady: there is none yet.
func (c *Client) TranslationReport(ctx context.Context, id string) (json.RawMessage, error) {
	const op = "read translation report"
	if err := checkID(id); err != nil {
		return nil, fmt.Errorf("%s: document id: %w", op, err)
	}
	var report json.RawMessage
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: wire.PathDocumentTranslateResult, query: url.Values{wire.QueryDocumentID: {id}},
		repeatable: true, read: whenReady(c.record(&report)),
	})
	return report, err
}

// DocumentFormats lists the file formats that the service can take apart: GET /v1/directory/formats (service interface,
// document-based projects; experimental, and its parameters are not published).
func (c *Client) DocumentFormats(ctx context.Context) ([]FileFormat, error) {
	var formats wire.List[FileFormat]
	err := c.do(ctx, call{
		op: "list document formats", method: http.MethodGet, path: wire.PathDirectoryFormats, repeatable: true, read: c.record(&formats),
	})
	return formats, err
}
