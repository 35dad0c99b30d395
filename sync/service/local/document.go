package local

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
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
func documentsOf(tx *Tx, projectID string) ([]*document, error) {
	var out []*document
	c := tx.bucket(bucketDocumentsOf).Cursor()
	for k, id := c.Seek([]byte(projectID)); strings.HasPrefix(string(k), projectID); k, id = c.Next() {
		d, found, err := getRecord[document](tx.bucket(bucketDocuments), string(id))
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, d)
		}
	}
	return out, nil
}

func putDocument(tx *Tx, d *document) error {
	return putRecord(tx.bucket(bucketDocuments), d.ID, d)
}

func textsOf(tx *Tx, d *document) *bolt.Bucket {
	return tx.bucket(bucketDocumentTexts).Bucket([]byte(d.ID))
}

func findDocument(tx *Tx, id string) (*document, bool, error) {
	if id == "" || len(id) > bolt.MaxKeySize {
		return nil, false, nil
	}
	return getRecord[document](tx.bucket(bucketDocuments), id)
}

// createDocument makes a place for the bytes and translations of a new document, behind all others of its project. Its record is the
// caller's to store.
func createDocument(tx *Tx, d *document, body []byte) (err error) {
	if d.Order, err = tx.bucket(bucketDocumentsOf).NextSequence(); err != nil {
		return err
	}
	if _, err := tx.bucket(bucketDocumentTexts).CreateBucket([]byte(d.ID)); err != nil {
		return err
	}
	if err := addVersion(tx, d, body); err != nil {
		return err
	}
	return tx.bucket(bucketDocumentsOf).Put(documentOrder(d), []byte(d.ID))
}

// addVersion stores the bytes of a document's next version.
func addVersion(tx *Tx, d *document, body []byte) error {
	d.Versions++
	return textsOf(tx, d).Put(versionKey(d.Versions), body)
}

// sourceOf returns the bytes that a language is translated from. They belong to the transaction.
func sourceOf(tx *Tx, d *document, r *rendition) []byte {
	return textsOf(tx, d).Get(versionKey(r.Version))
}

// putTranslationJob notes the last job that brought a translation into a document.
func putTranslationJob(tx *Tx, composite string, j *job) error {
	return tx.bucket(bucketTranslations).Put([]byte(composite), []byte(j.ID))
}

// translationJobOf returns the last job that brought a translation into a document, nil where none is remembered.
func translationJobOf(tx *Tx, composite string) (*job, error) {
	id := tx.bucket(bucketTranslations).Get([]byte(composite))
	if id == nil {
		return nil, nil
	}
	return jobIn(tx, string(id))
}

// removeRendition takes a language from a document, and the document away with the last one.
func removeRendition(tx *Tx, d *document, code string) error {
	texts := textsOf(tx, d)
	if texts.Bucket(targetsKey(code)) != nil {
		if err := texts.DeleteBucket(targetsKey(code)); err != nil {
			return err
		}
	}
	if err := tx.bucket(bucketTranslations).Delete([]byte(d.compositeID(code))); err != nil {
		return err
	}
	d.Languages = slices.DeleteFunc(d.Languages, func(r *rendition) bool { return r.Code == code })
	if len(d.Languages) > 0 {
		if err := dropUnusedVersions(tx, d); err != nil {
			return err
		}
		return putDocument(tx, d)
	}
	if err := tx.bucket(bucketDocumentTexts).DeleteBucket([]byte(d.ID)); err != nil {
		return err
	}
	if err := tx.bucket(bucketDocumentsOf).Delete(documentOrder(d)); err != nil {
		return err
	}
	return tx.bucket(bucketDocuments).Delete([]byte(d.ID))
}

// dropUnusedVersions removes the bytes that no language is translated from any more.
func dropUnusedVersions(tx *Tx, d *document) error {
	texts := textsOf(tx, d)
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
func removeDocuments(tx *Tx, projectID string) error {
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
