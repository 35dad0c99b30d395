package local

import (
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/service/wire"
)

// Bounds of the storage. The service interface says nothing about them.
const (
	maxUpload        = 1 << 30 // bytes of one call, all files together; also of what is taken out of its archives
	maxStoragePath   = 1000    // bytes
	maxFilesPerBatch = 100
	defaultMime      = "application/octet-stream"
)

func fileWire(f *storedFile, p string) wire.StoredFile {
	return wire.StoredFile{Name: path.Base(p), Mime: f.Mime, Path: p, Size: f.Size, CreatedAt: timestamp(f.Created), LastAccessTime: timestamp(f.Accessed)}
}

// filesService answers the calls about the storage.
type filesService struct {
	store *store
	blobs string // folder
}

// newFilesService keeps the bytes of files in a folder.
func newFilesService(st *store, folder string) (*filesService, error) {
	s := &filesService{st, folder}
	return s, errors.Join(os.MkdirAll(folder, 0o700), s.sweepBlobs())
}

// routes are the calls that are answered here, by path.
func (s *filesService) routes() map[string]methods {
	return map[string]methods{
		wire.PathStorageFiles:    {"PUT": s.putFiles},
		wire.PathStorageFile:     {"PUT": s.putFile, "GET": s.getFile, "DELETE": s.deleteFile},
		wire.PathStorageFileInfo: {"GET": s.fileInfo},
		wire.PathStorageFileList: {"GET": s.listFiles},
	}
}

func (s *filesService) blobPath(blob string) string { return filepath.Join(s.blobs, blob) }

// putFile answers PUT /v1/file-management/file/{path}: the body is the file, or a multipart body with one file in it.
func (s *filesService) putFile(c *call) error {
	p, err := storagePath(c, wire.PathStorageFile)
	if err != nil {
		return err
	}
	if err := c.bound(maxUpload, false); err != nil {
		return err
	}
	d := s.newDeposit()
	defer d.drop()
	if _, isMultipart := boundaryOf(c.Request.Header.Get("Content-Type")); isMultipart {
		err = eachPart(c.Request, func(part part, content io.Reader) error {
			switch {
			case !part.isFile:
				return nil
			case len(d.files) > 0:
				return invalid(wire.PartFile, "the body has more than one file; send several with PUT %s", wire.Prefix+wire.PathStorageFiles)
			}
			return d.add(p, "", content)
		})
	} else {
		err = d.add(p, c.Request.Header.Get("Content-Type"), c.Request.Body)
	}
	if err == nil && len(d.files) == 0 {
		err = invalid(wire.PartFile, "the multipart body has no file; give one part a file name")
	}
	if err != nil {
		return err
	}
	stored, err := d.store()
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, stored[0])
}

// getFile answers GET /v1/file-management/file/{path}.
func (s *filesService) getFile(c *call) error {
	p, err := storagePath(c, wire.PathStorageFile)
	if err != nil {
		return err
	}
	f, content, err := s.openStored(p)
	if errors.Is(err, fs.ErrNotExist) { // it was replaced between the two looks
		f, content, err = s.openStored(p)
	}
	if err != nil {
		return err
	}
	defer content.Close()
	return c.file(content, f.Mime, path.Base(p))
}

// openStored opens a file and notes that it was read.
func (s *filesService) openStored(p string) (f *storedFile, content *os.File, err error) {
	err = s.store.update(func(tx *Tx) error {
		if f, err = storedIn(tx, p); err != nil {
			return err
		}
		f.Accessed = s.store.now()
		return putFile(tx, p, f)
	})
	if err != nil {
		return nil, nil, err
	}
	content, err = os.Open(s.blobPath(f.Blob))
	return f, content, err
}

// deleteFile answers DELETE /v1/file-management/file/{path}.
func (s *filesService) deleteFile(c *call) error {
	p, err := storagePath(c, wire.PathStorageFile)
	if err != nil {
		return err
	}
	var f *storedFile
	err = s.store.update(func(tx *Tx) (err error) {
		if f, err = storedIn(tx, p); err != nil {
			return err
		}
		return removeFile(tx, p)
	})
	if err != nil {
		return err
	}
	os.Remove(s.blobPath(f.Blob)) // what stays is swept at the next start
	return c.empty(http.StatusNoContent)
}

// fileInfo answers GET /v1/file-management/file-info/{path}.
func (s *filesService) fileInfo(c *call) error {
	p, err := storagePath(c, wire.PathStorageFileInfo)
	if err != nil {
		return err
	}
	var f *storedFile
	err = s.store.view(func(tx *Tx) (err error) {
		f, err = storedIn(tx, p)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, fileWire(f, p))
}

// listFiles answers GET /v1/file-management/file-info-list/{prefix}: the files whose paths begin with the prefix, in the order of their
// paths, in batches. The key of the next batch is the last path of this one.
func (s *filesService) listFiles(c *call) error {
	prefix := tail(c, wire.PathStorageFileList)
	after, given, err := c.params.raw(wire.QueryBatchKey)
	if err != nil {
		return err
	}
	if given && !strings.HasPrefix(after, prefix) {
		return invalid(wire.QueryBatchKey, "%q is not a key of this list; leave it out for the first batch", after)
	}
	out := wire.StoredFiles{Items: []wire.StoredFile{}}
	err = s.store.view(func(tx *Tx) error {
		return eachFile(tx, prefix, after, func(p string, f *storedFile) (more bool) {
			if len(out.Items) == maxFilesPerBatch {
				out.NextBatchKey = out.Items[maxFilesPerBatch-1].Path
				return false
			}
			out.Items = append(out.Items, fileWire(f, p))
			return true
		})
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// tail is what stands behind the beginning of a path, slashes and all. The slash at the end, which routing drops, is put back: in a list it tells the
// folder "a/" from everything that begins with "a".
func tail(c *call, base string) string {
	t := strings.TrimPrefix(strings.TrimPrefix(c.Request.URL.Path, wire.Prefix+strings.TrimSuffix(base, "/")), "/")
	sent, _, _ := strings.Cut(c.Request.RequestURI, "?")
	if t != "" && strings.HasSuffix(sent, "/") {
		t += "/"
	}
	return t
}

func storagePath(c *call, base string) (string, error) {
	p := strings.TrimSuffix(tail(c, base), "/")
	return p, checkStoragePath(p)
}

func checkStoragePath(p string) error {
	const field = "path"
	switch why := unsafePath(p); {
	case why != "":
		return invalid(field, "%q %s", clip([]byte(p)), why)
	case len(p) > maxStoragePath:
		return invalid(field, "has more than %d bytes", maxStoragePath)
	case !utf8.ValidString(p):
		return invalid(field, "%q is not UTF-8", clip([]byte(p)))
	}
	return nil
}

// mimeOf is a file's content type: what the name tells, else what the caller said.
func mimeOf(p, said string) string {
	if byName := mime.TypeByExtension(path.Ext(p)); byName != "" {
		return byName
	}
	if _, _, err := mime.ParseMediaType(said); err != nil {
		return defaultMime
	}
	return said
}

// sweepBlobs removes, at start, bytes without a record: what a crash left between two steps.
func (s *filesService) sweepBlobs() error {
	var known map[string]bool
	err := s.store.view(func(tx *Tx) (err error) {
		known, err = blobsOf(tx)
		return err
	})
	if err != nil {
		return err
	}
	return sweep(s.blobs, known)
}
