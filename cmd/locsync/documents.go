package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
)

func documentsCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "documents", Short: "Send documents to be translated, and fetch their translations",
		Long: "documents works with a project that translates documents, which is another one than that of the keys: " +
			"locsync project create --documents makes one and prints the ID that --id takes."}
	needsSubcommand(c)
	c.AddCommand(documentsPushCommand(a), documentsPullCommand(a))
	return c
}

func documentsPushCommand(a *app) *cobra.Command {
	t := target{documents: true}
	c := &cobra.Command{
		Use:   "push FILE...",
		Short: "Add files as documents, or replace those of the same path that changed",
		Long: "A file that is a document of the project already, by its path below the current folder, is replaced where " +
			"it changed; its\n" +
			"translations stay. Others are added. A file that did not change costs no request of its own. Files that the " +
			"service refuses or\n" +
			"could not take apart are named (3).",
		Example: "  locsync documents push --id $ID docs/guide.md docs/faq.html\n  locsync documents push --id $ID docs/*.md",
		Args:    atLeast(1, "files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				return pushDocuments(ctx, a, d, args)
			})
		},
	}
	t.flags(c)
	return c
}

// sentDocument is what became of one file, as documents push prints it with --json.
type sentDocument struct {
	Path   string   `json:"path"`
	Action string   `json:"action"` // added, updated, unchanged, failed
	IDs    []string `json:"ids"`    // one for each target language
	Error  string   `json:"error,omitempty"`
}

// documentsSent is what documents push prints with --json.
type documentsSent struct {
	Project   string         `json:"project"`
	Documents []sentDocument `json:"documents"`
}

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

func pushDocuments(ctx context.Context, a *app, d *session, files []string) error {
	versions, err := versionsOf(files)
	if err != nil {
		return err
	}
	project, err := d.client.Projects().WithDocuments(ctx, d.id)
	if err != nil {
		return err
	}
	there := map[string][]documents.Document{}
	for _, doc := range project.Documents {
		p := documentPath(doc)
		there[p] = append(there[p], doc)
	}
	result := []sentDocument{}
	var added []fileVersion
	for i, v := range versions {
		d.line.Show(report.Doing{What: "comparing documents", Done: int64(i), Total: int64(len(versions))})
		if docs := there[v.name]; len(docs) > 0 {
			sent, err := updateDocuments(ctx, d, docs, v)
			if err != nil {
				return fmt.Errorf("%s: %w", v.path, err)
			}
			result = append(result, sent)
			continue
		}
		added = append(added, v)
		result = append(result, sentDocument{Path: v.name, Action: "added"})
	}
	done := 0
	for some := range slices.Chunk(added, together) {
		d.line.Show(report.Doing{What: "sending new documents", Done: int64(done), Total: int64(len(added))})
		if err := addDocuments(ctx, d, some, result); err != nil {
			return err
		}
		done += len(some)
	}
	return saySent(ctx, a, d, result)
}

// versionsOf looks at all files before anything is sent, so that a wrong name among them leaves nothing half done. A
// file that is named twice counts once.
func versionsOf(files []string) ([]fileVersion, error) {
	var versions []fileVersion
	var errs []error
	for _, file := range files {
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
		return fileVersion{}, misuse(fmt.Errorf("%s is not below the current folder, by which its name at the "+
			"service goes", file))
	}
	_, f, err := openFile(file, "")
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
func addDocuments(ctx context.Context, d *session, versions []fileVersion, result []sentDocument) error {
	records, err := addTogether(ctx, d, versions)
	switch {
	case errors.Is(err, service.ErrRefused) && len(versions) > 1:
		for i := range versions {
			if err := addDocuments(ctx, d, versions[i:i+1], result); err != nil {
				return err
			}
		}
		return nil
	case errors.Is(err, service.ErrRefused):
		i := slices.IndexFunc(result, func(s sentDocument) bool { return s.Path == versions[0].name })
		result[i].Action, result[i].Error = "failed", err.Error()
		return nil
	case err != nil:
		return err
	}
	for _, r := range records {
		if i := slices.IndexFunc(result, func(s sentDocument) bool { return s.Path == documentPath(r) }); i >= 0 {
			result[i].IDs = append(result[i].IDs, r.ID)
		}
	}
	return nil
}

// addTogether is the one request; the files are open during it only.
func addTogether(ctx context.Context, d *session, versions []fileVersion) ([]documents.Document, error) {
	var added []service.NewDocument
	for _, v := range versions {
		content, f, err := openFile(v.path, v.name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		added = append(added, service.NewDocument{File: content, Model: service.DocumentModel{ExternalID: v.name,
			MetaInfo: v.note}})
	}
	return documents.Of(d.client).Add(ctx, d.id, added)
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
func updateDocuments(ctx context.Context, d *session, docs []documents.Document, v fileVersion) (sentDocument, error) {
	sent := sentDocument{Path: v.name, Action: "unchanged"}
	var updated []string
	refused := map[string][]string{} // languages, by the reason
	for _, doc := range docs {
		sent.IDs = append(sent.IDs, doc.ID)
		if doc.MetaInfo == v.note {
			continue
		}
		switch err := updateDocument(ctx, d, doc, v); {
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
	sent.Action, sent.Error = "failed", strings.Join(why, "; ")
	if len(updated) > 0 {
		sent.Error += "; updated in " + strings.Join(updated, ", ")
	}
	return sent, nil
}

// updateDocument replaces a document in one language.
func updateDocument(ctx context.Context, d *session, doc documents.Document, v fileVersion) error {
	if err := d.settled(ctx, doc.ID); err != nil && !errors.Is(err, service.ErrDisassembly) {
		return err
	}
	content, f, err := openFile(v.path, v.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := documents.Of(d.client).Update(ctx, doc.ID, content, documents.DocumentUpdateModel{}); err != nil {
		return err
	}
	// After the update: when this is lost, the next push sends the same version again, which does no harm.
	return documents.Of(d.client).SetMetaInfo(ctx, doc.ID, v.note)
}

// settled waits until the service has taken a document apart.
func (d *session) settled(ctx context.Context, id string) error {
	ctx, cancel := d.patient(ctx)
	defer cancel()
	_, err := documents.Of(d.client).Wait(ctx, id)
	return err
}

// saySent waits until what was sent has been taken apart, and prints it.
func saySent(ctx context.Context, a *app, d *session, result []sentDocument) error {
	failed := false
	for i := range result {
		d.line.Show(report.Doing{What: "waiting until the service has taken them apart", Done: int64(i),
			Total: int64(len(result))})
		r := &result[i]
		if r.Action == "failed" {
			failed = true
		}
		if r.Action == "unchanged" || r.Action == "failed" {
			continue
		}
		for _, id := range r.IDs {
			switch err := d.settled(ctx, id); {
			case errors.Is(err, service.ErrDisassembly):
				r.Action, r.Error, failed = "failed", err.Error(), true
			case err != nil:
				return err
			}
		}
	}
	d.line.End()
	if a.asJSON {
		if err := a.print(documentsSent{d.id, result}); err != nil {
			return err
		}
	} else {
		for _, r := range result {
			fmt.Fprintf(a.out, "%s %s", r.Action, r.Path)
			if r.Error != "" {
				fmt.Fprintf(a.out, ": %s", r.Error)
			}
			fmt.Fprintln(a.out)
		}
	}
	if failed {
		return errPartial
	}
	return nil
}
