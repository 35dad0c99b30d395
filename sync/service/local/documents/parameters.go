package documents

import (
	"cmp"
	"slices"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// DocumentParameter reads the parameter documentId. composite says that it must name a language.
func DocumentParameter(tx *store.Tx, q api.Params, composite bool) (store.Selection, error) {
	id, given, err := q.Word(wire.QueryDocumentID)
	if err != nil || !given {
		return store.Selection{}, cmp.Or(err, api.Invalid(wire.QueryDocumentID,
			"is missing; give <documentId>_<languageId>"))
	}
	if _, language := wire.SplitDocumentID(id); composite && language == "" {
		return store.Selection{}, api.Invalid(wire.QueryDocumentID, "%q names no language; give <documentId>_<languageId>",
			id)
	}
	return store.DocumentIn(tx, wire.QueryDocumentID, id)
}

// documentsParameter reads the parameter documentIds, in every spelling of lists. Each identifier names a language:
// one that does not would delete a document in all of them. The documents come back in the order they are named
// first, each once.
func documentsParameter(tx *store.Tx, q api.Params) ([]store.Selection, error) {
	ids, given := q.List(wire.QueryDocumentIDs)
	if !given || len(ids) == 1 && ids[0] == "" {
		return nil, api.Invalid(wire.QueryDocumentIDs, "is missing or empty; name documents as <documentId>_<languageId>")
	}
	var out []store.Selection
	for _, id := range ids {
		if _, language := wire.SplitDocumentID(id); id != "" && language == "" {
			return nil, api.Invalid(wire.QueryDocumentIDs, "%q names no language; give <documentId>_<languageId>", id)
		}
		at, err := store.DocumentIn(tx, wire.QueryDocumentIDs, id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(p store.Selection) bool { return p.Document.ID == at.Document.ID })
		if i < 0 {
			out = append(out, at)
			continue
		}
		out[i].Codes = api.Union(out[i].Codes, at.Codes)
	}
	return out, nil
}
