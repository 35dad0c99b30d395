// Package editor opens one document in one language for work within a transaction: its segments, their translations,
// the counts that follow from them, and the memory that confirmed ones go to.
//
// Its law: what is put is counted at once, and a translation that says what is there already changes nothing, not
// even its time. It does not decide which translation is the better one: those who put it do.
package editor

import (
	"context"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/terms"
	"github.com/locsync/locsync/sync/service/wire"
)

// Editor is one document in one language, open for work within a transaction. What was put is counted at once; the
// record is stored by close.
type Editor struct {
	Tx        *store.Tx
	Project   *store.Project
	Document  *store.Document
	Rendition *store.Rendition
	Parsed    *segment.Document
	Segments  []segment.Segment
	stored    store.Targets
	memory    *store.Memory // the project's writable one; nil: none
	terms     *terms.Terms  // nil: not read yet
	Changes   int
}

// Terms are those of the project's glossaries in the document's languages.
func (k *Editor) Terms() (_ *terms.Terms, err error) {
	if k.terms == nil {
		k.terms, err = terms.Of(k.Tx, k.Project, k.Rendition.Code)
	}
	return k.terms, err
}

// Open opens a document in a language. It takes the bytes apart again: they are the only record of the segments.
func Open(tx *store.Tx, d *store.Document, code string) (*Editor, error) {
	p, err := store.ProjectIn(tx, d.Project)
	if err != nil {
		return nil, err
	}
	r := d.Rendition(code)
	if r == nil {
		return nil, api.Refuse(404, "the document %s is not in the language %s any more", d.Path, code)
	}
	return OpenRendition(tx, p, d, r)
}

func OpenRendition(tx *store.Tx, p *store.Project, d *store.Document, r *store.Rendition) (*Editor, error) {
	doc, err := Parse(context.Background(), r.File, slices.Clone(store.SourceOf(tx, d, r)),
		segment.Options{Source: p.Source, Sheet: r.Sheet})
	if err != nil {
		return nil, fmt.Errorf("stored document %s: %w", d.ID, err)
	}
	k, err := New(tx, p, d, r)
	if err != nil {
		return nil, err
	}
	k.Parsed, k.Segments = doc, doc.Segments()
	return k, nil
}

// New opens a document whose bytes are yet to be set.
func New(tx *store.Tx, p *store.Project, d *store.Document, r *store.Rendition) (*Editor, error) {
	stored, err := store.OpenTargets(tx, d, r.Code)
	if err != nil {
		return nil, err
	}
	k := &Editor{Tx: tx, Project: p, Document: d, Rendition: r, stored: stored}
	if !tx.Writable() {
		return k, nil
	}
	k.memory, err = store.WritableMemory(tx, p, r.Code)
	return k, err
}

// Source returns the bytes that the language is translated from.
func (k *Editor) Source() []byte {
	return store.SourceOf(k.Tx, k.Document, k.Rendition)
}

// Target returns the translation of segment i; nil where there is none.
func (k *Editor) Target(i int) (*store.Target, error) {
	t, err := k.stored.Get(i)
	if err != nil || t == nil || t.Source != store.Digest(k.Segments[i].Text) {
		return nil, err
	}
	return t, nil
}

// Put stores a translation of segment i, counts it, and, when it is confirmed, remembers it in the project's writable
// memory. A translation that says what is there already changes nothing, not even its time.
func (k *Editor) Put(i int, t store.Target) error {
	t.Stage = min(t.Stage, len(k.Project.Stages))
	was, err := k.Target(i)
	if err != nil {
		return err
	}
	if was != nil && was.Text == t.Text && was.Stage == t.Stage && was.Locked == t.Locked {
		return nil
	}
	t.Source, t.Changed = store.Digest(k.Segments[i].Text), k.Tx.Now()
	k.count(i, was, -1)
	k.count(i, &t, 1)
	k.Changes++
	if err := k.stored.Put(i, &t); err != nil {
		return err
	}
	if k.memory == nil || t.Stage == 0 || t.Origin == store.FromPseudo {
		return nil
	}
	return k.memory.Remember(k.Segments[i].Text, k.Surroundings(i), k.Rendition.Code, t.Text, t.Changed)
}

// Surroundings are what is around a segment.
func (k *Editor) Surroundings(i int) store.Surroundings { return store.SurroundingsOf(k.Segments, i) }

func (k *Editor) count(i int, t *store.Target, sign int) {
	if t == nil {
		return
	}
	words := k.Segments[i].Size().Words
	k.Rendition.Translated.Add(words, sign)
	for n := range min(t.Stage, len(k.Rendition.Stages)) {
		k.Rendition.Stages[n].Add(words, sign)
	}
}

// SetSegments gives the rendition another text to translate: its counts begin anew, and its translations go. It
// returns what they were.
func (k *Editor) SetSegments(doc *segment.Document) error {
	k.Parsed, k.Segments = doc, doc.Segments()
	k.Rendition.Size, k.Rendition.Translated, k.Rendition.Stages = store.Size{}, store.Size{},
		make([]store.Size, len(k.Project.Stages))
	for i := range k.Segments {
		k.Rendition.Size.Add(k.Segments[i].Size().Words, 1)
	}
	var err error
	k.stored, err = store.ClearTargets(k.Tx, k.Document, k.Rendition.Code)
	return err
}

// Targets returns all translations by segment.
func (k *Editor) Targets() (map[int]*store.Target, error) {
	out := make(map[int]*store.Target)
	err := k.stored.Each(func(i int) error {
		if i >= len(k.Segments) {
			return nil
		}
		t, err := k.Target(i)
		if t != nil {
			out[i] = t
		}
		return err
	})
	return out, err
}

// Close stores the record, with the status that follows from what was put, and queues the notifications.
func (k *Editor) Close() error {
	switch done := len(k.Rendition.Stages) > 0 && k.Rendition.Size.Segments > 0 &&
		k.Rendition.Stages[len(k.Rendition.Stages)-1].Segments == k.Rendition.Size.Segments; {
	case k.Changes == 0:
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
		if err := k.memory.Flush(); err != nil {
			return err
		}
	}
	return store.PutDocument(k.Tx, k.Document)
}

// setStatus moves a rendition to a status, and its project, which is in progress from the first translation on.
func (k *Editor) setStatus(status wire.DocumentStatus) error {
	if err := SetDocumentStatus(k.Tx, k.Document, k.Rendition, status); err != nil {
		return err
	}
	return projectBegins(k.Tx, k.Project)
}

func SetDocumentStatus(tx *store.Tx, d *store.Document, r *store.Rendition, status wire.DocumentStatus) error {
	if r.Status == status {
		return nil
	}
	r.Status, r.StatusAt = status, tx.Now()
	return store.NotifyIn(tx, wire.CallbackDocumentStatus, d.CompositeID(r.Code))
}

// projectBegins moves a project that was only created on.
func projectBegins(tx *store.Tx, p *store.Project) error {
	if p.Status != wire.ProjectCreated {
		return nil
	}
	p.SetStatus(wire.ProjectInProgress, tx.Now())
	if err := store.NotifyIn(tx, wire.CallbackProjectStatus, p.ID); err != nil {
		return err
	}
	return store.PutProject(tx, p)
}
