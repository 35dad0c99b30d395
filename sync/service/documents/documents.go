package documents

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
// answer is the published description's). They are taken apart afterwards: see WaitAll. It is not repeated when
// its answer is lost: look at the project's record then. 400 (ErrRefused): an empty file, or a model, named by
// its member; 403 (ErrAuth): another account's project, or a personal account; 404 (ErrNotFound): no such
// project; 409 (ErrRefused): the project has a document of that name.
func (ds Documents) Add(ctx context.Context, project string, documents []service.NewDocument) ([]Document, error) {
	bad := service.Named("project", project)
	if len(documents) == 0 {
		bad = errors.New("no files")
	}
	files, models := service.DocumentParts(documents)
	return service.Get[wire.List[Document]](ctx, ds.client, service.Call{
		Op: "add documents", Bad: bad, Method: http.MethodPost, Path: wire.PathProjectDocument,
		Query: url.Values{wire.QueryProjectID: {project}}, Changes: true,
		Parts: append([]service.Part{service.ModelPart(wire.PartDocumentModel, models)}, files...),
	})
}

// Update replaces a document by a new version of its file: PUT /v1/document/update, whose parameter documentId
// is the composite identifier (service interface, document-based projects; the answer is the published
// description's). Translations that are there already are put into the new version by pretranslation. A service
// that has only PUT /v2/document/update gets that one, which updates all target languages of the document at
// once. A document that is still being taken apart cannot be updated: see WaitAll. 403 is ErrAuth, 404
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
	if err := service.Named("document", id); err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	body, err := service.NewForm(service.ModelPart(wire.PartUpdateDocumentModel, model),
		service.FilePart(wire.PartFile, file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return body, nil
}

func (ds Documents) update(ctx context.Context, op, path, id string, body *service.Form) ([]Document, error) {
	return service.Get[wire.List[Document]](ctx, ds.client, service.Call{
		Op: op, Method: http.MethodPut, Path: path, Query: url.Values{wire.QueryDocumentID: {id}},
		Form: body, Repeatable: true, Changes: true,
	})
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
	d, err := service.Get[Document](ctx, ds.client, service.Call{
		Op: op, Bad: service.Named("document", id), Path: wire.PathDocument, Query: url.Values{wire.QueryDocumentID: {id}},
	})
	if err == nil && d.ID == "" {
		return Document{}, &service.Error{Op: op, Err: fmt.Errorf("%w: it is not a document record", service.ErrUnusable)}
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

// SetMetaInfo replaces the free text that goes with a document: PUT /v1/document/updateMetaInfo, a JSON string
// (published description).
func (ds Documents) SetMetaInfo(ctx context.Context, id, metaInfo string) error {
	return ds.client.Do(ctx, service.Call{
		Op: "set meta info of document", Bad: service.CheckID(id), Method: http.MethodPut, Path: wire.PathDocumentMetaInfo,
		Query: url.Values{wire.QueryDocumentID: {id}}, Body: metaInfo, Repeatable: true, Changes: true,
	})
}

// Formats lists the file formats that the service can take apart: GET /v1/directory/formats (service interface,
// document-based projects; experimental, and its parameters are not published).
func (ds Documents) Formats(ctx context.Context) ([]FileFormat, error) {
	return service.Get[wire.List[FileFormat]](ctx, ds.client, service.Call{Op: "list document formats",
		Path: wire.PathDirectoryFormats})
}
