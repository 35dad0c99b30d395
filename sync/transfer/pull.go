package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/wire"
)

// Options say what is fetched, and where to.
type Options struct {
	Output    string                  // the template of the files' paths
	State     service.CompletionState // below it a text stays in the source language
	Languages []string                // none: all
}

// placeholders are those of Options.Output.
var (
	placeholders = []string{"{LANGUAGE}", "{PATH}", "{DIR}", "{NAME}", "{EXT}"}
	placeholder  = regexp.MustCompile(`\{[^{}]*\}`)
)

// Check refuses a template with other placeholders.
func (o Options) Check() error {
	for _, p := range placeholder.FindAllString(o.Output, -1) {
		if !slices.Contains(placeholders, p) {
			return failure.Usage(fmt.Errorf("--output %q: %s is not a placeholder; there are %s", o.Output, p,
				strings.Join(placeholders, ", ")))
		}
	}
	return nil
}

// modes are the completion states as an export of documents calls them.
var modes = map[service.CompletionState]documents.ExportMode{
	service.Draft: wire.ExportCurrent, service.Intermediate: wire.ExportConfirmed, service.Final: wire.ExportComplete,
}

// DocumentsFetched is what became of the documents of a pull.
type DocumentsFetched struct {
	Project   string            `json:"project"`
	Documents []FetchedDocument `json:"documents"`
}

// FetchedDocument is what became of one document in one language.
type FetchedDocument struct {
	Path     string `json:"path"` // of the document
	Language string `json:"language"`
	File     string `json:"file"`
	Changed  bool   `json:"changed"`
	Error    string `json:"error,omitempty"`

	id  string
	job service.JobID
}

// Pull writes the translations of all documents below the current folder. Languages are spelled as the configured
// project has them in paths, if one is given.
func (t Transfer) Pull(ctx context.Context, o Options, spelled *config.Project) (DocumentsFetched, error) {
	fetched := DocumentsFetched{Project: t.Project, Documents: []FetchedDocument{}}
	project, err := t.Client.Projects().WithDocuments(ctx, t.Project)
	if err != nil {
		return fetched, err
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return fetched, failure.Usage(err)
	}
	defer root.Close()
	if err := o.known(project); err != nil {
		return fetched, err
	}
	result := o.plan(project.Documents, spelled)
	fetched.Documents = result
	for i := range result {
		t.Show(report.Doing{What: "asking for translations", Done: int64(i), Total: int64(len(result))})
		if r := &result[i]; r.Error == "" {
			jobs, err := documents.Of(t.Client).StartExport(ctx, documents.ExportRequest{Documents: []string{r.id},
				Mode: modes[o.State]})
			if err := r.unless(ctx, err); err != nil {
				return fetched, err
			}
			if r.Error == "" {
				r.job = jobs[0].ID
			}
		}
	}
	for i := range result {
		t.Show(report.Doing{What: "fetching translations", Done: int64(i), Total: int64(len(result))})
		if r := &result[i]; r.Error == "" {
			if err := r.unless(ctx, r.fetch(ctx, t, root)); err != nil {
				return fetched, err
			}
		}
	}
	return fetched, nil
}

// known refuses languages that the project does not have.
func (o Options) known(project service.Project) error {
	for _, l := range o.Languages {
		if !slices.ContainsFunc(project.TargetLanguages, func(have string) bool { return strings.EqualFold(have, l) }) {
			return failure.Usage(fmt.Errorf("--language %q: the project does not have it; %s", l,
				config.Meant(l, project.TargetLanguages)))
		}
	}
	return nil
}

// plan says which document goes where.
func (o Options) plan(documents []documents.Document, p *config.Project) []FetchedDocument {
	result := []FetchedDocument{}
	taken, sources := map[string]bool{}, map[string]bool{}
	for _, doc := range documents {
		sources[documentPath(doc)] = true
	}
	for _, doc := range documents {
		wanted := len(o.Languages) == 0
		for _, l := range o.Languages {
			wanted = wanted || strings.EqualFold(l, doc.TargetLanguage)
		}
		if !wanted {
			continue
		}
		r := FetchedDocument{Path: documentPath(doc), Language: doc.TargetLanguage, id: doc.ID}
		spelling := doc.TargetLanguage
		if p != nil {
			spelling = p.Language(doc.TargetLanguage).Path
		}
		name := path.Base(r.Path)
		r.File = path.Clean(strings.NewReplacer("{LANGUAGE}", spelling, "{PATH}", r.Path, "{DIR}", path.Dir(r.Path),
			"{NAME}", strings.TrimSuffix(name, path.Ext(name)), "{EXT}", strings.TrimPrefix(path.Ext(name),
				".")).Replace(o.Output))
		switch {
		case !filepath.IsLocal(filepath.FromSlash(r.File)) || strings.Contains(r.File, `\`):
			r.Error = fmt.Sprintf("%s is not below the current folder", r.File)
		case config.UnsafePath(r.File) != "":
			r.Error = fmt.Sprintf("%s cannot be written: %s", r.File, config.UnsafePath(r.File))
		case taken[r.File]:
			r.Error = fmt.Sprintf("two documents would be written to %s: tell them apart in --output", r.File)
		case r.File == r.Path:
			r.Error = fmt.Sprintf("%s is the document itself: put {LANGUAGE} into --output", r.File)
		case sources[r.File]:
			r.Error = fmt.Sprintf("%s is another document of the project: put translations elsewhere by --output", r.File)
		}
		taken[r.File] = true
		result = append(result, r)
	}
	return result
}

// unless keeps what went wrong with one document only, and returns what went wrong with all.
func (r *FetchedDocument) unless(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || !errors.Is(err, service.ErrExportFailed) && !errors.Is(err, service.ErrRefused) &&
		!errors.Is(err, service.ErrNotFound) {
		return err
	}
	r.Error = err.Error()
	return nil
}

// fetch downloads one translation and writes it where it differs.
func (r *FetchedDocument) fetch(ctx context.Context, t Transfer, root *os.Root) error {
	patient, cancel := t.Patient(ctx)
	defer cancel()
	a, err := documents.Of(t.Client).Download(patient, r.job, "")
	if err != nil {
		return err
	}
	defer a.Close()
	if len(a.Entries) != 1 {
		r.Error = fmt.Sprintf("the service sent %d files for it, not one", len(a.Entries))
		return nil
	}
	content, err := a.Entries[0].ReadAll()
	if err != nil {
		return err
	}
	have, err := root.ReadFile(filepath.FromSlash(r.File))
	switch {
	case err == nil && bytes.Equal(have, content):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		r.Error = err.Error()
		return nil
	}
	r.Changed = true
	if err := files.WriteBelow(root, filepath.FromSlash(r.File), content); err != nil {
		r.Changed, r.Error = false, err.Error()
	}
	return nil
}
