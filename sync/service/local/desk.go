package local

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// target is the stored translation of a segment.
type target struct {
	Text    string `json:"t"`
	Stage   int    `json:"s,omitempty"` // the stage of the project that it is confirmed at, from 1; 0: not confirmed
	Locked  bool   `json:"l,omitempty"` // nothing but a confirmed import changes it
	Origin  origin `json:"o,omitempty"`
	Changed int64  `json:"c"`
	Source  string `json:"d"` // digest of the source text that it translates
}

// origin is where a translation came from. The words are stored.
type origin string

const (
	fromFile    origin = "file" // an uploaded translation
	fromMemory  origin = "tm"
	fromMachine origin = "mt"
	fromPseudo  origin = "pseudo" // made up because Options.Pseudo says so: whatever else comes is better
	fromUpdate  origin = "update" // the version of the document before this one
)

// digest tells texts apart in stored records.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// desk is one document in one language, open for work within a transaction. What was put is counted at once; the record is stored by close.
type desk struct {
	s        *Service
	tx       *bolt.Tx
	p        *project
	d        *document
	r        *rendition
	doc      *segment.Document
	segments []segment.Segment
	bucket   *bolt.Bucket // nil in a transaction that only reads, when there are none yet
	memory   *memory      // the project's writable one; nil: none
	puts     int
}

// openDesk opens a document in a language. It takes the bytes apart again: they are the only record of the segments.
func (s *Service) openDesk(tx *bolt.Tx, d *document, code string) (*desk, error) {
	p, err := s.projectIn(tx, d.Project)
	if err != nil {
		return nil, err
	}
	r := d.rendition(code)
	if r == nil {
		return nil, refuse(404, "the document %s is not in the language %s any more", d.Path, code)
	}
	return s.openDeskOf(tx, p, d, r)
}

func (s *Service) openDeskOf(tx *bolt.Tx, p *project, d *document, r *rendition) (*desk, error) {
	src := tx.Bucket(bucketDocumentTexts).Bucket([]byte(d.ID)).Get(versionKey(r.Version))
	doc, err := segment.Parse(r.File, slices.Clone(src), segment.Options{Source: p.Source, Sheet: r.Sheet})
	if err != nil {
		return nil, fmt.Errorf("stored document %s: %w", d.ID, err)
	}
	k, err := s.newDesk(tx, p, d, r)
	if err != nil {
		return nil, err
	}
	k.doc, k.segments = doc, doc.Segments()
	return k, nil
}

// newDesk opens a document whose bytes are yet to be set.
func (s *Service) newDesk(tx *bolt.Tx, p *project, d *document, r *rendition) (*desk, error) {
	texts := tx.Bucket(bucketDocumentTexts).Bucket([]byte(d.ID))
	k := &desk{s: s, tx: tx, p: p, d: d, r: r, bucket: texts.Bucket(targetsKey(r.Code))}
	if !tx.Writable() {
		return k, nil
	}
	var err error
	if k.bucket == nil {
		if k.bucket, err = texts.CreateBucket(targetsKey(r.Code)); err != nil {
			return nil, err
		}
	}
	k.memory, err = s.writableMemory(tx, p, r.Code)
	return k, err
}

// source returns the bytes that the language is translated from.
func (k *desk) source() []byte {
	return k.tx.Bucket(bucketDocumentTexts).Bucket([]byte(k.d.ID)).Get(versionKey(k.r.Version))
}

// target returns the translation of segment i; nil where there is none.
func (k *desk) target(i int) (*target, error) {
	if k.bucket == nil {
		return nil, nil
	}
	t, found, err := getRecord[target](k.bucket, string(number(uint64(i))))
	if err != nil || !found || t.Source != digest(k.segments[i].Text) {
		return nil, err
	}
	return t, nil
}

// put stores a translation of segment i, counts it, and, when it is confirmed, remembers it in the project's writable memory. A translation
// that says what is there already changes nothing, not even its time.
func (k *desk) put(i int, t target) error {
	t.Stage = min(t.Stage, len(k.p.Stages))
	was, err := k.target(i)
	if err != nil {
		return err
	}
	if was != nil && was.Text == t.Text && was.Stage == t.Stage && was.Locked == t.Locked {
		return nil
	}
	t.Source, t.Changed = digest(k.segments[i].Text), k.s.now()
	k.count(i, was, -1)
	k.count(i, &t, 1)
	k.puts++
	if err := putRecord(k.bucket, string(number(uint64(i))), &t); err != nil {
		return err
	}
	if k.memory == nil || t.Stage == 0 || t.Origin == fromPseudo {
		return nil
	}
	return k.memory.remember(k.segments[i].Text, k.surroundings(i), k.r.Code, t.Text, t.Changed)
}

// surroundings are what stands around a segment.
func (k *desk) surroundings(i int) surroundings { return surroundingsOf(k.segments, i) }

func (k *desk) count(i int, t *target, sign int) {
	if t == nil {
		return
	}
	words := k.segments[i].Size().Words
	k.r.Translated.add(words, sign)
	for n := range min(t.Stage, len(k.r.Stages)) {
		k.r.Stages[n].add(words, sign)
	}
}

// setSegments gives the rendition another text to translate: its counts begin anew, and its translations go. It returns what they were.
func (k *desk) setSegments(doc *segment.Document) error {
	k.doc, k.segments = doc, doc.Segments()
	k.r.Size, k.r.Translated, k.r.Stages = size{}, size{}, make([]size, len(k.p.Stages))
	for i := range k.segments {
		k.r.Size.add(k.segments[i].Size().Words, 1)
	}
	texts := k.tx.Bucket(bucketDocumentTexts).Bucket([]byte(k.d.ID))
	if err := texts.DeleteBucket(targetsKey(k.r.Code)); err != nil {
		return err
	}
	var err error
	k.bucket, err = texts.CreateBucket(targetsKey(k.r.Code))
	return err
}

// targets returns all translations by segment.
func (k *desk) targets() (map[int]*target, error) {
	out := make(map[int]*target)
	if k.bucket == nil {
		return out, nil
	}
	err := k.bucket.ForEach(func(n, _ []byte) error {
		i := int(binary.BigEndian.Uint64(n))
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
func (k *desk) close() error {
	switch done := len(k.r.Stages) > 0 && k.r.Size.Segments > 0 && k.r.Stages[len(k.r.Stages)-1].Segments == k.r.Size.Segments; {
	case k.puts == 0:
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
	return putDocument(k.tx, k.d)
}

// setStatus moves a rendition to a status, and its project, which is in progress from the first translation on.
func (k *desk) setStatus(status wire.DocumentStatus) error {
	if err := k.s.setDocumentStatus(k.tx, k.d, k.r, status); err != nil {
		return err
	}
	return k.s.projectBegins(k.tx, k.p)
}

func (s *Service) setDocumentStatus(tx *bolt.Tx, d *document, r *rendition, status wire.DocumentStatus) error {
	if r.Status == status {
		return nil
	}
	r.Status, r.StatusAt = status, s.now()
	return s.notifyIn(tx, wire.CallbackDocumentStatus, d.compositeID(r.Code))
}

// projectBegins moves a project that was only created on.
func (s *Service) projectBegins(tx *bolt.Tx, p *project) error {
	if p.Status != wire.ProjectCreated {
		return nil
	}
	p.setStatus(wire.ProjectInProgress, s.now())
	if err := s.notifyIn(tx, wire.CallbackProjectStatus, p.ID); err != nil {
		return err
	}
	return putRecord(tx.Bucket(bucketProjects), p.ID, p)
}
