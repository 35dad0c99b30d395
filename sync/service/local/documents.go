package local

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// document is the record of a file that is translated. Its bytes and translations lie beside it (see desk).
//
//	documents         identifier -> document (JSON)
//	documentsOf       project, number -> identifier of a document, in the order they were added
//	documentTexts     identifier of a document
//	                    source:1   the bytes of its first version, and so on; a version that no language has any more goes
//	                    in:de      number of a segment -> target (JSON)
//	translations      composite identifier -> identifier of the last job that brought a translation in
//
// The segments themselves are not stored: they follow from the bytes. A target says which source text it translates, so that it is not
// taken for the translation of another one should a later program cut the same bytes differently.
type document struct {
	ID           string       `json:"id"`
	Project      string       `json:"project"`
	Account      string       `json:"account"`
	Order        uint64       `json:"order"`
	Path         string       `json:"path"` // folders and all, with the extension; unique in the project
	ExternalID   string       `json:"externalId,omitempty"`
	MetaInfo     string       `json:"metaInfo,omitempty"`
	Placeholders bool         `json:"placeholders,omitempty"`
	Created      int64        `json:"created"`
	Versions     int          `json:"versions"` // how many there have been
	Languages    []*rendition `json:"languages"`
}

// rendition is a document in one target language, which is what the interface calls a document.
type rendition struct {
	Code           string              `json:"code"`
	Version        int                 `json:"version"`
	File           string              `json:"file"`            // the name of the version's file
	Sheet          *segment.Sheet      `json:"sheet,omitempty"` // where the version's texts are, of a multilingual workbook
	Revision       int                 `json:"revision"`
	Status         wire.DocumentStatus `json:"status"`
	StatusAt       int64               `json:"statusAt"`
	Pretranslation string              `json:"pretranslation,omitempty"` // the job that is at it
	Size           size                `json:"size"`
	Translated     size                `json:"translated"`
	Stages         []size              `json:"stages"` // what is confirmed at each stage of the project, or beyond
}

// size is an amount of text.
type size struct {
	Segments int `json:"segments"`
	Words    int `json:"words"`
}

func (z *size) add(words, sign int) {
	z.Segments += sign
	z.Words += sign * words
}

// percent is the share of the words, with two digits behind the point.
func (z size) percent(of size) float64 {
	switch {
	case of.Segments == 0:
		return 0
	case of.Words == 0:
		return float64(z.Segments*10000/of.Segments) / 100
	}
	return float64(z.Words*10000/of.Words) / 100
}

func (d *document) rendition(code string) *rendition {
	for _, r := range d.Languages {
		if r.Code == code {
			return r
		}
	}
	return nil
}

// name is the path's last element without its extension.
func (d *document) name() string {
	return strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
}

// compositeID is what the interface calls the document in one language.
func (d *document) compositeID(code string) string {
	return wire.DocumentID(d.ID, languageNumber(code))
}

// documentsOf are the documents of a project, in the order they were added.
func documentsOf(tx *bolt.Tx, projectID string) ([]*document, error) {
	var out []*document
	c := tx.Bucket(bucketDocumentsOf).Cursor()
	for k, id := c.Seek([]byte(projectID)); strings.HasPrefix(string(k), projectID); k, id = c.Next() {
		d, found, err := getRecord[document](tx.Bucket(bucketDocuments), string(id))
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, d)
		}
	}
	return out, nil
}

func putDocument(tx *bolt.Tx, d *document) error {
	return putRecord(tx.Bucket(bucketDocuments), d.ID, d)
}

// documentProject returns a project that documents can be added to.
func (s *Service) documentProject(id string) (*project, error) {
	p, err := s.project(id)
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
type place struct {
	d     *document
	codes []string
}

// documentIn finds a document of this account by its composite identifier, or, without a language, in all of its languages. field
// is the parameter that the identifier stands in.
func (s *Service) documentIn(tx *bolt.Tx, field, id string) (place, error) {
	id = strings.TrimSpace(id)
	if id == "" {
		return place{}, invalid(field, "an identifier is empty; it looks like <documentId>_<languageId>")
	}
	document, language := wire.SplitDocumentID(id)
	d, found, err := s.findDocument(tx, document)
	switch {
	case err != nil:
		return place{}, err
	case !found:
		return place{}, refuse(http.StatusNotFound, "there is no document %s", id)
	case d.Account != s.o.AccountID:
		return place{}, refuse(http.StatusForbidden, "the document %s belongs to another account", id)
	}
	at := place{d: d}
	for _, r := range d.Languages {
		if language == "" || languageNumber(r.Code) == language {
			at.codes = append(at.codes, r.Code)
		}
	}
	if len(at.codes) == 0 {
		return place{}, refuse(http.StatusNotFound, "the document %s is not in the language %s", document, language)
	}
	return at, nil
}

func (s *Service) findDocument(tx *bolt.Tx, id string) (*document, bool, error) {
	if id == "" || len(id) > bolt.MaxKeySize {
		return nil, false, nil
	}
	return getRecord[document](tx.Bucket(bucketDocuments), id)
}

// documentParameter reads the parameter documentId. composite says that it must name a language.
func (s *Service) documentParameter(tx *bolt.Tx, q params, composite bool) (place, error) {
	id, given, err := q.word(wire.QueryDocumentID)
	if err != nil || !given {
		return place{}, orElse(err, invalid(wire.QueryDocumentID, "is missing; give <documentId>_<languageId>"))
	}
	if _, language := wire.SplitDocumentID(id); composite && language == "" {
		return place{}, invalid(wire.QueryDocumentID, "%q names no language; give <documentId>_<languageId>", id)
	}
	return s.documentIn(tx, wire.QueryDocumentID, id)
}

// documentsParameter reads the parameter documentIds, in every spelling of lists. Each identifier names a language: one that does not would
// delete a document in all of them. The documents come back in the order they are named first, each once.
func (s *Service) documentsParameter(tx *bolt.Tx, q params) ([]place, error) {
	ids, given := q.list(wire.QueryDocumentIDs)
	if !given || len(ids) == 1 && ids[0] == "" {
		return nil, invalid(wire.QueryDocumentIDs, "is missing or empty; name documents as <documentId>_<languageId>")
	}
	var out []place
	for _, id := range ids {
		if _, language := wire.SplitDocumentID(id); id != "" && language == "" {
			return nil, invalid(wire.QueryDocumentIDs, "%q names no language; give <documentId>_<languageId>", id)
		}
		at, err := s.documentIn(tx, wire.QueryDocumentIDs, id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(p place) bool { return p.d.ID == at.d.ID })
		if i < 0 {
			out = append(out, at)
			continue
		}
		out[i].codes = union(out[i].codes, at.codes)
	}
	return out, nil
}

// removeRendition takes a language from a document, and the document away with the last one.
func removeRendition(tx *bolt.Tx, d *document, code string) error {
	texts := tx.Bucket(bucketDocumentTexts).Bucket([]byte(d.ID))
	if texts.Bucket(targetsKey(code)) != nil {
		if err := texts.DeleteBucket(targetsKey(code)); err != nil {
			return err
		}
	}
	if err := tx.Bucket(bucketTranslations).Delete([]byte(d.compositeID(code))); err != nil {
		return err
	}
	d.Languages = slices.DeleteFunc(d.Languages, func(r *rendition) bool { return r.Code == code })
	if len(d.Languages) > 0 {
		if err := dropUnusedVersions(texts, d); err != nil {
			return err
		}
		return putDocument(tx, d)
	}
	if err := tx.Bucket(bucketDocumentTexts).DeleteBucket([]byte(d.ID)); err != nil {
		return err
	}
	if err := tx.Bucket(bucketDocumentsOf).Delete(documentOrder(d)); err != nil {
		return err
	}
	return tx.Bucket(bucketDocuments).Delete([]byte(d.ID))
}

// dropUnusedVersions removes the bytes that no language is translated from any more.
func dropUnusedVersions(texts *bolt.Bucket, d *document) error {
	for v := 1; v <= d.Versions; v++ {
		if slices.ContainsFunc(d.Languages, func(r *rendition) bool { return r.Version == v }) {
			continue
		}
		if err := texts.Delete(versionKey(v)); err != nil {
			return err
		}
	}
	return nil
}

func documentOrder(d *document) []byte { return append([]byte(d.Project), number(d.Order)...) }

func versionKey(v int) []byte { return []byte("source:" + strconv.Itoa(v)) }

func targetsKey(code string) []byte { return []byte("in:" + code) }

// removeDocuments takes away all documents of a project that is deleted.
func removeDocuments(tx *bolt.Tx, projectID string) error {
	all, err := documentsOf(tx, projectID)
	if err != nil {
		return err
	}
	for _, d := range all {
		for _, r := range slices.Clone(d.Languages) {
			if err := removeRendition(tx, d, r.Code); err != nil {
				return err
			}
		}
	}
	return nil
}
