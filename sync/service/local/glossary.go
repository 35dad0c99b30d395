package local

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
)

// An account has glossaries, one of which, the default one, is there from the beginning. Each is a bucket in the account's bucket of bucketGlossaries:
//
//	glossary   its record (JSON)
//	units      number -> glossaryUnit (JSON), in the order they were imported
//	seen       digest of a unit -> nothing: a unit that is imported again is no second one
var (
	keyGlossary = []byte("glossary")
	keyConcepts = []byte("units")
	keySeen     = []byte("seen")
)

// glossary is the record of a glossary.
type glossary struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Languages   []string `json:"languages"`
	Notes       []string `json:"notes,omitempty"` // the columns of files that are no language
	Units       int      `json:"units"`
	Default     bool     `json:"default,omitempty"`
	Created     int64    `json:"created"`
}

// glossaryUnit is a concept with its terms.
type glossaryUnit struct {
	Terms map[string]string `json:"terms"`           // language -> term
	Notes map[string]string `json:"notes,omitempty"` // column -> text
}

// glossaryBucket is where a glossary of the account is; nil where there is none.
func glossaryBucket(tx *Tx, id string) *bolt.Bucket {
	account := tx.bucket(bucketGlossaries).Bucket([]byte(tx.account()))
	if account == nil {
		return nil
	}
	return account.Bucket([]byte(id))
}

// hasGlossary tells whether the account has a glossary.
func hasGlossary(tx *Tx, id string) bool { return glossaryBucket(tx, id) != nil }

func putGlossary(tx *Tx, g *glossary) error {
	return putRecord(glossaryBucket(tx, g.ID), string(keyGlossary), g)
}

func addGlossary(tx *Tx, g *glossary) error {
	account, err := tx.bucket(bucketGlossaries).CreateBucketIfNotExists([]byte(tx.account()))
	if err != nil {
		return err
	}
	if _, err := account.CreateBucket([]byte(g.ID)); err != nil {
		return err
	}
	g.Created = tx.now()
	return errors.Join(putGlossary(tx, g), clearUnits(tx, g))
}

// glossaryIn returns a glossary of this account: a malformed identifier gives a 400, an unknown one a 404, another account's a 403.
func glossaryIn(tx *Tx, field, id string) (*glossary, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return nil, invalid(field, "%q is not the identifier of a glossary: 36 characters like %s", clip([]byte(id)), uuid.Nil)
	}
	id = parsed.String()
	if b := glossaryBucket(tx, id); b != nil {
		g, _, err := getRecord[glossary](b, string(keyGlossary))
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
		return nil, &problem{status: http.StatusForbidden, field: field, detail: field + ": the glossary " + id + " belongs to another account"}
	}
	return nil, &problem{status: http.StatusNotFound, field: field, detail: field + ": there is no glossary " + id}
}

// glossaries are those of the account, in the order they were made.
func glossariesOf(tx *Tx) (all []*glossary, err error) {
	account := tx.bucket(bucketGlossaries).Bucket([]byte(tx.account()))
	err = account.ForEachBucket(func(id []byte) error {
		g, _, err := getRecord[glossary](account.Bucket(id), string(keyGlossary))
		all = append(all, g)
		return err
	})
	slices.SortStableFunc(all, func(a, b *glossary) int { return int(min(max(a.Created-b.Created, -1), 1)) })
	return all, err
}

// clearUnits makes the buckets of a glossary's units anew.
func clearUnits(tx *Tx, g *glossary) error {
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

// addUnit adds a unit unless the glossary has it already. The glossary's record is the caller's to store.
func addUnit(tx *Tx, g *glossary, u *glossaryUnit) (added bool, err error) {
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

// eachUnit calls do with the units of a glossary, in the order they were imported.
func eachUnit(tx *Tx, g *glossary, do func(u *glossaryUnit) error) error {
	return glossaryBucket(tx, g.ID).Bucket(keyConcepts).ForEach(func(_, raw []byte) error {
		u := &glossaryUnit{}
		if err := json.Unmarshal(raw, u); err != nil {
			return err
		}
		return do(u)
	})
}

// attachedGlossaries are a project's glossaries.
func attachedGlossaries(tx *Tx, projectID string) (out []*glossary, err error) {
	p, err := projectIn(tx, projectID)
	if err != nil {
		return nil, err
	}
	for _, id := range p.Glossaries {
		g, err := glossaryIn(tx, wire.QueryGlossaryID, id)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}
