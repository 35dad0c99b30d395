package store

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/segment"
	bolt "go.etcd.io/bbolt"
)

// Memory is a translation memory that is open within a transaction.
//
//	memories    identifier
//	              record   memoryRecord (JSON)
//	              units    number -> memoryUnit (JSON)
//	              runs     run, kind, what is looked up, number -> nothing (runs.go)
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
			return errors.Join(errStoredRow, err)
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

// WritableMemory is the memory that a project's confirmed translations into a language go to; nil where there is none.
func WritableMemory(tx *Tx, p *Project, code string) (*Memory, error) {
	for _, a := range p.Memories {
		if a.Writable && a.Serves(code) {
			return OpenMemory(tx, a.ID)
		}
	}
	return nil, nil
}
