package service

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

	"github.com/locsync/locsync/sync/service/wire"
)

// UploadFiles puts files into a folder of the account's storage and returns what is there now; with unzip, archives are put there as
// the files that are in them: PUT /v1/file-management/files/{path} (service interface, methods named without detail; path and
// answer are the published description's). A file of the same name is replaced.
func (c *Client) UploadFiles(ctx context.Context, folder string, files []File, unzip bool) ([]StoredFile, error) {
	const op = "upload files"
	path, err := storagePath(wire.PathStorageFiles, folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no files", op)
	}
	parts := make([]formPart, len(files))
	for i := range files {
		parts[i] = formPart{name: wire.PartFiles, kind: anyFile, file: &files[i]}
	}
	body, err := newForm(parts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	var stored wire.List[StoredFile]
	err = c.do(ctx, call{
		op: op, method: http.MethodPut, path: path, query: url.Values{wire.QueryUnzip: {strconv.FormatBool(unzip)}},
		form: body, repeatable: true, changes: true, read: c.record(&stored),
	})
	return stored, err
}

// UploadFile puts one file at a path of the account's storage: PUT /v1/file-management/file/{path} (published description). A file
// that is there is replaced.
func (c *Client) UploadFile(ctx context.Context, path string, file File) (StoredFile, error) {
	const op = "upload file"
	at, err := storagePath(wire.PathStorageFile, path)
	if err != nil {
		return StoredFile{}, fmt.Errorf("%s: %w", op, err)
	}
	body, err := newForm(formPart{name: wire.PartFile, kind: anyFile, file: &file})
	if err != nil {
		return StoredFile{}, fmt.Errorf("%s: %w", op, err)
	}
	var stored StoredFile
	err = c.do(ctx, call{op: op, method: http.MethodPut, path: at, form: body, repeatable: true, changes: true, read: c.record(&stored)})
	return stored, err
}

// DownloadFile writes a file of the account's storage into w and returns how many bytes it has: GET
// /v1/file-management/file/{path} (published description). ErrNotFound: there is none. An answer that breaks off is not asked for again once
// something was written.
func (c *Client) DownloadFile(ctx context.Context, path string, w io.Writer) (int64, error) {
	const op = "download file"
	at, err := storagePath(wire.PathStorageFile, path)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", op, err)
	}
	var written int64
	err = c.do(ctx, call{op: op, method: http.MethodGet, path: at, repeatable: true, read: c.copyTo(w, &written)})
	return written, err
}

// DeleteFile deletes a file of the account's storage: DELETE /v1/file-management/file/{path} (published description). ErrNotFound:
// there is none.
func (c *Client) DeleteFile(ctx context.Context, path string) error {
	const op = "delete file"
	at, err := storagePath(wire.PathStorageFile, path)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.do(ctx, call{op: op, method: http.MethodDelete, path: at, repeatable: true, changes: true})
}

// StoredFile tells what is at a path of the account's storage: GET /v1/file-management/file-info/{path} (published description).
// ErrNotFound: nothing.
func (c *Client) StoredFile(ctx context.Context, path string) (StoredFile, error) {
	const op = "read file info"
	at, err := storagePath(wire.PathStorageFileInfo, path)
	if err != nil {
		return StoredFile{}, fmt.Errorf("%s: %w", op, err)
	}
	var stored StoredFile
	err = c.do(ctx, call{op: op, method: http.MethodGet, path: at, repeatable: true, read: c.record(&stored)})
	return stored, err
}

// StoredFiles lists the files of the account's storage whose paths begin with a prefix, batch by batch: GET
// /v1/file-management/file-info-list/{prefix} (published description).
func (c *Client) StoredFiles(ctx context.Context, prefix string) ([]StoredFile, error) {
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
		if err := c.do(ctx, call{op: op, method: http.MethodGet, path: at, query: q, repeatable: true, read: unlessEmpty(c.record(&batch))}); err != nil {
			return nil, err
		}
		all = append(all, batch.Items...)
		if key = batch.NextBatchKey; key == "" {
			return all, nil
		}
		if slices.Contains(seen, key) {
			return nil, &Error{Op: op, Err: fmt.Errorf("%w: the batch %q comes a second time", ErrUnusable, c.redact(clean(key)))}
		}
	}
}

// storagePath puts a path of the storage behind that of an operation, element by element. What a server or a proxy would resolve to
// another path is refused.
func storagePath(operation, path string) (string, error) {
	elements := strings.Split(strings.Trim(path, "/"), "/")
	for i, e := range elements {
		if e == "" || e == "." || e == ".." || strings.ContainsFunc(e, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
			return "", fmt.Errorf("path %q: want names other than . and .. with slashes between them", path)
		}
		elements[i] = url.PathEscape(e)
	}
	return operation + strings.Join(elements, "/"), nil
}
