package local

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// documentsService answers the calls about documents and does their jobs.
type documentsService struct {
	store  *store
	jobs   *runner
	pseudo bool // segments without a better translation get a pseudo-translation
}

// newDocumentsService adds the jobs of documents to a runner. They keep their order in one queue: a document is written after the translations
// that were accepted before.
func newDocumentsService(st *store, jobs *runner, q *queue, pseudo bool) *documentsService {
	s := &documentsService{st, jobs, pseudo}
	jobs.handle(kindDocumentExport, q, s.runDocumentExport, nil)
	jobs.handle(kindPretranslation, q, s.runPretranslation, dropPretranslation)
	jobs.handle(kindTranslation, q, s.runTranslation, nil)
	return s
}

// routes are the calls that are answered here, by path.
func (s *documentsService) routes() map[string]methods {
	return map[string]methods{
		wire.PathProjectDocument:         {"POST": s.addDocuments},
		wire.PathDocument:                {"GET": s.getDocument, "POST": s.addDocuments, "DELETE": s.deleteDocuments},
		wire.PathDocumentUpdate:          {"PUT": s.updateDocument},
		wire.PathDocumentUpdateV2:        {"PUT": s.updateDocument},
		wire.PathDocumentRename:          {"PUT": s.renameDocument},
		wire.PathDocumentMetaInfo:        {"PUT": s.updateMetaInfo},
		wire.PathDocumentComplete:        {"POST": s.completeDocument},
		wire.PathDocumentTranslate:       {"PUT": s.translateDocument},
		wire.PathDocumentTranslateStatus: {"GET": s.translationStatus},
		wire.PathDocumentTranslateResult: {"GET": s.translationResult},
		wire.PathDocumentTranslateXLIFF:  {"PUT": s.translateWithXLIFF},
		wire.PathDocumentExport:          {"POST": s.exportDocuments},
		wire.PathDirectoryFormats:        {"GET": s.listFormats},
		wire.PathEngines:                 {"GET": s.getEngines, "POST": s.setEngines},
		wire.PathEnginesAvailable:        {"GET": s.availableEngines},
		wire.PathPretranslationRules:     {"GET": s.getPretranslationRules, "POST": s.setPretranslationRules, "PUT": s.setPretranslationRules},
	}
}

// documentRecords are documents as the interface shows them, in all of their languages.
func documentRecords(tx *Tx, p *project, documents []*document) ([]wire.Document, error) {
	tasks, err := tasksOf(tx, p.ID)
	if err != nil {
		return nil, err
	}
	out := []wire.Document{}
	for _, d := range documents {
		for _, r := range d.Languages {
			out = append(out, documentRecord(p, d, r, tasks))
		}
	}
	return out, nil
}

func documentRecord(p *project, d *document, r *rendition, tasks []*task) wire.Document {
	out := wire.Document{
		ID:                        d.compositeID(r.Code),
		Name:                      d.name(),
		FullPath:                  strings.TrimSuffix(d.Path, path.Ext(d.Path)),
		Filename:                  path.Base(d.Path),
		OriginalFilename:          r.File,
		CreationDate:              timestamp(d.Created),
		Deadline:                  p.Deadline,
		SourceLanguage:            p.Source,
		TargetLanguage:            r.Code,
		DocumentDisassemblyStatus: wire.DisassemblySuccess, // a file that cannot be taken apart is refused when it comes
		Status:                    r.Status,
		WordsCount:                float64(r.Size.Words),
		StatusModificationDate:    timestamp(r.StatusAt),
		PretranslateCompleted:     r.Pretranslation == "",
		ExternalID:                d.ExternalID,
		ProjectID:                 d.Project,
		MetaInfo:                  d.MetaInfo,
		PlaceholdersAreEnabled:    d.Placeholders,
		RevisionLabel:             strconv.Itoa(r.Revision),
		ReadyForCompletion:        len(r.Stages) > 0 && r.Stages[len(r.Stages)-1] == r.Size,
	}
	for i, st := range p.Stages {
		out.WorkflowStages = append(out.WorkflowStages, stageRecord(st, r, i, tasks))
	}
	return out
}

// stageRecord is how far a document has come on one stage, and who is at it.
func stageRecord(st stage, r *rendition, i int, tasks []*task) wire.WorkflowStage {
	out := wire.WorkflowStage{ID: st.ID, Status: wire.StageNotAssigned, UnassignedWordsCount: float64(r.Size.Words)}
	if i < len(r.Stages) {
		out.Progress = r.Stages[i].percent(r.Size)
		out.WordsTranslated = float64(r.Stages[i].Words)
	}
	for _, t := range tasks {
		if t.Language != r.Code || t.Stage != st.ID {
			continue
		}
		for _, a := range t.Assigned {
			out.Executives = append(out.Executives, wire.Executive{ID: a.User, AssignedWordsCount: float64(r.Size.Words), Progress: out.Progress, SupplierType: "freelancer"})
		}
	}
	if len(out.Executives) > 0 {
		out.Status, out.UnassignedWordsCount = wire.StageAssigned, 0
	}
	switch {
	case r.Size.Segments > 0 && i < len(r.Stages) && r.Stages[i] == r.Size:
		out.Status = wire.StageCompleted
	case out.Progress > 0 || i == 0 && r.Translated.Segments > 0:
		out.Status = wire.StageInProgress
	}
	return out
}

// getDocument answers GET /v1/document.
func (s *documentsService) getDocument(c *call) error {
	var out []wire.Document
	err := s.store.view(func(tx *Tx) error {
		at, err := documentParameter(tx, c.params, true)
		if err != nil {
			return err
		}
		out, err = recordsAt(tx, at)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out[0])
}

// recordsAt are the records of a document in those of its languages that a call is about.
func recordsAt(tx *Tx, at selection) ([]wire.Document, error) {
	p, err := projectIn(tx, at.document.Project)
	if err != nil {
		return nil, err
	}
	tasks, err := tasksOf(tx, p.ID)
	if err != nil {
		return nil, err
	}
	var out []wire.Document
	for _, code := range at.codes {
		out = append(out, documentRecord(p, at.document, at.document.rendition(code), tasks))
	}
	return out, nil
}

// deleteDocuments answers DELETE /v1/document: each document in the languages that are named. One that is unknown keeps all of them.
func (s *documentsService) deleteDocuments(c *call) error {
	err := s.store.update(func(tx *Tx) error {
		all, err := documentsParameter(tx, c.params)
		if err != nil {
			return err
		}
		for _, at := range all {
			for _, code := range at.codes {
				if err := removeRendition(tx, at.document, code); err != nil {
					return err
				}
			}
			p, err := projectIn(tx, at.document.Project)
			if err != nil {
				return err
			}
			if err := scopeChanged(tx, p, at.codes); err != nil {
				return err
			}
			if err := putProject(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// renameDocument answers PUT /v1/document/rename: the name without its extension, which stays; a name that another document of the folder has
// gives a 409.
func (s *documentsService) renameDocument(c *call) error {
	name, given, err := c.params.word(wire.QueryName)
	if err != nil || !given {
		return orElse(err, invalid(wire.QueryName, "is missing"))
	}
	if strings.ContainsAny(name, "/\\") || len(name) > maxFileName {
		return invalid(wire.QueryName, "%q is not the name of a file", clip([]byte(name)))
	}
	err = s.store.update(func(tx *Tx) error {
		at, err := documentParameter(tx, c.params, false)
		if err != nil {
			return err
		}
		extension := path.Ext(at.document.Path)
		renamed, err := documentPath(path.Join(path.Dir(at.document.Path), strings.TrimSuffix(name, extension)+extension))
		if err != nil {
			return invalid(wire.QueryName, "%q is not the name of a file", name)
		}
		all, err := documentsOf(tx, at.document.Project)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(other *document) bool { return other.Path == renamed && other.ID != at.document.ID }) {
			return refuse(http.StatusConflict, "name: the project has a document %q already", renamed)
		}
		at.document.Path = renamed
		return putDocument(tx, at.document)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// updateMetaInfo answers PUT /v1/document/updateMetaInfo, whose body is a JSON string.
func (s *documentsService) updateMetaInfo(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	var info string
	if err := json.Unmarshal(raw, &info); err != nil {
		return invalid("body", "is not a JSON string: %v", err)
	}
	err = s.store.update(func(tx *Tx) error {
		at, err := documentParameter(tx, c.params, false)
		if err != nil {
			return err
		}
		at.document.MetaInfo = info
		return putDocument(tx, at.document)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// completeDocument answers POST /v1/document/complete: the document counts as completed, whatever its translations are.
func (s *documentsService) completeDocument(c *call) error {
	err := s.store.update(func(tx *Tx) error {
		at, err := documentParameter(tx, c.params, false)
		if err != nil {
			return err
		}
		return completeIn(tx, at.document, at.codes)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

func completeIn(tx *Tx, d *document, codes []string) error {
	for _, r := range d.Languages {
		if !slices.Contains(codes, r.Code) {
			continue
		}
		if err := setDocumentStatus(tx, d, r, wire.DocumentCompleted); err != nil {
			return err
		}
	}
	return putDocument(tx, d)
}

// completeDocuments completes all documents of a project.
func completeDocuments(tx *Tx, p *project) error {
	all, err := documentsOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, d := range all {
		if err := completeIn(tx, d, p.Targets); err != nil {
			return err
		}
	}
	return nil
}

// listFormats answers GET /v1/directory/formats.
func (s *documentsService) listFormats(c *call) error {
	out := []wire.FileFormat{}
	for _, f := range segment.Formats() {
		for _, extension := range f.Extensions {
			one := wire.FileFormat{Name: strings.TrimPrefix(extension, "."), MimeType: f.MIME}
			if extension == ".xlsx" {
				one.DisassembleAlgorithmName = wire.MultilingualExcel
			}
			out = append(out, one)
		}
	}
	return c.json(http.StatusOK, out)
}

// addDocumentLanguages begins the documents of a project in languages that they do not have.
func (s *documentsService) addDocumentLanguages(tx *Tx, p *project, codes []string) error {
	all, err := documentsOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, d := range all {
		for _, code := range codes {
			if d.rendition(code) != nil {
				continue
			}
			if err := addOtherLanguage(tx, p, d, code); err != nil {
				return err
			}
		}
	}
	if err := scopeChanged(tx, p, codes); err != nil {
		return err
	}
	return s.pretranslateIn(tx, p, all)
}

// addOtherLanguage begins a document in one more language, from the youngest version that another one has.
func addOtherLanguage(tx *Tx, p *project, d *document, code string) error {
	from := slices.MaxFunc(d.Languages, func(a, b *rendition) int { return a.Version - b.Version })
	r := &rendition{Code: code, Version: from.Version, File: from.File, Sheet: from.Sheet, Revision: 1, Status: wire.DocumentCreated, StatusAt: tx.now()}
	d.Languages = append(d.Languages, r)
	k, err := openEditorOf(tx, p, d, r)
	if err != nil {
		return err
	}
	if err := k.setSegments(k.parsed); err != nil {
		return err
	}
	return k.close()
}
