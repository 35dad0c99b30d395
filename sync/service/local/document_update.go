package local

import (
	"net/http"
	"path"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// updateDocument answers PUT /v1/document/update and /v2/document/update: another file takes the document's place, in the language that the identifier
// names, or, without one, in all of its languages. Translations of texts that the new version still has stay as they are, confirmed as
// they were; so does the document's name.
func (s *documentsService) updateDocument(c *call) error {
	if _, given, err := c.params.word(wire.QueryDocumentID); err != nil || !given {
		return orElse(err, invalid(wire.QueryDocumentID, "is missing; give <documentId>_<languageId>"))
	}
	model, sent, err := modelAndFiles(c, maxImport)
	if err != nil {
		return err
	}
	if len(sent) != 1 {
		return invalid(wire.PartFile, "the body has %d files; send the one that takes the document's place", len(sent))
	}
	models, err := readDocumentModels(wire.PartUpdateDocumentModel, model, 1)
	if err != nil {
		return err
	}
	if err := applyUploadParameters(c.params, models); err != nil {
		return err
	}
	name, err := documentPath(sent[0].file)
	if err != nil {
		return err
	}
	var out []wire.Document
	err = s.store.update(func(tx *Tx) error {
		at, err := documentParameter(tx, c.params, false)
		if err != nil {
			return err
		}
		p, err := projectIn(tx, at.document.Project)
		if err != nil {
			return err
		}
		u := sentFile{path: path.Base(name), body: sent[0].body, model: models[0]}
		if u.model.sheet == nil {
			u.model.sheet = at.document.rendition(at.codes[0]).Sheet
		}
		if u.doc, err = readDocument(name, u.body, p, u.model.sheet); err != nil {
			return err
		}
		if err := s.replaceVersion(tx, p, at, &u); err != nil {
			return err
		}
		out, err = recordsAt(tx, at)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// replaceVersion gives a document new bytes in some of its languages, and its translations with them.
func (s *documentsService) replaceVersion(tx *Tx, p *project, at selection, u *sentFile) error {
	d := at.document
	if u.model.placeholders != nil {
		d.Placeholders = *u.model.placeholders
	}
	if err := addVersion(tx, d, u.body); err != nil {
		return err
	}
	for _, code := range at.codes {
		k, err := openEditor(tx, d, code)
		if err != nil {
			return err
		}
		k.project = p
		if err := carryOver(k, u); err != nil {
			return err
		}
	}
	if err := dropUnusedVersions(tx, d); err != nil {
		return err
	}
	if err := scopeChanged(tx, p, at.codes); err != nil {
		return err
	}
	if err := putProject(tx, p); err != nil {
		return err
	}
	return s.pretranslateIn(tx, p, []*document{d})
}

// carryOver puts the new version under the rendition and the translations of the former one into it.
func carryOver(k *editor, u *sentFile) error {
	old := k.segments
	had, err := k.targets()
	if err != nil {
		return err
	}
	k.rendition.Version, k.rendition.File, k.rendition.Sheet = k.document.Versions, u.path, u.model.sheet
	k.rendition.Revision++
	if err := k.setSegments(u.doc); err != nil {
		return err
	}
	for i, from := range segment.Align(old, k.segments) {
		was := had[from]
		if from < 0 || was == nil || was.Origin == fromPseudo || k.parsed.Accepts(i, was.Text) != nil {
			continue
		}
		t := *was
		t.Origin = fromUpdate
		if err := k.put(i, t); err != nil {
			return err
		}
	}
	if err := takeTargets(k, u.model.bilingual); err != nil {
		return err
	}
	k.changes, k.rendition.Status = 0, "" // what was carried over is no progress, and a second update is one, too
	if err := setDocumentStatus(k.tx, k.document, k.rendition, wire.DocumentUpdated); err != nil {
		return err
	}
	return k.close()
}
