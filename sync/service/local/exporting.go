package local

import (
	"archive/zip"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/wire"
)

// unit is a key as one language's export has it.
type unit struct {
	*row
	texts []text
	items int // of a list's item in an Android export: how many items of the list are keys of the project
}

// selected is a row that an export asks for, with its number.
type selected struct {
	n          []byte
	collection int
	*row
}

// runExport writes the files of an export, in an archive or alone, and ends the job. What cannot be written as asked, like a key that
// is another one's beginning in a nested format, ends the job as failed and says which key it is.
func (s *keysService) runExport(_ context.Context, j *job) error {
	x := j.Export
	t, err := readTemplate(x.Template)
	if err != nil {
		return err
	}
	result, err := s.jobs.newResult(j.ID)
	if err != nil {
		return err
	}
	defer result.drop()
	err = s.store.view(func(tx *Tx) error {
		rows, spaces, err := selectRows(x, tx, j.Project)
		if err != nil {
			return err
		}
		pseudo, err := s.pseudoAt(tx, j.Project, x.State)
		if err != nil {
			return err
		}
		w := &exportWriter{x: x, at: time.Unix(0, s.store.now()).UTC(), out: result.file, archive: x.Zip || len(x.Languages) > 1}
		p, err := projectOf(tx, j.Project)
		if err != nil {
			return err
		}
		for _, code := range x.Languages {
			units, err := unitsOf(x, rows, spaces, code, p != nil && p.Source == code, pseudo)
			if err != nil {
				return err
			}
			if err := w.language(t, code, units); err != nil {
				return err
			}
		}
		j.Result, err = w.close()
		return err
	})
	if err != nil {
		return err
	}
	if err := result.keep(); err != nil {
		return err
	}
	err = s.store.update(func(tx *Tx) error { return finish(tx, j, wire.Completed) })
	s.log.Info("export", zap.String("id", j.ID), zap.String("project", j.Project), zap.Strings("languages", x.Languages), zap.String("file", j.Result.Name))
	return err
}

// rows selects the keys of all collections, in order. Of a key in two collections the one of the collection named first counts; of a key
// that is there as one text and as plural forms the younger one, but for Android, which has both.
func selectRows(x *exportJob, tx *Tx, projectID string) (rows []selected, spaces []*keyspace, err error) {
	only := make(map[string]bool, len(x.Keys))
	for _, key := range x.Keys {
		only[key] = true
	}
	at := make(map[string]int)
	for i, name := range x.Collections {
		k, err := openCollection(tx, projectID, name)
		if err != nil {
			return nil, nil, err
		}
		if k == nil {
			return nil, nil, refuse(422, "the project or its collection %q was deleted before the export was done", name)
		}
		spaces = append(spaces, k)
		err = k.each(nil, func(n []byte, r *row) (bool, error) {
			if x.OnlyKeys && !only[r.key] || len(x.Labels) > 0 && !slices.ContainsFunc(r.labels, func(l string) bool { return slices.Contains(x.Labels, l) }) {
				return true, nil
			}
			id := r.key
			if x.Format == wire.FormatAndroidXML {
				id = string(indexKey(r.key, r.plural))
			}
			found := selected{slices.Clone(n), i, r}
			if before, twice := at[id]; !twice {
				at[id] = len(rows)
				rows = append(rows, found)
			} else if rows[before].collection == i {
				rows[before] = found
			}
			return true, nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return rows, spaces, nil
}

// pseudoAt reports whether an export of this state has pseudo-translations.
func (s *keysService) pseudoAt(tx *Tx, projectID string, least state) (bool, error) {
	if !s.made.Trial {
		return true, nil
	}
	if least > draft {
		return false, nil
	}
	for _, name := range collectionNames(tx, projectID) {
		k, err := openCollection(tx, projectID, name)
		if err != nil {
			return false, err
		}
		for _, c := range k.Counts {
			if c.OverPseudo > 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

// units are the keys that a language's export has, with the texts that stand for them.
func unitsOf(x *exportJob, rows []selected, spaces []*keyspace, code string, source, pseudo bool) ([]unit, error) {
	units := make([]unit, 0, len(rows))
	items := countItems(x, rows)
	for _, r := range rows {
		changed := r.changed
		texts := r.row.texts
		if !source {
			t, err := spaces[r.collection].translation(code, r.n)
			if err != nil {
				return nil, err
			}
			switch {
			case t == nil && r.pseudo && pseudo:
				texts = pseudoTexts(r.row.texts, code)
			case t != nil && t.state >= x.State:
				texts = t.texts
			default:
				texts = nil
			}
			if t != nil {
				changed = max(changed, t.changed)
			}
		}
		if changed <= x.Since && x.Since > 0 {
			continue
		}
		if texts == nil {
			switch x.Incomplete {
			case incompleteSkip:
				continue
			case incompleteBlank:
				texts = blank(r.row.texts)
			default:
				texts = r.row.texts
			}
		}
		u := unit{row: r.row, texts: texts}
		if list, _, ok := listItem(u); ok {
			u.items = items[list]
		}
		units = append(units, u)
	}
	return units, nil
}

// items counts the items of each list that an Android export may have. Not all places of a list need be among them: what is no text is no key.
func countItems(x *exportJob, rows []selected) map[string]int {
	items := make(map[string]int)
	if x.Format != wire.FormatAndroidXML {
		return items
	}
	for _, r := range rows {
		if list, _, ok := listItem(unit{row: r.row}); ok {
			items[list]++
		}
	}
	return items
}

func blank(texts []text) []text {
	out := make([]text, len(texts))
	for i, t := range texts {
		out[i].form = t.form
	}
	return out
}

// exportWriter writes files one after the other: into an archive, or, while there is but one, alone.
type exportWriter struct {
	x       *exportJob
	at      time.Time
	out     io.Writer
	archive bool
	zip     *zip.Writer
	held    []heldFile // the first file, until it is clear that it is the only one
}

type heldFile struct {
	name string
	body []byte
}

// language writes one language's files. A key stands in every file that its labels place it in. A language without keys gets its empty
// file, unless labels name the files.
func (w *exportWriter) language(t template, code string, units []unit) error {
	byPath := map[string][]unit{}
	var order []string
	if len(t.prefixes()) == 0 {
		p := t.fill(code, nil)
		order, byPath[p] = []string{p}, units
	} else {
		for _, u := range units {
			for _, p := range t.paths(code, u.labels) {
				if byPath[p] == nil {
					order = append(order, p)
				}
				byPath[p] = append(byPath[p], u)
			}
		}
	}
	for _, p := range order {
		if why := unsafePath(p); why != "" {
			return refuse(422, "a label makes the file path %q, which %s; change the label or the template", p, why)
		}
		body, err := compose(w.x, byPath[p])
		if err != nil {
			return refuse(422, "%s: %v", p, err)
		}
		if err := w.file(p, body); err != nil {
			return err
		}
	}
	return nil
}

func (w *exportWriter) file(name string, body []byte) error {
	if !w.archive && w.zip == nil && len(w.held) == 0 {
		w.held = []heldFile{{name: name, body: body}}
		return nil
	}
	for _, h := range append(w.held, heldFile{name: name, body: body}) {
		if err := w.pack(h); err != nil {
			return err
		}
	}
	w.held = nil
	return nil
}

// fastest packs little worse, and takes a third of the time of what archives are packed with otherwise: most are read
// once, on this machine. An archive's files are packed one after the other, with one compressor.
func fastest(out io.Writer) *zip.Writer {
	var packer *flate.Writer
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		if packer != nil {
			packer.Reset(to)
			return packer, nil
		}
		var err error
		packer, err = flate.NewWriter(to, flate.BestSpeed)
		return packer, err
	})
	return z
}

func (w *exportWriter) pack(f heldFile) error {
	if w.zip == nil {
		w.zip = fastest(w.out)
	}
	to, err := w.zip.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: w.at})
	if err != nil {
		return err
	}
	_, err = to.Write(f.body)
	return err
}

// close writes what is held and says what the result is called.
func (w *exportWriter) close() (*resultFile, error) {
	if w.zip == nil && len(w.held) == 1 {
		_, err := w.out.Write(w.held[0].body)
		return &resultFile{Name: path.Base(w.held[0].name), ContentType: contentTypes[w.x.Format]}, err
	}
	if w.zip == nil {
		w.zip = fastest(w.out)
	}
	name := fmt.Sprintf("export-%s-%s.zip", w.at.Format("20060102-150405"), fileName(strings.Join(w.x.Collections, "-")))
	return &resultFile{Name: name, ContentType: "application/zip"}, w.zip.Close()
}

var contentTypes = map[wire.Format]string{
	wire.FormatJSON:           "application/json",
	wire.FormatStructuredJSON: "application/json",
	wire.FormatYAML:           "application/yaml",
	wire.FormatStructuredYAML: "application/yaml",
	wire.FormatIOSStrings:     "text/plain; charset=utf-8",
	wire.FormatAndroidXML:     "application/xml",
}

// fileName makes a piece of a file name from any text.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, s)
}
