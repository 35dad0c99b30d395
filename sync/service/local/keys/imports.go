// Package keys is the software localization of the embedded service: keys come in by imports of files and go out by
// exports, with completion states, labels, collections and plural forms.
//
// Its law: an import reads and writes the rows of its own keys only; a stored text is replaced by an offered one by the
// rule that the call named (importing.go), and what was not taken is listed. What cannot be written as asked ends an
// export with the name of the key. The grammars of files are in package formats.
package keys

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/jobs"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

const (
	maxCollectionName = 250 // bytes
	maxLabel          = 250
)

// importFormats are the values of an import's format parameter. The list of the interface's error table lacks the
// structured ones, that of its parameters has them.
var importFormats = []wire.Format{wire.FormatJSON, wire.FormatStructuredJSON, wire.FormatYAML,
	wire.FormatStructuredYAML,
	wire.FormatIOSStrings, wire.FormatAndroidXML, wire.FormatLocJSON, wire.FormatQtTS}

// Service answers the calls about keys and does their jobs.
type Service struct {
	store *store.Store
	jobs  *jobs.Runner
	log   *zap.Logger
	made  Pseudo
	late  *late
}

// Pseudo says when pseudo-translations are made, and what they count as.
type Pseudo struct {
	// On gives every key that is imported from now on a pseudo-translation in every language that has no better one.
	On bool
	// Trial makes drafts of them, and leaves them out of a project that has any translation.
	Trial bool
}

// New adds the jobs of keys to a runner. Imports keep their order in a queue; exports have none.
// Exports show what was imported after lag.
func New(
	st *store.Store, jobs *jobs.Runner, imports, exports *jobs.Queue, made Pseudo, lag time.Duration, log *zap.Logger,
) *Service {
	s := &Service{st, jobs, log, made, &late{lag: lag}}
	jobs.Handle(store.KindImport, imports, s.runImport, nil)
	jobs.Handle(store.KindExport, exports, s.runExport, nil)
	return s
}

// Routes are the calls that are answered here, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathImport: {"POST": s.startImport}, wire.PathImportResult: {"GET": s.importResult},
		wire.PathImportResultV2: {"GET": s.importResult},
		wire.PathExport:         {"POST": s.startExport},
		wire.PathExportV1:       {"POST": s.startExportV1},
	}
}

// startImport answers POST /v2/project/{projectId}/import.
func (s *Service) startImport(c *api.Call) error {
	p, err := s.store.LocalizationProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	in, wanted, err := importRequest(c.Params, p)
	if err != nil {
		return err
	}
	var format wire.Format
	if format, err = formatParameter(c.Params, importFormats); err != nil {
		return err
	}
	separator, err := separatorParameter(c.Params, format)
	if err != nil {
		return err
	}
	in.Separator = separator
	if err := c.Bound(api.MaxImport, true); err != nil {
		return err
	}
	parts, err := api.ReadParts(c.Request)
	if err != nil {
		return err
	}
	var bodies [][]byte
	for _, f := range api.Files(parts) {
		kind, err := formatOf(f.File, format)
		if err != nil {
			return err
		}
		in.Files = append(in.Files, store.ImportFile{Name: f.File, Format: kind})
		bodies = append(bodies, f.Body)
	}
	if len(bodies) == 0 {
		return api.Invalid(wire.PartFile,
			"the body has no files; send multipart/form-data with each file as a part that has a file name")
	}
	j := &store.Job{Project: p.ID, Work: store.Work{Import: in}}
	err = s.jobs.Start(j, bodies, func(tx *store.Tx) error {
		return joinCollection(tx, p.ID, in.Collection, wanted,
			s.store.Now())
	})
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, j.ID)
}

// importRequest reads everything of an import but its format and files. wanted are the target languages that the
// caller named.
func importRequest(q api.Params, p *store.Project) (in *store.ImportJob, wanted []string, err error) {
	in = new(store.ImportJob)
	api.Into(&in.Language, &err)(languageParameter(q, p))
	api.Into(&in.Collection, &err)(collectionParameter(q))
	api.Into(&in.Conflicts, &err)(conflictsParameter(q))
	api.Into(&in.State, &err)(stateParameter(q, store.Draft))
	api.Into(&in.Labels, &err)(labelsParameter(q))
	api.Into(&in.FileLabels, &err)(q.Flag(wire.QueryAutoFileLabels))
	api.Into(&in.DeleteMissing, &err)(q.Flag(wire.QueryDeleteMissingKeys))
	if err != nil {
		return nil, nil, err
	}
	in.Source = in.Language == p.Source
	if in.DeleteMissing && !in.Source {
		return nil, nil, api.Invalid(wire.QueryDeleteMissingKeys, "goes with an import of the source language %q only",
			p.Source)
	}
	if _, given := q.List(wire.QueryTargetLanguages); given {
		if !in.Source {
			return nil, nil, api.Invalid(wire.QueryTargetLanguages, "goes with an import of the source language %q only",
				p.Source)
		}
		if wanted, err = api.TargetLanguages(q, p.Source); err != nil {
			return nil, nil, err
		}
		if len(wanted) == 1 {
			in.Target = wanted[0]
		}
	}
	return in, wanted, nil
}

// languageParameter reads the language of the imported files: the project's source language or one of its targets.
func languageParameter(q api.Params, p *store.Project) (string, error) {
	word, given, err := q.Word(wire.QueryLanguage)
	switch {
	case err != nil:
		return "", err
	case !given:
		return "", api.Invalid(wire.QueryLanguage, "is missing; name the language of the imported files")
	}
	code, err := api.LanguageCode(wire.QueryLanguage, word)
	if err != nil {
		return "", err
	}
	if !p.Speaks(code) {
		return "", api.Invalid(wire.QueryLanguage,
			"%q is neither the source language %q nor a target language of the project; add it with POST %s",
			code, p.Source, wire.Prefix+wire.PathTargets)
	}
	return code, nil
}

func collectionParameter(q api.Params) (string, error) {
	name, given, err := q.Word(wire.QueryCollection)
	if err != nil || !given {
		return wire.DefaultCollection, err
	}
	return name, checkCollectionName(wire.QueryCollection, name)
}

func checkCollectionName(field, name string) error {
	switch {
	case len(name) > maxCollectionName:
		return api.Invalid(field, "a collection's name has at most %d bytes", maxCollectionName)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }):
		return api.Invalid(field, "%q has characters that a collection's name cannot have", name)
	}
	return nil
}

func conflictsParameter(q api.Params) (store.Conflicts, error) {
	skip, err := q.Flag(wire.QuerySkipConflicts)
	if err != nil {
		return "", err
	}
	overwrite, err := q.Flag(wire.QueryOverwriteConflicts)
	switch {
	case err != nil:
		return "", err
	case skip && overwrite:
		return "", api.Invalid(wire.QuerySkipConflicts, "cannot be together with %s", wire.QueryOverwriteConflicts)
	case skip:
		return store.SkipConflicts, nil
	case overwrite:
		return store.OverwriteConflicts, nil
	}
	return store.ReportConflicts, nil
}

// stateParameter reads a completion state, in any case.
func stateParameter(q api.Params, absent store.State) (store.State, error) {
	word, given, err := q.Word(wire.QueryCompletionState)
	if err != nil || !given {
		return absent, err
	}
	for _, known := range wire.CompletionStates {
		if strings.EqualFold(word, string(known)) {
			return store.StateOf(known), nil
		}
	}
	return 0, api.Invalid(wire.QueryCompletionState, "%q is none of draft, intermediate, final", word)
}

// labelsParameter reads a list of labels, none of which may be empty.
func labelsParameter(q api.Params) ([]string, error) {
	labels, _ := q.List(wire.QueryLabels)
	for _, l := range labels {
		switch {
		case l == "":
			return nil, api.Invalid(wire.QueryLabels, "a label is empty")
		case len(l) > maxLabel:
			return nil, api.Invalid(wire.QueryLabels, "a label has more than %d bytes", maxLabel)
		}
	}
	return api.Union(nil, labels), nil
}

// formatParameter reads a format, in any case; empty when it is not given.
func formatParameter(q api.Params, allowed []wire.Format) (wire.Format, error) {
	word, given, err := q.Word(wire.QueryFormat)
	if err != nil || !given {
		return "", err
	}
	for _, f := range allowed {
		if strings.EqualFold(word, string(f)) {
			return f, nil
		}
	}
	names := make([]string, len(allowed))
	for i, f := range allowed {
		names[i] = string(f)
	}
	return "", api.Invalid(wire.QueryFormat, "%q is none of %s", word, strings.Join(names, ", "))
}

// separatorParameter reads the path separator. It goes with the structured formats only, and a format that is guessed
// is never one of those: a guessed .json file is flat.
func separatorParameter(q api.Params, format wire.Format) (string, error) {
	separator, given, err := q.Raw(wire.QueryPathSeparator)
	switch {
	case err != nil:
		return "", err
	case !given:
		return wire.DefaultPathSeparator, nil
	case !format.Structured():
		return "", api.Invalid(wire.QueryPathSeparator, "goes with %s=%s or %s only", wire.QueryFormat,
			wire.FormatStructuredJSON, wire.FormatStructuredYAML)
	}
	return separator, nil
}

// formatOf is the format of one imported file: what its extension says for LocJSON, else the parameter, else a guess
// from the extension.
func formatOf(name string, given wire.Format) (wire.Format, error) {
	extension := strings.ToLower(path.Ext(name))
	switch {
	case extension == wire.LocJSONExtension:
		return wire.FormatLocJSON, nil
	case given != "":
		return given, nil
	}
	if f, ok := formats.ByExtension(name); ok {
		return wire.Format(f.Name), nil
	}
	if extension == ".ts" {
		return wire.FormatQtTS, nil
	}
	return "", api.Invalid(wire.QueryFormat,
		"is missing, and the name of the file %q does not tell it; give one of the import formats", name)
}

// joinCollection makes the collection when it is new, and gives it and the project the target languages that an
// import named. A new collection without such names has all target languages of the project; one that is there keeps
// those it has.
func joinCollection(tx *store.Tx, projectID, name string, wanted []string, now int64) error {
	p, err := store.ProjectOf(tx, projectID)
	if err != nil {
		return err
	}
	if p == nil {
		return api.Refuse(http.StatusForbidden, "the project %s is not there any more", projectID)
	}
	if more := api.Union(p.Targets, wanted); len(more) > len(p.Targets) {
		p.Targets, p.Modified = more, now
		if err := store.PutProject(tx, p); err != nil {
			return err
		}
	}
	k, err := store.OpenCollection(tx, projectID, name)
	if err != nil {
		return err
	}
	if k == nil {
		targets := wanted
		if targets == nil {
			targets = p.Targets
		}
		return store.MakeCollection(tx, projectID, name, slices.Clone(targets))
	}
	if k.AddTargets(wanted) {
		return k.Save()
	}
	return nil
}

// importResult answers GET …/project/import-result/{importId}.
func (s *Service) importResult(c *api.Call) error {
	j, err := s.jobs.Find(c.PathValue(wire.ImportID), store.KindImport)
	if err != nil {
		return err
	}
	out := j.Import.Result
	out.Status = j.Status
	if out.Status == wire.Pending && s.jobs.IsRunning(j) {
		out.Status = wire.InProgress
	}
	if j.Failure != "" {
		out.Errors = append(out.Errors, wire.ImportError{Error: j.Failure})
	}
	if out.Errors == nil {
		out.Errors = []wire.ImportError{}
	}
	if out.FailedFileNames == nil {
		out.FailedFileNames = []string{}
	}
	if out.ConflictingKeyValues == nil {
		out.ConflictingKeyValues = map[string][]string{}
	}
	return c.Answer(http.StatusOK, out)
}
