package local

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// documentExportJob is which documents are to be written, and how.
type documentExportJob struct {
	Documents []string        `json:"documents"` // composite identifiers
	Type      wire.ExportType `json:"type"`
	Mode      wire.ExportMode `json:"mode"`
	Stage     int             `json:"stage,omitempty"` // of ExportConfirmed; 0: any
}

// exportDocuments answers POST /v1/document/export with the identifier of a task; GET /v1/document/export/{taskId} has the file: that of one
// document in one language as it is, of several in an archive.
func (s *documentsService) exportDocuments(c *call) error {
	x := &documentExportJob{Type: wire.ExportTarget}
	if err := readExportParameters(x, c.params); err != nil {
		return err
	}
	j := &job{work: work{Documents: x}}
	err := s.store.update(func(tx *Tx) error {
		all, err := documentsParameter(tx, c.params)
		if err != nil {
			return err
		}
		for _, at := range all {
			p, err := projectIn(tx, at.document.Project)
			if err != nil {
				return err
			}
			if x.Stage > len(p.Stages) {
				return invalid(wire.QueryStageNumber, "%d is none of the project's stages, which are 1 to %d", x.Stage, len(p.Stages))
			}
			for _, code := range at.codes {
				x.Documents = append(x.Documents, at.document.compositeID(code))
			}
			j.Project = p.ID
		}
		return s.jobs.startIn(tx, j, nil)
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, wire.DocumentExport{ID: j.ID, DocumentIDs: x.Documents})
}

// readParameters reads everything but the documents. A stage without a mode asks for what is confirmed there; neither, for what the
// editor shows.
func readExportParameters(x *documentExportJob, q params) error {
	types := []wire.ExportType{wire.ExportTarget, wire.ExportSource, wire.ExportXLIFF, wire.ExportCSV}
	if word, given, err := q.word(wire.QueryExportType); err != nil {
		return err
	} else if given {
		i := slices.IndexFunc(types, func(t wire.ExportType) bool { return strings.EqualFold(string(t), word) })
		if i < 0 {
			return invalid(wire.QueryExportType, "%q is none of %s, %s, %s, %s", word, types[0], types[1], types[2], types[3])
		}
		x.Type = types[i]
	}
	word, staged, err := q.word(wire.QueryStageNumber)
	if err != nil {
		return err
	}
	if staged {
		if x.Stage, err = strconv.Atoi(word); err != nil || x.Stage < 1 {
			return invalid(wire.QueryStageNumber, "%q is not the number of a stage, of which 1 is the first", word)
		}
	}
	modes := []wire.ExportMode{wire.ExportCurrent, wire.ExportConfirmed, wire.ExportComplete}
	word, given, err := q.word(wire.QueryExportMode)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(modes, func(m wire.ExportMode) bool { return strings.EqualFold(string(m), word) })
	switch {
	case given && i < 0:
		return invalid(wire.QueryExportMode, "%q is none of %s, %s, %s", word, modes[0], modes[1], modes[2])
	case given:
		x.Mode = modes[i]
	case staged:
		x.Mode = wire.ExportConfirmed
	default:
		x.Mode = wire.ExportCurrent
	}
	return nil
}

// takes tells whether a translation is far enough to be written.
func exportTakes(x *documentExportJob, t *target, stages int) bool {
	switch x.Mode {
	case wire.ExportConfirmed:
		return t.Stage >= max(x.Stage, 1)
	case wire.ExportComplete:
		return t.Stage >= stages
	}
	return true
}

// documentFile is one file of an export.
type documentFile struct {
	name        string
	contentType string
	body        []byte
}

// runDocumentExport writes the files, ends the job and tells of it.
func (s *documentsService) runDocumentExport(_ context.Context, j *job) error {
	var files []documentFile
	err := s.store.view(func(tx *Tx) error {
		var all []selection
		for _, id := range j.Documents.Documents {
			at, err := documentIn(tx, wire.QueryDocumentIDs, id)
			if err != nil {
				return err
			}
			if i := slices.IndexFunc(all, func(o selection) bool { return o.document.ID == at.document.ID }); i >= 0 {
				all[i].codes = append(all[i].codes, at.codes...)
			} else {
				all = append(all, at)
			}
		}
		for _, at := range all {
			written, err := s.documentFiles(tx, j.Documents, at)
			if err != nil {
				return err
			}
			files = append(files, written...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.keepFiles(j, files); err != nil {
		return err
	}
	return s.store.update(func(tx *Tx) error {
		if err := notifyIn(tx, wire.CallbackExportCompleted, j.ID); err != nil {
			return err
		}
		return finish(tx, j, wire.Completed)
	})
}

// several reports whether more than one translation is asked for, which are an archive even where one file has them all (service interface, export of
// document translations). The table of all languages is a file.
func asksSeveral(x *documentExportJob) bool {
	return x.Type != wire.ExportCSV && len(slices.Compact(slices.Sorted(slices.Values(x.Documents)))) > 1
}

// keepFiles makes the job's result of its files: the one there is, or an archive.
func (s *documentsService) keepFiles(j *job, files []documentFile) error {
	result, err := s.jobs.newResult(j.ID)
	if err != nil {
		return err
	}
	defer result.drop()
	if len(files) == 1 && !asksSeveral(j.Documents) {
		j.Result = &resultFile{Name: path.Base(files[0].name), ContentType: files[0].contentType}
		if _, err := result.file.Write(files[0].body); err != nil {
			return err
		}
		return result.keep()
	}
	at := time.Unix(0, s.store.now()).UTC()
	j.Result = &resultFile{Name: "documents-" + at.Format("20060102-150405") + ".zip", ContentType: "application/zip"}
	z := zip.NewWriter(result.file)
	for _, f := range files {
		to, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at})
		if err != nil {
			return err
		}
		if _, err := to.Write(f.body); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return result.keep()
}

// documentFiles are the files of one document in the languages that are asked for.
func (s *documentsService) documentFiles(tx *Tx, x *documentExportJob, at selection) ([]documentFile, error) {
	var editors []*editor
	for _, code := range at.codes {
		k, err := openEditor(tx, at.document, code)
		if err != nil {
			return nil, err
		}
		editors = append(editors, k)
	}
	if x.Type == wire.ExportCSV {
		body, err := writeTable(x, editors)
		return []documentFile{{strings.TrimSuffix(at.document.Path, path.Ext(at.document.Path)) + ".csv", "text/csv; charset=utf-8", body}}, err
	}
	var out []documentFile
	for _, k := range editors {
		f, err := exportFile(x, k)
		if err != nil {
			return nil, err
		}
		if x.Type == wire.ExportSource && slices.ContainsFunc(out, func(o documentFile) bool { return o.name == f.name }) {
			continue // one version, in several languages
		}
		out = append(out, f)
	}
	return out, nil
}

// file writes one document in one language.
func exportFile(x *documentExportJob, k *editor) (documentFile, error) {
	format, _ := segment.FormatOf(k.rendition.File)
	extension := path.Ext(k.rendition.File)
	base := strings.TrimSuffix(k.document.Path, path.Ext(k.document.Path))
	named := base + "(" + k.rendition.Code + ")"
	switch x.Type {
	case wire.ExportSource:
		if slices.ContainsFunc(k.document.Languages, func(r *rendition) bool { return r.Version != k.rendition.Version }) {
			return documentFile{named + extension, format.MIME, bytes.Clone(k.source())}, nil
		}
		return documentFile{base + extension, format.MIME, bytes.Clone(k.source())}, nil
	case wire.ExportXLIFF:
		body, err := writeXLIFF(x, k)
		return documentFile{named + ".xliff", "application/xliff+xml", body}, err
	}
	texts, err := exportTexts(x, k)
	if err != nil {
		return documentFile{}, err
	}
	body, err := k.parsed.Render(k.rendition.Code, func(i int) (string, bool) {
		text, ok := texts[i]
		return text, ok
	})
	if err != nil {
		return documentFile{}, refuse(http.StatusUnprocessableEntity, "%s in %s: %v", k.document.Path, k.rendition.Code, err)
	}
	return documentFile{named + extension, format.MIME, body}, nil
}

// texts are the translations that are far enough, by segment.
func exportTexts(x *documentExportJob, k *editor) (map[int]string, error) {
	all, err := k.targets()
	if err != nil {
		return nil, err
	}
	out := make(map[int]string, len(all))
	for i, t := range all {
		if exportTakes(x, t, len(k.project.Stages)) {
			out[i] = t.Text
		}
	}
	return out, nil
}

// table writes a document in several languages as one CSV file: key, source, and a column for each language. Languages that have another version
// of the document are matched to the first one's segments.
func writeTable(x *documentExportJob, editors []*editor) ([]byte, error) {
	first := editors[0]
	rows := [][]string{{"key", first.project.Source}}
	for _, seg := range first.segments {
		rows = append(rows, []string{seg.Key, seg.Text})
	}
	for _, k := range editors {
		texts, err := exportTexts(x, k)
		if err != nil {
			return nil, err
		}
		rows[0] = append(rows[0], k.rendition.Code)
		for i, from := range segment.Align(k.segments, first.segments) {
			rows[i+1] = append(rows[i+1], texts[from])
		}
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
