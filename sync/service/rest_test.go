package service_test

import (
	"context"
	"net/url"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/wire"
)

// disassembled waits until a document of a project has been taken apart.
func disassembled(ctx context.Context, c *service.Client, project, id string) (documents.Document, error) {
	all, err := documents.Of(c).WaitAll(ctx, project, []string{id})
	if err != nil {
		return documents.Document{}, err
	}
	if all[0].DocumentDisassemblyStatus == wire.DisassemblyError {
		return all[0], documents.Broken(all[0])
	}
	return all[0], nil
}

// translate brings a translated file into a document, by one of the two operations for it.
func translate(ctx context.Context, c *service.Client, path, id string, file service.File) error {
	return c.Do(ctx, service.Call{Op: "translate document", Method: "PUT", Path: path, Changes: true,
		Query: url.Values{wire.QueryDocumentID: {id}, wire.QueryOverwrite: {"true"}, wire.QueryOverwriteUpdated: {"true"},
			wire.QueryConfirmTranslation: {"true"}},
		Parts: []service.Part{service.FilePart(wire.PartTranslationFile, &file)}})
}

// translationState asks how far that is.
func translationState(ctx context.Context, c *service.Client, id string) (state wire.TaskState, err error) {
	err = c.Do(ctx, service.Call{Op: "read translation state", Method: "GET", Path: wire.PathDocumentTranslateStatus,
		Query: url.Values{wire.QueryDocumentID: {id}}, Repeatable: true, Poll: true, Read: service.Word(&state)})
	return state, err
}
