package documents

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

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// exportDocuments answers POST /v1/document/export with the identifier of a task; GET /v1/document/export/{taskId}
// has the file: that of one document in one language as it is, of several in an archive.
func (s *Service) exportDocuments(c *api.Call) error {
	x := &store.DocumentExportJob{Type: wire.ExportTarget}
	if err := readExportParameters(x, c.Params); err != nil {
		return err
	}
	j := &store.Job{Work: store.Work{Documents: x}}
	err := s.store.Update(func(tx *store.Tx) error {
		all, err := documentsParameter(tx, c.Params)
		if err != nil {
			return err
		}
		for _, at := range all {
			p, err := store.ProjectIn(tx, at.Document.Project)
			if err != nil {
				return err
			}
			if x.Stage > len(p.Stages) {
				return api.Invalid(wire.QueryStageNumber, "%d is none of the project's stages, which are 1 to %d", x.Stage,
					len(p.Stages))
			}
			for _, code := range at.Codes {
				x.Documents = append(x.Documents, at.Document.CompositeID(code))
			}
			j.Project = p.ID
		}
		return s.jobs.StartIn(tx, j, nil)
	})
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, wire.DocumentExport{ID: j.ID, DocumentIDs: x.Documents})
}

// readExportParameters reads everything but the documents. A stage without a mode asks for what is confirmed there;
// neither, for what the editor shows.
func readExportParameters(x *store.DocumentExportJob, q api.Params) error {
	types := []wire.ExportType{wire.ExportTarget, wire.ExportSource, wire.ExportXLIFF, wire.ExportCSV}
	if word, given, err := q.Word(wire.QueryExportType); err != nil {
		return err
	} else if given {
		i := slices.IndexFunc(types, func(t wire.ExportType) bool { return strings.EqualFold(string(t), word) })
		if i < 0 {
			return api.Invalid(wire.QueryExportType, "%q is none of %s, %s, %s, %s", word, types[0], types[1], types[2],
				types[3])
		}
		x.Type = types[i]
	}
	word, staged, err := q.Word(wire.QueryStageNumber)
	if err != nil {
		return err
	}
	if staged {
		if x.Stage, err = strconv.Atoi(word); err != nil || x.Stage < 1 {
			return api.Invalid(wire.QueryStageNumber, "%q is not the number of a stage, of which 1 is the first", word)
		}
	}
	modes := []wire.ExportMode{wire.ExportCurrent, wire.ExportConfirmed, wire.ExportComplete}
	word, given, err := q.Word(wire.QueryExportMode)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(modes, func(m wire.ExportMode) bool { return strings.EqualFold(string(m), word) })
	switch {
	case given && i < 0:
		return api.Invalid(wire.QueryExportMode, "%q is none of %s, %s, %s", word, modes[0], modes[1], modes[2])
	case given:
		x.Mode = modes[i]
	case staged:
		x.Mode = wire.ExportConfirmed
	default:
		x.Mode = wire.ExportCurrent
	}
	return nil
}

// exportTakes tells whether a translation is far enough to be written.
func exportTakes(x *store.DocumentExportJob, t *store.Target, stages int) bool {
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
func (s *Service) runDocumentExport(_ context.Context, j *store.Job) error {
	var files []documentFile
	err := s.store.View(func(tx *store.Tx) error {
		var all []store.Selection
		for _, id := range j.Documents.Documents {
			at, err := store.DocumentIn(tx, wire.QueryDocumentIDs, id)
			if err != nil {
				return err
			}
			if i := slices.IndexFunc(all, func(o store.Selection) bool { return o.Document.ID == at.Document.ID }); i >= 0 {
				all[i].Codes = append(all[i].Codes, at.Codes...)
			} else {
				all = append(all, at)
			}
		}
		for _, at := range all {
			written, err := documentFiles(tx, j.Documents, at)
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
	return s.store.Update(func(tx *store.Tx) error {
		if err := store.NotifyIn(tx, wire.CallbackExportCompleted, j.ID); err != nil {
			return err
		}
		return store.Finish(tx, j, wire.Completed)
	})
}

// asksSeveral reports whether more than one translation is asked for, which are an archive even where one file has them
// all (service interface, export of document translations). The table of all languages is a file.
func asksSeveral(x *store.DocumentExportJob) bool {
	return x.Type != wire.ExportCSV && len(slices.Compact(slices.Sorted(slices.Values(x.Documents)))) > 1
}

// keepFiles makes the job's result of its files: the one there is, or an archive.
func (s *Service) keepFiles(j *store.Job, files []documentFile) error {
	result, err := s.jobs.NewResult(j.ID)
	if err != nil {
		return err
	}
	defer result.Drop()
	if len(files) == 1 && !asksSeveral(j.Documents) {
		j.Result = &store.ResultFile{Name: path.Base(files[0].name), ContentType: files[0].contentType}
		if _, err := result.File.Write(files[0].body); err != nil {
			return err
		}
		return result.Keep()
	}
	at := time.Unix(0, s.store.Now()).UTC()
	j.Result = &store.ResultFile{Name: "documents-" + at.Format("20060102-150405") + ".zip",
		ContentType: "application/zip"}
	z := zip.NewWriter(result.File)
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
	return result.Keep()
}

// documentFiles are the files of one document in the languages that are asked for.
func documentFiles(tx *store.Tx, x *store.DocumentExportJob, at store.Selection) ([]documentFile, error) {
	var editors []*editor.Editor
	for _, code := range at.Codes {
		k, err := editor.Open(tx, at.Document, code)
		if err != nil {
			return nil, err
		}
		editors = append(editors, k)
	}
	if x.Type == wire.ExportCSV {
		body, err := writeTable(x, editors)
		return []documentFile{{strings.TrimSuffix(at.Document.Path, path.Ext(at.Document.Path)) + ".csv",
			"text/csv; charset=utf-8", body}}, err
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

// exportFile writes one document in one language.
func exportFile(x *store.DocumentExportJob, k *editor.Editor) (documentFile, error) {
	format, _ := segment.FormatOf(k.Rendition.File)
	extension := path.Ext(k.Rendition.File)
	base := strings.TrimSuffix(k.Document.Path, path.Ext(k.Document.Path))
	named := base + "(" + k.Rendition.Code + ")"
	switch x.Type {
	case wire.ExportSource:
		if slices.ContainsFunc(k.Document.Languages,
			func(r *store.Rendition) bool { return r.Version != k.Rendition.Version }) {
			return documentFile{named + extension, format.MIME, bytes.Clone(k.Source())}, nil
		}
		return documentFile{base + extension, format.MIME, bytes.Clone(k.Source())}, nil
	case wire.ExportXLIFF:
		body, err := writeXLIFF(x, k)
		return documentFile{named + ".xliff", "application/xliff+xml", body}, err
	}
	texts, err := exportTexts(x, k)
	if err != nil {
		return documentFile{}, err
	}
	body, err := k.Parsed.Render(k.Rendition.Code, func(i int) (string, bool) {
		text, ok := texts[i]
		return text, ok
	})
	if err != nil {
		return documentFile{}, api.Refuse(http.StatusUnprocessableEntity, "%s in %s: %v", k.Document.Path, k.Rendition.Code,
			err)
	}
	return documentFile{named + extension, format.MIME, body}, nil
}

// exportTexts are the translations that are far enough, by segment.
func exportTexts(x *store.DocumentExportJob, k *editor.Editor) (map[int]string, error) {
	all, err := k.Targets()
	if err != nil {
		return nil, err
	}
	out := make(map[int]string, len(all))
	for i, t := range all {
		if exportTakes(x, t, len(k.Project.Stages)) {
			out[i] = t.Text
		}
	}
	return out, nil
}

// writeTable writes a document in several languages as one CSV file: key, source, and a column for each language.
// Languages that have another version of the document are matched to the first one's segments.
func writeTable(x *store.DocumentExportJob, editors []*editor.Editor) ([]byte, error) {
	first := editors[0]
	rows := [][]string{{"key", first.Project.Source}}
	for _, seg := range first.Segments {
		rows = append(rows, []string{seg.Key, seg.Text})
	}
	for _, k := range editors {
		texts, err := exportTexts(x, k)
		if err != nil {
			return nil, err
		}
		rows[0] = append(rows[0], k.Rendition.Code)
		for i, from := range segment.Align(k.Segments, first.Segments) {
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
