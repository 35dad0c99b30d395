package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/locsync/locsync/sync/service/wire"
)

// Conflicts says what an import does with a value that the service holds differently.
type Conflicts string

// The conflict switches of the service, of which at most one is sent.
const (
	Overwrite Conflicts = "overwrite"
	Skip      Conflicts = "skip"
	Report    Conflicts = "report" // neither switch: the service keeps its value and lists the key
)

// ImportRequest is files of one language and format on their way into one collection.
type ImportRequest struct {
	Project         string
	Collection      string   // empty: "main"
	Language        string   // of the files; required
	TargetLanguages []string // only for the source language; empty: all of the project
	Format          Format   // "locjson" travels as the end of the file names, which must be ".locjson"
	PathSeparator   string   // sent for the structured formats only; empty: the service's default, "/"
	CompletionState CompletionState
	Conflicts       Conflicts // empty: Overwrite
	Labels          []string
	Files           []Upload
}

// Upload is one file of an import. Results name files by Name.
type Upload struct {
	Name string
	Body []byte
}

// Strings are the operations on the keys of a project: imports and exports of resource files.
type Strings struct{ client *Client }

// Strings are the operations on the keys of a project.
func (c *Client) Strings() Strings { return Strings{c} }

// StartImport hands the files over: POST /v2/project/{projectId}/import (service interface, software
// localization: import, which has the parameters; labels are the published description's). It returns the
// identifier of the import, which is not done yet: see ImportResult and WaitImport. The request is made once;
// only where the service cannot have taken it (no connection, 429) it is repeated. Beside the errors of *Error,
// a request that the service would refuse is refused here.
func (s Strings) StartImport(ctx context.Context, r ImportRequest) (JobID, error) {
	return Start(ctx, s.client, Call{
		Op: "start import", Bad: r.check(), Method: http.MethodPost, Path: PathOf(wire.PathImport, r.Project),
		Query: r.query(), Parts: importParts(r.Files), Changes: true,
	})
}

func (r *ImportRequest) query() url.Values {
	q := url.Values{}
	q.Set(wire.QueryCollection, cmp.Or(r.Collection, wire.DefaultCollection))
	q.Set(wire.QueryLanguage, r.Language)
	if len(r.TargetLanguages) > 0 {
		q.Set(wire.QueryTargetLanguages, strings.Join(r.TargetLanguages, ","))
	}
	if r.Format != wire.FormatLocJSON {
		q.Set(wire.QueryFormat, string(r.Format))
	}
	if r.Format.Structured() && r.PathSeparator != "" {
		q.Set(wire.QueryPathSeparator, r.PathSeparator)
	}
	q.Set(wire.QueryCompletionState, string(cmp.Or(r.CompletionState, wire.Draft)))
	switch cmp.Or(r.Conflicts, Overwrite) {
	case Overwrite:
		q.Set(wire.QueryOverwriteConflicts, "true")
	case Skip:
		q.Set(wire.QuerySkipConflicts, "true")
	}
	if len(r.Labels) > 0 {
		q.Set(wire.QueryLabels, strings.Join(r.Labels, ","))
	}
	return q
}

func (r *ImportRequest) check() error {
	if err := Named("project", r.Project); err != nil {
		return err
	}
	switch {
	case r.Language == "":
		return errors.New("the language of the files is missing")
	case len(r.Files) == 0:
		return errors.New("no files")
	case !slices.Contains([]Conflicts{"", Overwrite, Skip, Report}, r.Conflicts):
		return fmt.Errorf("conflicts %q: want overwrite, skip or report", r.Conflicts)
	case r.Format == "":
		return errors.New("the format of the files is missing")
	}
	if err := CheckList("target language", r.TargetLanguages); err != nil {
		return err
	}
	if err := CheckList("label", r.Labels); err != nil {
		return err
	}
	seen := make(map[string]bool, len(r.Files))
	for _, f := range r.Files {
		switch {
		case f.Name == "" || strings.ContainsFunc(f.Name, unicode.IsControl):
			return fmt.Errorf("file name %q: want a name without control characters", f.Name)
		case seen[f.Name]:
			return fmt.Errorf("two files are called %q; the result could not tell them apart", f.Name)
		case r.Format == wire.FormatLocJSON && !strings.HasSuffix(strings.ToLower(f.Name), wire.LocJSONExtension):
			return fmt.Errorf("file name %q: the service recognises LocJSON by the end %q", f.Name, wire.LocJSONExtension)
		}
		seen[f.Name] = true
	}
	return nil
}

// importParts are the files of an import.
func importParts(files []Upload) []Part {
	parts := make([]Part, 0, len(files))
	for _, f := range files {
		file := &File{f.Name, int64(len(f.Body)), bytes.NewReader(f.Body)}
		parts = append(parts, Part{name: wire.PartFile, kind: wire.PartFileType, file: file})
	}
	return parts
}

// ImportResult is how far an import is. Status "completed" does not mean that every file was taken: see
// Failed.
type ImportResult struct {
	Status        wire.Status
	Failed        []FileError         // files that were not taken, ordered by name
	Created       int                 // keys that are new at the service
	Updated       int                 // keys that got or changed a text
	Deleted       int                 // keys that are gone
	NotChanged    int                 // texts that the service had already
	WithoutSource int                 // keys of a translation that the source does not have
	Conflicts     map[string][]string // keys that the service keeps its own value of -> the values it did not take
	counted       bool
}

// Counted is how many keys the result speaks of; ok is false where the service gives no counts. It is at least
// the number of keys of the files that were taken.
func (r ImportResult) Counted() (keys int, ok bool) {
	return r.Created + r.Updated + r.NotChanged + r.WithoutSource + len(r.Conflicts), r.counted
}

// FileError says why a file of an import was not taken. File is empty where the service does not say
// which one; Reason is empty where it does not say why.
type FileError struct{ File, Reason string }

// Ended tells whether the import is over, well or badly.
func (r ImportResult) Ended() bool { return r.Status.Ended() }

// ImportFailed is the error of an import that the service gave up as a whole.
type ImportFailed struct {
	ID     JobID
	Result ImportResult
}

// Error names the import and the service's reasons.
func (e *ImportFailed) Error() string {
	var reasons []string
	for _, f := range e.Result.Failed {
		reasons = append(reasons, strings.Trim(f.File+": "+f.Reason, ": "))
	}
	if len(reasons) == 0 {
		return fmt.Sprintf("import %s failed at the service, which gives no reason", e.ID)
	}
	return fmt.Sprintf("import %s failed at the service: %s", e.ID, strings.Join(reasons, "; "))
}

// ImportResult asks once how far an import is: GET /v1/project/import-result/{importId} with the prefix of everything
// else, with the one that the service interface prints (software localization: import result), and as v2.
// errors.Is(err, ErrNotFound): the service does not know it, or no longer.
func (s Strings) ImportResult(ctx context.Context, id JobID) (ImportResult, error) {
	const op = "read import result"
	if err := CheckID(string(id)); err != nil {
		return ImportResult{}, fmt.Errorf("%s: %w", op, err)
	}
	var answer wire.ImportAnswer
	look := func(spelling resultPath) error {
		answer = wire.ImportAnswer{}
		return s.client.Do(ctx, Call{
			Op: op, Method: http.MethodGet, prefix: spelling.prefix, Path: PathOf(spelling.path, string(id)),
			Repeatable: true, Poll: true, Read: JSON(&answer),
		})
	}
	// Which one works is learnt from the first result that is found.
	known := s.client.resultPath.Load()
	if known != nil {
		err := look(*known)
		return importResult(answer, s.client.redact), err
	}
	var err error
	for _, spelling := range []resultPath{{wire.Prefix, wire.PathImportResult}, {wire.ResultPrefix, wire.PathImportResult},
		{wire.ResultPrefix, wire.PathImportResultV2}} {
		err = look(spelling)
		if err == nil {
			s.client.resultPath.Store(&spelling)
		}
		if !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return importResult(answer, s.client.redact), err
}

// importResult takes the union of the two lists of failed files.
func importResult(a wire.ImportAnswer, redact func(string) string) ImportResult {
	r := ImportResult{
		Status: a.Status, Created: a.KeysCreated, Updated: a.KeysUpdated, Deleted: a.KeysDeleted,
		NotChanged: a.KeyValuesNotChanged, WithoutSource: a.KeysWithoutSource, Conflicts: a.ConflictingKeyValues,
		counted: a.Counted,
	}
	reasons := map[string]string{}
	for _, name := range a.FailedFileNames {
		reasons[name] = ""
	}
	for _, e := range a.Errors {
		reason := redact(clean(e.Error))
		if before := reasons[e.FileName]; before != "" && before != reason {
			reason = before + "; " + reason
		}
		reasons[e.FileName] = reason
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		r.Failed = append(r.Failed, FileError{name, reasons[name]})
	}
	return r
}

// WaitImport waits until the import is over, or ctx is. An import that failed as a whole is an
// *ImportFailed; one that was still running when ctx ended has an error that wraps ctx's. The result is
// the last one seen, also beside an error.
func (s Strings) WaitImport(ctx context.Context, id JobID) (result ImportResult, err error) {
	s.WaitImports(ctx, []Begun{{id, time.Now()}}, 0, func(_ int, r ImportResult, failed error) bool {
		result, err = r, failed
		return true
	})
	return result, err
}

// WaitImports waits for several imports, as WaitImport does for one, and tells ended of each as it ends; when
// that answers false, or ctx ends, the others are left. One that is not over after patience has an error that
// wraps context.DeadlineExceeded; 0 is without end.
func (s Strings) WaitImports(ctx context.Context, imports []Begun, patience time.Duration,
	ended func(i int, r ImportResult, err error) bool) {
	results := make([]ImportResult, len(imports))
	s.client.waitEach(ctx, times(imports), patience, func(ctx context.Context, i int) (bool, error) {
		r, err := s.ImportResult(ctx, imports[i].ID)
		if err == nil {
			results[i] = r
		}
		return r.Ended(), err
	}, func(i int, err error) bool {
		r := results[i]
		results[i] = ImportResult{}
		switch {
		case err != nil && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)):
			err = Unfinished("import", imports[i].ID, err)
		case err == nil && r.Status == wire.Failed:
			err = &ImportFailed{ID: imports[i].ID, Result: r}
		}
		return ended(i, r, err)
	})
}

// times are when jobs were begun.
func times(jobs []Begun) []time.Time {
	at := make([]time.Time, len(jobs))
	for i, j := range jobs {
		at[i] = j.At
	}
	return at
}
