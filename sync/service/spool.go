package service

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// spoolTo reads the answer to a download into a file of dir and makes an archive of it; single says that it is
// the export of one document.
func spoolTo(dir string, single bool, archive **Archive) Reader {
	return func(answer *Answer) error {
		if answer.length > answer.limits.spool {
			return beyond("it is %d bytes long, more than %d", answer.length, answer.limits.spool)
		}
		a, size, err := spool(dir, told(answer.ctx, answer.Body, answer.length), answer.limits.spool)
		if err != nil {
			return err
		}
		if err := a.take(answer.Header, size, single, *answer.limits); err != nil {
			_ = a.Close() // the file has no use any more; the reason has
			return err
		}
		*archive = a
		return nil
	}
}

// spool copies body into a file that only this process sees and that does not outlive this process, where the
// system can do that.
func spool(dir string, body io.Reader, most int64) (*Archive, int64, error) {
	file, err := os.CreateTemp(dir, "locsync-export-*")
	if err != nil {
		return nil, 0, local{fmt.Errorf("keep the download: %w", err)}
	}
	a := &Archive{file: file}
	a.remove = os.Remove(file.Name()) != nil // Windows keeps the name of an open file
	into := &ownWriter{file}
	n, err := io.Copy(into, io.LimitReader(body, most+1))
	if err == nil && n > most {
		err = beyond("it is longer than %d bytes", most)
	}
	if err != nil {
		_ = a.Close() // the reason is above
		return nil, 0, err
	}
	return a, n, nil
}

// take finds out what was downloaded: an archive by its signature, its content type or its name; else a single
// file. A single document is an archive by its name only: workbooks begin like archives, and a page of the web
// is a document like any other. A single file has no checksum: that it is whole is only as sure as the
// transfer.
func (a *Archive) take(header http.Header, size int64, single bool, l limits) error {
	head := make([]byte, 4)
	n, err := a.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return local{fmt.Errorf("read the download again: %w", err)}
	}
	kind := strings.ToLower(header.Get("Content-Type"))
	name := dispositionName(header.Get("Content-Disposition"))
	switch {
	case strings.EqualFold(path.Ext(name), ".zip"), !single && (zipSignature(head[:n]) || strings.Contains(kind, "zip")):
		a.Entries, a.Refused, err = zipArchive(a.file, size, l)
		return err
	case strings.HasPrefix(kind, "text/html") && !single:
		return damaged("it is a web page")
	case size == 0 && name == "":
		return damaged("it is empty")
	}
	a.Raw = true
	if reason := bound.UnsafeName(name); name != "" && reason != "" {
		a.Refused = []Refused{{name, reason}}
		return nil
	}
	a.Entries = []Entry{{Name: name, Size: size, open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(a.file, 0, size)), nil
	}}}
	return nil
}

// zipSignature tells whether a file begins as archives do: with a member, as an empty one, or split.
func zipSignature(head []byte) bool {
	for _, signature := range []string{"PK\x03\x04", "PK\x05\x06", "PK\x07\x08"} {
		if bytes.HasPrefix(head, []byte(signature)) {
			return true
		}
	}
	return false
}

// dispositionName is the file name of a Content-Disposition header without folders, or empty.
func dispositionName(header string) string {
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	name := params["filename"]
	return name[strings.LastIndexAny(name, `/\`)+1:]
}
