package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/fnv"
	"iter"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/pack"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
)

// Memory is a translation memory that is open within a transaction.
//
//	memories    identifier
//	              record   memoryRecord (JSON)
//	              units    number -> memoryUnit (JSON)
//	              runs     run, kind, what is looked up, number -> nothing (see runUnits)
//	              exact, stems   the same without runs, of units that an older program wrote
//
// A unit is one source text in one context, with its translations. Of what is confirmed twice in one place the later
// translation counts; the same text elsewhere is a unit of its own.
//
// What is remembered is looked up by others from flush on, which is the last call on a memory that was changed.
type Memory struct {
	Record MemoryRecord
	bucket *bolt.Bucket

	fresh   map[freshUnit][]byte // units that are not in the indexes yet -> number
	entries [][]byte             // theirs in the indexes
}

type freshUnit struct {
	source string
	Surroundings
}

type MemoryRecord struct {
	ID          string         `json:"id"`
	Account     string         `json:"account"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	ClientID    string         `json:"clientId,omitempty"`
	Source      string         `json:"source"`
	Targets     []string       `json:"targets"`
	Created     int64          `json:"created"`
	Automatic   bool           `json:"automatic,omitempty"` // made with a project
	Counts      map[string]int `json:"counts,omitempty"`    // units by language
}

type MemoryUnit struct {
	Source  string                `json:"s"`
	Context Surroundings          `json:"x,omitzero"`
	Targets map[string]memoryText `json:"t"`
}

type memoryText struct {
	Text    string `json:"t"`
	Changed int64  `json:"c"`
}

// Surroundings are what is around a text: digests of its neighbours, empty where there are none, and its key.
type Surroundings struct {
	Before string `json:"b,omitempty"`
	After  string `json:"a,omitempty"`
	Key    string `json:"k,omitempty"`
}

func SurroundingsOf(segments []segment.Segment, i int) Surroundings {
	c := Surroundings{Key: segments[i].Key}
	if i > 0 {
		c.Before = Digest(segments[i-1].Text)
	}
	if i+1 < len(segments) {
		c.After = Digest(segments[i+1].Text)
	}
	return c
}

var (
	keyRecord = []byte("record")
	keyUnits  = []byte("units")
	keyRuns   = []byte("runs")
	keyExact  = []byte("exact")
	keyStems  = []byte("stems")
)

func CreateMemory(tx *Tx, r MemoryRecord) (*Memory, error) {
	b, err := tx.bucket(bucketMemories).CreateBucket([]byte(r.ID))
	if err != nil {
		return nil, err
	}
	if _, err := b.CreateBucket(keyUnits); err != nil {
		return nil, err
	}
	m := &Memory{Record: r, bucket: b}
	return m, m.save()
}

func (m *Memory) save() error { return putRecord(m.bucket, string(keyRecord), &m.Record) }

// OpenMemory opens a memory; nil where there is none.
func OpenMemory(tx *Tx, id string) (*Memory, error) {
	if id == "" {
		return nil, nil
	}
	b := tx.bucket(bucketMemories).Bucket([]byte(id))
	if b == nil {
		return nil, nil
	}
	r, found, err := getRecord[MemoryRecord](b, string(keyRecord))
	if err != nil || !found {
		return nil, err
	}
	return &Memory{Record: *r, bucket: b}, nil
}

// Clear takes all units away.
func (m *Memory) Clear() error {
	for _, name := range [][]byte{keyUnits, keyRuns, keyExact, keyStems} {
		if m.bucket.Bucket(name) == nil {
			continue
		}
		if err := m.bucket.DeleteBucket(name); err != nil {
			return err
		}
	}
	if _, err := m.bucket.CreateBucket(keyUnits); err != nil {
		return err
	}
	m.Record.Counts = nil
	return m.save()
}

// Remember stores a translation.
func (m *Memory) Remember(source string, at Surroundings, code, text string, now int64) error {
	code = m.Language(code)
	if code == "" || strings.TrimSpace(text) == "" {
		return nil
	}
	n, unit, err := m.unit(source, at)
	if err != nil {
		return err
	}
	if unit == nil {
		unit = &MemoryUnit{Source: source, Context: at, Targets: map[string]memoryText{}}
		if n, err = m.index(source, at); err != nil {
			return err
		}
	}
	was, has := unit.Targets[code]
	if has && was.Text == text {
		return nil
	}
	unit.Targets[code] = memoryText{Text: text, Changed: now}
	if err := putRecord(m.bucket.Bucket(keyUnits), string(n), unit); err != nil {
		return err
	}
	if has {
		return nil
	}
	if m.Record.Counts == nil {
		m.Record.Counts = map[string]int{}
	}
	m.Record.Counts[code]++
	return nil
}

// Language is the memory's own target language for a code: the same, or the same language of another or no region;
// empty for none.
func (m *Memory) Language(code string) string {
	if slices.Contains(m.Record.Targets, code) {
		return code
	}
	i := slices.IndexFunc(m.Record.Targets, func(t string) bool { return api.SameLanguage(t, code) })
	if i < 0 {
		return ""
	}
	return m.Record.Targets[i]
}

// AddTarget has a memory remember translations into a language, too.
func (m *Memory) AddTarget(code string) {
	if m.Language(code) == "" {
		m.Record.Targets = append(m.Record.Targets, code)
	}
}

// unit finds the unit of a source text in a context.
func (m *Memory) unit(source string, at Surroundings) (n []byte, found *MemoryUnit, err error) {
	if n, ok := m.fresh[freshUnit{source, at}]; ok {
		found, _, err = getRecord[MemoryUnit](m.bucket.Bucket(keyUnits), string(n))
		return n, found, err
	}
	err = m.EachExact(source, func(k []byte, u *MemoryUnit) {
		if u.Context == at {
			n, found = k, u
		}
	})
	return n, found, err
}

// UnitOf returns a unit by its number, nil where there is none.
func (m *Memory) UnitOf(n uint64) (*MemoryUnit, error) {
	u, _, err := getRecord[MemoryUnit](m.bucket.Bucket(keyUnits), string(number(n)))
	return u, err
}

// EachMemory calls do with the memories of the account behind an identifier, in the order of their identifiers.
func EachMemory(tx *Tx, after string, do func(r *MemoryRecord) (more bool)) error {
	cursor := tx.bucket(bucketMemories).Cursor()
	for id, _ := cursor.Seek([]byte(after)); id != nil; id, _ = cursor.Next() {
		m, err := OpenMemory(tx, string(id))
		if err != nil {
			return err
		}
		if string(id) != after && m.Record.Account == tx.Account() && !do(&m.Record) {
			return nil
		}
	}
	return nil
}

// RemoveMemory takes a memory away, also from the projects of the account that use it.
func RemoveMemory(tx *Tx, id string) error {
	uses := func(a AttachedMemory) bool { return a.ID == id }
	var users []*Project
	err := EachProject(tx, func(p *Project) {
		if slices.ContainsFunc(p.Memories, uses) {
			users = append(users, p)
		}
	})
	if err != nil {
		return err
	}
	for _, p := range users {
		p.Memories = slices.DeleteFunc(p.Memories, uses)
		if err := PutProject(tx, p); err != nil {
			return err
		}
	}
	return tx.bucket(bucketMemories).DeleteBucket([]byte(id))
}

// Each calls do with every unit, in the order they came.
func (m *Memory) Each(do func(u *MemoryUnit) error) error {
	return m.bucket.Bucket(keyUnits).ForEach(func(n, raw []byte) error {
		var u MemoryUnit
		if err := json.Unmarshal(raw, &u); err != nil {
			return errors.Join(pack.ErrBroken, err)
		}
		return do(&u)
	})
}

// maxStems is how many words of a text are looked for; the beginning of a long text tells enough.
const maxStems = 64

// StemsOf are the beginnings of a text's words, each once, and how many words there are. Four letters of a word are
// enough to find it and its forms: what is found is compared as a whole afterwards.
func StemsOf(text string) (stems []uint32, count int) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}) {
		letters := []rune(word)
		// no spaces between words: every two characters
		if unicode.In(letters[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			for i := range letters {
				stems = append(stems, stemHash(letters[i:min(i+2, len(letters))]))
			}
			count += len(letters)
			continue
		}
		stems = append(stems, stemHash(letters[:min(4, len(letters))]))
		count++
	}
	slices.Sort(stems)
	stems = slices.Compact(stems)
	return stems[:min(len(stems), maxStems)], min(count, 1<<15)
}

func stemHash(letters []rune) uint32 {
	h := fnv.New32a()
	h.Write([]byte(string(letters)))
	return h.Sum32()
}

// AttachedMemory is a memory that a project uses, for one of its languages or for all.
type AttachedMemory struct {
	ID        string `json:"id"`
	Threshold int    `json:"threshold"`
	Writable  bool   `json:"writable,omitempty"`
	Language  string `json:"language,omitempty"` // empty: all
}

func (a AttachedMemory) Serves(code string) bool { return a.Language == "" || a.Language == code }

// MemoryIn opens a memory of this account: one that is unknown gives a 404, another account's a 403. field is the
// parameter with its identifier.
func MemoryIn(tx *Tx, field, id string) (*Memory, error) {
	m, err := OpenMemory(tx, id)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, &api.Problem{Status: http.StatusNotFound, Field: field, Detail: field +
			": there is no translation memory " + id}
	case m.Record.Account != tx.Account():
		return nil, &api.Problem{Status: http.StatusForbidden, Field: field, Detail: field + ": the translation memory " +
			id + " belongs to another account"}
	}
	return m, nil
}

// OwnMemory is the memory that a project's translations into all languages go to, made where it has none.
func OwnMemory(tx *Tx, p *Project) (*Memory, error) {
	for _, a := range p.Memories {
		if m, err := OpenMemory(tx, a.ID); m != nil && a.Writable && a.Language == "" || err != nil {
			return m, err
		}
	}
	m, err := CreateMemory(tx, MemoryRecord{ID: uuid.NewString(), Account: tx.Account(), Name: p.Name,
		Source: p.Source, Targets: slices.Clone(p.Targets), Created: tx.Now(), Automatic: true})
	if err != nil {
		return nil, err
	}
	p.Memories = append(p.Memories, AttachedMemory{ID: m.Record.ID, Threshold: wire.MinMatchThreshold, Writable: true})
	return m, PutProject(tx, p)
}

// WritableMemory is the memory that a project's confirmed translations into a language go to; nil where there is none.
func WritableMemory(tx *Tx, p *Project, code string) (*Memory, error) {
	for _, a := range p.Memories {
		if a.Writable && a.Serves(code) {
			return OpenMemory(tx, a.ID)
		}
	}
	return nil, nil
}

// The indexes of a memory are cut into runs: the entries of runUnits units, one run behind the other. What is
// remembered together is written together then, at the end of the index; in one sorted whole every unit would be
// written into pages all over it. A lookup looks into each run.
//
//	run, 'e', digest of the source text, number
//	run, 's', stem of a word (hashed), how many words the text has, number
const (
	runUnits  = 1 << 15
	kindExact = 'e'
	kindStem  = 's'
)

func runKey(run uint64, kind byte) []byte {
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 32), uint32(run)), kind)
}

func stemKey(to []byte, stem uint32, count int) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(to, stem), uint16(count))
}

// index makes room for a unit, whose source text Flush enters into the indexes.
func (m *Memory) index(source string, at Surroundings) ([]byte, error) {
	next, err := m.bucket.Bucket(keyUnits).NextSequence()
	if err != nil {
		return nil, err
	}
	n, run := number(next), next/runUnits
	m.entries = append(m.entries, append(append(runKey(run, kindExact), Digest(source)...), n...))
	stems, count := StemsOf(source)
	for _, stem := range stems {
		m.entries = append(m.entries, append(stemKey(runKey(run, kindStem), stem, count), n...))
	}
	if m.fresh == nil {
		m.fresh = map[freshUnit][]byte{}
	}
	m.fresh[freshUnit{source, at}] = n
	return n, nil
}

// Flush puts what was remembered into the indexes, in the order of their keys: the database takes a time that grows
// with the square of what comes in disorder within one transaction.
func (m *Memory) Flush() error {
	slices.SortFunc(m.entries, bytes.Compare)
	runs, err := m.bucket.CreateBucketIfNotExists(keyRuns)
	if err != nil {
		return err
	}
	for _, k := range m.entries {
		if err := runs.Put(k, nil); err != nil {
			return err
		}
	}
	m.fresh, m.entries = nil, nil
	return m.save()
}

// lookups reads an index: that of an older program, where there is one, and every run.
type lookups struct {
	old, runs *bolt.Cursor
	last      uint64 // run
}

func (m *Memory) lookups(old []byte) lookups {
	l := lookups{last: m.bucket.Bucket(keyUnits).Sequence() / runUnits}
	if b := m.bucket.Bucket(old); b != nil {
		l.old = b.Cursor()
	}
	if b := m.bucket.Bucket(keyRuns); b != nil {
		l.runs = b.Cursor()
	}
	return l
}

// numbers are those of the units behind an entry, the oldest first. They are valid until the transaction ends.
func (l lookups) numbers(kind byte, entry []byte) iter.Seq[[]byte] {
	each := func(c *bolt.Cursor, prefix []byte, yield func([]byte) bool) bool {
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
			if !yield(k[len(prefix):]) {
				return false
			}
		}
		return true
	}
	return func(yield func([]byte) bool) {
		if l.old != nil && !each(l.old, entry, yield) || l.runs == nil {
			return
		}
		for run := range l.last + 1 {
			if !each(l.runs, append(runKey(run, kind), entry...), yield) {
				return
			}
		}
	}
}

// EachExact calls do with every unit that has this very source text, the oldest first.
func (m *Memory) EachExact(source string, do func(n []byte, u *MemoryUnit)) error {
	for n := range m.lookups(keyExact).numbers(kindExact, []byte(Digest(source))) {
		n = slices.Clone(n)
		u, found, err := getRecord[MemoryUnit](m.bucket.Bucket(keyUnits), string(n))
		if err != nil {
			return err
		}
		if found && u.Source == source {
			do(n, u)
		}
	}
	return nil
}

// postings reads the index of words.
type postings struct{ lookups }

func (m *Memory) Postings() postings { return postings{m.lookups(keyStems)} }

// Append adds the numbers of the units that have a word, and as many words as count says, up to a length.
func (p postings) Append(having []uint64, stem uint32, count, most int) []uint64 {
	for n := range p.numbers(kindStem, stemKey(nil, stem, count)) {
		if len(having) >= most {
			break
		}
		having = append(having, binary.BigEndian.Uint64(n))
	}
	return having
}
