package keys

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

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// unit is a key as one language's export has it.
type unit struct {
	*store.Row
	texts []store.Text
	items int // of a list's item in an Android export: how many items of the list are keys of the project
}

// selected is a row that an export asks for, with its number.
type selected struct {
	n          []byte
	collection int
	*store.Row
}

// runExport writes the files of an export, in an archive or alone, and ends the job. What cannot be written as asked,
// like a key that is another one's beginning in a nested format, ends the job as failed and says which key it is.
func (s *Service) runExport(_ context.Context, j *store.Job) error {
	x := j.Export
	t, err := readTemplate(x.Template)
	if err != nil {
		return err
	}
	result, err := s.jobs.NewResult(j.ID)
	if err != nil {
		return err
	}
	defer result.Drop()
	err = s.store.View(func(tx *store.Tx) error {
		rows, spaces, err := selectRows(x, tx, j.Project)
		if err != nil {
			return err
		}
		rows = s.late.rows(rows, j.Project, x.Collections, s.store.Now())
		pseudo, err := s.pseudoAt(tx, j.Project, x.State)
		if err != nil {
			return err
		}
		w := &exportWriter{x: x, log: s.log, at: time.Unix(0, s.store.Now()).UTC(), out: result.File, archive: x.Zip ||
			len(x.Languages) > 1}
		p, err := store.ProjectOf(tx, j.Project)
		if err != nil {
			return err
		}
		for _, code := range x.Languages {
			translation := func(r selected) (*store.Translation, error) {
				t, err := spaces[r.collection].Translation(code, r.n)
				return s.late.translation(t, r, j.Project, x.Collections, code, s.store.Now()), err
			}
			units, err := unitsOf(x, rows, translation, code, p != nil && p.Source == code, pseudo)
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
	if err := result.Keep(); err != nil {
		return err
	}
	err = s.store.Update(func(tx *store.Tx) error { return store.Finish(tx, j, wire.Completed) })
	s.log.Info("export", zap.String("id", j.ID), zap.String("project", j.Project), zap.Strings("languages", x.Languages),
		zap.String("file", j.Result.Name))
	return err
}

// selectRows selects the keys of all collections, in order. Of a key in two collections the one of the collection named
// first counts; of a key that is there as one text and as plural forms the younger one, but for Android, which has
// both.
func selectRows(x *store.ExportJob, tx *store.Tx, projectID string) (rows []selected, spaces []*store.Keyspace,
	err error) {
	only := make(map[string]bool, len(x.Keys))
	for _, key := range x.Keys {
		only[key] = true
	}
	at := make(map[string]int)
	for i, name := range x.Collections {
		k, err := store.OpenCollection(tx, projectID, name)
		if err != nil {
			return nil, nil, err
		}
		if k == nil {
			return nil, nil, api.Refuse(422, "the project or its collection %q was deleted before the export was done", name)
		}
		spaces = append(spaces, k)
		err = k.Each(nil, func(n []byte, r *store.Row) (bool, error) {
			if x.OnlyKeys && !only[r.Key] || len(x.Labels) > 0 && !slices.ContainsFunc(r.Labels,
				func(l string) bool { return slices.Contains(x.Labels, l) }) {
				return true, nil
			}
			id := r.Key
			if x.Format == wire.FormatAndroidXML {
				id = string(store.IndexKey(r.Key, r.Plural))
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
func (s *Service) pseudoAt(tx *store.Tx, projectID string, least store.State) (bool, error) {
	if !s.made.Trial {
		return true, nil
	}
	if least > store.Draft {
		return false, nil
	}
	for _, name := range store.CollectionNames(tx, projectID) {
		k, err := store.OpenCollection(tx, projectID, name)
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

// unitsOf are the keys that a language's export has, with the texts that stand for them.
func unitsOf(
	x *store.ExportJob, rows []selected, translation func(selected) (*store.Translation, error), code string,
	source, pseudo bool,
) ([]unit, error) {
	units := make([]unit, 0, len(rows))
	items := countItems(x, rows)
	for _, r := range rows {
		changed := r.Changed
		texts := r.Row.Texts
		if !source {
			t, err := translation(r)
			if err != nil {
				return nil, err
			}
			switch {
			case t == nil && r.Pseudo && pseudo:
				texts = pseudoTexts(r.Row.Texts, code)
			case t != nil && t.State >= x.State:
				texts = t.Texts
			default:
				texts = nil
			}
			if t != nil {
				changed = max(changed, t.Changed)
			}
		}
		if changed <= x.Since && x.Since > 0 {
			continue
		}
		if texts == nil {
			switch x.Incomplete {
			case store.IncompleteSkip:
				continue
			case store.IncompleteBlank:
				texts = blank(r.Row.Texts)
			default:
				texts = r.Row.Texts
			}
		}
		u := unit{Row: r.Row, texts: texts}
		if list, _, ok := listItem(u); ok {
			u.items = items[list]
		}
		units = append(units, u)
	}
	return units, nil
}

// countItems counts the items of each list that an Android export may have. Not all items of a list need be among
// them: only texts have keys.
func countItems(x *store.ExportJob, rows []selected) map[string]int {
	items := make(map[string]int)
	if x.Format != wire.FormatAndroidXML {
		return items
	}
	for _, r := range rows {
		if list, _, ok := listItem(unit{Row: r.Row}); ok {
			items[list]++
		}
	}
	return items
}

func blank(texts []store.Text) []store.Text {
	out := make([]store.Text, len(texts))
	for i, t := range texts {
		out[i].Form = t.Form
	}
	return out
}

// exportWriter writes files one after the other: into an archive, or, while there is but one, alone.
type exportWriter struct {
	log     *zap.Logger
	x       *store.ExportJob
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

// language writes one language's files. A key is written to every file that its labels name. A language without
// keys gets its empty file, unless labels name the files.
func (w *exportWriter) language(t template, code string, units []unit) error {
	byPath := map[string][]unit{}
	var order []string
	if len(t.prefixes()) == 0 {
		p := t.fill(code, nil)
		order, byPath[p] = []string{p}, units
	} else {
		for _, u := range units {
			for _, p := range t.paths(code, u.Labels) {
				if byPath[p] == nil {
					order = append(order, p)
				}
				byPath[p] = append(byPath[p], u)
			}
		}
	}
	for _, p := range order {
		if why := api.UnsafePath(p); why != "" {
			return api.Refuse(422, "a label makes the file path %q, which %s; change the label or the template", p, why)
		}
		body, lost, err := compose(w.x, byPath[p])
		if err != nil {
			return api.Refuse(422, "%s: %v", p, err)
		}
		for _, err := range lost {
			w.log.Warn("a key is left out of an export", zap.String("file", p), zap.Error(err))
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
func (w *exportWriter) close() (*store.ResultFile, error) {
	if w.zip == nil && len(w.held) == 1 {
		_, err := w.out.Write(w.held[0].body)
		return &store.ResultFile{Name: path.Base(w.held[0].name), ContentType: contentTypes[w.x.Format]}, err
	}
	if w.zip == nil {
		w.zip = fastest(w.out)
	}
	name := fmt.Sprintf("export-%s-%s.zip", w.at.Format("20060102-150405"),
		api.FileName(strings.Join(w.x.Collections, "-")))
	return &store.ResultFile{Name: name, ContentType: "application/zip"}, w.zip.Close()
}

var contentTypes = map[wire.Format]string{
	wire.FormatJSON:           "application/json",
	wire.FormatStructuredJSON: "application/json",
	wire.FormatYAML:           "application/yaml",
	wire.FormatStructuredYAML: "application/yaml",
	wire.FormatIOSStrings:     "text/plain; charset=utf-8",
	wire.FormatAndroidXML:     "application/xml",
}
