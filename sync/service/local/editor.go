package local

import (
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// desk is one document in one language, open for work within a transaction. What was put is counted at once; the record is stored by close.
type editor struct {
	tx        *Tx
	project   *project
	document  *document
	rendition *rendition
	parsed    *segment.Document
	segments  []segment.Segment
	stored    targets
	memory    *memory // the project's writable one; nil: none
	changes   int
}

// openDesk opens a document in a language. It takes the bytes apart again: they are the only record of the segments.
func openEditor(tx *Tx, d *document, code string) (*editor, error) {
	p, err := projectIn(tx, d.Project)
	if err != nil {
		return nil, err
	}
	r := d.rendition(code)
	if r == nil {
		return nil, refuse(404, "the document %s is not in the language %s any more", d.Path, code)
	}
	return openEditorOf(tx, p, d, r)
}

func openEditorOf(tx *Tx, p *project, d *document, r *rendition) (*editor, error) {
	doc, err := segment.Parse(r.File, slices.Clone(sourceOf(tx, d, r)), segment.Options{Source: p.Source, Sheet: r.Sheet})
	if err != nil {
		return nil, fmt.Errorf("stored document %s: %w", d.ID, err)
	}
	k, err := newEditor(tx, p, d, r)
	if err != nil {
		return nil, err
	}
	k.parsed, k.segments = doc, doc.Segments()
	return k, nil
}

// newDesk opens a document whose bytes are yet to be set.
func newEditor(tx *Tx, p *project, d *document, r *rendition) (*editor, error) {
	stored, err := openTargets(tx, d, r.Code)
	if err != nil {
		return nil, err
	}
	k := &editor{tx: tx, project: p, document: d, rendition: r, stored: stored}
	if !tx.writable() {
		return k, nil
	}
	k.memory, err = writableMemory(tx, p, r.Code)
	return k, err
}

// source returns the bytes that the language is translated from.
func (k *editor) source() []byte {
	return sourceOf(k.tx, k.document, k.rendition)
}

// target returns the translation of segment i; nil where there is none.
func (k *editor) target(i int) (*target, error) {
	t, err := k.stored.get(i)
	if err != nil || t == nil || t.Source != digest(k.segments[i].Text) {
		return nil, err
	}
	return t, nil
}

// put stores a translation of segment i, counts it, and, when it is confirmed, remembers it in the project's writable memory. A translation
// that says what is there already changes nothing, not even its time.
func (k *editor) put(i int, t target) error {
	t.Stage = min(t.Stage, len(k.project.Stages))
	was, err := k.target(i)
	if err != nil {
		return err
	}
	if was != nil && was.Text == t.Text && was.Stage == t.Stage && was.Locked == t.Locked {
		return nil
	}
	t.Source, t.Changed = digest(k.segments[i].Text), k.tx.now()
	k.count(i, was, -1)
	k.count(i, &t, 1)
	k.changes++
	if err := k.stored.put(i, &t); err != nil {
		return err
	}
	if k.memory == nil || t.Stage == 0 || t.Origin == fromPseudo {
		return nil
	}
	return k.memory.remember(k.segments[i].Text, k.surroundings(i), k.rendition.Code, t.Text, t.Changed)
}

// surroundings are what stands around a segment.
func (k *editor) surroundings(i int) surroundings { return surroundingsOf(k.segments, i) }

func (k *editor) count(i int, t *target, sign int) {
	if t == nil {
		return
	}
	words := k.segments[i].Size().Words
	k.rendition.Translated.add(words, sign)
	for n := range min(t.Stage, len(k.rendition.Stages)) {
		k.rendition.Stages[n].add(words, sign)
	}
}

// setSegments gives the rendition another text to translate: its counts begin anew, and its translations go. It returns what they were.
func (k *editor) setSegments(doc *segment.Document) error {
	k.parsed, k.segments = doc, doc.Segments()
	k.rendition.Size, k.rendition.Translated, k.rendition.Stages = size{}, size{}, make([]size, len(k.project.Stages))
	for i := range k.segments {
		k.rendition.Size.add(k.segments[i].Size().Words, 1)
	}
	var err error
	k.stored, err = clearTargets(k.tx, k.document, k.rendition.Code)
	return err
}

// targets returns all translations by segment.
func (k *editor) targets() (map[int]*target, error) {
	out := make(map[int]*target)
	err := k.stored.each(func(i int) error {
		if i >= len(k.segments) {
			return nil
		}
		t, err := k.target(i)
		if t != nil {
			out[i] = t
		}
		return err
	})
	return out, err
}

// close stores the record, with the status that follows from what was put, and queues the notifications.
func (k *editor) close() error {
	switch done := len(k.rendition.Stages) > 0 && k.rendition.Size.Segments > 0 && k.rendition.Stages[len(k.rendition.Stages)-1].Segments == k.rendition.Size.Segments; {
	case k.changes == 0:
	case done:
		if err := k.setStatus(wire.DocumentCompleted); err != nil {
			return err
		}
	default:
		if err := k.setStatus(wire.DocumentInProgress); err != nil {
			return err
		}
	}
	if k.memory != nil {
		if err := k.memory.flush(); err != nil {
			return err
		}
	}
	return putDocument(k.tx, k.document)
}

// setStatus moves a rendition to a status, and its project, which is in progress from the first translation on.
func (k *editor) setStatus(status wire.DocumentStatus) error {
	if err := setDocumentStatus(k.tx, k.document, k.rendition, status); err != nil {
		return err
	}
	return projectBegins(k.tx, k.project)
}

func setDocumentStatus(tx *Tx, d *document, r *rendition, status wire.DocumentStatus) error {
	if r.Status == status {
		return nil
	}
	r.Status, r.StatusAt = status, tx.now()
	return notifyIn(tx, wire.CallbackDocumentStatus, d.compositeID(r.Code))
}

// projectBegins moves a project that was only created on.
func projectBegins(tx *Tx, p *project) error {
	if p.Status != wire.ProjectCreated {
		return nil
	}
	p.setStatus(wire.ProjectInProgress, tx.now())
	if err := notifyIn(tx, wire.CallbackProjectStatus, p.ID); err != nil {
		return err
	}
	return putProject(tx, p)
}
