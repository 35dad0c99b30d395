package documents

import (
	"context"
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
	const op = "upload files"
	path, err := storagePath(wire.PathStorageFiles, folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no files", op)
	}
	parts := make([]service.Part, len(files))
	for i := range files {
		parts[i] = service.FilePart(wire.PartFiles, &files[i])
	}
	body, err := service.NewForm(parts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	var stored wire.List[StoredFile]
	err = s.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPut, Path: path, Query: url.Values{wire.QueryUnzip: {strconv.FormatBool(unzip)}},
		Form: body, Repeatable: true, Changes: true, Read: service.JSON(&stored),
	})
	return stored, err
}

// UploadFile puts one file at a path of the account's storage: PUT /v1/file-management/file/{path} (published
// description). A file that is there is replaced.
func (s Storage) UploadFile(ctx context.Context, path string, file service.File) (StoredFile, error) {
	const op = "upload file"
	at, err := storagePath(wire.PathStorageFile, path)
	if err != nil {
		return StoredFile{}, fmt.Errorf("%s: %w", op, err)
	}
	body, err := service.NewForm(service.FilePart(wire.PartFile, &file))
	if err != nil {
		return StoredFile{}, fmt.Errorf("%s: %w", op, err)
	}
	var stored StoredFile
	err = s.client.Do(ctx, service.Call{Op: op, Method: http.MethodPut, Path: at, Form: body, Repeatable: true,
		Changes: true, Read: service.JSON(&stored)})
	return stored, err
}

// Download writes a file of the account's storage into w and returns how many bytes it has: GET
// /v1/file-management/file/{path} (published description). ErrNotFound: there is none. An answer that breaks
// off is not asked for again once something was written.
func (s Storage) Download(ctx context.Context, path string, w io.Writer) (int64, error) {
	const op = "download file"
	at, err := storagePath(wire.PathStorageFile, path)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", op, err)
	}
	var written int64
	err = s.client.Do(ctx, service.Call{Op: op, Method: http.MethodGet, Path: at, Repeatable: true,
		Download: true, Read: service.Copy(w, &written)})
	return written, err
}

// Delete deletes a file of the account's storage: DELETE /v1/file-management/file/{path} (published
// description). ErrNotFound: there is none.
func (s Storage) Delete(ctx context.Context, path string) error {
	const op = "delete file"
	at, err := storagePath(wire.PathStorageFile, path)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return s.client.Do(ctx, service.Call{Op: op, Method: http.MethodDelete, Path: at, Repeatable: true, Changes: true})
}

// Info tells what is at a path of the account's storage: GET /v1/file-management/file-info/{path} (published
// description). ErrNotFound: nothing.
func (s Storage) Info(ctx context.Context, path string) (StoredFile, error) {
	const op = "read file info"
	at, err := storagePath(wire.PathStorageFileInfo, path)
	if err != nil {
		return StoredFile{}, fmt.Errorf("%s: %w", op, err)
	}
	var stored StoredFile
	err = s.client.Do(ctx, service.Call{Op: op, Method: http.MethodGet, Path: at, Repeatable: true,
		Read: service.JSON(&stored)})
	return stored, err
}

// List lists the files of the account's storage whose paths begin with a prefix, batch by batch: GET
// /v1/file-management/file-info-list/{prefix} (published description).
func (s Storage) List(ctx context.Context, prefix string) ([]StoredFile, error) {
	const op = "list files"
	at, err := storagePath(wire.PathStorageFileList, prefix)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	var all []StoredFile
	var seen []string // keys of batches, since one that comes again would never end
	for key := ""; ; seen = append(seen, key) {
		q := url.Values{}
		if key != "" {
			q.Set(wire.QueryBatchKey, key)
		}
		var batch wire.StoredFiles
		if err := s.client.Do(ctx, service.Call{Op: op, Method: http.MethodGet, Path: at, Query: q, Repeatable: true,
			Read: service.JSON(&batch).UnlessEmpty()}); err != nil {
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
