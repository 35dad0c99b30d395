package documents

import (
	"cmp"
	"path"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// updateDocument answers PUT /v1/document/update and /v2/document/update: another file takes the document's place, in
// the language that the identifier names, or, without one, in all of its languages. Translations of texts that the
// new version still has stay as they are, confirmed as they were; so does the document's name.
func (s *Service) updateDocument(c *api.Call) error {
	if _, given, err := c.Params.Word(wire.QueryDocumentID); err != nil || !given {
		return cmp.Or(err, api.Invalid(wire.QueryDocumentID, "is missing; give <documentId>_<languageId>"))
	}
	model, sent, err := api.ModelAndFiles(c, api.MaxImport)
	if err != nil {
		return err
	}
	if len(sent) != 1 {
		return api.Invalid(wire.PartFile, "the body has %d files; send the one that takes the document's place", len(sent))
	}
	models, err := ReadDocumentModels(wire.PartUpdateDocumentModel, model, 1)
	if err != nil {
		return err
	}
	if err := applyUploadParameters(c.Params, models); err != nil {
		return err
	}
	name, err := documentPath(sent[0].File)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	done, err := editor.Reserve(ctx, len(sent[0].Body))
	if err != nil {
		return err
	}
	defer done()
	u := sentFile{path: path.Base(name), body: sent[0].Body, model: models[0]}
	var of *store.Project
	err = s.store.View(func(tx *store.Tx) error {
		at, err := DocumentParameter(tx, c.Params, false)
		if err != nil {
			return err
		}
		if u.model.sheet == nil {
			u.model.sheet = at.Document.Rendition(at.Codes[0]).Sheet
		}
		of, err = store.ProjectIn(tx, at.Document.Project)
		return err
	})
	if err != nil {
		return err
	}
	if u.doc, err = readDocument(ctx, name, u.body, of, u.model.sheet); err != nil {
		return err
	}
	var out []wire.Document
	err = s.store.Update(func(tx *store.Tx) error {
		at, err := DocumentParameter(tx, c.Params, false)
		if err != nil {
			return err
		}
		p, err := store.ProjectIn(tx, at.Document.Project)
		if err != nil {
			return err
		}
		if err := s.replaceVersion(tx, p, at, &u); err != nil {
			return err
		}
		out, err = recordsAt(tx, at)
		return err
	})
	return c.Reply(out, err)
}

// replaceVersion gives a document new bytes in some of its languages, and its translations with them.
func (s *Service) replaceVersion(tx *store.Tx, p *store.Project, at store.Selection, u *sentFile) error {
	d := at.Document
	if u.model.placeholders != nil {
		d.Placeholders = *u.model.placeholders
	}
	if err := store.AddVersion(tx, d, u.body); err != nil {
		return err
	}
	for _, code := range at.Codes {
		k, err := editor.Open(tx, d, code)
		if err != nil {
			return err
		}
		k.Project = p
		if err := carryOver(k, u); err != nil {
			return err
		}
	}
	if err := store.DropUnusedVersions(tx, d); err != nil {
		return err
	}
	if err := store.ScopeChanged(tx, p, at.Codes); err != nil {
		return err
	}
	if err := store.PutProject(tx, p); err != nil {
		return err
	}
	return s.pretranslateIn(tx, p, []*store.Document{d})
}

// carryOver puts the new version under the rendition and the translations of the former one into it.
func carryOver(k *editor.Editor, u *sentFile) error {
	old := k.Segments
	had, err := k.Targets()
	if err != nil {
		return err
	}
	k.Rendition.Version, k.Rendition.File, k.Rendition.Sheet = k.Document.Versions, u.path, u.model.sheet
	k.Rendition.Revision++
	if err := k.SetSegments(u.doc); err != nil {
		return err
	}
	for i, from := range segment.Align(old, k.Segments) {
		was := had[from]
		if from < 0 || was == nil || was.Origin == store.FromPseudo || k.Parsed.Accepts(i, was.Text) != nil {
			continue
		}
		t := *was
		t.Origin = store.FromUpdate
		if err := k.Put(i, t); err != nil {
			return err
		}
	}
	if err := takeTargets(k, u.model.bilingual); err != nil {
		return err
	}
	// What was carried over does not count as progress; without a status, a second update is reported like the first.
	k.Changes, k.Rendition.Status = 0, ""
	if err := editor.SetDocumentStatus(k.Tx, k.Document, k.Rendition, wire.DocumentUpdated); err != nil {
		return err
	}
	return k.Close()
}
