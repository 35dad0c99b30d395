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
	"github.com/locsync/locsync/sync/config/spell"
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
	Type      documents.ExportType    // empty: the translated document
	Stage     int                     // what was confirmed at this stage, 1 being the first, instead of State; 0: none
	Full      bool                    // also what did not change since it was fetched
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

	doc    documents.Document // its revision is a digest of its whole record
	digest string             // of the file that was written
}

// pull is one pull under way.
type pull struct {
	Transfer
	o       Options
	root    *os.Root
	memory  *memory
	fetched DocumentsFetched
	byID    map[string]*FetchedDocument // what is still to be fetched, by the document's identifier
	done    int
}

// started is an export of some documents.
type started struct {
	job service.JobID
	ids []string
}

// Pull writes the translations of all documents below the current folder. Languages are spelled as the configured
// project has them in paths, if one is given. What did not change since it was fetched is not asked for.
func (t Transfer) Pull(ctx context.Context, o Options, spelled *config.Project) (DocumentsFetched, error) {
	p := &pull{Transfer: t, o: o, byID: map[string]*FetchedDocument{},
		fetched: DocumentsFetched{Project: t.Project, Documents: []FetchedDocument{}}}
	project, err := t.Client.Projects().WithSome(ctx, t.Project, func(doc *documents.Document) bool {
		doc.RevisionLabel = digestOf(*doc)
		slim(doc)
		return doc.ID != ""
	})
	if err != nil {
		return p.fetched, err
	}
	if p.root, err = os.OpenRoot("."); err != nil {
		return p.fetched, failure.Usage(err)
	}
	defer p.root.Close()
	if err := o.known(project); err != nil {
		return p.fetched, err
	}
	p.memory = recall(t.State, o.asked())
	p.fetched.Documents = o.plan(project.Documents, spelled)
	var ids []string
	for i := range p.fetched.Documents {
		r := &p.fetched.Documents[i]
		if r.Error == "" && (o.Full || !p.memory.holds(r, p.root)) {
			ids, p.byID[r.doc.ID] = append(ids, r.doc.ID), r
		}
	}
	if err := p.fetchAll(ctx, ids); err != nil {
		return p.fetched, errors.Join(err, p.memory.keep())
	}
	return p.fetched, p.memory.keep()
}

// asked is what is asked for, in a word: what was fetched for another question does not count.
func (o Options) asked() string { return fmt.Sprintf("%s %s %d", o.Type, o.State, o.Stage) }

// fetchAll fetches documents, as many in one export as it takes, and those one by one that did not come that way.
func (p *pull) fetchAll(ctx context.Context, ids []string) error {
	alone, err := p.fetch(ctx, documents.Together(ids))
	if err != nil {
		return err
	}
	var each [][]string
	for _, id := range alone {
		each = append(each, []string{id})
	}
	_, err = p.fetch(ctx, each)
	return err
}

// fetch starts an export of each group, takes them all, and returns which documents have to be asked for alone.
func (p *pull) fetch(ctx context.Context, groups [][]string) (alone []string, err error) {
	var exports []started
	for i, ids := range groups {
		p.Show(report.Doing{What: "asking for translations", Done: int64(i), Total: int64(len(groups))})
		r := documents.ExportRequest{Documents: ids, Type: p.o.Type, Mode: modes[p.o.State], Stage: p.o.Stage}
		if p.o.Stage > 0 {
			r.Mode = wire.ExportConfirmed
		}
		jobs, err := documents.Of(p.Client).StartExport(ctx, r)
		switch {
		case ofSome(ctx, err) && len(ids) > 1:
			alone = append(alone, ids...)
		case ofSome(ctx, err):
			p.byID[ids[0]].Error = err.Error()
		case err != nil:
			return alone, err
		default:
			exports = append(exports, started{jobs[0].ID, ids})
		}
	}
	for _, x := range exports {
		p.Show(report.Doing{What: "fetching translations", Done: int64(p.done), Total: int64(len(p.byID))})
		left, err := p.take(ctx, x)
		alone = append(alone, left...)
		if err != nil {
			return alone, err
		}
	}
	return alone, nil
}

// ofSome reports whether an error is of some documents only, and not of all.
func ofSome(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && (errors.Is(err, service.ErrExportFailed) ||
		errors.Is(err, service.ErrRefused) || errors.Is(err, service.ErrNotFound))
}

// take downloads one export and writes its files; it returns what was not in it.
func (p *pull) take(ctx context.Context, x started) (left []string, err error) {
	patient, cancel := p.Patient(ctx)
	defer cancel()
	single := len(x.ids) == 1
	download := p.Client.Strings().Download
	if single {
		download = documents.Of(p.Client).Download
	}
	a, err := download(patient, x.job, "")
	switch {
	case ofSome(ctx, err) && single:
		p.byID[x.ids[0]].Error = err.Error()
		return nil, nil
	case ofSome(ctx, err):
		return x.ids, nil
	case err != nil:
		return nil, err
	}
	defer a.Close()
	entries := p.entriesOf(a, x.ids)
	for _, id := range x.ids {
		e, is := entries[id]
		switch r := p.byID[id]; {
		case is:
			if err := r.write(e, p.root); err != nil {
				return left, err
			}
			p.memory.note(r)
			p.done++
		case single:
			r.Error = fmt.Sprintf("the service sent %d files for it, not one", len(a.Entries))
		default:
			left = append(left, id)
		}
	}
	return left, nil
}

// entriesOf tells which file of an export is of which document: the only one where one was asked for, else by its name,
// the document's with the language in brackets. A file that may be of several is of none.
func (p *pull) entriesOf(a *service.Archive, ids []string) map[string]service.Entry {
	found := map[string]service.Entry{}
	if len(ids) == 1 {
		if len(a.Entries) == 1 {
			found[ids[0]] = a.Entries[0]
		}
		return found
	}
	times := map[string]int{} // a document is named
	for _, e := range a.Entries {
		var of []string
		for _, id := range ids {
			if named(e.Name, p.byID[id].doc) {
				of = append(of, id)
			}
		}
		if len(of) == 1 {
			found[of[0]] = e
		}
		for _, id := range of {
			times[id]++
		}
	}
	for id, n := range times {
		if n > 1 {
			delete(found, id)
		}
	}
	return found
}

// named reports whether a file of an archive has the name of a document in its language.
func named(entry string, doc documents.Document) bool {
	stem := strings.TrimSuffix(entry, path.Ext(entry))
	for _, of := range []string{doc.FullPath, doc.Name, doc.Filename, doc.ExternalID} {
		for _, of := range []string{of, strings.TrimSuffix(of, path.Ext(of))} {
			if of != "" && strings.EqualFold(stem, of+"("+doc.TargetLanguage+")") {
				return true
			}
		}
	}
	return false
}

// known refuses languages that the project does not have.
func (o Options) known(project service.Project) error {
	for _, l := range o.Languages {
		if !slices.ContainsFunc(project.TargetLanguages, func(have string) bool { return strings.EqualFold(have, l) }) {
			return failure.Usage(fmt.Errorf("--language %q: the project does not have it; %s", l,
				spell.Meant(l, project.TargetLanguages)))
		}
	}
	return nil
}

// plan says which document goes where.
func (o Options) plan(documents []documents.Document, p *config.Project) []FetchedDocument {
	result := []FetchedDocument{}
	taken, sources := map[string]bool{}, map[string]bool{}
	for _, doc := range documents {
		sources[PathOf(doc)] = true
	}
	for _, doc := range documents {
		wanted := len(o.Languages) == 0
		for _, l := range o.Languages {
			wanted = wanted || strings.EqualFold(l, doc.TargetLanguage)
		}
		if !wanted {
			continue
		}
		r := FetchedDocument{Path: PathOf(doc), Language: doc.TargetLanguage, doc: doc}
		spelling := doc.TargetLanguage
		if p != nil {
			spelling = p.Language(doc.TargetLanguage).Path
		}
		at := o.exported(r.Path)
		name := path.Base(at)
		r.File = path.Clean(strings.NewReplacer("{LANGUAGE}", spelling, "{PATH}", at, "{DIR}", path.Dir(at),
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

// exported is the path of a document with the extension of what is asked for.
func (o Options) exported(at string) string {
	ext, other := map[documents.ExportType]string{wire.ExportXLIFF: ".xliff", wire.ExportCSV: ".csv"}[o.Type]
	if !other {
		return at
	}
	return strings.TrimSuffix(at, path.Ext(at)) + ext
}

// write writes one translation where it differs.
func (r *FetchedDocument) write(e service.Entry, root *os.Root) error {
	content, err := e.ReadAll()
	if err != nil {
		return err
	}
	r.digest = digest(content)
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
