package local

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	bolt "go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/service/local/segment"
)

// memory is a translation memory that is open within a transaction.
//
//	memories    identifier
//	              record   memoryRecord (JSON)
//	              units    number -> memoryUnit (JSON)
//	              exact    digest of the source text, number -> nothing
//	              stems    stem of a word (hashed), how many words the text has, number -> nothing
//
// A unit is one source text in one context, with its translations. Of what is confirmed twice in one place the later translation counts;
// the same text elsewhere is a unit of its own.
//
// What is remembered is looked up by others from flush on, which is the last call on a memory that was changed.
type memory struct {
	record memoryRecord
	bucket *bolt.Bucket

	fresh        map[freshUnit][]byte // units that are not in the indexes yet -> number
	exact, stems [][]byte             // their entries
}

type freshUnit struct {
	source string
	surroundings
}

type memoryRecord struct {
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

type memoryUnit struct {
	Source  string                `json:"s"`
	Context surroundings          `json:"x,omitzero"`
	Targets map[string]memoryText `json:"t"`
}

type memoryText struct {
	Text    string `json:"t"`
	Changed int64  `json:"c"`
}

// surroundings are what stands around a text: digests of its neighbours, empty where there are none, and its key.
type surroundings struct {
	Before string `json:"b,omitempty"`
	After  string `json:"a,omitempty"`
	Key    string `json:"k,omitempty"`
}

func surroundingsOf(segments []segment.Segment, i int) surroundings {
	c := surroundings{Key: segments[i].Key}
	if i > 0 {
		c.Before = digest(segments[i-1].Text)
	}
	if i+1 < len(segments) {
		c.After = digest(segments[i+1].Text)
	}
	return c
}

var (
	keyRecord = []byte("record")
	keyUnits  = []byte("units")
	keyExact  = []byte("exact")
	keyStems  = []byte("stems")
)

func createMemory(tx *Tx, r memoryRecord) (*memory, error) {
	b, err := tx.bucket(bucketMemories).CreateBucket([]byte(r.ID))
	if err != nil {
		return nil, err
	}
	for _, name := range [][]byte{keyUnits, keyExact, keyStems} {
		if _, err := b.CreateBucket(name); err != nil {
			return nil, err
		}
	}
	m := &memory{record: r, bucket: b}
	return m, m.save()
}

func (m *memory) save() error { return putRecord(m.bucket, string(keyRecord), &m.record) }

// openMemory opens a memory; nil where there is none.
func openMemory(tx *Tx, id string) (*memory, error) {
	if id == "" {
		return nil, nil
	}
	b := tx.bucket(bucketMemories).Bucket([]byte(id))
	if b == nil {
		return nil, nil
	}
	r, found, err := getRecord[memoryRecord](b, string(keyRecord))
	if err != nil || !found {
		return nil, err
	}
	return &memory{record: *r, bucket: b}, nil
}

// clear takes all units away.
func (m *memory) clear() error {
	for _, name := range [][]byte{keyUnits, keyExact, keyStems} {
		if err := m.bucket.DeleteBucket(name); err != nil {
			return err
		}
		if _, err := m.bucket.CreateBucket(name); err != nil {
			return err
		}
	}
	m.record.Counts = nil
	return m.save()
}

// remember stores a translation.
func (m *memory) remember(source string, at surroundings, code, text string, now int64) error {
	code = m.language(code)
	if code == "" || strings.TrimSpace(text) == "" {
		return nil
	}
	n, unit, err := m.unit(source, at)
	if err != nil {
		return err
	}
	if unit == nil {
		unit = &memoryUnit{Source: source, Context: at, Targets: map[string]memoryText{}}
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
	if m.record.Counts == nil {
		m.record.Counts = map[string]int{}
	}
	m.record.Counts[code]++
	return nil
}

// flush puts what was remembered into the indexes, in the order of their keys: the database takes a time that grows with the square of what comes in
// disorder within one transaction.
func (m *memory) flush() error {
	for _, index := range []struct {
		name []byte
		keys [][]byte
	}{{keyExact, m.exact}, {keyStems, m.stems}} {
		slices.SortFunc(index.keys, bytes.Compare)
		b := m.bucket.Bucket(index.name)
		for _, k := range index.keys {
			if err := b.Put(k, nil); err != nil {
				return err
			}
		}
	}
	m.fresh, m.exact, m.stems = nil, nil, nil
	return m.save()
}

// language is the memory's own target language for a code: the same, or the same language of another or no region; empty for none.
func (m *memory) language(code string) string {
	if slices.Contains(m.record.Targets, code) {
		return code
	}
	i := slices.IndexFunc(m.record.Targets, func(t string) bool { return sameLanguage(t, code) })
	if i < 0 {
		return ""
	}
	return m.record.Targets[i]
}

// sameLanguage tells whether two codes are of one language, whatever their regions; scripts tell languages apart here.
func sameLanguage(a, b string) bool { return withoutRegion(a) == withoutRegion(b) }

func withoutRegion(code string) string {
	parts := strings.Split(code, "-")
	if len(parts) > 1 && len(parts[len(parts)-1]) < 4 {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, "-")
}

// unit finds the unit of a source text in a context.
func (m *memory) unit(source string, at surroundings) (n []byte, found *memoryUnit, err error) {
	if n, ok := m.fresh[freshUnit{source, at}]; ok {
		found, _, err = getRecord[memoryUnit](m.bucket.Bucket(keyUnits), string(n))
		return n, found, err
	}
	err = m.eachExact(source, func(k []byte, u *memoryUnit) {
		if u.Context == at {
			n, found = k, u
		}
	})
	return n, found, err
}

// eachExact calls do with every unit that has this very source text, the oldest first.
func (m *memory) eachExact(source string, do func(n []byte, u *memoryUnit)) error {
	prefix := []byte(digest(source))
	c := m.bucket.Bucket(keyExact).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		n := slices.Clone(k[len(prefix):])
		u, found, err := getRecord[memoryUnit](m.bucket.Bucket(keyUnits), string(n))
		if err != nil {
			return err
		}
		if found && u.Source == source {
			do(n, u)
		}
	}
	return nil
}

// index makes room for a unit, whose source text flush enters into the indexes.
func (m *memory) index(source string, at surroundings) ([]byte, error) {
	next, err := m.bucket.Bucket(keyUnits).NextSequence()
	if err != nil {
		return nil, err
	}
	n := number(next)
	m.exact = append(m.exact, append([]byte(digest(source)), n...))
	stems, count := stemsOf(source)
	for _, stem := range stems {
		m.stems = append(m.stems, append(stemKey(stem, count), n...))
	}
	if m.fresh == nil {
		m.fresh = map[freshUnit][]byte{}
	}
	m.fresh[freshUnit{source, at}] = n
	return n, nil
}

// unitOf returns a unit by its number, nil where there is none.
func (m *memory) unitOf(n uint64) (*memoryUnit, error) {
	u, _, err := getRecord[memoryUnit](m.bucket.Bucket(keyUnits), string(number(n)))
	return u, err
}

// postings reads the index of words.
type postings struct{ c *bolt.Cursor }

func (m *memory) postings() postings { return postings{m.bucket.Bucket(keyStems).Cursor()} }

// append adds the numbers of the units that have a word, and as many words as count says, up to a length.
func (p postings) append(having []uint64, stem uint32, count, most int) []uint64 {
	prefix := stemKey(stem, count)
	for k, _ := p.c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(having) < most; k, _ = p.c.Next() {
		having = append(having, binary.BigEndian.Uint64(k[len(prefix):]))
	}
	return having
}

// eachMemory calls do with the memories of the account behind an identifier, in the order of their identifiers.
func eachMemory(tx *Tx, after string, do func(r *memoryRecord) (more bool)) error {
	cursor := tx.bucket(bucketMemories).Cursor()
	for id, _ := cursor.Seek([]byte(after)); id != nil; id, _ = cursor.Next() {
		m, err := openMemory(tx, string(id))
		if err != nil {
			return err
		}
		if string(id) != after && m.record.Account == tx.account() && !do(&m.record) {
			return nil
		}
	}
	return nil
}

// removeMemory takes a memory away, also from the projects of the account that use it.
func removeMemory(tx *Tx, id string) error {
	uses := func(a attachedMemory) bool { return a.ID == id }
	var users []*project
	err := eachProject(tx, func(p *project) {
		if slices.ContainsFunc(p.Memories, uses) {
			users = append(users, p)
		}
	})
	if err != nil {
		return err
	}
	for _, p := range users {
		p.Memories = slices.DeleteFunc(p.Memories, uses)
		if err := putProject(tx, p); err != nil {
			return err
		}
	}
	return tx.bucket(bucketMemories).DeleteBucket([]byte(id))
}

// each calls do with every unit, in the order they came.
func (m *memory) each(do func(u *memoryUnit) error) error {
	return m.bucket.Bucket(keyUnits).ForEach(func(n, raw []byte) error {
		var u memoryUnit
		if err := json.Unmarshal(raw, &u); err != nil {
			return errors.Join(errStoredRow, err)
		}
		return do(&u)
	})
}

// maxStems is how many words of a text are looked for; the beginning of a long text tells enough.
const maxStems = 64

// stemsOf are the beginnings of a text's words, each once, and how many words there are. Four letters of a word are enough to find it and
// its forms: what is found is compared as a whole afterwards.
func stemsOf(text string) (stems []uint32, count int) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		letters := []rune(word)
		if unicode.In(letters[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) { // no spaces between words: every two characters
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

func stemKey(stem uint32, count int) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(make([]byte, 0, 14), stem), uint16(count))
}
