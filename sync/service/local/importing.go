package local

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/wire"
)

// importBatch is how many entries one transaction stores. The place where the next one starts is stored with them, so a crash
// repeats nothing that counts.
const importBatch = 5000

// maxEntries is how many keys the files of one import have in all.
const maxEntries = 600_000

// offer is what an import has for one key, all its files taken together.
type offer struct {
	entry
	labels []string // of the files that it is in
}

// runImport reads the files, stores what they offer, and ends the job.
func (s *keysService) runImport(ctx context.Context, j *job) error {
	in := j.Import
	bodies := make([][]byte, len(in.Files))
	err := s.store.view(func(tx *Tx) error {
		for i := range in.Files {
			bodies[i] = upload(tx, j, i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var read [][]entry
	var failed []wire.ImportError
	all := 0
	for i, f := range in.Files {
		entries, err := readFile(f, in, bodies[i])
		if all += len(entries); all > maxEntries && err == nil {
			all -= len(entries)
			err = fmt.Errorf("the files before it, and it, have more than %d keys; import it alone", maxEntries)
		}
		if err != nil {
			failed = append(failed, wire.ImportError{Error: err.Error(), FileName: f.Name})
			entries = nil
		}
		read = append(read, entries)
		bodies[i] = nil
	}
	if in.Done == 0 {
		in.Result.Errors = failed
		in.Result.FailedFileNames = nil
		for _, f := range failed {
			in.Result.FailedFileNames = append(in.Result.FailedFileNames, f.FileName)
		}
	}
	if len(failed) == len(in.Files) {
		return s.store.update(func(tx *Tx) error { return finish(tx, j, wire.Failed) })
	}
	offers, refused := gather(in, read)
	if in.Done == 0 {
		in.Result.ConflictingKeyValues = refused
	}
	sweep := in.DeleteMissing && len(failed) == 0 // a file that could not be read says nothing about its keys
	if err := s.storeOffers(ctx, j, offers, !sweep); err != nil || ctx.Err() != nil {
		return err
	}
	if sweep {
		if err := s.deleteMissing(ctx, j, offers); err != nil || ctx.Err() != nil {
			return err
		}
	}
	s.log.Info("import", zap.String("id", j.ID), zap.String("project", j.Project), zap.String("collection", in.Collection), zap.String("language", in.Language),
		zap.Int("created", j.Import.Result.KeysCreated), zap.Int("updated", j.Import.Result.KeysUpdated), zap.Int("files failed", len(failed)))
	return nil
}

// gather brings the entries of all files together, in order, one offer for a key. A key that is there twice is never dropped in silence:
// within one file the last one counts, as for every program that reads it; between files the last one counts when conflicts
// are overwritten, else the first. What does not count is listed, unless it is the same or the caller asked to overwrite between files.
func gather(in *importJob, read [][]entry) (offers []offer, refused map[string][]string) {
	refused = map[string][]string{}
	at := make(map[string]int)
	from := make(map[string]int)
	for file, entries := range read {
		labels := slices.Clone(in.Labels)
		if in.FileLabels && in.Source {
			labels = union(labels, []string{"file:" + path.Base(in.Files[file].Name)})
		}
		for _, e := range entries {
			id := string(indexKey(e.key, e.plural))
			i, again := at[id]
			if !again {
				at[id], from[id] = len(offers), file
				offers = append(offers, offer{e, labels})
				continue
			}
			was := &offers[i]
			was.labels = union(was.labels, labels)
			if slices.Equal(was.texts, e.texts) {
				continue
			}
			inOneFile := from[id] == file
			if inOneFile || in.Conflicts == overwriteConflicts {
				if inOneFile {
					refused[e.key] = append(refused[e.key], inOneText(was.texts))
				}
				was.entry, from[id] = e, file
			} else {
				refused[e.key] = append(refused[e.key], inOneText(e.texts))
			}
		}
	}
	return offers, refused
}

// batch runs one transaction of an import on a copy of its record, which takes the record's place when the transaction is on the disk.
// In the transaction that says so the job ends.
func (s *keysService) batch(j *job, do func(im *importer) (ends bool, err error)) error {
	next, in := *j, *j.Import
	in.Result.ConflictingKeyValues = maps.Clone(in.Result.ConflictingKeyValues)
	next.Import = &in
	err := s.store.update(func(tx *Tx) error {
		im, err := s.openImporter(tx, &next)
		if err != nil {
			return err
		}
		ends, err := do(im)
		if err != nil {
			return err
		}
		if err := im.save(); err != nil {
			return err
		}
		if ends {
			return finish(tx, &next, wire.Completed)
		}
		return putJob(tx, &next)
	})
	if err == nil {
		*j = next
	}
	return err
}

// storeOffers stores the offers from Done on. With last, the job ends with them.
func (s *keysService) storeOffers(ctx context.Context, j *job, offers []offer, last bool) error {
	for ctx.Err() == nil {
		end := min(j.Import.Done+importBatch, len(offers))
		err := s.batch(j, func(im *importer) (bool, error) {
			for _, o := range offers[im.in.Done:end] {
				if err := im.store(o); err != nil {
					return false, fmt.Errorf("key %q: %w", o.key, err)
				}
			}
			im.in.Done = end
			return last && end == len(offers), nil
		})
		if err != nil || end == len(offers) {
			return err
		}
	}
	return nil
}

// deleteMissing deletes the collection's keys that no file has, and ends the job.
func (s *keysService) deleteMissing(ctx context.Context, j *job, offers []offer) error {
	have := make(map[string]bool, len(offers))
	for _, o := range offers {
		have[string(indexKey(o.key, o.plural))] = true
		if !o.kinds {
			have[string(indexKey(o.key, true))] = true
		}
	}
	var after []byte
	for done := false; !done && ctx.Err() == nil; {
		err := s.batch(j, func(im *importer) (bool, error) {
			var gone [][]byte
			var rows []*row
			done = true
			err := im.k.each(after, func(n []byte, r *row) (bool, error) {
				if len(gone) == importBatch {
					done = false
					return false, nil
				}
				after = slices.Clone(n)
				if !have[string(indexKey(r.key, r.plural))] {
					gone, rows = append(gone, after), append(rows, r)
				}
				return true, nil
			})
			if err != nil {
				return false, err
			}
			for i, n := range gone {
				if err := im.k.remove(n, rows[i]); err != nil {
					return false, fmt.Errorf("delete key %q: %w", rows[i].key, err)
				}
			}
			im.in.Result.KeysDeleted += len(gone)
			return done, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// importer stores offers within one transaction.
type importer struct {
	in      *importJob
	tx      *Tx
	project *project
	k       *keyspace
	now     int64
	pseudo  bool
}

func (s *keysService) openImporter(tx *Tx, j *job) (*importer, error) {
	p, err := projectOf(tx, j.Project)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, refuse(http.StatusForbidden, "the project was deleted before the import was done")
	}
	k, err := openCollection(tx, p.ID, j.Import.Collection)
	if err != nil {
		return nil, err
	}
	if k == nil {
		return nil, refuse(http.StatusForbidden, "the collection %q was deleted before the import was done", j.Import.Collection)
	}
	return &importer{j.Import, tx, p, k, s.store.now(), s.made.On}, nil
}

// save writes the collection's record, and says of a project that has its first keys that it is in progress.
func (im *importer) save() error {
	if im.project.Status == wire.ProjectCreated && im.k.Keys > 0 {
		im.project.setStatus(wire.ProjectInProgress, im.now)
		if err := putProject(im.tx, im.project); err != nil {
			return err
		}
	}
	return im.k.save()
}

func (im *importer) store(o offer) error {
	if !im.in.Source {
		return im.storeTranslation(im.in.Language, o)
	}
	if err := im.storeSource(o); err != nil {
		return err
	}
	if o.target == nil || im.in.Target == "" {
		return nil
	}
	o.texts = o.target
	return im.storeTranslation(im.in.Target, o)
}

// row finds the row that an offer is for, and the offer's texts as that row has them. A format that knows no plurals offers an ICU message
// for a key whose texts are plural forms.
func (im *importer) row(o offer) (n []byte, r *row, texts []text, err error) {
	if n, r, err = im.k.find(o.key, o.plural); r != nil || err != nil || o.kinds {
		return n, r, o.texts, err
	}
	if n, r, err = im.k.find(o.key, true); r == nil {
		return nil, nil, nil, err
	}
	return n, r, inForms(o.texts[0].value), nil
}

// storeSource stores an offer in the source language.
func (im *importer) storeSource(o offer) error {
	n, r, texts, err := im.row(o)
	if err != nil {
		return err
	}
	result := &im.in.Result
	if r == nil {
		result.KeysCreated++
		return im.k.add(&row{key: o.key, plural: o.plural, pseudo: im.pseudo, changed: im.now, texts: o.texts, labels: slices.Sorted(slices.Values(o.labels)),
			note: o.note, lists: o.lists})
	}
	changed := im.label(r, o.labels)
	same := slices.Equal(r.texts, texts)
	switch {
	case same:
		result.KeyValuesNotChanged++
	case im.in.Conflicts == reportConflicts:
		im.refuse(o)
	case im.in.Conflicts == skipConflicts:
		result.KeyValuesNotChanged++
	default:
		result.KeysUpdated++
		r.texts, r.changed, same, changed = texts, im.now, true, true
		if err := im.k.unconfirm(n, r, im.now); err != nil {
			return err
		}
	}
	if same && (r.note != o.note || !slices.Equal(r.lists, o.lists)) {
		r.note, r.lists, changed = o.note, o.lists, true
	}
	if !changed {
		return nil
	}
	return im.k.put(n, r)
}

// storeTranslation stores an offer in a target language. A pseudo-translation is never stored, so anything that is offered comes
// before it.
func (im *importer) storeTranslation(code string, o offer) error {
	n, r, texts, err := im.row(o)
	if err != nil {
		return err
	}
	result := &im.in.Result
	if r == nil {
		result.KeysWithoutSource++
		return nil
	}
	if im.label(r, o.labels) {
		if err := im.k.put(n, r); err != nil {
			return err
		}
	}
	was, err := im.k.translation(code, n)
	if err != nil {
		return err
	}
	is := &translation{state: im.project.level(im.in.State), changed: im.now, texts: texts}
	switch {
	case was == nil:
		result.KeysUpdated++
	case slices.Equal(was.texts, texts):
		result.KeyValuesNotChanged++
		if is.state <= was.state {
			return nil
		}
	case im.in.Conflicts == reportConflicts:
		im.refuse(o)
		return nil
	case im.in.Conflicts == skipConflicts:
		result.KeyValuesNotChanged++
		return nil
	default:
		result.KeysUpdated++
	}
	return im.k.translate(code, n, r, was, is)
}

// refuse lists an offer that was not taken.
func (im *importer) refuse(o offer) {
	m := im.in.Result.ConflictingKeyValues
	if m == nil {
		m = map[string][]string{}
		im.in.Result.ConflictingKeyValues = m
	}
	m[o.key] = append(slices.Clip(m[o.key]), inOneText(o.texts))
}

// label adds labels to a row and says whether it lacked any.
func (im *importer) label(r *row, labels []string) bool {
	more := union(r.labels, labels)
	if len(more) == len(r.labels) {
		return false
	}
	slices.Sort(more)
	r.labels, r.changed = more, im.now
	return true
}
