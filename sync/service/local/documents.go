package local

import (
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/wire"
)

// documentProject returns a project that documents can be added to.
func (st *store) documentProject(id string) (*project, error) {
	p, err := st.project(id)
	if err != nil {
		return nil, err
	}
	return p, p.forDocuments()
}

func (p *project) forDocuments() error {
	if p.Type != wire.ProjectTypeDefault {
		return refuse(http.StatusForbidden, "the project %s holds keys, not documents; import files into it with POST %s", p.ID, wire.Prefix+wire.PathImport)
	}
	return nil
}

// place is one document in those of its languages that a call is about.
type selection struct {
	document *document
	codes    []string
}

// documentIn finds a document of this account by its composite identifier, or, without a language, in all of its languages. field
// is the parameter that the identifier stands in.
func documentIn(tx *Tx, field, id string) (selection, error) {
	id = strings.TrimSpace(id)
	if id == "" {
		return selection{}, invalid(field, "an identifier is empty; it looks like <documentId>_<languageId>")
	}
	document, language := wire.SplitDocumentID(id)
	d, found, err := findDocument(tx, document)
	switch {
	case err != nil:
		return selection{}, err
	case !found:
		return selection{}, refuse(http.StatusNotFound, "there is no document %s", id)
	case d.Account != tx.account():
		return selection{}, refuse(http.StatusForbidden, "the document %s belongs to another account", id)
	}
	at := selection{document: d}
	for _, r := range d.Languages {
		if language == "" || languageNumber(r.Code) == language {
			at.codes = append(at.codes, r.Code)
		}
	}
	if len(at.codes) == 0 {
		return selection{}, refuse(http.StatusNotFound, "the document %s is not in the language %s", document, language)
	}
	return at, nil
}

// documentParameter reads the parameter documentId. composite says that it must name a language.
func documentParameter(tx *Tx, q params, composite bool) (selection, error) {
	id, given, err := q.word(wire.QueryDocumentID)
	if err != nil || !given {
		return selection{}, orElse(err, invalid(wire.QueryDocumentID, "is missing; give <documentId>_<languageId>"))
	}
	if _, language := wire.SplitDocumentID(id); composite && language == "" {
		return selection{}, invalid(wire.QueryDocumentID, "%q names no language; give <documentId>_<languageId>", id)
	}
	return documentIn(tx, wire.QueryDocumentID, id)
}

// documentsParameter reads the parameter documentIds, in every spelling of lists. Each identifier names a language: one that does not would
// delete a document in all of them. The documents come back in the order they are named first, each once.
func documentsParameter(tx *Tx, q params) ([]selection, error) {
	ids, given := q.list(wire.QueryDocumentIDs)
	if !given || len(ids) == 1 && ids[0] == "" {
		return nil, invalid(wire.QueryDocumentIDs, "is missing or empty; name documents as <documentId>_<languageId>")
	}
	var out []selection
	for _, id := range ids {
		if _, language := wire.SplitDocumentID(id); id != "" && language == "" {
			return nil, invalid(wire.QueryDocumentIDs, "%q names no language; give <documentId>_<languageId>", id)
		}
		at, err := documentIn(tx, wire.QueryDocumentIDs, id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(p selection) bool { return p.document.ID == at.document.ID })
		if i < 0 {
			out = append(out, at)
			continue
		}
		out[i].codes = union(out[i].codes, at.codes)
	}
	return out, nil
}
