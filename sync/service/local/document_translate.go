package local

import (
	"context"
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// translationJob brings an uploaded translation into a document. Its file is the job's only upload.
type translationJob struct {
	Document  string `json:"document"` // composite
	File      string `json:"file"`
	XLIFF     bool   `json:"xliff,omitempty"` // it is one from an export, not the document in another language
	Overwrite bool   `json:"overwrite,omitempty"`
	Confirm   bool   `json:"confirm,omitempty"`
	Changed   int    `json:"changed"`
	Kept      int    `json:"kept"`    // segments that have another translation, which stays
	Unknown   int    `json:"unknown"` // texts of the file that the document does not have (any more)
}

// translateDocument answers PUT /v1/document/translate: the file is the document in its target language, in the same format. The work is
// done later; its state is asked for with GET …/translate/status.
func (s *documentsService) translateDocument(c *call) error {
	overwrite, err := c.params.flag(wire.QueryOverwrite)
	if err != nil {
		return err
	}
	return s.acceptTranslation(c, &translationJob{Overwrite: overwrite})
}

// translateWithXLIFF answers PUT /v1/document/translateWithXliff: the file is from an export of type xliff. What was translated anew since that
// export stays, unless overwriteUpdatedSegments says otherwise.
func (s *documentsService) translateWithXLIFF(c *call) error {
	overwrite, err := c.params.flag(wire.QueryOverwriteUpdated)
	if err != nil {
		return err
	}
	return s.acceptTranslation(c, &translationJob{XLIFF: true, Overwrite: overwrite})
}

func (s *documentsService) acceptTranslation(c *call, in *translationJob) error {
	var err error
	if in.Confirm, err = c.params.flag(wire.QueryConfirmTranslation); err != nil {
		return err
	}
	_, sent, err := modelAndFiles(c, maxImport)
	if err != nil {
		return err
	}
	if len(sent) != 1 {
		return invalid(wire.PartTranslationFile, "the body has %d files; send the one with the translation", len(sent))
	}
	in.File = sent[0].file
	err = s.store.update(func(tx *Tx) error {
		at, err := documentParameter(tx, c.params, true)
		if err != nil {
			return err
		}
		in.Document = at.document.compositeID(at.codes[0])
		j := &job{Project: at.document.Project, work: work{Translation: in}}
		if err := s.jobs.startIn(tx, j, [][]byte{sent[0].body}); err != nil {
			return err
		}
		return putTranslationJob(tx, in.Document, j)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusAccepted)
}

// lastTranslation is the last job that brought a translation into a document.
func (s *documentsService) lastTranslation(c *call) (j *job, err error) {
	err = s.store.view(func(tx *Tx) error {
		at, err := documentParameter(tx, c.params, true)
		if err != nil {
			return err
		}
		j, err = translationJobOf(tx, at.document.compositeID(at.codes[0]))
		if err == nil && j == nil {
			err = refuse(http.StatusNotFound, "no translation was brought into the document lately")
		}
		return err
	})
	return j, err
}

// translationStatus answers GET /v1/document/translate/status with one word.
func (s *documentsService) translationStatus(c *call) error {
	j, err := s.lastTranslation(c)
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
	return c.json(http.StatusOK, state)
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
func (s *documentsService) translationResult(c *call) error {
	j, err := s.lastTranslation(c)
	if err != nil {
		return err
	}
	out := translationReport{Status: wire.TaskStateCompleted, Changed: j.Translation.Changed, Kept: j.Translation.Kept, Unknown: j.Translation.Unknown, Error: j.Failure}
	switch j.Status {
	case wire.Completed:
	case wire.Failed:
		out.Status = wire.TaskStateFaulted
	default:
		return c.empty(http.StatusNoContent)
	}
	return c.json(http.StatusOK, out)
}

// runTranslation brings the translation in and ends the job, in one transaction.
func (s *documentsService) runTranslation(_ context.Context, j *job) error {
	return s.store.update(func(tx *Tx) error {
		in := j.Translation
		at, err := documentIn(tx, wire.QueryDocumentID, in.Document)
		if err != nil {
			return err
		}
		k, err := openEditor(tx, at.document, at.codes[0])
		if err != nil {
			return err
		}
		body := upload(tx, j, 0)
		if in.XLIFF {
			err = takeXLIFF(k, in, body)
		} else {
			err = takeTranslated(k, in, body)
		}
		if err != nil {
			return err
		}
		if err := k.close(); err != nil {
			return err
		}
		if in.XLIFF {
			if err := notifyIn(tx, wire.CallbackTranslationImport, in.Document); err != nil {
				return err
			}
		}
		return finish(tx, j, wire.Completed)
	})
}

// takeTranslated takes the document in its target language apart and pairs its segments with those of the source: by key where they have
// keys, else by their place, for which both must have as many.
func takeTranslated(k *editor, in *translationJob, body []byte) error {
	name := in.File
	if _, known := segment.FormatOf(name); !known {
		name = k.rendition.File
	}
	doc, err := segment.Parse(name, body, segment.Options{Source: k.rendition.Code, Sheet: k.rendition.Sheet})
	if err != nil {
		return refuse(http.StatusUnprocessableEntity, "file: %q cannot be taken apart: %v", in.File, err)
	}
	theirs := doc.Segments()
	byKey := map[string]int{}
	for i, seg := range theirs {
		if seg.Key != "" {
			byKey[seg.Key] = i
		}
	}
	if len(byKey) == 0 && len(theirs) != len(k.segments) {
		return refuse(http.StatusUnprocessableEntity, "file: %q has %d segments where the document has %d, so that nobody can tell which belongs to which; translate it with an XLIFF export instead",
			in.File, len(theirs), len(k.segments))
	}
	found := 0
	for i, seg := range k.segments {
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

// offer stores a translation unless there is another one that is not to be overwritten. With the job's confirmation it is confirmed at the first stage.
func offerTranslation(k *editor, in *translationJob, i int, text string, stage int, overwrite bool) error {
	if err := k.parsed.Accepts(i, text); err != nil {
		return refuse(http.StatusUnprocessableEntity, "file: the translation %q of %q %v", clip([]byte(text)), clip([]byte(k.segments[i].Text)), err)
	}
	was, err := k.target(i)
	if err != nil {
		return err
	}
	t := target{Text: text, Origin: fromFile, Stage: stage}
	if was != nil && was.Text == text {
		t = *was
		t.Stage = max(t.Stage, stage)
	}
	if in.Confirm {
		t.Stage = max(t.Stage, 1)
	}
	if was != nil && was.Text != text && was.Origin != fromPseudo && (!overwrite || was.Locked) {
		in.Kept++
		return nil
	}
	before := k.changes
	if err := k.put(i, t); err != nil {
		return err
	}
	in.Changed += k.changes - before
	return nil
}

// takeXLIFF takes the translations of an XLIFF file that an export made. Units are told by their numbers; one whose source text is another one now
// is passed over, as is one without a translation.
func takeXLIFF(k *editor, in *translationJob, body []byte) error {
	if !strings.Contains(string(body[:min(len(body), 4096)]), "<xliff") {
		return refuse(http.StatusUnprocessableEntity, "file: %q is not an XLIFF file", in.File)
	}
	x, err := readXLIFF(body)
	if err != nil {
		return refuse(http.StatusUnprocessableEntity, "file: %q cannot be read: %v", in.File, err)
	}
	if x.Language != "" && !strings.EqualFold(x.Language, k.rendition.Code) {
		return refuse(http.StatusUnprocessableEntity, "file: %q is in %s, the document in %s", in.File, x.Language, k.rendition.Code)
	}
	for _, u := range x.Units {
		i, ok := u.number()
		if !ok || i >= len(k.segments) || u.Source != k.segments[i].Text {
			in.Unknown++
			continue
		}
		if u.Target == "" {
			continue
		}
		was, err := k.target(i)
		if err != nil {
			return err
		}
		fresh := was == nil || x.Date == 0 || was.Changed <= x.Date
		if err := offerTranslation(k, in, i, u.Target, u.stage(len(k.project.Stages)), fresh || in.Overwrite); err != nil {
			return err
		}
	}
	return nil
}
