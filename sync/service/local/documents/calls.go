package documents

import (
	"cmp"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// DocumentRecords are documents as the interface shows them, in all of their languages.
func DocumentRecords(tx *store.Tx, p *store.Project, documents []*store.Document) ([]wire.Document, error) {
	tasks, err := store.TasksOf(tx, p.ID)
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

func documentRecord(p *store.Project, d *store.Document, r *store.Rendition, tasks []*store.Task) wire.Document {
	out := wire.Document{
		ID:                        d.CompositeID(r.Code),
		Name:                      d.Name(),
		FullPath:                  strings.TrimSuffix(d.Path, path.Ext(d.Path)),
		Filename:                  path.Base(d.Path),
		OriginalFilename:          r.File,
		CreationDate:              api.Timestamp(d.Created),
		Deadline:                  p.Deadline,
		SourceLanguage:            p.Source,
		TargetLanguage:            r.Code,
		DocumentDisassemblyStatus: wire.DisassemblySuccess, // a file that cannot be taken apart is refused when it comes
		Status:                    r.Status,
		WordsCount:                float64(r.Size.Words),
		StatusModificationDate:    api.Timestamp(r.StatusAt),
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
func stageRecord(st store.Stage, r *store.Rendition, i int, tasks []*store.Task) wire.WorkflowStage {
	out := wire.WorkflowStage{ID: st.ID, Status: wire.StageNotAssigned, UnassignedWordsCount: float64(r.Size.Words),
		Executives: []wire.Executive{}}
	if i < len(r.Stages) {
		out.Progress = r.Stages[i].Percent(r.Size)
		out.WordsTranslated = float64(r.Stages[i].Words)
	}
	for _, t := range tasks {
		if t.Language != r.Code || t.Stage != st.ID {
			continue
		}
		for _, a := range t.Assigned {
			out.Executives = append(out.Executives, wire.Executive{ID: a.User, AssignedWordsCount: float64(r.Size.Words),
				Progress: out.Progress, SupplierType: "freelancer"})
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
func (s *Service) getDocument(c *api.Call) error {
	var out []wire.Document
	err := s.store.View(func(tx *store.Tx) error {
		at, err := DocumentParameter(tx, c.Params, true)
		if err != nil {
			return err
		}
		out, err = recordsAt(tx, at)
		return err
	})
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, out[0])
}

// recordsAt are the records of a document in those of its languages that a call is about.
func recordsAt(tx *store.Tx, at store.Selection) ([]wire.Document, error) {
	p, err := store.ProjectIn(tx, at.Document.Project)
	if err != nil {
		return nil, err
	}
	tasks, err := store.TasksOf(tx, p.ID)
	if err != nil {
		return nil, err
	}
	var out []wire.Document
	for _, code := range at.Codes {
		out = append(out, documentRecord(p, at.Document, at.Document.Rendition(code), tasks))
	}
	return out, nil
}

// deleteDocuments answers DELETE /v1/document: each document in the languages that are named. One that is unknown
// keeps all of them.
func (s *Service) deleteDocuments(c *api.Call) error {
	err := s.store.Update(func(tx *store.Tx) error {
		all, err := documentsParameter(tx, c.Params)
		if err != nil {
			return err
		}
		for _, at := range all {
			for _, code := range at.Codes {
				if err := store.RemoveRendition(tx, at.Document, code); err != nil {
					return err
				}
			}
			p, err := store.ProjectIn(tx, at.Document.Project)
			if err != nil {
				return err
			}
			if err := store.ScopeChanged(tx, p, at.Codes); err != nil {
				return err
			}
			if err := store.PutProject(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	return c.Done(err)
}

// renameDocument answers PUT /v1/document/rename: the name without its extension, which stays; a name that another
// document of the folder has gives a 409.
func (s *Service) renameDocument(c *api.Call) error {
	name, given, err := c.Params.Word(wire.QueryName)
	if err != nil || !given {
		return cmp.Or(err, api.Invalid(wire.QueryName, "is missing"))
	}
	if strings.ContainsAny(name, "/\\") || len(name) > api.MaxFileName {
		return api.Invalid(wire.QueryName, "%q is not the name of a file", api.Clip([]byte(name)))
	}
	err = s.store.Update(func(tx *store.Tx) error {
		at, err := DocumentParameter(tx, c.Params, false)
		if err != nil {
			return err
		}
		extension := path.Ext(at.Document.Path)
		renamed, err := documentPath(path.Join(path.Dir(at.Document.Path), strings.TrimSuffix(name, extension)+extension))
		if err != nil {
			return api.Invalid(wire.QueryName, "%q is not the name of a file", name)
		}
		if other := store.DocumentAt(tx, at.Document.Project, renamed); other != "" && other != at.Document.ID {
			return api.Refuse(http.StatusConflict, "name: the project has a document %q already", renamed)
		}
		return store.RenameDocument(tx, at.Document, renamed)
	})
	return c.Done(err)
}

// updateMetaInfo answers PUT /v1/document/updateMetaInfo, whose body is a JSON string.
func (s *Service) updateMetaInfo(c *api.Call) error {
	raw, err := api.ReadBody(c, api.MaxModel)
	if err != nil {
		return err
	}
	var info string
	if err := json.Unmarshal(raw, &info); err != nil {
		return api.Invalid("body", "is not a JSON string: %v", err)
	}
	err = s.store.Update(func(tx *store.Tx) error {
		at, err := DocumentParameter(tx, c.Params, false)
		if err != nil {
			return err
		}
		at.Document.MetaInfo = info
		return store.PutDocument(tx, at.Document)
	})
	return c.Done(err)
}

// completeDocument answers POST /v1/document/complete: the document counts as completed, whatever its translations are.
func (s *Service) completeDocument(c *api.Call) error {
	err := s.store.Update(func(tx *store.Tx) error {
		at, err := DocumentParameter(tx, c.Params, false)
		if err != nil {
			return err
		}
		return completeIn(tx, at.Document, at.Codes)
	})
	return c.Done(err)
}

func completeIn(tx *store.Tx, d *store.Document, codes []string) error {
	for _, r := range d.Languages {
		if !slices.Contains(codes, r.Code) {
			continue
		}
		if err := editor.SetDocumentStatus(tx, d, r, wire.DocumentCompleted); err != nil {
			return err
		}
	}
	return store.PutDocument(tx, d)
}

// CompleteDocuments completes all documents of a project.
func CompleteDocuments(tx *store.Tx, p *store.Project) error {
	all, err := store.DocumentsOf(tx, p.ID)
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
func (s *Service) listFormats(c *api.Call) error {
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
	return c.Answer(http.StatusOK, out)
}

// AddDocumentLanguages begins the documents of a project in languages that they do not have.
func (s *Service) AddDocumentLanguages(tx *store.Tx, p *store.Project, codes []string) error {
	all, err := store.DocumentsOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, d := range all {
		for _, code := range codes {
			if d.Rendition(code) != nil {
				continue
			}
			if err := addOtherLanguage(tx, p, d, code); err != nil {
				return err
			}
		}
	}
	if err := store.ScopeChanged(tx, p, codes); err != nil {
		return err
	}
	return s.pretranslateIn(tx, p, all)
}

// addOtherLanguage begins a document in one more language, from the youngest version that another one has.
func addOtherLanguage(tx *store.Tx, p *store.Project, d *store.Document, code string) error {
	from := slices.MaxFunc(d.Languages, func(a, b *store.Rendition) int { return a.Version - b.Version })
	r := &store.Rendition{Code: code, Version: from.Version, File: from.File, Sheet: from.Sheet, Revision: 1,
		Status: wire.DocumentCreated, StatusAt: tx.Now()}
	d.Languages = append(d.Languages, r)
	k, err := editor.OpenRendition(tx, p, d, r)
	if err != nil {
		return err
	}
	if err := k.SetSegments(k.Parsed); err != nil {
		return err
	}
	return k.Close()
}
