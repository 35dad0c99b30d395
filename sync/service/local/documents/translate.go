package documents

import (
	"context"
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// translateDocument answers PUT /v1/document/translate: the file is the document in its target language, in the same
// format. The work is done later; its state is asked for with GET …/translate/status.
func (s *Service) translateDocument(c *api.Call) error {
	overwrite, err := c.Params.Flag(wire.QueryOverwrite)
	if err != nil {
		return err
	}
	return s.acceptTranslation(c, &store.TranslationJob{Overwrite: overwrite})
}

// translateWithXLIFF answers PUT /v1/document/translateWithXliff: the file is from an export of type xliff. What was
// translated anew since that export stays, unless overwriteUpdatedSegments says otherwise.
func (s *Service) translateWithXLIFF(c *api.Call) error {
	overwrite, err := c.Params.Flag(wire.QueryOverwriteUpdated)
	if err != nil {
		return err
	}
	return s.acceptTranslation(c, &store.TranslationJob{XLIFF: true, Overwrite: overwrite})
}

func (s *Service) acceptTranslation(c *api.Call, in *store.TranslationJob) error {
	var err error
	if in.Confirm, err = c.Params.Flag(wire.QueryConfirmTranslation); err != nil {
		return err
	}
	_, sent, err := api.ModelAndFiles(c, api.MaxImport)
	if err != nil {
		return err
	}
	if len(sent) != 1 {
		return api.Invalid(wire.PartTranslationFile, "the body has %d files; send the one with the translation", len(sent))
	}
	in.File = sent[0].File
	err = s.store.Update(func(tx *store.Tx) error {
		at, err := DocumentParameter(tx, c.Params, true)
		if err != nil {
			return err
		}
		in.Document = at.Document.CompositeID(at.Codes[0])
		j := &store.Job{Project: at.Document.Project, Work: store.Work{Translation: in}}
		if err := s.jobs.StartIn(tx, j, [][]byte{sent[0].Body}); err != nil {
			return err
		}
		return store.PutTranslationJob(tx, in.Document, j)
	})
	if err != nil {
		return err
	}
	return c.Empty(http.StatusAccepted)
}

// lastTranslation is the last job that brought a translation into a document.
func lastTranslation(st *store.Store, c *api.Call) (j *store.Job, err error) {
	err = st.View(func(tx *store.Tx) error {
		at, err := DocumentParameter(tx, c.Params, true)
		if err != nil {
			return err
		}
		j, err = store.TranslationJobOf(tx, at.Document.CompositeID(at.Codes[0]))
		if err == nil && j == nil {
			err = api.Refuse(http.StatusNotFound, "no translation was brought into the document lately")
		}
		return err
	})
	return j, err
}

// translationStatus answers GET /v1/document/translate/status with one word.
func (s *Service) translationStatus(c *api.Call) error {
	j, err := lastTranslation(s.store, c)
	if err != nil {
		return err
	}
	state := wire.TaskStateInProgress
	switch j.Status {
	case wire.Completed:
		state = wire.TaskStateCompleted
	case wire.Failed:
		state = wire.TaskStateFaulted
	}
	return c.Answer(http.StatusOK, state)
}

// translationReport is what became of an uploaded translation.
type translationReport struct {
	Status  wire.TaskState `json:"status"`
	Changed int            `json:"changedSegments"`
	Kept    int            `json:"keptSegments"`
	Unknown int            `json:"unknownSegments"`
	Error   string         `json:"error,omitempty"`
}

// translationResult answers GET /v1/document/translate/result; 204 while the work is not done.
func (s *Service) translationResult(c *api.Call) error {
	j, err := lastTranslation(s.store, c)
	if err != nil {
		return err
	}
	out := translationReport{Status: wire.TaskStateCompleted, Changed: j.Translation.Changed, Kept: j.Translation.Kept,
		Unknown: j.Translation.Unknown, Error: j.Failure}
	switch j.Status {
	case wire.Completed:
	case wire.Failed:
		out.Status = wire.TaskStateFaulted
	default:
		return c.Empty(http.StatusNoContent)
	}
	return c.Answer(http.StatusOK, out)
}

// runTranslation brings the translation in and ends the job, in one transaction.
func (s *Service) runTranslation(ctx context.Context, j *store.Job) error {
	return s.store.Update(func(tx *store.Tx) error {
		in := j.Translation
		at, err := store.DocumentIn(tx, wire.QueryDocumentID, in.Document)
		if err != nil {
			return err
		}
		k, err := editor.Open(tx, at.Document, at.Codes[0])
		if err != nil {
			return err
		}
		body := store.Upload(tx, j, 0)
		if in.XLIFF {
			err = takeXLIFF(k, in, body)
		} else {
			err = takeTranslated(ctx, k, in, body)
		}
		if err != nil {
			return err
		}
		if err := k.Close(); err != nil {
			return err
		}
		if in.XLIFF {
			if err := store.NotifyIn(tx, wire.CallbackTranslationImport, in.Document); err != nil {
				return err
			}
		}
		return store.Finish(tx, j, wire.Completed)
	})
}

// takeTranslated takes the document in its target language apart and pairs its segments with those of the source: by
// key where they have keys, else by their position, for which both must have as many.
func takeTranslated(ctx context.Context, k *editor.Editor, in *store.TranslationJob, body []byte) error {
	name := in.File
	if _, known := segment.FormatOf(name); !known {
		name = k.Rendition.File
	}
	doc, err := editor.Parse(ctx, name, body, segment.Options{Source: k.Rendition.Code, Sheet: k.Rendition.Sheet})
	if err != nil {
		return api.Refuse(http.StatusUnprocessableEntity, "file: %q cannot be taken apart: %v", in.File, err)
	}
	theirs := doc.Segments()
	byKey := map[string]int{}
	for i, seg := range theirs {
		if seg.Key != "" {
			byKey[seg.Key] = i
		}
	}
	if len(byKey) == 0 && len(theirs) != len(k.Segments) {
		return api.Refuse(http.StatusUnprocessableEntity,
			"file: %q has %d segments where the document has %d, so that "+
				"it cannot be told which belongs to which; translate it with an XLIFF export instead",
			in.File, len(theirs), len(k.Segments))
	}
	found := 0
	for i, seg := range k.Segments {
		from := i
		if len(byKey) > 0 {
			var ok bool
			if from, ok = byKey[seg.Key]; !ok {
				continue
			}
		}
		found++
		text := theirs[from].Text
		if theirs[from].Target != "" {
			text = theirs[from].Target
		}
		if err := offerTranslation(k, in, i, text, 0, in.Overwrite); err != nil {
			return err
		}
	}
	in.Unknown = len(theirs) - found
	return nil
}

// offerTranslation stores a translation unless there is another one that is not to be overwritten. With the job's
// confirmation it is confirmed at the first stage.
func offerTranslation(k *editor.Editor, in *store.TranslationJob, i int, text string, stage int, overwrite bool) error {
	if err := k.Parsed.Accepts(i, text); err != nil {
		return api.Refuse(http.StatusUnprocessableEntity, "file: the translation %q of %q %v", api.Clip([]byte(text)),
			api.Clip([]byte(k.Segments[i].Text)), err)
	}
	was, err := k.Target(i)
	if err != nil {
		return err
	}
	t := store.Target{Text: text, Origin: store.FromFile, Stage: stage}
	if was != nil && was.Text == text {
		t = *was
		t.Stage = max(t.Stage, stage)
	}
	if in.Confirm {
		t.Stage = max(t.Stage, 1)
	}
	if was != nil && was.Text != text && was.Origin != store.FromPseudo && (!overwrite || was.Locked) {
		in.Kept++
		return nil
	}
	before := k.Changes
	if err := k.Put(i, t); err != nil {
		return err
	}
	in.Changed += k.Changes - before
	return nil
}

// takeXLIFF takes the translations of an XLIFF file that an export made. Units are told by their numbers; one whose
// source text is another one now is passed over, as is one without a translation.
func takeXLIFF(k *editor.Editor, in *store.TranslationJob, body []byte) error {
	if !strings.Contains(string(body[:min(len(body), 4096)]), "<xliff") {
		return api.Refuse(http.StatusUnprocessableEntity, "file: %q is not an XLIFF file", in.File)
	}
	x, err := readXLIFF(body)
	if err != nil {
		return api.Refuse(http.StatusUnprocessableEntity, "file: %q cannot be read: %v", in.File, err)
	}
	if x.Language != "" && !strings.EqualFold(x.Language, k.Rendition.Code) {
		return api.Refuse(http.StatusUnprocessableEntity, "file: %q is in %s, the document in %s", in.File, x.Language,
			k.Rendition.Code)
	}
	for _, u := range x.Units {
		i, ok := u.number()
		if !ok || i >= len(k.Segments) || u.Source != k.Segments[i].Text {
			in.Unknown++
			continue
		}
		if u.Target == "" {
			continue
		}
		was, err := k.Target(i)
		if err != nil {
			return err
		}
		fresh := was == nil || x.Date == 0 || was.Changed <= x.Date
		if err := offerTranslation(k, in, i, u.Target, u.stage(len(k.Project.Stages)), fresh || in.Overwrite); err != nil {
			return err
		}
	}
	return nil
}
