package documents

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// sentFile is a file that is to become a document, checked as far as that can be done without the project's other
// documents.
type sentFile struct {
	path      string
	body      []byte
	doc       *segment.Document
	model     documentModel
	languages []string
}

// documentModel is what a call says about one file.
type documentModel struct {
	externalID, metaInfo string
	algorithm            string
	settings             json.RawMessage // of the algorithm
	placeholders         *bool           // nil: nothing is said
	sheet                *segment.Sheet
	targets              []string
	bilingual            bilingualSettings
}

// bilingualSettings say what becomes of translations that a file brings along.
type bilingualSettings struct {
	substitute    bool // take them
	replace       bool // also where the document has other ones
	lock, confirm string
}

// addDocuments answers POST /v1/project/document (and POST /v1/document): one part for each file, and one with their
// models, in the same order; without models every file has the empty one. The answer has one record for each file and
// target language.
func (s *Service) addDocuments(c *api.Call) error {
	id, err := c.ProjectParameter()
	if err != nil {
		return err
	}
	p, err := s.store.DocumentProject(id)
	if err != nil {
		return err
	}
	model, sent, err := api.ModelAndFiles(c, api.MaxImport)
	if err != nil {
		return err
	}
	if len(sent) == 0 {
		return api.Invalid(wire.PartFile,
			"the body has no files; send multipart/form-data with each file as a part that has a file name")
	}
	models, err := ReadDocumentModels(wire.PartDocumentModel, model, len(sent))
	if err != nil {
		return err
	}
	if err := applyUploadParameters(c.Params, models); err != nil {
		return err
	}
	uploads, done, err := ReadUploads(c, p, sent, models)
	if err != nil {
		return err
	}
	defer done()
	var out []wire.Document
	err = s.store.Change(p.ID, func(tx *store.Tx, p *store.Project) error {
		added, err := s.AddUploads(tx, p, uploads)
		if err != nil {
			return err
		}
		out, err = DocumentRecords(tx, p, added)
		return err
	})
	return c.Reply(out, err)
}

// ReadDocumentModels reads the array of models, one for each file. One object alone is the model of every file.
func ReadDocumentModels(field string, raw []byte, files int) ([]documentModel, error) {
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	var list []json.RawMessage
	switch {
	case len(raw) == 0 || string(raw) == "null":
		list = slices.Repeat([]json.RawMessage{[]byte("{}")}, files)
	case raw[0] != '[':
		list = slices.Repeat([]json.RawMessage{raw}, files)
	default:
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, api.Invalid(field, "is not JSON: %v", err)
		}
		if len(list) != files {
			return nil, api.Invalid(field, "holds %d objects for %d files; send one for each file, in the order of the files",
				len(list), files)
		}
	}
	out := make([]documentModel, len(list))
	for i, one := range list {
		m, err := readDocumentModel(field, one)
		if err != nil {
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

func readDocumentModel(field string, raw []byte) (m documentModel, err error) {
	b, err := api.ReadMembers(field, raw)
	if err != nil {
		return m, err
	}
	m.externalID = api.Member[string](b, "externalId")
	m.metaInfo = api.Member[string](b, "metaInfo")
	m.targets = api.Member[[]string](b, "targetLanguages")
	m.placeholders = api.Member[*bool](b, "enablePlaceholders")
	api.Member[bool](b, "enableOcr") // there are no pictures to read here
	api.Member[string](b, "presetDisassembleAlgorithm")
	m.algorithm = api.Member[string](b, "disassembleAlgorithmName")
	m.settings = api.Member[json.RawMessage](b, "disassembleSettings")
	bilingual := api.Member[json.RawMessage](b, "bilingualFileImportSetings")
	if len(bilingual) == 0 {
		bilingual = api.Member[json.RawMessage](b, "bilingualFileImportSettings")
		if bytes.HasPrefix(bilingual, []byte{'"'}) {
			bilingual = nil // a client sends an encoded string under this name, which the service never read
		}
	}
	if b.Err != nil {
		return m, b.Err
	}
	m.bilingual, err = readBilingualSettings(bilingual)
	return m, err
}

// ReadSettings reads the settings of the algorithm that the model names, or else the call. Settings of another one,
// or of none, have no effect.
func (m *documentModel) ReadSettings(algorithm string) (err error) {
	if !strings.EqualFold(cmp.Or(m.algorithm, algorithm), wire.MultilingualExcel) || len(m.settings) == 0 {
		return nil
	}
	m.sheet, err = readSheetSettings(m.settings)
	return err
}

func readSheetSettings(raw []byte) (*segment.Sheet, error) {
	b, err := api.ReadMembers("disassembleSettings", raw)
	if err != nil {
		return nil, err
	}
	row, columns := api.Member[int](b, "startingRow"), api.Member[json.RawMessage](b, "columns")
	if b.Err != nil {
		return nil, b.Err
	}
	if len(columns) == 0 {
		return nil, api.Invalid("disassembleSettings", "columns is missing; say which column holds which language")
	}
	in, err := api.ReadMembers("columns", columns)
	if err != nil {
		return nil, err
	}
	sheet := &segment.Sheet{StartingRow: max(row, 1), Context: api.Member[string](in, "context"),
		Comments: api.Member[[]string](in, "comments"), Columns: map[string]string{}}
	if row < 0 {
		return nil, api.Invalid("startingRow", "is %d; rows count from 1", row)
	}
	for word, column := range api.Member[map[string]string](in, "language") {
		code, err := api.LanguageCode("columns.language", word)
		if err != nil {
			return nil, err
		}
		sheet.Columns[code] = strings.ToUpper(strings.TrimSpace(column))
	}
	return sheet, in.Err
}

func readBilingualSettings(raw []byte) (bilingualSettings, error) {
	out := bilingualSettings{substitute: true, lock: wire.LockNone, confirm: wire.ConfirmByStates}
	if len(raw) == 0 || string(raw) == "null" {
		return out, nil
	}
	b, err := api.ReadMembers("bilingualFileImportSetings", raw)
	if err != nil {
		return out, err
	}
	word := func(name, absent string, allowed ...string) string {
		given := api.Member[string](b, name)
		if given == "" {
			return absent
		}
		i := slices.IndexFunc(allowed, func(a string) bool { return strings.EqualFold(a, given) })
		if i < 0 {
			if b.Err == nil {
				b.Err = api.Invalid(name, "%q is none of %s", given, strings.Join(allowed, ", "))
			}
			return absent
		}
		return allowed[i]
	}
	out.substitute = word("targetSubstitutionMode", wire.SubstituteAll, wire.SubstituteAll,
		wire.SubstituteNone) == wire.SubstituteAll
	out.replace = out.substitute && b.Has("targetSubstitutionMode")
	out.lock = word("lockMode", wire.LockNone, wire.LockNone, wire.LockByStates, wire.LockConfirmed)
	out.confirm = word("confirmMode", wire.ConfirmByStates, wire.ConfirmNone, wire.ConfirmByStates, wire.ConfirmAtFirst,
		wire.ConfirmAtLast)
	return out, b.Err
}

// applyUploadParameters puts what the query says into models that do not say it themselves.
func applyUploadParameters(q api.Params, models []documentModel) error {
	external, _, err := q.Word(wire.QueryExternalID)
	if err != nil {
		return err
	}
	meta, _, err := q.Word(wire.QueryMetaInfo)
	if err != nil {
		return err
	}
	if _, err := q.Flag(wire.QueryEnableOCR); err != nil {
		return err
	}
	algorithm, _, err := q.Word(wire.QueryDisassembleAlgorithm)
	if err != nil {
		return err
	}
	targets, given := q.List(wire.QueryDocumentTargetLanguages)
	for i := range models {
		m := &models[i]
		if err := m.ReadSettings(algorithm); err != nil {
			return err
		}
		if m.externalID == "" {
			m.externalID = external
		}
		if m.metaInfo == "" {
			m.metaInfo = meta
		}
		if given && m.targets == nil {
			m.targets = targets
		}
	}
	return nil
}

// ReadUploads checks the files of a call, and takes them apart. Nothing is stored while one of them is wrong. Their
// memory is reserved until done is called.
func ReadUploads(
	c *api.Call, p *store.Project, sent []api.Part, models []documentModel,
) (uploads []sentFile, done func(), err error) {
	size := 0
	for _, f := range sent {
		size += len(f.Body)
	}
	ctx := c.Request.Context()
	if done, err = editor.Reserve(ctx, size); err != nil {
		return nil, nil, err
	}
	if uploads, err = readUploads(ctx, p, sent, models); err != nil {
		done()
		return nil, nil, err
	}
	return uploads, done, nil
}

func readUploads(
	ctx context.Context, p *store.Project, sent []api.Part, models []documentModel,
) ([]sentFile, error) {
	out := make([]sentFile, len(sent))
	segments := 0
	for i, f := range sent {
		u := sentFile{body: f.Body, model: models[i], languages: p.Targets}
		var err error
		if u.path, err = documentPath(f.File); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out[:i], func(o sentFile) bool { return o.path == u.path }) {
			return nil, api.Refuse(http.StatusConflict,
				"file: two files of this call are called %q; documents of a project have names of their own", u.path)
		}
		if u.model.targets != nil {
			if u.languages, err = api.TargetCodes("targetLanguages", u.model.targets, p.Source); err != nil {
				return nil, err
			}
			for _, code := range u.languages {
				if !slices.Contains(p.Targets, code) {
					return nil, api.Invalid("targetLanguages", "%s is not a target language of the project, which has %s", code,
						strings.Join(p.Targets, ", "))
				}
			}
			if len(u.languages) == 0 {
				return nil, api.Invalid("targetLanguages", "is empty; leave it out for all target languages of the project")
			}
		}
		if u.doc, err = readDocument(ctx, u.path, u.body, p, u.model.sheet); err != nil {
			return nil, err
		}
		if segments += len(u.doc.Segments()); segments > segment.MaxSegments {
			return nil, api.Refuse(http.StatusRequestEntityTooLarge,
				"the files have more than %d texts; send them in several calls", segment.MaxSegments)
		}
		out[i] = u
	}
	return out, nil
}

// readDocument takes a file apart. A file of no kind that is known, or without a byte, gives a 400; one that cannot
// be read as what its name says, a 422.
func readDocument(
	ctx context.Context, name string, body []byte, p *store.Project, sheet *segment.Sheet,
) (*segment.Document, error) {
	if _, known := segment.FormatOf(name); !known {
		return nil, api.Invalid(wire.PartFile, "the extension of %q is none of %s", name, strings.Join(segment.Extensions(),
			", "))
	}
	if len(body) == 0 {
		return nil, api.Invalid(wire.PartFile, "%q is empty", name)
	}
	if sheet != nil {
		if err := sheet.Check(p.Source); err != nil {
			return nil, api.Invalid("disassembleSettings", "%v", err)
		}
	}
	doc, err := editor.Parse(ctx, name, body, segment.Options{Source: p.Source, Sheet: sheet})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, api.Refuse(http.StatusUnprocessableEntity, "file: %q cannot be taken apart: %v", name, err)
	}
	return doc, nil
}

// documentPath is the path of a document: the file's name as it was sent, with slashes, staying inside the project.
func documentPath(file string) (string, error) {
	name := strings.Trim(strings.ReplaceAll(file, `\`, "/"), "/")
	if name == "" {
		return "", api.Invalid(wire.PartFile, "a file has no name")
	}
	if why := api.UnsafePath(name); why != "" {
		return "", api.Invalid(wire.PartFile, "the name %q %s", file, why)
	}
	return path.Clean(name), nil
}

// AddUploads stores files as documents of a project, in a transaction. The project's record is the caller's to store.
func (s *Service) AddUploads(tx *store.Tx, p *store.Project, uploads []sentFile) ([]*store.Document, error) {
	var out []*store.Document
	for i := range uploads {
		u := &uploads[i]
		if store.DocumentAt(tx, p.ID, u.path) != "" {
			return nil, api.Refuse(http.StatusConflict,
				"file: the project has a document %q already; update it, or give this one another name", u.path)
		}
		d, err := addDocument(tx, p, u)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if err := store.ScopeChanged(tx, p, p.Targets); err != nil {
		return nil, err
	}
	return out, s.pretranslateIn(tx, p, out)
}

func addDocument(tx *store.Tx, p *store.Project, u *sentFile) (*store.Document, error) {
	d := &store.Document{ID: uuid.NewString(), Project: p.ID, Account: p.Account, Path: u.path,
		ExternalID: u.model.externalID, MetaInfo: u.model.metaInfo,
		Placeholders: u.model.placeholders != nil && *u.model.placeholders, Created: tx.Now()}
	if err := store.CreateDocument(tx, d, u.body); err != nil {
		return nil, err
	}
	for _, code := range u.languages {
		if err := addRendition(tx, p, d, code, u); err != nil {
			return nil, err
		}
	}
	return d, store.PutDocument(tx, d)
}

// addRendition begins a document in a language, with the translations that its file brings along.
func addRendition(tx *store.Tx, p *store.Project, d *store.Document, code string, u *sentFile) error {
	r := &store.Rendition{Code: code, Version: d.Versions, File: path.Base(d.Path), Sheet: u.model.sheet, Revision: 1,
		Status: wire.DocumentCreated, StatusAt: d.Created}
	d.Languages = append(d.Languages, r)
	k, err := editor.New(tx, p, d, r)
	if err != nil {
		return err
	}
	if err := k.SetSegments(u.doc); err != nil {
		return err
	}
	if err := takeTargets(k, u.model.bilingual); err != nil {
		return err
	}
	return k.Close()
}

// takeTargets stores the translations that a bilingual file brings along, unless they are in another language. One
// that the document has already, from the version before, stays, unless the call asks for the file's.
func takeTargets(k *editor.Editor, settings bilingualSettings) error {
	if named := k.Parsed.TargetLanguage(); !settings.substitute || named != "" &&
		!api.SameLanguage(strings.ToLower(named), strings.ToLower(k.Rendition.Code)) {
		return nil
	}
	for i, seg := range k.Segments {
		if seg.Target == "" {
			continue
		}
		was, err := k.Target(i)
		if err != nil {
			return err
		}
		if was != nil && (was.Locked || was.Text != seg.Target && !settings.replace) {
			continue
		}
		t := store.Target{Text: seg.Target, Origin: store.FromFile, Stage: settings.stage(seg.State, len(k.Project.Stages))}
		if was != nil && was.Text == t.Text {
			t.Stage, t.Origin = max(t.Stage, was.Stage), was.Origin
		}
		t.Locked = settings.lock == wire.LockConfirmed && t.Stage > 0 || settings.lock == wire.LockByStates &&
			seg.State == segment.Approved
		if err := k.Put(i, t); err != nil {
			return err
		}
	}
	return nil
}

// stage is where a translation of a bilingual file counts as confirmed.
func (b bilingualSettings) stage(state segment.State, last int) int {
	switch {
	case b.confirm == wire.ConfirmAtFirst, b.confirm == wire.ConfirmByStates && state == segment.Translated:
		return 1
	case b.confirm == wire.ConfirmAtLast, b.confirm == wire.ConfirmByStates && state == segment.Approved:
		return last
	}
	return 0
}
