package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Storage are the operations on the account's storage of files.
type Storage struct{ client *service.Client }

// StorageOf are the operations of a client on the storage.
func StorageOf(c *service.Client) Storage { return Storage{c} }

// UploadFiles puts files into a folder of the account's storage and returns what is there now; with unzip,
// archives are put there as the files that are in them: PUT /v1/file-management/files/{path} (service
// interface, methods named without detail; path and answer are the published description's). A file of the same
// name is replaced.
func (s Storage) UploadFiles(ctx context.Context, folder string, files []service.File, unzip bool) ([]StoredFile,
	error) {
	path, bad := storagePath(wire.PathStorageFiles, folder)
	if len(files) == 0 {
		bad = errors.New("no files")
	}
	parts := make([]service.Part, len(files))
	for i := range files {
		parts[i] = service.FilePart(wire.PartFiles, &files[i])
	}
	return service.Get[wire.List[StoredFile]](ctx, s.client, service.Call{
		Op: "upload files", Bad: bad, Method: http.MethodPut, Path: path,
		Query: url.Values{wire.QueryUnzip: {strconv.FormatBool(unzip)}}, Parts: parts, Repeatable: true, Changes: true,
	})
}

// Download writes a file of the account's storage into w and returns how many bytes it has: GET
// /v1/file-management/file/{path} (published description). ErrNotFound: there is none. An answer that breaks
// off is not asked for again once something was written.
func (s Storage) Download(ctx context.Context, path string, w io.Writer) (int64, error) {
	at, bad := storagePath(wire.PathStorageFile, path)
	var written int64
	err := s.client.Do(ctx, service.Call{Op: "download file", Bad: bad, Method: http.MethodGet, Path: at, Repeatable: true,
		Download: true, Read: service.Copy(w, &written)})
	return written, err
}

// Delete deletes a file of the account's storage: DELETE /v1/file-management/file/{path} (published
// description). ErrNotFound: there is none.
func (s Storage) Delete(ctx context.Context, path string) error {
	at, bad := storagePath(wire.PathStorageFile, path)
	return s.client.Do(ctx, service.Call{Op: "delete file", Bad: bad, Method: http.MethodDelete, Path: at,
		Repeatable: true, Changes: true})
}

// List lists the files of the account's storage whose paths begin with a prefix, batch by batch: GET
// /v1/file-management/file-info-list/{prefix} (published description).
func (s Storage) List(ctx context.Context, prefix string) ([]StoredFile, error) {
	const op = "list files"
	at, bad := storagePath(wire.PathStorageFileList, prefix)
	var all []StoredFile
	var seen []string // keys of batches, since one that comes again would never end
	for key := ""; ; seen = append(seen, key) {
		q := url.Values{}
		if key != "" {
			q.Set(wire.QueryBatchKey, key)
		}
		batch, err := service.Get[wire.StoredFiles](ctx, s.client, service.Call{Op: op, Bad: bad, Path: at, Query: q},
			service.Reader.UnlessEmpty)
		if err != nil {
			return nil, err
		}
		all = append(all, batch.Items...)
		if key = batch.NextBatchKey; key == "" {
			return all, nil
		}
		if slices.Contains(seen, key) {
			return nil, &service.Error{Op: op, Err: fmt.Errorf("%w: a batch of the list comes a second time",
				service.ErrUnusable)}
		}
	}
}

// storagePath puts a path of the storage behind that of an operation, element by element. What a server or a
// proxy would resolve to another path is refused.
func storagePath(operation, path string) (string, error) {
	elements := strings.Split(strings.Trim(path, "/"), "/")
	for i, e := range elements {
		if e == "" || e == "." || e == ".." || strings.ContainsFunc(e,
			func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
			return "", fmt.Errorf("path %q: want names other than . and .. with slashes between them", path)
		}
		elements[i] = url.PathEscape(e)
	}
	return operation + strings.Join(elements, "/"), nil
}
