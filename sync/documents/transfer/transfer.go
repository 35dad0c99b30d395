// Package transfer sends files to the service to be translated as documents, and fetches their translations. A document
// is known by its path below the current folder, and carries a digest, by which the next push knows what has changed.
package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
)

// Transfer is with one project of the service.
type Transfer struct {
	Client  *service.Client
	Project string // its identifier
	Show    func(report.Doing)
	// Patient bounds a wait for a job of the service.
	Patient func(ctx context.Context) (context.Context, context.CancelFunc)
	// State is the file that remembers what was fetched, so that it is not asked for again; empty: none.
	State string
}

// Open opens a file that is going to be sent under a name.
func Open(path, name string) (service.File, *os.File, error) {
	f, size, err := files.Open(path)
	if err != nil {
		return service.File{}, nil, err
	}
	return service.File{Name: name, Size: size, Content: f}, f, nil
}

// fileVersion is a file as it was when it was read.
type fileVersion struct {
	path   string // here
	name   string // at the service: the path below the current folder
	digest string // of its content
}

// versionsOf looks at all files before anything is sent, so that a wrong name among them leaves nothing half done. A
// file that is named twice counts once.
func versionsOf(paths []string) ([]fileVersion, error) {
	var versions []fileVersion
	var errs []error
	for _, file := range paths {
		v, err := versionOf(file)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !slices.ContainsFunc(versions, func(other fileVersion) bool { return other.name == v.name }):
			versions = append(versions, v)
		}
	}
	return versions, errors.Join(errs...)
}

// versionOf reads a file below the current folder, for its digest.
func versionOf(file string) (fileVersion, error) {
	if !filepath.IsLocal(file) {
		return fileVersion{}, failure.Usage(fmt.Errorf("%s is not below the current folder, by which its name at the "+
			"service goes", file))
	}
	f, _, err := files.Open(file)
	if err != nil {
		return fileVersion{}, err
	}
	defer f.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, f); err != nil {
		return fileVersion{}, fmt.Errorf("read %s: %w", file, err)
	}
	return fileVersion{file, filepath.ToSlash(filepath.Clean(file)), hex.EncodeToString(digest.Sum(nil))}, nil
}

// slim takes from a record what is not needed here, so that many have room.
func slim(doc *documents.Document) {
	*doc = documents.Document{ID: doc.ID, Name: doc.Name, FullPath: doc.FullPath, Filename: doc.Filename,
		ExternalID: doc.ExternalID, TargetLanguage: doc.TargetLanguage, MetaInfo: doc.MetaInfo,
		RevisionLabel: doc.RevisionLabel, DocumentDisassemblyStatus: doc.DocumentDisassemblyStatus}
}

// PathOf is the path that a document has in the repository: the one it was pushed with, else the one the service
// knows.
func PathOf(doc documents.Document) string {
	if doc.ExternalID != "" {
		return doc.ExternalID
	}
	if doc.FullPath == "" {
		return doc.Filename
	}
	return doc.FullPath + path.Ext(doc.Filename)
}
