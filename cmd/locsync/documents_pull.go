package main

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

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/wire"
	"github.com/locsync/locsync/sync/terminal"
)

func documentsPullCommand(a *app) *cobra.Command {
	t := target{documents: true}
	var o pullDocuments
	c := &cobra.Command{
		Use:   "pull",
		Short: "Fetch the translations of all documents of a project",
		Long: "Writes the translation of every document below the current folder, at the path that --output makes of the " +
			"document's: {LANGUAGE},\n" +
			"{NAME} (without the extension), {EXT}, {DIR}, and {PATH} for all three. Files that did not change are not " +
			"written. What cannot be\n" +
			"fetched, or has no place below the current folder, is named (3).",
		Example: "  locsync documents pull --id $ID\n  locsync documents pull --id $ID --language de,fr --state draft\n  " +
			"locsync documents pull --id $ID --output 'docs/{LANGUAGE}/{NAME}.{EXT}'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.mode = modes[o.state]
			for _, p := range placeholder.FindAllString(o.output, -1) {
				if !slices.Contains(placeholders, p) {
					return misuse(fmt.Errorf("--output %q: %s is not a placeholder; there are %s", o.output, p,
						strings.Join(placeholders, ", ")))
				}
			}
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				return fetchDocuments(ctx, a, d, o)
			})
		},
	}
	t.flags(c)
	c.Flags().StringVar(&o.output, "output", "{LANGUAGE}/{PATH}", "`TEMPLATE` of the files' paths")
	o.state = string(service.Final)
	choose(c.Flags(), &o.state, "state", "what has not reached this state is written in the source language",
		string(service.Draft), string(service.Intermediate), string(service.Final))
	c.Flags().StringSliceVar(&o.languages, "language", nil, "only these `CODES`")
	noArguments(c)
	return c
}

// pullDocuments are the flags of documents pull.
type pullDocuments struct {
	output, state string
	languages     []string
	mode          documents.ExportMode
}

// placeholders are those of --output.
var (
	placeholders = []string{"{LANGUAGE}", "{PATH}", "{DIR}", "{NAME}", "{EXT}"}
	placeholder  = regexp.MustCompile(`\{[^{}]*\}`)
)

// modes are the completion states as an export of documents calls them.
var modes = map[string]documents.ExportMode{
	string(service.Draft): wire.ExportCurrent, string(service.Intermediate): wire.ExportConfirmed,
	string(service.Final): wire.ExportComplete,
}

// documentsFetched is what documents pull prints with --json.
type documentsFetched struct {
	Project   string            `json:"project"`
	Documents []fetchedDocument `json:"documents"`
}

// fetchedDocument is what became of one document in one language, as documents pull prints it with --json.
type fetchedDocument struct {
	Path     string `json:"path"` // of the document
	Language string `json:"language"`
	File     string `json:"file"`
	Changed  bool   `json:"changed"`
	Error    string `json:"error,omitempty"`

	id  string
	job service.JobID
}

func fetchDocuments(ctx context.Context, a *app, d *session, o pullDocuments) error {
	project, err := d.client.Projects().WithDocuments(ctx, d.id)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return misuse(err)
	}
	defer root.Close()
	if err := o.known(project); err != nil {
		return err
	}
	result := o.plan(project.Documents, d.project)
	for i := range result {
		d.line.Show(report.Doing{What: "asking for translations", Done: int64(i), Total: int64(len(result))})
		if r := &result[i]; r.Error == "" {
			jobs, err := documents.Of(d.client).StartExport(ctx, documents.ExportRequest{Documents: []string{r.id},
				Mode: o.mode})
			if err := r.unless(ctx, err); err != nil {
				return err
			}
			if r.Error == "" {
				r.job = jobs[0].ID
			}
		}
	}
	for i := range result {
		d.line.Show(report.Doing{What: "fetching translations", Done: int64(i), Total: int64(len(result))})
		if r := &result[i]; r.Error == "" {
			if err := r.unless(ctx, r.fetch(ctx, d, root)); err != nil {
				return err
			}
		}
	}
	d.line.End()
	return sayFetched(a, d.id, result)
}

// known refuses languages that the project does not have.
func (o pullDocuments) known(project service.Project) error {
	for _, l := range o.languages {
		if !slices.ContainsFunc(project.TargetLanguages, func(have string) bool { return strings.EqualFold(have, l) }) {
			return misuse(fmt.Errorf("--language %q: the project does not have it; %s", l,
				meant(l, project.TargetLanguages)))
		}
	}
	return nil
}

// plan says which document goes where.
func (o pullDocuments) plan(docs []documents.Document, p *config.Project) []fetchedDocument {
	result := []fetchedDocument{}
	taken, sources := map[string]bool{}, map[string]bool{}
	for _, doc := range docs {
		sources[documentPath(doc)] = true
	}
	for _, doc := range docs {
		wanted := len(o.languages) == 0
		for _, l := range o.languages {
			wanted = wanted || strings.EqualFold(l, doc.TargetLanguage)
		}
		if !wanted {
			continue
		}
		r := fetchedDocument{Path: documentPath(doc), Language: doc.TargetLanguage, id: doc.ID}
		spelling := doc.TargetLanguage
		if p != nil {
			spelling = p.Language(doc.TargetLanguage).Path
		}
		name := path.Base(r.Path)
		r.File = path.Clean(strings.NewReplacer("{LANGUAGE}", spelling, "{PATH}", r.Path, "{DIR}", path.Dir(r.Path),
			"{NAME}", strings.TrimSuffix(name, path.Ext(name)), "{EXT}", strings.TrimPrefix(path.Ext(name),
				".")).Replace(o.output))
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
func (r *fetchedDocument) unless(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || !errors.Is(err, service.ErrExportFailed) && !errors.Is(err, service.ErrRefused) &&
		!errors.Is(err, service.ErrNotFound) {
		return err
	}
	r.Error = err.Error()
	return nil
}

// fetch downloads one translation and writes it where it differs.
func (r *fetchedDocument) fetch(ctx context.Context, d *session, root *os.Root) error {
	patient, cancel := d.patient(ctx)
	defer cancel()
	a, err := documents.Of(d.client).Download(patient, r.job, "")
	if err != nil {
		return err
	}
	defer a.Close()
	if len(a.Entries) != 1 {
		r.Error = fmt.Sprintf("the service sent %s for it", terminal.Count(len(a.Entries), "file"))
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
	if err := writeBelow(root, filepath.FromSlash(r.File), content); err != nil {
		r.Changed, r.Error = false, err.Error()
	}
	return nil
}

// writeBelow writes a file as a whole, or not at all; no symbolic link leads it out of the folder.
func writeBelow(root *os.Root, name string, content []byte) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temp := name + ".locsync-new"
	err := root.WriteFile(temp, content, 0o644)
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp) // the error that matters is the first one
	}
	return err
}

func sayFetched(a *app, id string, result []fetchedDocument) error {
	if a.asJSON {
		if err := a.print(documentsFetched{id, result}); err != nil {
			return err
		}
	}
	if len(result) == 0 && !a.asJSON {
		return a.sayNothing("the project has no documents: locsync documents push adds some, and --id names another project")
	}
	changed, failed := 0, false
	for _, r := range result {
		failed = failed || r.Error != ""
		switch {
		case a.asJSON:
		case r.Error != "":
			fmt.Fprintf(a.out, "left out: %s (%s): %s\n", r.Path, r.Language, r.Error)
		case r.Changed:
			changed++
			fmt.Fprintf(a.out, "%s\n", r.File)
		}
	}
	if !a.asJSON {
		fmt.Fprintf(a.out, "%s, %d written\n", terminal.Count(len(result), "translation"), changed)
	}
	if failed {
		return errPartial
	}
	return nil
}
