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
	"sync"
	"unicode/utf8"

	"github.com/google/uuid"
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

// deposit is what one call brings into the storage: the bytes are written as they come, the records all at once at the end, or not at all.
type deposit struct {
	s        *Service
	files    []depositedFile
	paths    map[string]bool
	unpacked uint64 // bytes, from archives
	kept     bool
}

type depositedFile struct {
	path   string
	record storedFile
}

func (s *Service) newDeposit() *deposit { return &deposit{s: s, paths: map[string]bool{}} }

// add writes the bytes of a file.
func (d *deposit) add(p, said string, content io.Reader) error {
	if err := checkStoragePath(p); err != nil {
		return err
	}
	if d.paths[p] {
		return invalid("path", "the call has two files %q", p)
	}
	blob, size, err := d.s.writeBlob(content)
	if err != nil {
		return err
	}
	d.paths[p] = true
	now := d.s.now()
	d.files = append(d.files, depositedFile{p, storedFile{Blob: blob, Mime: mimeOf(p, said), Size: size, Created: now, Accessed: now}})
	return nil
}

// writeBlob writes bytes into a new file of the folder. Nothing speaks of it yet, so it need not be durable before its record is stored.
func (s *Service) writeBlob(content io.Reader) (blob string, size int64, err error) {
	blob = uuid.NewString()
	f, err := os.OpenFile(s.blobPath(blob), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, err
	}
	size, err = io.Copy(f, readErrors{content})
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return blob, size, err
}

// syncBlobs makes bytes durable, several files at a time: the disk does that in hardly more time than it takes for one.
func (s *Service) syncBlobs(files []depositedFile) error {
	if s.store.db.NoSync {
		return nil
	}
	room := make(chan struct{}, 32)
	failures := make(chan error, len(files)+1)
	var all sync.WaitGroup
	for _, f := range files {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			file, err := os.OpenFile(s.blobPath(f.record.Blob), os.O_WRONLY, 0)
			if err == nil {
				err = errors.Join(file.Sync(), file.Close())
			}
			failures <- err
		})
	}
	all.Wait()
	failures <- syncFolder(s.blobs)
	close(failures)
	for err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// readErrors tells the sender's errors from those of the disk.
type readErrors struct{ io.Reader }

func (r readErrors) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = bodyError(err)
	}
	return n, err
}

// store puts the records of all files into the database, in place of those that were there.
func (d *deposit) store() ([]wire.StoredFile, error) {
	if err := d.s.syncBlobs(d.files); err != nil {
		return nil, err
	}
	out := make([]wire.StoredFile, len(d.files))
	var replaced []string
	err := d.s.store.db.Update(func(tx *bolt.Tx) error {
		b, err := tx.Bucket(bucketStorage).CreateBucketIfNotExists([]byte(d.s.o.AccountID))
		if err != nil {
			return err
		}
		for i, f := range d.files {
			before, found, err := getRecord[storedFile](b, f.path)
			if err != nil {
				return err
			}
			if found {
				replaced = append(replaced, before.Blob)
			}
			if err := putRecord(b, f.path, &f.record); err != nil {
				return err
			}
			out[i] = f.record.wire(f.path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.kept = true
	for _, blob := range replaced {
		os.Remove(d.s.blobPath(blob))
	}
	return out, nil
}

// drop removes what store did not keep.
func (d *deposit) drop() {
	if d.kept {
		return
	}
	for _, f := range d.files {
		os.Remove(d.s.blobPath(f.record.Blob))
	}
}
