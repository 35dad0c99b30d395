package store

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
)

// Document is the record of a file that is translated. Its bytes and translations lie beside it (see Targets).
//
//	documents         identifier -> document (JSON)
//	documentsOf       project, number -> identifier of a document, in the order they were added
//	documentPaths     project, path -> identifier of a document
//	documentTexts     identifier of a document
//	                    source:1   the bytes of its first version, and so on, while a language has it
//	                    in:de      number of a segment -> target (JSON)
//	translations      composite identifier -> identifier of the last job that brought a translation in
//
// The segments themselves are not stored: they follow from the bytes. A target says which source text it translates,
// so that it is not taken for the translation of another one should a later program cut the same bytes differently.
type Document struct {
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
	Languages    []*Rendition `json:"languages"`
}

// Rendition is a document in one target language, which is what the interface calls a document.
type Rendition struct {
	Code    string `json:"code"`
	Version int    `json:"version"`
	File    string `json:"file"` // the name of the version's file
	// where the version's texts are, of a multilingual workbook
	Sheet          *segment.Sheet      `json:"sheet,omitempty"`
	Revision       int                 `json:"revision"`
	Status         wire.DocumentStatus `json:"status"`
	StatusAt       int64               `json:"statusAt"`
	Pretranslation string              `json:"pretranslation,omitempty"` // the job that is at it
	Size           Size                `json:"size"`
	Translated     Size                `json:"translated"`
	Stages         []Size              `json:"stages"` // what is confirmed at each stage of the project, or beyond
}

// Size is an amount of text.
type Size struct {
	Segments int `json:"segments"`
	Words    int `json:"words"`
}

func (z *Size) Add(words, sign int) {
	z.Segments += sign
	z.Words += sign * words
}

// Percent is the share of the words, with two digits behind the point.
func (z Size) Percent(of Size) float64 {
	switch {
	case of.Segments == 0:
		return 0
	case of.Words == 0:
		return float64(z.Segments*10000/of.Segments) / 100
	}
	return float64(z.Words*10000/of.Words) / 100
}

func (d *Document) Rendition(code string) *Rendition {
	for _, r := range d.Languages {
		if r.Code == code {
			return r
		}
	}
	return nil
}

// Name is the path's last element without its extension.
func (d *Document) Name() string {
	return strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
}

// CompositeID is what the interface calls the document in one language.
func (d *Document) CompositeID(code string) string {
	return wire.DocumentID(d.ID, api.LanguageNumber(code))
}

// DocumentsOf are the documents of a project, in the order they were added.
func DocumentsOf(tx *Tx, projectID string) ([]*Document, error) {
	var out []*Document
	c := tx.bucket(bucketDocumentsOf).Cursor()
	for k, id := c.Seek([]byte(projectID)); strings.HasPrefix(string(k), projectID); k, id = c.Next() {
		d, found, err := getRecord[Document](tx.bucket(bucketDocuments), string(id))
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, d)
		}
	}
	return out, nil
}

func PutDocument(tx *Tx, d *Document) error {
	return putRecord(tx.bucket(bucketDocuments), d.ID, d)
}

func textsOf(tx *Tx, d *Document) *bolt.Bucket {
	return tx.bucket(bucketDocumentTexts).Bucket([]byte(d.ID))
}

func FindDocument(tx *Tx, id string) (*Document, bool, error) {
	if id == "" || len(id) > bolt.MaxKeySize {
		return nil, false, nil
	}
	return getRecord[Document](tx.bucket(bucketDocuments), id)
}

// CreateDocument makes room for the bytes and translations of a new document, behind all others of its project.
// Its record is the caller's to store.
func CreateDocument(tx *Tx, d *Document, body []byte) (err error) {
	if d.Order, err = tx.bucket(bucketDocumentsOf).NextSequence(); err != nil {
		return err
	}
	if _, err := tx.bucket(bucketDocumentTexts).CreateBucket([]byte(d.ID)); err != nil {
		return err
	}
	if err := AddVersion(tx, d, body); err != nil {
		return err
	}
	if err := tx.bucket(bucketDocumentPaths).Put(documentPath(d.Project, d.Path), []byte(d.ID)); err != nil {
		return err
	}
	return tx.bucket(bucketDocumentsOf).Put(documentOrder(d), []byte(d.ID))
}

// DocumentAt is the identifier of the document of a project that has a path; empty for none.
func DocumentAt(tx *Tx, projectID, path string) string {
	return string(tx.bucket(bucketDocumentPaths).Get(documentPath(projectID, path)))
}

// RenameDocument gives a document another path, which no other one has.
func RenameDocument(tx *Tx, d *Document, path string) error {
	paths := tx.bucket(bucketDocumentPaths)
	if err := paths.Delete(documentPath(d.Project, d.Path)); err != nil {
		return err
	}
	d.Path = path
	if err := paths.Put(documentPath(d.Project, d.Path), []byte(d.ID)); err != nil {
		return err
	}
	return PutDocument(tx, d)
}

// preparePaths makes the index of paths, which databases of older programs do not have.
func preparePaths(tx *bolt.Tx) error {
	if tx.Bucket(bucketDocumentPaths) != nil {
		return nil
	}
	paths, err := tx.CreateBucket(bucketDocumentPaths)
	if err != nil {
		return err
	}
	documents := tx.Bucket(bucketDocuments)
	return documents.ForEach(func(id, _ []byte) error {
		d, _, err := getRecord[Document](documents, string(id))
		if err != nil {
			return err
		}
		return paths.Put(documentPath(d.Project, d.Path), id)
	})
}

// AddVersion stores the bytes of a document's next version.
func AddVersion(tx *Tx, d *Document, body []byte) error {
	d.Versions++
	return textsOf(tx, d).Put(versionKey(d.Versions), body)
}

// SourceOf returns the bytes that a language is translated from. They belong to the transaction.
func SourceOf(tx *Tx, d *Document, r *Rendition) []byte {
	return textsOf(tx, d).Get(versionKey(r.Version))
}

// PutTranslationJob notes the last job that brought a translation into a document.
func PutTranslationJob(tx *Tx, composite string, j *Job) error {
	return tx.bucket(bucketTranslations).Put([]byte(composite), []byte(j.ID))
}

// TranslationJobOf returns the last job that brought a translation into a document, nil where none is remembered.
func TranslationJobOf(tx *Tx, composite string) (*Job, error) {
	id := tx.bucket(bucketTranslations).Get([]byte(composite))
	if id == nil {
		return nil, nil
	}
	return JobIn(tx, string(id))
}

// RemoveRendition takes a language from a document, and the document away with the last one.
func RemoveRendition(tx *Tx, d *Document, code string) error {
	texts := textsOf(tx, d)
	if texts.Bucket(targetsKey(code)) != nil {
		if err := texts.DeleteBucket(targetsKey(code)); err != nil {
			return err
		}
	}
	if err := tx.bucket(bucketTranslations).Delete([]byte(d.CompositeID(code))); err != nil {
		return err
	}
	d.Languages = slices.DeleteFunc(d.Languages, func(r *Rendition) bool { return r.Code == code })
	if len(d.Languages) > 0 {
		if err := DropUnusedVersions(tx, d); err != nil {
			return err
		}
		return PutDocument(tx, d)
	}
	if err := tx.bucket(bucketDocumentTexts).DeleteBucket([]byte(d.ID)); err != nil {
		return err
	}
	if err := tx.bucket(bucketDocumentsOf).Delete(documentOrder(d)); err != nil {
		return err
	}
	if err := tx.bucket(bucketDocumentPaths).Delete(documentPath(d.Project, d.Path)); err != nil {
		return err
	}
	return tx.bucket(bucketDocuments).Delete([]byte(d.ID))
}

// DropUnusedVersions removes the bytes that no language is translated from any more.
func DropUnusedVersions(tx *Tx, d *Document) error {
	texts := textsOf(tx, d)
	for v := 1; v <= d.Versions; v++ {
		if slices.ContainsFunc(d.Languages, func(r *Rendition) bool { return r.Version == v }) {
			continue
		}
		if err := texts.Delete(versionKey(v)); err != nil {
			return err
		}
	}
	return nil
}

func documentOrder(d *Document) []byte { return append([]byte(d.Project), number(d.Order)...) }

func documentPath(project, path string) []byte { return []byte(project + "\x00" + path) }

func versionKey(v int) []byte { return []byte("source:" + strconv.Itoa(v)) }

func targetsKey(code string) []byte { return []byte("in:" + code) }

// removeDocuments takes away all documents of a project that is deleted.
func removeDocuments(tx *Tx, projectID string) error {
	all, err := DocumentsOf(tx, projectID)
	if err != nil {
		return err
	}
	for _, d := range all {
		for _, r := range slices.Clone(d.Languages) {
			if err := RemoveRendition(tx, d, r.Code); err != nil {
				return err
			}
		}
	}
	return nil
}

// DocumentProject returns a project that documents can be added to.
func (st *Store) DocumentProject(id string) (*Project, error) {
	p, err := st.Project(id)
	if err != nil {
		return nil, err
	}
	return p, p.ForDocuments()
}

func (p *Project) ForDocuments() error {
	if p.Type != wire.ProjectTypeDefault {
		return api.Refuse(http.StatusForbidden, "the project %s holds localization keys, not documents", p.ID)
	}
	return nil
}

// Selection is one document in those of its languages that a call is about.
type Selection struct {
	Document *Document
	Codes    []string
}

// DocumentIn finds a document of this account by its composite identifier, or, without a language, in all of its
// languages. field is the parameter with the identifier.
func DocumentIn(tx *Tx, field, id string) (Selection, error) {
	id = strings.TrimSpace(id)
	if id == "" {
		return Selection{}, api.Invalid(field, "an identifier is empty; it looks like <documentId>_<languageId>")
	}
	document, language := wire.SplitDocumentID(id)
	d, found, err := FindDocument(tx, document)
	switch {
	case err != nil:
		return Selection{}, err
	case !found:
		return Selection{}, api.Refuse(http.StatusNotFound, "there is no document %s", id)
	case d.Account != tx.Account():
		return Selection{}, api.Refuse(http.StatusForbidden, "the document %s belongs to another account", id)
	}
	at := Selection{Document: d}
	for _, r := range d.Languages {
		if language == "" || api.LanguageNumber(r.Code) == language {
			at.Codes = append(at.Codes, r.Code)
		}
	}
	if len(at.Codes) == 0 {
		return Selection{}, api.Refuse(http.StatusNotFound, "the document %s is not in the language %s", document, language)
	}
	return at, nil
}
