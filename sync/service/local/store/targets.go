package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	bolt "go.etcd.io/bbolt"
)

// Target is the stored translation of a segment.
type Target struct {
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
	FromFile    origin = "file" // an uploaded translation
	FromMemory  origin = "tm"
	FromMachine origin = "mt"
	FromPseudo  origin = "pseudo" // made up because Options.Pseudo says so: whatever else comes is better
	FromUpdate  origin = "update" // the version of the document before this one
)

// Digest tells texts apart in stored records.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Targets are the translations of one document into one language, by the number of their segment.
type Targets struct {
	bucket *bolt.Bucket // nil in a transaction that only reads, when there are none yet
}

func OpenTargets(tx *Tx, d *Document, code string) (Targets, error) {
	b := textsOf(tx, d).Bucket(targetsKey(code))
	if b != nil || !tx.Writable() {
		return Targets{b}, nil
	}
	b, err := textsOf(tx, d).CreateBucket(targetsKey(code))
	return Targets{b}, err
}

// ClearTargets takes all translations into a language away.
func ClearTargets(tx *Tx, d *Document, code string) (Targets, error) {
	if err := textsOf(tx, d).DeleteBucket(targetsKey(code)); err != nil {
		return Targets{}, err
	}
	return OpenTargets(tx, d, code)
}

// Get returns what is stored for a segment, nil where nothing is.
func (s Targets) Get(i int) (*Target, error) {
	if s.bucket == nil {
		return nil, nil
	}
	t, _, err := getRecord[Target](s.bucket, string(number(uint64(i))))
	return t, err
}

func (s Targets) Put(i int, t *Target) error {
	return putRecord(s.bucket, string(number(uint64(i))), t)
}

// Each calls do with the numbers of the segments that have a translation.
func (s Targets) Each(do func(i int) error) error {
	if s.bucket == nil {
		return nil
	}
	return s.bucket.ForEach(func(n, _ []byte) error { return do(int(binary.BigEndian.Uint64(n))) })
}
