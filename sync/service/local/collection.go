package local

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// collection is the record of a named container of keys. Its counts are kept with every change, so that progress costs no walk.
type collection struct {
	Targets []string          `json:"targets"` // its own target languages, in the order they joined
	Keys    int               `json:"keys"`
	Pseudo  int               `json:"pseudo,omitempty"` // keys that have pseudo-translations where nothing better is there
	Counts  map[string]counts `json:"counts,omitempty"` // by language
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
	bucketRows    = []byte("rows")       // number -> row; numbers ascend, so rows stand in the order of their first import
)

func bucketLanguage(code string) []byte { return []byte("in:" + code) } // number -> translation

// keyspace is one collection within a transaction.
type keyspace struct {
	collection
	bucket, index, rows *bolt.Bucket
	languages           map[string]*bolt.Bucket
}

// collectionsOf is the bucket that holds a project's collections: one bucket each.
func collectionsOf(tx *Tx, projectID string) *bolt.Bucket {
	return tx.bucket(bucketKeys).Bucket([]byte(projectID))
}

// openCollection opens a collection, nil where there is none of that name.
func openCollection(tx *Tx, projectID, name string) (*keyspace, error) {
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
	k := &keyspace{collection: *record, bucket: b, index: b.Bucket(bucketIndex), rows: b.Bucket(bucketRows), languages: map[string]*bolt.Bucket{}}
	if tx.writable() {
		k.rows.FillPercent = 0.9 // rows are appended
	}
	if k.Counts == nil {
		k.Counts = map[string]counts{}
	}
	return k, nil
}

// makeCollection makes a collection that is not there yet.
func makeCollection(tx *Tx, projectID, name string, targets []string) error {
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

// collectionNames lists a project's collections.
func collectionNames(tx *Tx, projectID string) []string {
	var names []string
	if all := collectionsOf(tx, projectID); all != nil {
		all.ForEachBucket(func(name []byte) error {
			names = append(names, string(name))
			return nil
		})
	}
	return names
}

// save writes the record; the last call on a keyspace that was changed.
func (k *keyspace) save() error { return putRecord(k.bucket, string(keyCollection), &k.collection) }

// addTargets adds the languages that are missing, and says whether any was.
func (k *keyspace) addTargets(codes []string) bool {
	before := len(k.Targets)
	k.Targets = union(k.Targets, codes)
	return len(k.Targets) > before
}

// language is the bucket of one language's translations: nil while it has none, unless make is set.
func (k *keyspace) language(code string, make bool) (*bolt.Bucket, error) {
	if b := k.languages[code]; b != nil {
		return b, nil
	}
	b := k.bucket.Bucket(bucketLanguage(code))
	if b == nil && make {
		var err error
		if b, err = k.bucket.CreateBucket(bucketLanguage(code)); err != nil {
			return nil, err
		}
	}
	if b != nil {
		if make {
			b.FillPercent = 0.9
		}
		k.languages[code] = b
	}
	return b, nil
}

// indexKey is where the index has a key. Very long keys stand under their digest: the database bounds its keys.
func indexKey(key string, plural bool) []byte {
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

// find returns a row and its number, nil where there is none.
func (k *keyspace) find(key string, plural bool) (n []byte, r *row, err error) {
	found := k.index.Get(indexKey(key, plural))
	if found == nil {
		return nil, nil, nil
	}
	n = slices.Clone(found)
	if r, err = decodeRow(k.rows.Get(n)); err != nil {
		return nil, nil, fmt.Errorf("key %q: %w", key, err)
	}
	return n, r, nil
}

// add stores a new row.
func (k *keyspace) add(r *row) error {
	next, err := k.rows.NextSequence()
	if err != nil {
		return err
	}
	n := number(next)
	if err := k.index.Put(indexKey(r.key, r.plural), n); err != nil {
		return err
	}
	k.Keys++
	if r.pseudo {
		k.Pseudo++
	}
	return k.rows.Put(n, r.encode())
}

// put stores a row that is there already.
func (k *keyspace) put(n []byte, r *row) error { return k.rows.Put(n, r.encode()) }

// translation returns what is stored for a row in a language, nil where nothing is.
func (k *keyspace) translation(code string, n []byte) (*translation, error) {
	b, err := k.language(code, false)
	if b == nil || err != nil {
		return nil, err
	}
	raw := b.Get(n)
	if raw == nil {
		return nil, nil
	}
	return decodeTranslation(raw)
}

// translate stores a translation in place of the one that was there, nil for none.
func (k *keyspace) translate(code string, n []byte, r *row, was, is *translation) error {
	b, err := k.language(code, true)
	if err != nil {
		return err
	}
	k.count(code, r, was, -1)
	k.count(code, r, is, +1)
	return b.Put(n, is.encode())
}

// count adds a translation to the counts of a language, or takes it off.
func (k *keyspace) count(code string, r *row, t *translation, by int) {
	if t == nil {
		return
	}
	c := k.Counts[code]
	if t.state >= intermediate {
		c.Confirmed += by
	}
	if t.state == final {
		c.Final += by
	}
	if r.pseudo {
		c.OverPseudo += by
	}
	k.Counts[code] = c
}

// unconfirm makes drafts of a row's translations: the source text that they translate has changed.
func (k *keyspace) unconfirm(n []byte, r *row, now int64) error {
	for _, code := range k.translated() {
		t, err := k.translation(code, n)
		if err != nil {
			return err
		}
		if t == nil || t.state == draft {
			continue
		}
		if err := k.translate(code, n, r, t, &translation{draft, now, t.texts}); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a row with its translations.
func (k *keyspace) remove(n []byte, r *row) error {
	for _, code := range k.translated() {
		t, err := k.translation(code, n)
		if err != nil {
			return err
		}
		k.count(code, r, t, -1)
		if t != nil {
			if err := k.languages[code].Delete(n); err != nil {
				return err
			}
		}
	}
	k.Keys--
	if r.pseudo {
		k.Pseudo--
	}
	if err := k.index.Delete(indexKey(r.key, r.plural)); err != nil {
		return err
	}
	return k.rows.Delete(n)
}

// translated lists the languages that have, or had, translations.
func (k *keyspace) translated() []string { return slices.Sorted(maps.Keys(k.Counts)) }

// each calls do with every row in order, from the number after on.
func (k *keyspace) each(after []byte, do func(n []byte, r *row) (more bool, err error)) error {
	c := k.rows.Cursor()
	n, raw := c.First()
	if after != nil {
		if n, raw = c.Seek(after); n != nil && string(n) == string(after) {
			n, raw = c.Next()
		}
	}
	for ; n != nil; n, raw = c.Next() {
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

// union is a followed by those of b that it lacks.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
