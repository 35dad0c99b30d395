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
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
}

// Open opens a file that is going to be sent under a name.
func Open(path, name string) (service.File, *os.File, error) {
	f, size, err := files.Open(path)
	if err != nil {
		return service.File{}, nil, err
	}
	return service.File{Name: name, Size: size, Content: f}, f, nil
}

// SentDocument is what became of one file.
type SentDocument struct {
	Path   string   `json:"path"`
	Action string   `json:"action"` // added, updated, unchanged, failed
	IDs    []string `json:"ids"`    // one for each target language
	Error  string   `json:"error,omitempty"`
}

// DocumentsSent is what became of the files of a push.
type DocumentsSent struct {
	Project   string         `json:"project"`
	Documents []SentDocument `json:"documents"`
}

// Failed is the action of a file that the service did not take.
const Failed = "failed"

// mark is in a document's meta info: by it the next push knows whether the file has changed.
const mark = "locsync sha256:"

// together is how many files travel in one request.
const together = 20

// fileVersion is a file as it lay there when it was looked at.
type fileVersion struct {
	path string // here
	name string // at the service: the path below the current folder
	note string // mark and digest
}

// Push adds files as documents, or replaces those of the same path that changed, and waits until the service has taken
// them apart.
func (t Transfer) Push(ctx context.Context, paths []string) (DocumentsSent, error) {
	sent := DocumentsSent{Project: t.Project, Documents: []SentDocument{}}
	versions, err := versionsOf(paths)
	if err != nil {
		return sent, err
	}
	project, err := t.Client.Projects().WithDocuments(ctx, t.Project)
	if err != nil {
		return sent, err
	}
	there := map[string][]documents.Document{}
	for _, doc := range project.Documents {
		p := documentPath(doc)
		there[p] = append(there[p], doc)
	}
	var added []fileVersion
	for i, v := range versions {
		t.Show(report.Doing{What: "comparing documents", Done: int64(i), Total: int64(len(versions))})
		if docs := there[v.name]; len(docs) > 0 {
			one, err := t.updateDocuments(ctx, docs, v)
			if err != nil {
				return sent, fmt.Errorf("%s: %w", v.path, err)
			}
			sent.Documents = append(sent.Documents, one)
			continue
		}
		added = append(added, v)
		sent.Documents = append(sent.Documents, SentDocument{Path: v.name, Action: "added"})
	}
	done := 0
	for some := range slices.Chunk(added, together) {
		t.Show(report.Doing{What: "sending new documents", Done: int64(done), Total: int64(len(added))})
		if err := t.addDocuments(ctx, some, sent.Documents); err != nil {
			return sent, err
		}
		done += len(some)
	}
	return sent, t.takenApart(ctx, sent.Documents)
}

// takenApart waits until the service has taken apart what was sent.
func (t Transfer) takenApart(ctx context.Context, result []SentDocument) error {
	for i := range result {
		t.Show(report.Doing{What: "waiting until the service has taken them apart", Done: int64(i),
			Total: int64(len(result))})
		r := &result[i]
		if r.Action == "unchanged" || r.Action == Failed {
			continue
		}
		for _, id := range r.IDs {
			switch err := t.settled(ctx, id); {
			case errors.Is(err, service.ErrDisassembly):
				r.Action, r.Error = Failed, err.Error()
			case err != nil:
				return err
			}
		}
	}
	return nil
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
	return fileVersion{file, filepath.ToSlash(filepath.Clean(file)), mark + hex.EncodeToString(digest.Sum(nil))}, nil
}

// addDocuments adds files in one request. Where the service refuses that, each gets one of its own, so that only those
// files stay out that it does not want.
func (t Transfer) addDocuments(ctx context.Context, versions []fileVersion, result []SentDocument) error {
	records, err := t.addTogether(ctx, versions)
	switch {
	case errors.Is(err, service.ErrRefused) && len(versions) > 1:
		for i := range versions {
			if err := t.addDocuments(ctx, versions[i:i+1], result); err != nil {
				return err
			}
		}
		return nil
	case errors.Is(err, service.ErrRefused):
		i := slices.IndexFunc(result, func(s SentDocument) bool { return s.Path == versions[0].name })
		result[i].Action, result[i].Error = Failed, err.Error()
		return nil
	case err != nil:
		return err
	}
	for _, r := range records {
		if i := slices.IndexFunc(result, func(s SentDocument) bool { return s.Path == documentPath(r) }); i >= 0 {
			result[i].IDs = append(result[i].IDs, r.ID)
		}
	}
	return nil
}

// addTogether is the one request; the files are open during it only.
func (t Transfer) addTogether(ctx context.Context, versions []fileVersion) ([]documents.Document, error) {
	var added []service.NewDocument
	for _, v := range versions {
		content, f, err := Open(v.path, v.name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		added = append(added, service.NewDocument{File: content, Model: service.DocumentModel{ExternalID: v.name,
			MetaInfo: v.note}})
	}
	return documents.Of(t.Client).Add(ctx, t.Project, added)
}

// documentPath is the path that a document has in the repository: the one it was pushed with, else the one the service
// knows.
func documentPath(doc documents.Document) string {
	if doc.ExternalID != "" {
		return doc.ExternalID
	}
	if doc.FullPath == "" {
		return doc.Filename
	}
	return doc.FullPath + path.Ext(doc.Filename)
}

// updateDocuments replaces a document in every target language where it is not this version. What the service refuses
// in one language it may take in another; which ones it did not is told.
func (t Transfer) updateDocuments(ctx context.Context, docs []documents.Document, v fileVersion) (SentDocument, error) {
	sent := SentDocument{Path: v.name, Action: "unchanged"}
	var updated []string
	refused := map[string][]string{} // languages, by the reason
	for _, doc := range docs {
		sent.IDs = append(sent.IDs, doc.ID)
		if doc.MetaInfo == v.note {
			continue
		}
		switch err := t.updateDocument(ctx, doc, v); {
		case errors.Is(err, service.ErrRefused):
			refused[err.Error()] = append(refused[err.Error()], doc.TargetLanguage)
		case err != nil:
			return sent, err
		default:
			updated = append(updated, doc.TargetLanguage)
			sent.Action = "updated"
		}
	}
	if len(refused) == 0 {
		return sent, nil
	}
	var why []string
	for _, reason := range slices.Sorted(maps.Keys(refused)) {
		why = append(why, fmt.Sprintf("in %s: %s", strings.Join(refused[reason], ", "), reason))
	}
	sent.Action, sent.Error = Failed, strings.Join(why, "; ")
	if len(updated) > 0 {
		sent.Error += "; updated in " + strings.Join(updated, ", ")
	}
	return sent, nil
}

// updateDocument replaces a document in one language.
func (t Transfer) updateDocument(ctx context.Context, doc documents.Document, v fileVersion) error {
	if err := t.settled(ctx, doc.ID); err != nil && !errors.Is(err, service.ErrDisassembly) {
		return err
	}
	content, f, err := Open(v.path, v.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := documents.Of(t.Client).Update(ctx, doc.ID, content, documents.DocumentUpdateModel{}); err != nil {
		return err
	}
	// After the update: when this is lost, the next push sends the same version again, which does no harm.
	return documents.Of(t.Client).SetMetaInfo(ctx, doc.ID, v.note)
}

// settled waits until the service has taken a document apart.
func (t Transfer) settled(ctx context.Context, id string) error {
	ctx, cancel := t.Patient(ctx)
	defer cancel()
	_, err := documents.Of(t.Client).Wait(ctx, id)
	return err
}
