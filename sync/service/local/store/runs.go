package store

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"

	bolt "go.etcd.io/bbolt"
)

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
