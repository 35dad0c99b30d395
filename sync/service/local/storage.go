package local

import (
	"bytes"
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

	bolt "go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/service/wire"
)

// Bounds of the storage. The service interface says nothing about them.
const (
	maxUpload        = 1 << 30 // bytes of one call, all files together; also of what is taken out of its archives
	maxStoragePath   = 1000    // bytes
	maxFilesPerBatch = 100
	defaultMime      = "application/octet-stream"
)

// storedFile is the record of a file; its bytes lie under another name in the folder files. A path is a name, not a place on the disk: "a" and
// "a/b" can both be files.
type storedFile struct {
	Blob     string `json:"blob"`
	Mime     string `json:"mime"`
	Size     int64  `json:"size"`
	Created  int64  `json:"created"`
	Accessed int64  `json:"accessed"`
}

func (f *storedFile) wire(p string) wire.StoredFile {
	return wire.StoredFile{Name: path.Base(p), Mime: f.Mime, Path: p, Size: f.Size, CreatedAt: timestamp(f.Created), LastAccessTime: timestamp(f.Accessed)}
}

func (s *Service) blobPath(blob string) string { return filepath.Join(s.blobs, blob) }

// putFile answers PUT /v1/file-management/file/{path}: the body is the file, or a multipart body with one file in it.
func (s *Service) putFile(c *call) error {
	p, err := c.storagePath(wire.PathStorageFile)
	if err != nil {
		return err
	}
	if err := c.bound(maxUpload, false); err != nil {
		return err
	}
	d := s.newDeposit()
	defer d.drop()
	if _, isMultipart := boundaryOf(c.Header.Get("Content-Type")); isMultipart {
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
		err = d.add(p, c.Header.Get("Content-Type"), c.Body)
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
func (s *Service) getFile(c *call) error {
	p, err := c.storagePath(wire.PathStorageFile)
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
func (s *Service) openStored(p string) (f *storedFile, content *os.File, err error) {
	err = s.store.db.Update(func(tx *bolt.Tx) error {
		if f, err = s.storedIn(tx, p); err != nil {
			return err
		}
		f.Accessed = s.now()
		return putRecord(tx.Bucket(bucketStorage).Bucket([]byte(s.o.AccountID)), p, f)
	})
	if err != nil {
		return nil, nil, err
	}
	content, err = os.Open(s.blobPath(f.Blob))
	return f, content, err
}

// deleteFile answers DELETE /v1/file-management/file/{path}.
func (s *Service) deleteFile(c *call) error {
	p, err := c.storagePath(wire.PathStorageFile)
	if err != nil {
		return err
	}
	var f *storedFile
	err = s.store.db.Update(func(tx *bolt.Tx) (err error) {
		if f, err = s.storedIn(tx, p); err != nil {
			return err
		}
		return tx.Bucket(bucketStorage).Bucket([]byte(s.o.AccountID)).Delete([]byte(p))
	})
	if err != nil {
		return err
	}
	os.Remove(s.blobPath(f.Blob)) // what stays is swept at the next start
	return c.empty(http.StatusNoContent)
}

// fileInfo answers GET /v1/file-management/file-info/{path}.
func (s *Service) fileInfo(c *call) error {
	p, err := c.storagePath(wire.PathStorageFileInfo)
	if err != nil {
		return err
	}
	var f *storedFile
	err = s.store.db.View(func(tx *bolt.Tx) (err error) {
		f, err = s.storedIn(tx, p)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, f.wire(p))
}

// listFiles answers GET /v1/file-management/file-info-list/{prefix}: the files whose paths begin with the prefix, in the order of their
// paths, in batches. The key of the next batch is the last path of this one.
func (s *Service) listFiles(c *call) error {
	prefix := c.tail(wire.PathStorageFileList)
	after, given, err := c.params.raw(wire.QueryBatchKey)
	if err != nil {
		return err
	}
	if given && !strings.HasPrefix(after, prefix) {
		return invalid(wire.QueryBatchKey, "%q is not a key of this list; leave it out for the first batch", after)
	}
	out := wire.StoredFiles{Items: []wire.StoredFile{}}
	err = s.store.db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketStorage).Bucket([]byte(s.o.AccountID))
		if b == nil {
			return nil
		}
		cursor := b.Cursor()
		k, _ := cursor.Seek([]byte(max(prefix, after)))
		if given && string(k) == after {
			k, _ = cursor.Next()
		}
		for ; k != nil && bytes.HasPrefix(k, []byte(prefix)); k, _ = cursor.Next() {
			if len(out.Items) == maxFilesPerBatch {
				out.NextBatchKey = out.Items[maxFilesPerBatch-1].Path
				return nil
			}
			f, _, err := getRecord[storedFile](b, string(k))
			if err != nil {
				return err
			}
			out.Items = append(out.Items, f.wire(string(k)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// storedIn returns the record of a file of this account. Paths of different accounts are different: what another account has under the path is
// not asked for.
func (s *Service) storedIn(tx *bolt.Tx, p string) (*storedFile, error) {
	missing := refuse(http.StatusNotFound, "there is no file %q in the storage", p)
	b := tx.Bucket(bucketStorage).Bucket([]byte(s.o.AccountID))
	if b == nil {
		return nil, missing
	}
	f, found, err := getRecord[storedFile](b, p)
	if err == nil && !found {
		err = missing
	}
	return f, err
}

// tail is what stands behind the beginning of a path, slashes and all. The slash at the end, which routing drops, is put back: in a list it tells the
// folder "a/" from everything that begins with "a".
func (c *call) tail(base string) string {
	t := strings.TrimPrefix(strings.TrimPrefix(c.URL.Path, wire.Prefix+strings.TrimSuffix(base, "/")), "/")
	sent, _, _ := strings.Cut(c.RequestURI, "?")
	if t != "" && strings.HasSuffix(sent, "/") {
		t += "/"
	}
	return t
}

func (c *call) storagePath(base string) (string, error) {
	p := strings.TrimSuffix(c.tail(base), "/")
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
func (s *Service) sweepBlobs() error {
	known := map[string]bool{}
	err := s.store.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketStorage).ForEachBucket(func(account []byte) error {
			b := tx.Bucket(bucketStorage).Bucket(account)
			return b.ForEach(func(p, _ []byte) error {
				f, _, err := getRecord[storedFile](b, string(p))
				if err == nil {
					known[f.Blob] = true
				}
				return err
			})
		})
	})
	if err != nil {
		return err
	}
	return sweep(s.blobs, known)
}
