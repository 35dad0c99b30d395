// Package files is the file storage of the embedded service: bytes under a path, alone, in batches and out of
// archives.
//
// Its law: bytes are durable before their record is, and a call stores all of its files or none. A path is a name,
// not a path on the disk; what an archive says of its contents is checked before any of it is unpacked.
package files

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

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// Bounds of the storage. The service interface says nothing about them.
const (
	maxUpload        = 1 << 30 // bytes of one call, all files together; also of what is taken out of its archives
	maxStoragePath   = 1000    // bytes
	maxFilesPerBatch = 100
	defaultMime      = "application/octet-stream"
)

func fileWire(f *store.StoredFile, p string) wire.StoredFile {
	return wire.StoredFile{Name: path.Base(p), Mime: f.Mime, Path: p, Size: f.Size, CreatedAt: api.Timestamp(f.Created),
		LastAccessTime: api.Timestamp(f.Accessed)}
}

// Service answers the calls about the storage.
type Service struct {
	store *store.Store
	blobs string // folder
}

// New keeps the bytes of files in a folder.
func New(st *store.Store, folder string) (*Service, error) {
	s := &Service{st, folder}
	return s, errors.Join(os.MkdirAll(folder, 0o700), s.sweepBlobs())
}

// Routes are the calls that are answered here, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathStorageFiles:    {"PUT": s.putFiles},
		wire.PathStorageFile:     {"PUT": s.putFile, "GET": s.getFile, "DELETE": s.deleteFile},
		wire.PathStorageFileInfo: {"GET": s.fileInfo},
		wire.PathStorageFileList: {"GET": s.listFiles},
	}
}

func (s *Service) blobPath(blob string) string { return filepath.Join(s.blobs, blob) }

// putFile answers PUT /v1/file-management/file/{path}: the body is the file, or a multipart body with one file in it.
func (s *Service) putFile(c *api.Call) error {
	p, err := storagePath(c, wire.PathStorageFile)
	if err != nil {
		return err
	}
	if err := c.Bound(maxUpload, false); err != nil {
		return err
	}
	d := s.newDeposit()
	defer d.drop()
	if _, isMultipart := api.BoundaryOf(c.Request.Header.Get("Content-Type")); isMultipart {
		err = api.EachPart(c.Request, func(part api.Part, content io.Reader) error {
			switch {
			case !part.IsFile:
				return nil
			case len(d.files) > 0:
				return api.Invalid(wire.PartFile, "the body has more than one file; send several with PUT %s",
					wire.Prefix+wire.PathStorageFiles)
			}
			return d.add(p, "", content)
		})
	} else {
		err = d.add(p, c.Request.Header.Get("Content-Type"), c.Request.Body)
	}
	if err == nil && len(d.files) == 0 {
		err = api.Invalid(wire.PartFile, "the multipart body has no file; give one part a file name")
	}
	if err != nil {
		return err
	}
	stored, err := d.store()
	if err != nil {
		return err
	}
	return c.Answer(http.StatusCreated, stored[0])
}

// getFile answers GET /v1/file-management/file/{path}.
func (s *Service) getFile(c *api.Call) error {
	p, err := storagePath(c, wire.PathStorageFile)
	if err != nil {
		return err
	}
	f, content, err := s.openStored(p)
	if errors.Is(err, fs.ErrNotExist) { // it was replaced after its record was read: the bytes have another name now
		f, content, err = s.openStored(p)
	}
	if err != nil {
		return err
	}
	defer content.Close()
	return c.File(content, f.Mime, path.Base(p))
}

// openStored opens a file and notes that it was read, unless nothing can be stored: the disk is full, or the service
// has moved.
func (s *Service) openStored(p string) (f *store.StoredFile, content *os.File, err error) {
	in := func(tx *store.Tx) (*store.StoredFile, error) { return store.StoredIn(tx, p) }
	f, err = store.Read(s.store, in)
	if err != nil {
		return nil, nil, err
	}
	_ = s.store.Update(func(tx *store.Tx) error {
		now, err := in(tx)
		if err != nil {
			return err
		}
		now.Accessed = s.store.Now()
		return store.PutFile(tx, p, now)
	})
	content, err = os.Open(s.blobPath(f.Blob))
	return f, content, err
}

// deleteFile answers DELETE /v1/file-management/file/{path}.
func (s *Service) deleteFile(c *api.Call) error {
	p, err := storagePath(c, wire.PathStorageFile)
	if err != nil {
		return err
	}
	var f *store.StoredFile
	err = s.store.Update(func(tx *store.Tx) (err error) {
		if f, err = store.StoredIn(tx, p); err != nil {
			return err
		}
		return store.RemoveFile(tx, p)
	})
	if err != nil {
		return err
	}
	s.store.Discard(s.blobPath(f.Blob))
	return c.Empty(http.StatusNoContent)
}

// fileInfo answers GET /v1/file-management/file-info/{path}.
func (s *Service) fileInfo(c *api.Call) error {
	p, err := storagePath(c, wire.PathStorageFileInfo)
	if err != nil {
		return err
	}
	f, err := store.Read(s.store, func(tx *store.Tx) (*store.StoredFile, error) { return store.StoredIn(tx, p) })
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, fileWire(f, p))
}

// listFiles answers GET /v1/file-management/file-info-list/{prefix}: the files whose paths begin with the prefix, in
// the order of their paths, in batches. The key of the next batch is the last path of this one.
func (s *Service) listFiles(c *api.Call) error {
	prefix := tail(c, wire.PathStorageFileList)
	after, given, err := c.Params.Raw(wire.QueryBatchKey)
	if err != nil {
		return err
	}
	if given && !strings.HasPrefix(after, prefix) {
		return api.Invalid(wire.QueryBatchKey, "%q is not a key of this list; leave it out for the first batch", after)
	}
	out := wire.StoredFiles{Items: []wire.StoredFile{}}
	err = s.store.View(func(tx *store.Tx) error {
		return store.EachFile(tx, prefix, after, func(p string, f *store.StoredFile) (more bool) {
			if len(out.Items) == maxFilesPerBatch {
				out.NextBatchKey = out.Items[maxFilesPerBatch-1].Path
				return false
			}
			out.Items = append(out.Items, fileWire(f, p))
			return true
		})
	})
	return c.Reply(out, err)
}

// tail is what follows the beginning of a path, slashes and all. The slash at the end, which routing drops, is
// put back: in a list it tells the folder "a/" from everything that begins with "a".
func tail(c *api.Call, base string) string {
	t := strings.TrimPrefix(strings.TrimPrefix(c.Request.URL.Path, wire.Prefix+strings.TrimSuffix(base, "/")), "/")
	sent, _, _ := strings.Cut(c.Request.RequestURI, "?")
	if t != "" && strings.HasSuffix(sent, "/") {
		t += "/"
	}
	return t
}

func storagePath(c *api.Call, base string) (string, error) {
	p := strings.TrimSuffix(tail(c, base), "/")
	return p, checkStoragePath(p)
}

func checkStoragePath(p string) error {
	const field = "path"
	switch why := api.UnsafePath(p); {
	case why != "":
		return api.Invalid(field, "%q %s", api.Clip([]byte(p)), why)
	case len(p) > maxStoragePath:
		return api.Invalid(field, "has more than %d bytes", maxStoragePath)
	case !utf8.ValidString(p):
		return api.Invalid(field, "%q is not UTF-8", api.Clip([]byte(p)))
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
func (s *Service) sweepBlobs() error {
	known, err := store.Read(s.store, store.BlobsOf)
	if err != nil {
		return err
	}
	return folder.Sweep(s.blobs, known)
}
