package local

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	bolt "go.etcd.io/bbolt"
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

// targets are the translations of one document into one language, by the number of their segment.
type targets struct {
	bucket *bolt.Bucket // nil in a transaction that only reads, when there are none yet
}

func openTargets(tx *Tx, d *document, code string) (targets, error) {
	b := textsOf(tx, d).Bucket(targetsKey(code))
	if b != nil || !tx.writable() {
		return targets{b}, nil
	}
	b, err := textsOf(tx, d).CreateBucket(targetsKey(code))
	return targets{b}, err
}

// clearTargets takes all translations into a language away.
func clearTargets(tx *Tx, d *document, code string) (targets, error) {
	if err := textsOf(tx, d).DeleteBucket(targetsKey(code)); err != nil {
		return targets{}, err
	}
	return openTargets(tx, d, code)
}

// get returns what is stored for a segment, nil where nothing is.
func (s targets) get(i int) (*target, error) {
	if s.bucket == nil {
		return nil, nil
	}
	t, _, err := getRecord[target](s.bucket, string(number(uint64(i))))
	return t, err
}

func (s targets) put(i int, t *target) error {
	return putRecord(s.bucket, string(number(uint64(i))), t)
}

// each calls do with the numbers of the segments that have a translation.
func (s targets) each(do func(i int) error) error {
	if s.bucket == nil {
		return nil
	}
	return s.bucket.ForEach(func(n, _ []byte) error { return do(int(binary.BigEndian.Uint64(n))) })
}
