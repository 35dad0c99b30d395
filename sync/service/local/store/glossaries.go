package store

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
)

// An account has glossaries, one of which, the default one, is there from the beginning. Each is a bucket in the
// account's bucket of bucketGlossaries:
//
//	glossary   its record (JSON)
//	units      number -> glossaryUnit (JSON), in the order they were imported
//	seen       digest of a unit -> nothing: a unit that is imported again is not stored twice
var (
	keyGlossary = []byte("glossary")
	keyConcepts = []byte("units")
	keySeen     = []byte("seen")
)

// Glossary is the record of a glossary.
type Glossary struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Languages   []string `json:"languages"`
	Notes       []string `json:"notes,omitempty"` // the columns of files that do not name a language
	Units       int      `json:"units"`
	Default     bool     `json:"default,omitempty"`
	Created     int64    `json:"created"`
}

// GlossaryUnit is a concept with its terms.
type GlossaryUnit struct {
	Terms map[string]string `json:"terms"`           // language -> term
	Notes map[string]string `json:"notes,omitempty"` // column -> text
}

// glossaryBucket is where a glossary of the account is; nil where there is none.
func glossaryBucket(tx *Tx, id string) *bolt.Bucket {
	account := tx.bucket(bucketGlossaries).Bucket([]byte(tx.Account()))
	if account == nil {
		return nil
	}
	return account.Bucket([]byte(id))
}

// HasGlossary tells whether the account has a glossary.
func HasGlossary(tx *Tx, id string) bool { return glossaryBucket(tx, id) != nil }

func PutGlossary(tx *Tx, g *Glossary) error {
	return putRecord(glossaryBucket(tx, g.ID), string(keyGlossary), g)
}

func AddGlossary(tx *Tx, g *Glossary) error {
	account, err := tx.bucket(bucketGlossaries).CreateBucketIfNotExists([]byte(tx.Account()))
	if err != nil {
		return err
	}
	if _, err := account.CreateBucket([]byte(g.ID)); err != nil {
		return err
	}
	g.Created = tx.Now()
	return errors.Join(PutGlossary(tx, g), ClearUnits(tx, g))
}

// GlossaryIn returns a glossary of this account: a malformed identifier gives a 400, an unknown one a 404, another
// account's a 403.
func GlossaryIn(tx *Tx, field, id string) (*Glossary, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return nil, api.Invalid(field, "%q is not the identifier of a glossary: 36 characters like %s",
			api.Clip([]byte(id)), uuid.Nil)
	}
	id = parsed.String()
	if b := glossaryBucket(tx, id); b != nil {
		g, _, err := getRecord[Glossary](b, string(keyGlossary))
		return g, err
	}
	foreign := false
	err = tx.bucket(bucketGlossaries).ForEachBucket(func(account []byte) error {
		foreign = foreign || tx.bucket(bucketGlossaries).Bucket(account).Bucket([]byte(id)) != nil
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case foreign:
		return nil, &api.Problem{Status: http.StatusForbidden, Field: field, Detail: field + ": the glossary " + id +
			" belongs to another account"}
	}
	return nil, &api.Problem{Status: http.StatusNotFound, Field: field, Detail: field + ": there is no glossary " + id}
}

// GlossariesOf are those of the account, in the order they were made.
func GlossariesOf(tx *Tx) (all []*Glossary, err error) {
	account := tx.bucket(bucketGlossaries).Bucket([]byte(tx.Account()))
	err = account.ForEachBucket(func(id []byte) error {
		g, _, err := getRecord[Glossary](account.Bucket(id), string(keyGlossary))
		all = append(all, g)
		return err
	})
	slices.SortStableFunc(all, func(a, b *Glossary) int { return int(min(max(a.Created-b.Created, -1), 1)) })
	return all, err
}

// ClearUnits makes the buckets of a glossary's units anew.
func ClearUnits(tx *Tx, g *Glossary) error {
	b := glossaryBucket(tx, g.ID)
	for _, name := range [][]byte{keyConcepts, keySeen} {
		if b.Bucket(name) != nil {
			if err := b.DeleteBucket(name); err != nil {
				return err
			}
		}
		if _, err := b.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// AddUnit adds a unit unless the glossary has it already. The glossary's record is the caller's to store.
func AddUnit(tx *Tx, g *Glossary, u *GlossaryUnit) (added bool, err error) {
	raw, err := json.Marshal(u) // members of maps come sorted
	if err != nil {
		return false, err
	}
	b := glossaryBucket(tx, g.ID)
	digest := sha256.Sum256(raw)
	if b.Bucket(keySeen).Get(digest[:]) != nil {
		return false, nil
	}
	n, err := b.Bucket(keyConcepts).NextSequence()
	if err != nil {
		return false, err
	}
	return true, errors.Join(b.Bucket(keySeen).Put(digest[:], []byte{}), b.Bucket(keyConcepts).Put(number(n), raw))
}

// EachUnit calls do with the units of a glossary, in the order they were imported.
func EachUnit(tx *Tx, g *Glossary, do func(u *GlossaryUnit) error) error {
	return glossaryBucket(tx, g.ID).Bucket(keyConcepts).ForEach(func(_, raw []byte) error {
		u := &GlossaryUnit{}
		if err := json.Unmarshal(raw, u); err != nil {
			return err
		}
		return do(u)
	})
}

// AttachedGlossaries are a project's glossaries.
func AttachedGlossaries(tx *Tx, projectID string) (out []*Glossary, err error) {
	p, err := ProjectIn(tx, projectID)
	if err != nil {
		return nil, err
	}
	for _, id := range p.Glossaries {
		g, err := GlossaryIn(tx, wire.QueryGlossaryID, id)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}
