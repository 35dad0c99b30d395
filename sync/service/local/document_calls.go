package local

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// documentRecords are documents as the interface shows them, in all of their languages.
func (s *Service) documentRecords(tx *bolt.Tx, p *project, documents []*document) ([]wire.Document, error) {
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
func (s *Service) getDocument(c *call) error {
	var out []wire.Document
	err := s.store.db.View(func(tx *bolt.Tx) error {
		at, err := s.documentParameter(tx, c.params, true)
		if err != nil {
			return err
		}
		out, err = s.recordsAt(tx, at)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out[0])
}

// recordsAt are the records of a document in those of its languages that a call is about.
func (s *Service) recordsAt(tx *bolt.Tx, at place) ([]wire.Document, error) {
	p, err := s.projectIn(tx, at.d.Project)
	if err != nil {
		return nil, err
	}
	tasks, err := tasksOf(tx, p.ID)
	if err != nil {
		return nil, err
	}
	var out []wire.Document
	for _, code := range at.codes {
		out = append(out, documentRecord(p, at.d, at.d.rendition(code), tasks))
	}
	return out, nil
}

// deleteDocuments answers DELETE /v1/document: each document in the languages that are named. One that is unknown keeps all of them.
func (s *Service) deleteDocuments(c *call) error {
	err := s.store.db.Update(func(tx *bolt.Tx) error {
		all, err := s.documentsParameter(tx, c.params)
		if err != nil {
			return err
		}
		for _, at := range all {
			for _, code := range at.codes {
				if err := removeRendition(tx, at.d, code); err != nil {
					return err
				}
			}
			p, err := s.projectIn(tx, at.d.Project)
			if err != nil {
				return err
			}
			if err := s.scopeChanged(tx, p, at.codes); err != nil {
				return err
			}
			if err := putRecord(tx.Bucket(bucketProjects), p.ID, p); err != nil {
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
func (s *Service) renameDocument(c *call) error {
	name, given, err := c.params.word(wire.QueryName)
	if err != nil || !given {
		return orElse(err, invalid(wire.QueryName, "is missing"))
	}
	if strings.ContainsAny(name, "/\\") || len(name) > maxFileName {
		return invalid(wire.QueryName, "%q is not the name of a file", clip([]byte(name)))
	}
	err = s.store.db.Update(func(tx *bolt.Tx) error {
		at, err := s.documentParameter(tx, c.params, false)
		if err != nil {
			return err
		}
		extension := path.Ext(at.d.Path)
		renamed, err := documentPath(path.Join(path.Dir(at.d.Path), strings.TrimSuffix(name, extension)+extension))
		if err != nil {
			return invalid(wire.QueryName, "%q is not the name of a file", name)
		}
		all, err := documentsOf(tx, at.d.Project)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(other *document) bool { return other.Path == renamed && other.ID != at.d.ID }) {
			return refuse(http.StatusConflict, "name: the project has a document %q already", renamed)
		}
		at.d.Path = renamed
		return putDocument(tx, at.d)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// updateMetaInfo answers PUT /v1/document/updateMetaInfo, whose body is a JSON string.
func (s *Service) updateMetaInfo(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	var info string
	if err := json.Unmarshal(raw, &info); err != nil {
		return invalid("body", "is not a JSON string: %v", err)
	}
	err = s.store.db.Update(func(tx *bolt.Tx) error {
		at, err := s.documentParameter(tx, c.params, false)
		if err != nil {
			return err
		}
		at.d.MetaInfo = info
		return putDocument(tx, at.d)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// completeDocument answers POST /v1/document/complete: the document counts as completed, whatever its translations are.
func (s *Service) completeDocument(c *call) error {
	err := s.store.db.Update(func(tx *bolt.Tx) error {
		at, err := s.documentParameter(tx, c.params, false)
		if err != nil {
			return err
		}
		return s.complete(tx, at.d, at.codes)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

func (s *Service) complete(tx *bolt.Tx, d *document, codes []string) error {
	for _, r := range d.Languages {
		if !slices.Contains(codes, r.Code) {
			continue
		}
		if err := s.setDocumentStatus(tx, d, r, wire.DocumentCompleted); err != nil {
			return err
		}
	}
	return putDocument(tx, d)
}

// completeDocuments completes all documents of a project.
func (s *Service) completeDocuments(tx *bolt.Tx, p *project) error {
	all, err := documentsOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, d := range all {
		if err := s.complete(tx, d, p.Targets); err != nil {
			return err
		}
	}
	return nil
}

// listFormats answers GET /v1/directory/formats.
func (s *Service) listFormats(c *call) error {
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
func (s *Service) addDocumentLanguages(tx *bolt.Tx, p *project, codes []string) error {
	all, err := documentsOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, d := range all {
		for _, code := range codes {
			if d.rendition(code) != nil {
				continue
			}
			if err := s.addOtherLanguage(tx, p, d, code); err != nil {
				return err
			}
		}
	}
	if err := s.scopeChanged(tx, p, codes); err != nil {
		return err
	}
	return s.pretranslateIn(tx, p, all)
}

// addOtherLanguage begins a document in one more language, from the youngest version that another one has.
func (s *Service) addOtherLanguage(tx *bolt.Tx, p *project, d *document, code string) error {
	from := slices.MaxFunc(d.Languages, func(a, b *rendition) int { return a.Version - b.Version })
	r := &rendition{Code: code, Version: from.Version, File: from.File, Sheet: from.Sheet, Revision: 1, Status: wire.DocumentCreated, StatusAt: s.now()}
	d.Languages = append(d.Languages, r)
	k, err := s.openDeskOf(tx, p, d, r)
	if err != nil {
		return err
	}
	if err := k.setSegments(k.doc); err != nil {
		return err
	}
	return k.close()
}
