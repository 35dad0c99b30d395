package local

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// importJob is what an import was asked for, how far it has come, and what came of it.
type importJob struct {
	Collection    string       `json:"collection"`
	Language      string       `json:"language"`
	Source        bool         `json:"source"`           // Language is the project's source language
	Target        string       `json:"target,omitempty"` // where the targets of LocJSON units go: the one target language given
	Separator     string       `json:"separator"`
	State         state        `json:"state"`
	Conflicts     conflicts    `json:"conflicts"`
	Labels        []string     `json:"labels,omitempty"`
	FileLabels    bool         `json:"fileLabels,omitempty"`
	DeleteMissing bool         `json:"deleteMissing,omitempty"`
	Files         []importFile `json:"files"`
	Done          int          `json:"done"` // entries that are stored already
	Result        wireResult   `json:"result"`
}

// importFile is one uploaded file; its bytes lie in the uploads bucket until the import ended.
type importFile struct {
	Name   string      `json:"name"` // as it was sent, folders and all
	Format wire.Format `json:"format"`
}

// conflicts says what becomes of a stored value that an import has differently. The words are stored.
type conflicts string

const (
	reportConflicts    conflicts = "report" // the stored value stays, the offered one is listed in the result
	skipConflicts      conflicts = "skip"   // the stored value stays and counts as not changed
	overwriteConflicts conflicts = "overwrite"
)

// wireResult is the result without its status, which is the job's.
type wireResult = wire.ImportResult

const (
	maxCollectionName = 250 // bytes
	maxLabel          = 250
)

// importFormats are the values of an import's format parameter. The list of the interface's error table lacks the structured ones, that of
// its parameters has them.
var importFormats = []wire.Format{wire.FormatJSON, wire.FormatStructuredJSON, wire.FormatYAML, wire.FormatStructuredYAML,
	wire.FormatIOSStrings, wire.FormatAndroidXML, wire.FormatLocJSON, wire.FormatQtTS}

// keysService answers the calls about keys and does their jobs.
type keysService struct {
	store *store
	jobs  *runner
	log   *zap.Logger
	made  pseudoMode
}

// pseudoMode says when pseudo-translations are made, and what they count as.
type pseudoMode struct {
	// On gives every key that is imported from now on a pseudo-translation in every language that has no better one.
	On bool
	// Trial makes drafts of them, and leaves them out of a project that has any translation.
	Trial bool
}

// newKeysService adds the jobs of keys to a runner. Imports keep their order in a queue; exports have none.
func newKeysService(st *store, jobs *runner, imports, exports *queue, made pseudoMode, log *zap.Logger) *keysService {
	s := &keysService{st, jobs, log, made}
	jobs.handle(kindImport, imports, s.runImport, nil)
	jobs.handle(kindExport, exports, s.runExport, nil)
	return s
}

// routes are the calls that are answered here, by path.
func (s *keysService) routes() map[string]methods {
	return map[string]methods{
		wire.PathImport:       {"POST": s.startImport},
		wire.PathImportResult: {"GET": s.importResult},
		wire.PathExport:       {"POST": s.startExport},
		wire.PathExportV1:     {"POST": s.startExportV1},
	}
}

// startImport answers POST /v2/project/{projectId}/import.
func (s *keysService) startImport(c *call) error {
	p, err := s.store.localizationProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	in, wanted, err := importRequest(c.params, p)
	if err != nil {
		return err
	}
	var format wire.Format
	if format, err = formatParameter(c.params, importFormats); err != nil {
		return err
	}
	separator, err := separatorParameter(c.params, format)
	if err != nil {
		return err
	}
	in.Separator = separator
	if err := c.bound(maxImport, true); err != nil {
		return err
	}
	parts, err := readParts(c.Request)
	if err != nil {
		return err
	}
	var bodies [][]byte
	for _, f := range files(parts) {
		kind, err := formatOf(f.file, format)
		if err != nil {
			return err
		}
		in.Files = append(in.Files, importFile{Name: f.file, Format: kind})
		bodies = append(bodies, f.body)
	}
	if len(bodies) == 0 {
		return invalid(wire.PartFile, "the body has no files; send multipart/form-data with each file as a part that has a file name")
	}
	j := &job{Project: p.ID, work: work{Import: in}}
	err = s.jobs.start(j, bodies, func(tx *Tx) error { return joinCollection(tx, p.ID, in.Collection, wanted, s.store.now()) })
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, j.ID)
}

// importRequest reads everything of an import but its format and files. wanted are the target languages that the caller named.
func importRequest(q params, p *project) (in *importJob, wanted []string, err error) {
	in = &importJob{Conflicts: reportConflicts}
	if in.Language, err = languageParameter(q, p); err != nil {
		return nil, nil, err
	}
	in.Source = in.Language == p.Source
	if in.Collection, err = collectionParameter(q); err != nil {
		return nil, nil, err
	}
	if in.Conflicts, err = conflictsParameter(q); err != nil {
		return nil, nil, err
	}
	if in.State, err = stateParameter(q, draft); err != nil {
		return nil, nil, err
	}
	if in.Labels, err = labelsParameter(q); err != nil {
		return nil, nil, err
	}
	if in.FileLabels, err = q.flag(wire.QueryAutoFileLabels); err != nil {
		return nil, nil, err
	}
	if in.DeleteMissing, err = q.flag(wire.QueryDeleteMissingKeys); err != nil {
		return nil, nil, err
	}
	if in.DeleteMissing && !in.Source {
		return nil, nil, invalid(wire.QueryDeleteMissingKeys, "goes with an import of the source language %s only", p.Source)
	}
	if _, given := q.list(wire.QueryTargetLanguages); given {
		if !in.Source {
			return nil, nil, invalid(wire.QueryTargetLanguages, "goes with an import of the source language %s only", p.Source)
		}
		if wanted, err = targetLanguages(q, p.Source); err != nil {
			return nil, nil, err
		}
		if len(wanted) == 1 {
			in.Target = wanted[0]
		}
	}
	return in, wanted, nil
}

// languageParameter reads the language of the imported files: the project's source language or one of its targets.
func languageParameter(q params, p *project) (string, error) {
	word, given, err := q.word(wire.QueryLanguage)
	switch {
	case err != nil:
		return "", err
	case !given:
		return "", invalid(wire.QueryLanguage, "is missing; name the language of the imported files")
	}
	code, err := languageCode(wire.QueryLanguage, word)
	if err != nil {
		return "", err
	}
	if !p.speaks(code) {
		return "", invalid(wire.QueryLanguage, "%s is neither the source language %s nor a target language of the project; add it with POST %s",
			code, p.Source, wire.Prefix+wire.PathTargets)
	}
	return code, nil
}

func collectionParameter(q params) (string, error) {
	name, given, err := q.word(wire.QueryCollection)
	if err != nil || !given {
		return wire.DefaultCollection, err
	}
	return name, checkCollectionName(wire.QueryCollection, name)
}

func checkCollectionName(field, name string) error {
	switch {
	case len(name) > maxCollectionName:
		return invalid(field, "a collection's name has at most %d bytes", maxCollectionName)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }):
		return invalid(field, "%q has characters that a collection's name cannot have", name)
	}
	return nil
}

func conflictsParameter(q params) (conflicts, error) {
	skip, err := q.flag(wire.QuerySkipConflicts)
	if err != nil {
		return "", err
	}
	overwrite, err := q.flag(wire.QueryOverwriteConflicts)
	switch {
	case err != nil:
		return "", err
	case skip && overwrite:
		return "", invalid(wire.QuerySkipConflicts, "cannot be together with %s", wire.QueryOverwriteConflicts)
	case skip:
		return skipConflicts, nil
	case overwrite:
		return overwriteConflicts, nil
	}
	return reportConflicts, nil
}

// stateParameter reads a completion state, in any case.
func stateParameter(q params, absent state) (state, error) {
	word, given, err := q.word(wire.QueryCompletionState)
	if err != nil || !given {
		return absent, err
	}
	for _, known := range []wire.CompletionState{wire.Draft, wire.Intermediate, wire.Final} {
		if strings.EqualFold(word, string(known)) {
			return stateOf(known), nil
		}
	}
	return 0, invalid(wire.QueryCompletionState, "%q is none of draft, intermediate, final", word)
}

// labelsParameter reads a list of labels, none of which may be empty.
func labelsParameter(q params) ([]string, error) {
	labels, _ := q.list(wire.QueryLabels)
	for _, l := range labels {
		switch {
		case l == "":
			return nil, invalid(wire.QueryLabels, "a label is empty")
		case len(l) > maxLabel:
			return nil, invalid(wire.QueryLabels, "a label has more than %d bytes", maxLabel)
		}
	}
	return union(nil, labels), nil
}

// formatParameter reads a format, in any case; empty when it is not given.
func formatParameter(q params, allowed []wire.Format) (wire.Format, error) {
	word, given, err := q.word(wire.QueryFormat)
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
	return "", invalid(wire.QueryFormat, "%q is none of %s", word, strings.Join(names, ", "))
}

// separatorParameter reads the path separator. It goes with the structured formats only, and a format that is guessed is never one of
// those: a guessed .json file is flat.
func separatorParameter(q params, format wire.Format) (string, error) {
	separator, given, err := q.raw(wire.QueryPathSeparator)
	switch {
	case err != nil:
		return "", err
	case !given:
		return wire.DefaultPathSeparator, nil
	case !format.Structured():
		return "", invalid(wire.QueryPathSeparator, "goes with %s=%s or %s only", wire.QueryFormat, wire.FormatStructuredJSON, wire.FormatStructuredYAML)
	}
	return separator, nil
}

// formatOf is the format of one imported file: what its extension says for LocJSON, else the parameter, else a guess from
// the extension.
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
	return "", invalid(wire.QueryFormat, "is missing, and the name of the file %q does not tell it; give one of the import formats", name)
}

// joinCollection makes the collection when it is new, and gives it and the project the target languages that an import named. A new
// collection without such names has all target languages of the project; one that is there keeps those it has.
func joinCollection(tx *Tx, projectID, name string, wanted []string, now int64) error {
	p, err := projectOf(tx, projectID)
	if err != nil {
		return err
	}
	if p == nil {
		return refuse(http.StatusForbidden, "the project %s is not there any more", projectID)
	}
	if more := union(p.Targets, wanted); len(more) > len(p.Targets) {
		p.Targets, p.Modified = more, now
		if err := putProject(tx, p); err != nil {
			return err
		}
	}
	k, err := openCollection(tx, projectID, name)
	if err != nil {
		return err
	}
	if k == nil {
		targets := wanted
		if targets == nil {
			targets = p.Targets
		}
		return makeCollection(tx, projectID, name, slices.Clone(targets))
	}
	if k.addTargets(wanted) {
		return k.save()
	}
	return nil
}

// importResult answers GET …/project/import-result/{importId}.
func (s *keysService) importResult(c *call) error {
	j, err := s.jobs.find(c.pathValue(wire.ImportID), kindImport)
	if err != nil {
		return err
	}
	out := j.Import.Result
	out.Status = j.Status
	if out.Status == wire.Pending && s.jobs.isRunning(j) {
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
	return c.json(http.StatusOK, out)
}
