package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/service/local/api"
	bolt "go.etcd.io/bbolt"
)

// collection is the record of a named container of keys. Its counts are kept with every change, so that progress
// costs no walk.
type collection struct {
	Targets []string `json:"targets"` // its own target languages, in the order they joined
	Keys    int      `json:"keys"`
	// Archived keys are none of these; see archive.go.
	Archived int               `json:"archived,omitempty"`
	Pseudo   int               `json:"pseudo,omitempty"` // keys that have pseudo-translations where nothing else is there
	Counts   map[string]counts `json:"counts,omitempty"` // by language
}

// counts is how far one language of a collection has come.
type counts struct {
	Confirmed  int `json:"confirmed,omitempty"`  // translations of state intermediate or final
	Final      int `json:"final,omitempty"`      // of state final
	OverPseudo int `json:"overPseudo,omitempty"` // translations of keys that would have a pseudo-translation
}

// Buckets and keys within the bucket of one collection.
var (
	keyCollection = []byte("collection") // the record
	bucketIndex   = []byte("index")      // indexKey -> number of the row
	bucketRows    = []byte("rows")       // number -> row; numbers ascend, so rows are in the order of their first import
)

// What a collection has for one language is in a bucket for each kind.
const (
	inLanguage = "in:"      // number -> translation
	inPast     = "past:"    // number -> the translations before that one (past.go)
	inOffers   = "offered:" // number -> a translation that was not taken because it conflicts
	// number -> a translation that a person suggests in place of a confirmed one (comments.go)
	inSuggestions = "suggested:"
	inComments    = "comments" // number -> the comments of a row, of no language (JSON), the oldest first
)

// Keyspace is one collection within a transaction.
type Keyspace struct {
	collection
	bucket, index, rows *bolt.Bucket
	languages           map[string]*bolt.Bucket // by kind and code; of a transaction that only reads, nil for none
	writable            bool
}

// collectionsOf is the bucket that holds a project's collections: one bucket each.
func collectionsOf(tx *Tx, projectID string) *bolt.Bucket {
	return tx.bucket(bucketKeys).Bucket([]byte(projectID))
}

// OpenCollection opens a collection, nil where there is none of that name.
func OpenCollection(tx *Tx, projectID, name string) (*Keyspace, error) {
	all := collectionsOf(tx, projectID)
	if all == nil {
		return nil, nil
	}
	b := all.Bucket([]byte(name))
	if b == nil {
		return nil, nil
	}
	record, found, err := getRecord[collection](b, string(keyCollection))
	if err != nil || !found {
		return nil, fmt.Errorf("collection %q: no record: %w", name, err)
	}
	k := &Keyspace{collection: *record, bucket: b, index: b.Bucket(bucketIndex), rows: b.Bucket(bucketRows),
		languages: map[string]*bolt.Bucket{}, writable: tx.Writable()}
	if k.writable {
		k.rows.FillPercent = 0.9 // rows are appended
	}
	if k.Counts == nil {
		k.Counts = map[string]counts{}
	}
	return k, nil
}

// MakeCollection makes a collection that is not there yet.
func MakeCollection(tx *Tx, projectID, name string, targets []string) error {
	all, err := tx.bucket(bucketKeys).CreateBucketIfNotExists([]byte(projectID))
	if err != nil {
		return err
	}
	b, err := all.CreateBucket([]byte(name))
	if err != nil {
		return err
	}
	for _, inside := range [][]byte{bucketIndex, bucketRows} {
		if _, err := b.CreateBucket(inside); err != nil {
			return err
		}
	}
	return putRecord(b, string(keyCollection), &collection{Targets: targets})
}

// CollectionNames lists a project's collections.
func CollectionNames(tx *Tx, projectID string) []string {
	var names []string
	if all := collectionsOf(tx, projectID); all != nil {
		all.ForEachBucket(func(name []byte) error {
			names = append(names, string(name))
			return nil
		})
	}
	return names
}

// Save writes the record; the last call on a keyspace that was changed.
func (k *Keyspace) Save() error { return putRecord(k.bucket, string(keyCollection), &k.collection) }

// AddTargets adds the languages that are missing, and says whether any was.
func (k *Keyspace) AddTargets(codes []string) bool {
	before := len(k.Targets)
	k.Targets = api.Union(k.Targets, codes)
	return len(k.Targets) > before
}

// language is the bucket of one kind of a language: nil while it has none, unless make is set.
func (k *Keyspace) language(kind, code string, make bool) (*bolt.Bucket, error) {
	name := kind + code
	if b, known := k.languages[name]; b != nil || known && !make {
		return b, nil
	}
	b := k.bucket.Bucket([]byte(name))
	if b == nil && make {
		var err error
		if b, err = k.bucket.CreateBucket([]byte(name)); err != nil {
			return nil, err
		}
	}
	if b != nil && make {
		b.FillPercent = 0.9
	}
	if b != nil || !k.writable {
		k.languages[name] = b
	}
	return b, nil
}

// IndexKey is where the index has a key. Very long keys are indexed by their digest: the database bounds its keys.
func IndexKey(key string, plural bool) []byte {
	kind := byte('s')
	if plural {
		kind = 'p'
	}
	if len(key) <= 1024 {
		return append([]byte{kind}, key...)
	}
	sum := sha256.Sum256([]byte(key))
	return append([]byte{kind - 'a' + 'A'}, sum[:]...)
}

// Find returns a row and its number, nil where there is none.
func (k *Keyspace) Find(key string, plural bool) (n []byte, r *Row, err error) {
	found := k.index.Get(IndexKey(key, plural))
	if found == nil {
		return nil, nil, nil
	}
	n = slices.Clone(found)
	if r, err = decodeRow(k.rows.Get(n)); err != nil {
		return nil, nil, fmt.Errorf("key %q: %w", key, err)
	}
	return n, r, nil
}

// Add stores a new row.
func (k *Keyspace) Add(r *Row) error {
	next, err := k.rows.NextSequence()
	if err != nil {
		return err
	}
	n := number(next)
	if err := k.index.Put(IndexKey(r.Key, r.Plural), n); err != nil {
		return err
	}
	k.Keys++
	if r.Pseudo {
		k.Pseudo++
	}
	return k.rows.Put(n, r.encode())
}

// Put stores a row that is there already.
func (k *Keyspace) Put(n []byte, r *Row) error { return k.rows.Put(n, r.encode()) }

// Translation returns what is stored for a row in a language, nil where nothing is.
func (k *Keyspace) Translation(code string, n []byte) (*Translation, error) {
	return k.stored(inLanguage, code, n)
}

func (k *Keyspace) stored(kind, code string, n []byte) (*Translation, error) {
	b, err := k.language(kind, code, false)
	if b == nil || err != nil {
		return nil, err
	}
	raw := b.Get(n)
	if raw == nil {
		return nil, nil
	}
	return decodeTranslation(raw)
}

// Translate stores a translation in place of the one that was there, nil for none, which becomes history.
func (k *Keyspace) Translate(code string, n []byte, r *Row, was, is *Translation) error {
	b, err := k.language(inLanguage, code, true)
	if err != nil {
		return err
	}
	if was != nil {
		if err := k.remember(code, n, was); err != nil {
			return err
		}
	}
	k.count(code, r, was, -1)
	k.count(code, r, is, +1)
	return b.Put(n, is.encode())
}

// count adds a translation to the counts of a language, or takes it off.
func (k *Keyspace) count(code string, r *Row, t *Translation, by int) {
	if t == nil {
		return
	}
	c := k.Counts[code]
	if t.State >= Intermediate {
		c.Confirmed += by
	}
	if t.State == Final {
		c.Final += by
	}
	if r.Pseudo {
		c.OverPseudo += by
	}
	k.Counts[code] = c
}

// Unconfirm makes drafts of a row's translations: the source text that they translate, was, has changed. They keep
// that text until they are written anew.
func (k *Keyspace) Unconfirm(n []byte, r *Row, was []Text, now int64) error {
	for _, code := range k.translated() {
		t, err := k.Translation(code, n)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		is := *t
		if len(is.Source) == 0 {
			is.Source = was
		}
		if slices.Equal(is.Source, r.Texts) {
			is.Source = nil
		}
		if t.State == Draft {
			b, err := k.language(inLanguage, code, true)
			if err == nil {
				err = b.Put(n, is.encode())
			}
			if err != nil {
				return err
			}
			continue
		}
		is.State, is.Changed, is.By, is.Rejected = Draft, now, "", Rejection{}
		if err := k.Translate(code, n, r, t, &is); err != nil {
			return err
		}
	}
	return nil
}

// Remove deletes a row with its translations.
func (k *Keyspace) Remove(n []byte, r *Row) error {
	if err := k.takeOut(n, r); err != nil {
		return err
	}
	return k.forgetTranslations(n)
}

// takeOut takes a row out of the lists and counts.
func (k *Keyspace) takeOut(n []byte, r *Row) error {
	for _, code := range k.translated() {
		t, err := k.Translation(code, n)
		if err != nil {
			return err
		}
		k.count(code, r, t, -1)
	}
	k.Keys--
	if r.Pseudo {
		k.Pseudo--
	}
	if err := k.index.Delete(IndexKey(r.Key, r.Plural)); err != nil {
		return err
	}
	return k.rows.Delete(n)
}

// translated lists the languages that have, or had, translations.
func (k *Keyspace) translated() []string { return slices.Sorted(maps.Keys(k.Counts)) }

// Each calls do with every row in order, from the number after on.
func (k *Keyspace) Each(after []byte, do func(n []byte, r *Row) (more bool, err error)) error {
	c := k.rows.Cursor()
	n, raw := c.First()
	if after != nil {
		if n, raw = c.Seek(after); n != nil && string(n) == string(after) {
			n, raw = c.Next()
		}
	}
	return walk(n, raw, c.Next, do)
}

// EachBefore calls do with the rows before a number, nil for all, the last of them first.
func (k *Keyspace) EachBefore(before []byte, do func(n []byte, r *Row) (more bool, err error)) error {
	c := k.rows.Cursor()
	n, raw := c.Last()
	if before != nil {
		if found, _ := c.Seek(before); found != nil {
			n, raw = c.Prev()
		} else {
			n, raw = c.Last()
		}
	}
	return walk(n, raw, c.Prev, do)
}

// walk calls do with a row and those that step leads to.
func walk(n, raw []byte, step func() (n, raw []byte), do func(n []byte, r *Row) (more bool, err error)) error {
	for ; n != nil; n, raw = step() {
		r, err := decodeRow(raw)
		if err != nil {
			return fmt.Errorf("row %d: %w", binary.BigEndian.Uint64(n), err)
		}
		if more, err := do(n, r); err != nil || !more {
			return err
		}
	}
	return nil
}

// At returns a row by its number, nil where there is none.
func (k *Keyspace) At(n []byte) (*Row, error) {
	raw := k.rows.Get(n)
	if raw == nil {
		return nil, nil
	}
	return decodeRow(raw)
}

// Number is a row's number as it is stored, RowNumber the inverse.
func Number(n uint64) []byte { return number(n) }

func RowNumber(n []byte) uint64 { return binary.BigEndian.Uint64(n) }

func JoinAllCollections(tx *Tx, projectID string, codes []string) error {
	if len(codes) == 0 {
		return nil
	}
	for _, name := range CollectionNames(tx, projectID) {
		k, err := OpenCollection(tx, projectID, name)
		if err != nil {
			return err
		}
		if k.AddTargets(codes) {
			if err := k.Save(); err != nil {
				return err
			}
		}
	}
	return nil
}
