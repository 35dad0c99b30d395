package keys

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// importBatch is how many entries one transaction stores. Where the next one starts is stored with them, so a crash
// repeats nothing that counts.
const importBatch = 5000

// maxEntries is how many keys the files of one import have in all.
const maxEntries = 600_000

// offer is what an import has for one key, all its files taken together.
type offer struct {
	entry
	labels []string // of the files that it is in
	file   int
}

// runImport reads the files, stores what they offer, and ends the job.
func (s *Service) runImport(ctx context.Context, j *store.Job) error {
	in := j.Import
	bodies := make([][]byte, len(in.Files))
	err := s.store.View(func(tx *store.Tx) error {
		for i := range in.Files {
			bodies[i] = store.Upload(tx, j, i)
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
		return s.store.Update(func(tx *store.Tx) error { return store.Finish(tx, j, wire.Failed) })
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
	s.log.Info("import", zap.String("id", j.ID), zap.String("project", j.Project), zap.String("collection",
		in.Collection), zap.String("language", in.Language),
		zap.Int("created", j.Import.Result.KeysCreated), zap.Int("updated", j.Import.Result.KeysUpdated),
		zap.Int("files failed", len(failed)))
	return nil
}

// gather brings the entries of all files together, in order, one offer for a key. A key that is there twice is never
// dropped in silence: within one file the last one counts, as for every program that reads it; between files the last
// one counts when conflicts are overwritten, else the first. What does not count is listed, unless it is the same or
// the caller asked to overwrite between files.
func gather(in *store.ImportJob, read [][]entry) (offers []offer, refused map[string][]string) {
	refused = map[string][]string{}
	at := make(map[string]int)
	from := make(map[string]int)
	for file, entries := range read {
		labels := slices.Clone(in.Labels)
		if in.FileLabels && in.Source {
			labels = api.Union(labels, []string{"file:" + path.Base(in.Files[file].Name)})
		}
		for _, e := range entries {
			id := string(store.IndexKey(e.key, e.plural))
			i, again := at[id]
			if !again {
				at[id], from[id] = len(offers), file
				offers = append(offers, offer{e, labels, file})
				continue
			}
			was := &offers[i]
			was.labels = api.Union(was.labels, labels)
			if slices.Equal(was.texts, e.texts) {
				continue
			}
			inOneFile := from[id] == file
			if inOneFile || in.Conflicts == store.OverwriteConflicts {
				if inOneFile {
					refused[e.key] = append(refused[e.key], inOneText(was.texts))
				}
				was.entry, was.file, from[id] = e, file, file
			} else {
				refused[e.key] = append(refused[e.key], inOneText(e.texts))
			}
		}
	}
	return offers, refused
}

// batch runs one transaction of an import on a copy of its record, which takes the record's place when the
// transaction is on the disk. In the transaction that says so the job ends.
func (s *Service) batch(j *store.Job, do func(im *importer) (ends bool, err error)) error {
	next, in := *j, *j.Import
	in.Result.ConflictingKeyValues = maps.Clone(in.Result.ConflictingKeyValues)
	next.Import = &in
	err := s.store.Update(func(tx *store.Tx) error {
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
			return store.Finish(tx, &next, wire.Completed)
		}
		return store.PutJob(tx, &next)
	})
	if err == nil {
		*j = next
	}
	return err
}

// storeOffers stores the offers from Done on. With last, the job ends with them.
func (s *Service) storeOffers(ctx context.Context, j *store.Job, offers []offer, last bool) error {
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
func (s *Service) deleteMissing(ctx context.Context, j *store.Job, offers []offer) error {
	have := make(map[string]bool, len(offers))
	for _, o := range offers {
		have[string(store.IndexKey(o.key, o.plural))] = true
		if !o.kinds {
			have[string(store.IndexKey(o.key, true))] = true
		}
	}
	var after []byte
	for done := false; !done && ctx.Err() == nil; {
		err := s.batch(j, func(im *importer) (bool, error) {
			var gone [][]byte
			var rows []*store.Row
			done = true
			err := im.k.Each(after, func(n []byte, r *store.Row) (bool, error) {
				if len(gone) == importBatch {
					done = false
					return false, nil
				}
				after = slices.Clone(n)
				if !have[string(store.IndexKey(r.Key, r.Plural))] {
					gone, rows = append(gone, after), append(rows, r)
				}
				return true, nil
			})
			if err != nil {
				return false, err
			}
			for i, n := range gone {
				if err := im.k.Remove(n, rows[i]); err != nil {
					return false, fmt.Errorf("delete key %q: %w", rows[i].Key, err)
				}
			}
			im.in.Result.KeysDeleted += len(gone)
			what := store.Noted{Project: j.Project, Collection: im.in.Collection, Count: len(gone)}
			for _, r := range rows {
				what.Keys = append(what.Keys, r.Key)
			}
			if len(gone) > 0 {
				err = store.PutNote(im.tx, store.NotedKeysDeleted, "", what)
			}
			return done, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// importer stores offers within one transaction.
type importer struct {
	in      *store.ImportJob
	tx      *store.Tx
	project *store.Project
	k       *store.Keyspace
	now     int64
	pseudo  bool
	late    *late
	memory  *store.Memory // the project's; nil: nothing was noted in it yet
	news    store.News    // of source texts
}

func (s *Service) openImporter(tx *store.Tx, j *store.Job) (*importer, error) {
	p, err := store.ProjectOf(tx, j.Project)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, api.Refuse(http.StatusForbidden, "the project was deleted before the import was done")
	}
	k, err := store.OpenCollection(tx, p.ID, j.Import.Collection)
	if err != nil {
		return nil, err
	}
	if k == nil {
		return nil, api.Refuse(http.StatusForbidden, "the collection %q was deleted before the import was done",
			j.Import.Collection)
	}
	return &importer{in: j.Import, tx: tx, project: p, k: k, now: s.store.Now(), pseudo: s.made.On, late: s.late}, nil
}

// save writes the collection's record, and says of a project that has its first keys that it is in progress.
func (im *importer) save() error {
	if im.project.Status == wire.ProjectCreated && im.k.Keys > 0 {
		im.project.SetStatus(wire.ProjectInProgress, im.now)
		if err := store.PutProject(im.tx, im.project); err != nil {
			return err
		}
	}
	if im.memory != nil {
		if err := im.memory.Flush(); err != nil {
			return err
		}
	}
	if im.news.New+im.news.Changed > 0 {
		im.news.Kind, im.news.Project, im.news.Collection = store.NewsTexts, im.project.ID, im.in.Collection
		if err := store.PutNews(im.tx, im.news); err != nil {
			return err
		}
	}
	return im.k.Save()
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

// row finds the row that an offer is for, and the offer's texts as that row has them. A format that knows no plurals
// offers an ICU message for a key whose texts are plural forms.
func (im *importer) row(o offer, find func(key string, plural bool) ([]byte, *store.Row, error),
) (n []byte, r *store.Row, texts []store.Text, err error) {
	if n, r, err = find(o.key, o.plural); r != nil || err != nil || o.kinds {
		return n, r, o.texts, err
	}
	if n, r, err = find(o.key, true); r == nil {
		return nil, nil, nil, err
	}
	return n, r, inForms(o.texts[0].Value), nil
}

// storeSource stores an offer in the source language.
func (im *importer) storeSource(o offer) error {
	n, r, texts, err := im.row(o, im.k.Find)
	if err != nil {
		return err
	}
	result := &im.in.Result
	if im.cannotHold(o, o.format, texts) {
		return nil
	}
	if r == nil {
		im.replaces(o.key, o.plural, "", lateChange{})
		if n, r, texts, err = im.row(o, im.k.Restore); err != nil {
			return err
		} else if r != nil {
			return im.comesBack(o, n, r, texts)
		}
		im.tells(&im.news.New, o.key)
		result.KeysCreated++
		r = &store.Row{Key: o.key, Plural: o.plural, Pseudo: im.pseudo, Changed: im.now, Texts: o.texts,
			Labels: slices.Sorted(slices.Values(o.labels))}
		im.describe(r, o)
		return im.k.Add(r)
	}
	changed := im.label(r, o.labels)
	same := slices.Equal(r.Texts, texts)
	switch {
	case same:
		result.KeyValuesNotChanged++
	case im.in.Conflicts == store.ReportConflicts:
		im.refuse(o)
	case im.in.Conflicts == store.SkipConflicts:
		result.KeyValuesNotChanged++
	default:
		result.KeysUpdated++
		im.tells(&im.news.Changed, o.key)
		was := r.Texts
		im.replaces(r.Key, r.Plural, "", lateChange{texts: was})
		r.Texts, r.Changed, same, changed = texts, im.now, true, true
		if err := im.k.Unconfirm(n, r, was, im.now); err != nil {
			return err
		}
	}
	changed = same && im.describe(r, o) || changed
	if !changed {
		return nil
	}
	return im.k.Put(n, r)
}

// describe has a row say what an offer does beside its texts, and reports whether that is new.
func (im *importer) describe(r *store.Row, o offer) bool {
	note, lists, format, file := r.Note, r.Lists, r.Format, r.File
	r.Note, r.Lists, r.Format, r.File = o.note, o.lists, o.format, im.in.Files[o.file].Name
	return r.Note != note || !slices.Equal(r.Lists, lists) || r.Format != format || r.File != file
}

// mostTold is how many keys the news of a transaction name.
const mostTold = 10

// tells counts a source text for the news.
func (im *importer) tells(count *int, key string) {
	*count++
	if len(im.news.Keys) < mostTold {
		im.news.Keys = append(im.news.Keys, key)
	}
}

// comesBack stores an offer in the source language for a key that was archived, which then is as it was, but for a
// text that has changed since.
func (im *importer) comesBack(o offer, n []byte, r *store.Row, texts []store.Text) error {
	im.in.Result.KeysCreated++
	im.tells(&im.news.New, o.key)
	im.label(r, o.labels)
	was := r.Texts
	changed := !slices.Equal(was, texts)
	r.Texts, r.Changed = texts, im.now
	im.describe(r, o)
	if changed {
		if err := im.k.Unconfirm(n, r, was, im.now); err != nil {
			return err
		}
	}
	return im.k.Put(n, r)
}

// storeTranslation stores an offer in a target language. A pseudo-translation is never stored, so anything that is
// offered comes before it.
func (im *importer) storeTranslation(code string, o offer) error {
	n, r, texts, err := im.row(o, im.k.Find)
	if err != nil {
		return err
	}
	result := &im.in.Result
	if r == nil {
		result.KeysWithoutSource++
		return nil
	}
	if im.cannotHold(o, r.Format, texts) {
		return nil
	}
	if im.label(r, o.labels) {
		if err := im.k.Put(n, r); err != nil {
			return err
		}
	}
	was, err := im.k.Translation(code, n)
	if err != nil {
		return err
	}
	is := &store.Translation{State: im.project.Level(im.in.State), Changed: im.now, Texts: texts}
	outcome, err := Put(im.k, code, n, r, is, im.in.Conflicts)
	raised := outcome == Same && was.State < is.State
	if err == nil && is.State != store.Draft && (outcome == Changed || raised) {
		err = im.remember(code, r, is)
	}
	switch outcome {
	case Changed:
		result.KeysUpdated++
		im.replaces(r.Key, r.Plural, code, lateChange{translation: was})
	case Refused:
		im.refuse(o)
	default:
		result.KeyValuesNotChanged++
	}
	return err
}

// remember notes a confirmed translation in the project's memory.
func (im *importer) remember(code string, r *store.Row, is *store.Translation) (err error) {
	if im.memory == nil {
		if im.memory, err = store.OwnMemory(im.tx, im.project); err != nil {
			return err
		}
	}
	return Remember(im.memory, code, r, is)
}

// replaces notes a text that exports show for a while yet.
func (im *importer) replaces(key string, plural bool, language string, before lateChange) {
	of := lateText{im.project.ID, im.in.Collection, string(store.IndexKey(key, plural)), language}
	im.late.replace(of, before, im.now)
}

// maxRefusals is how many keys a result names that cannot be held.
const maxRefusals = 100

// cannotHold lists an offer that the format of its source file cannot hold, which is not taken. All others are.
func (im *importer) cannotHold(o offer, format wire.Format, texts []store.Text) bool {
	why := Refusal(o.key, format, append([]store.Text{{Value: o.key}}, texts...))
	if why != "" && len(im.in.Result.Errors) < maxRefusals {
		name := im.in.Files[o.file].Name
		im.in.Result.Errors = append(slices.Clip(im.in.Result.Errors), wire.ImportError{Error: why, FileName: name})
	}
	return why != ""
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
func (im *importer) label(r *store.Row, labels []string) bool {
	more := api.Union(r.Labels, labels)
	if len(more) == len(r.Labels) {
		return false
	}
	slices.Sort(more)
	r.Labels, r.Changed = more, im.now
	return true
}
