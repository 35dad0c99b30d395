package files

import (
	"archive/zip"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// deposit is what one call brings into the storage: the bytes are written as they come, the records all at once at
// the end, or not at all.
type deposit struct {
	s        *Service
	files    []depositedFile
	paths    map[string]bool
	unpacked uint64 // bytes, from archives
	kept     bool
}

type depositedFile struct {
	path   string
	record store.StoredFile
}

func (s *Service) newDeposit() *deposit { return &deposit{s: s, paths: map[string]bool{}} }

// add writes the bytes of a file.
func (d *deposit) add(p, said string, content io.Reader) error {
	if err := checkStoragePath(p); err != nil {
		return err
	}
	if d.paths[p] {
		return api.Invalid("path", "the call has two files %q", p)
	}
	blob, size, err := d.s.writeBlob(content)
	if err != nil {
		return err
	}
	d.paths[p] = true
	now := d.s.store.Now()
	d.files = append(d.files, depositedFile{p, store.StoredFile{Blob: blob, Mime: mimeOf(p, said), Size: size,
		Created: now, Accessed: now}})
	return nil
}

// writeBlob writes bytes into a new file of the folder. Nothing speaks of it yet, so it need not be durable before
// its record is stored.
func (s *Service) writeBlob(content io.Reader) (blob string, size int64, err error) {
	blob = uuid.NewString()
	f, err := os.OpenFile(s.blobPath(blob), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, err
	}
	size, err = io.Copy(f, api.Sent{Reader: content})
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return blob, size, err
}

// syncBlobs makes bytes durable, several files at a time: the disk does that in hardly more time than it takes for one.
func (s *Service) syncBlobs(files []depositedFile) error {
	if !s.store.Durable() {
		return nil
	}
	slots := make(chan struct{}, 32)
	failures := make([]error, len(files))
	var all fault.Group
	for i, f := range files {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			failures[i] = syncFile(s.blobPath(f.record.Blob))
		})
	}
	all.Wait()
	return errors.Join(append(failures, folder.Sync(s.blobs))...)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// store puts the records of all files into the database, in place of those that were there.
func (d *deposit) store() ([]wire.StoredFile, error) {
	if err := d.s.syncBlobs(d.files); err != nil {
		return nil, err
	}
	out := make([]wire.StoredFile, len(d.files))
	var replaced []string
	err := d.s.store.Update(func(tx *store.Tx) error {
		for i, f := range d.files {
			before, err := store.FileOf(tx, f.path)
			if err != nil {
				return err
			}
			if before != nil {
				replaced = append(replaced, before.Blob)
			}
			if err := store.PutFile(tx, f.path, &f.record); err != nil {
				return err
			}
			out[i] = fileWire(&f.record, f.path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.kept = true
	for _, blob := range replaced {
		d.s.store.Discard(d.s.blobPath(blob))
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

// An archive whose contents are more than so many times its size, beyond an amount that does no harm, is taken for
// one that was made to fill the disk.
const (
	maxInflation     = 200
	harmlessContents = 16 << 20
)

// putFiles answers PUT /v1/file-management/files/{path}: several files into one folder of the storage, all of them or
// none. With unzip the contents of zip files are stored instead of the files.
func (s *Service) putFiles(c *api.Call) error {
	folder := strings.TrimSuffix(tail(c, wire.PathStorageFiles), "/")
	unzip, err := c.Params.Flag(wire.QueryUnzip)
	if err != nil {
		return err
	}
	if folder != "" {
		if err := checkStoragePath(folder); err != nil {
			return err
		}
	}
	if err := c.Bound(maxUpload, false); err != nil {
		return err
	}
	d := s.newDeposit()
	defer d.drop()
	some := false
	err = api.EachPart(c.Request, func(p api.Part, content io.Reader) error {
		if !p.IsFile {
			return nil
		}
		some = true
		if unzip && strings.EqualFold(path.Ext(p.File), ".zip") {
			return d.unzip(folder, p.File, content)
		}
		if why := api.UnsafePath(p.File); why != "" {
			return api.Invalid(wire.PartFile, "the file name %q %s", api.Clip([]byte(p.File)), why)
		}
		return d.add(path.Join(folder, p.File), "", content)
	})
	if err == nil && !some {
		err = api.Invalid(wire.PartFile,
			"the body has no files; send multipart/form-data with each file as a part that has a file name")
	}
	if err != nil {
		return err
	}
	stored, err := d.store()
	if err != nil {
		return err
	}
	return c.Answer(http.StatusCreated, stored)
}

// unzip adds the files of an archive, which is written to the disk before it is looked at: its directory is at its
// end.
func (d *deposit) unzip(folder, name string, content io.Reader) error {
	blob, size, err := d.s.writeBlob(content)
	if err != nil {
		return err
	}
	defer os.Remove(d.s.blobPath(blob))
	f, err := os.Open(d.s.blobPath(blob))
	if err != nil {
		return err
	}
	defer f.Close()
	archive, err := zip.NewReader(f, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // paths are looked at below
		return api.Invalid(wire.PartFile, "%s is not a zip archive: %v", api.Clip([]byte(name)), err)
	}
	total, err := checkArchive(archive, name, size)
	if err != nil {
		return err
	}
	if d.unpacked += total; d.unpacked > maxUpload {
		return api.Invalid(wire.PartFile,
			"the contents of the archives have more than %d bytes; send them in several calls", maxUpload)
	}
	for _, entry := range archive.File {
		if strings.HasSuffix(entry.Name, "/") {
			continue
		}
		if err := d.extract(folder, name, entry); err != nil {
			return err
		}
	}
	return nil
}

// checkArchive looks at everything that an archive says of its contents, before any of it is unpacked; total is how
// many bytes they are.
func checkArchive(archive *zip.Reader, name string, size int64) (total uint64, err error) {
	if len(archive.File) > api.MaxParts {
		return 0, api.Invalid(wire.PartFile, "%s has more than %d files; pack it in several archives",
			api.Clip([]byte(name)), api.MaxParts)
	}
	for _, entry := range archive.File {
		switch why := api.UnsafePath(strings.TrimSuffix(entry.Name, "/")); {
		case why != "":
			return 0, api.Invalid(wire.PartFile, "%s: the entry %q %s", api.Clip([]byte(name)), api.Clip([]byte(entry.Name)),
				why)
		case !entry.Mode().IsRegular() && !entry.Mode().IsDir():
			return 0, api.Invalid(wire.PartFile, "%s: the entry %q is not a file; pack without links and devices",
				api.Clip([]byte(name)), api.Clip([]byte(entry.Name)))
		case entry.Flags&1 != 0:
			return 0, api.Invalid(wire.PartFile, "%s: the entry %q is encrypted; pack without a password",
				api.Clip([]byte(name)), api.Clip([]byte(entry.Name)))
		}
		if total += entry.UncompressedSize64; total > maxUpload || entry.UncompressedSize64 > maxUpload {
			return 0, api.Invalid(wire.PartFile, "%s: its contents have more than %d bytes", api.Clip([]byte(name)), maxUpload)
		}
	}
	if total > harmlessContents && total/maxInflation > uint64(size) {
		return 0, api.Invalid(wire.PartFile, "%s: its contents have more than %d times its size; send them without packing",
			api.Clip([]byte(name)), maxInflation)
	}
	return total, nil
}

// extract adds one entry. What is longer than the entry said is not read to its end.
func (d *deposit) extract(folder, name string, entry *zip.File) error {
	content, err := entry.Open()
	if err != nil {
		return api.Invalid(wire.PartFile, "%s: the entry %q cannot be read: %v", api.Clip([]byte(name)),
			api.Clip([]byte(entry.Name)), err)
	}
	defer content.Close()
	limited := &entryReader{content, int64(entry.UncompressedSize64), api.Clip([]byte(name)) + ": the entry " +
		api.Clip([]byte(entry.Name))}
	return d.add(path.Join(folder, entry.Name), "", limited)
}

// entryReader reads an entry of an archive up to the size that the entry said.
type entryReader struct {
	io.Reader
	left int64
	what string
}

func (r *entryReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return n, api.Invalid(wire.PartFile, "%s is larger than the archive says", r.what)
	}
	if err != nil && err != io.EOF {
		err = api.Invalid(wire.PartFile, "%s cannot be read: %v", r.what, err)
	}
	return n, err
}
