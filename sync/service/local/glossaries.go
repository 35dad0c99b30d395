package local

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/service/wire"
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

const (
	defaultGlossaryName = "Default glossary"
	maxGlossaryName     = 250 // bytes
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

func (g *glossary) wire() wire.Glossary {
	return wire.Glossary{ID: g.ID, Name: g.Name, Description: g.Description, Languages: append([]string{}, g.Languages...), Units: g.Units, IsDefault: g.Default}
}

// ensureDefaultGlossary makes the account's default glossary when there is none. Its identifier follows from the account's.
func (s *Service) ensureDefaultGlossary() error {
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(s.o.AccountID+"/glossary")).String()
	return s.store.db.Update(func(tx *bolt.Tx) error {
		if b := tx.Bucket(bucketGlossaries).Bucket([]byte(s.o.AccountID)); b != nil && b.Bucket([]byte(id)) != nil {
			return nil
		}
		return s.addGlossary(tx, &glossary{ID: id, Name: defaultGlossaryName, Default: true})
	})
}

func (s *Service) addGlossary(tx *bolt.Tx, g *glossary) error {
	account, err := tx.Bucket(bucketGlossaries).CreateBucketIfNotExists([]byte(s.o.AccountID))
	if err != nil {
		return err
	}
	b, err := account.CreateBucket([]byte(g.ID))
	if err != nil {
		return err
	}
	g.Created = s.now()
	return errors.Join(putRecord(b, string(keyGlossary), g), clearUnits(b))
}

// clearUnits makes the buckets of a glossary's units anew.
func clearUnits(b *bolt.Bucket) error {
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

// addUnit adds a unit unless the glossary has it already.
func addUnit(b *bolt.Bucket, u *glossaryUnit) (added bool, err error) {
	raw, err := json.Marshal(u) // members of maps come sorted
	if err != nil {
		return false, err
	}
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

// glossaryIn returns a glossary of this account and its bucket: a malformed identifier gives a 400, an unknown one a 404, another account's a 403.
func (s *Service) glossaryIn(tx *bolt.Tx, field, id string) (*glossary, *bolt.Bucket, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return nil, nil, invalid(field, "%q is not the identifier of a glossary: 36 characters like %s", clip([]byte(id)), uuid.Nil)
	}
	id = parsed.String()
	if account := tx.Bucket(bucketGlossaries).Bucket([]byte(s.o.AccountID)); account != nil {
		if b := account.Bucket([]byte(id)); b != nil {
			g, _, err := getRecord[glossary](b, string(keyGlossary))
			return g, b, err
		}
	}
	foreign := false
	err = tx.Bucket(bucketGlossaries).ForEachBucket(func(account []byte) error {
		foreign = foreign || tx.Bucket(bucketGlossaries).Bucket(account).Bucket([]byte(id)) != nil
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, err
	case foreign:
		return nil, nil, &problem{status: http.StatusForbidden, field: field, detail: field + ": the glossary " + id + " belongs to another account"}
	}
	return nil, nil, &problem{status: http.StatusNotFound, field: field, detail: field + ": there is no glossary " + id}
}

// glossaries are those of the account, in the order they were made.
func (s *Service) glossaries(tx *bolt.Tx) (all []*glossary, err error) {
	account := tx.Bucket(bucketGlossaries).Bucket([]byte(s.o.AccountID))
	err = account.ForEachBucket(func(id []byte) error {
		g, _, err := getRecord[glossary](account.Bucket(id), string(keyGlossary))
		all = append(all, g)
		return err
	})
	slices.SortStableFunc(all, func(a, b *glossary) int { return int(min(max(a.Created-b.Created, -1), 1)) })
	return all, err
}

// listGlossaries answers GET /v1/glossaries.
func (s *Service) listGlossaries(c *call) error {
	return s.answerGlossaries(c, s.glossaries)
}

// projectGlossaries answers GET /v1/project/{projectId}/glossaries: those that are attached, in the order they were attached.
func (s *Service) projectGlossaries(c *call) error {
	return s.answerGlossaries(c, func(tx *bolt.Tx) ([]*glossary, error) { return s.attached(tx, c.PathValue(wire.ProjectID)) })
}

func (s *Service) answerGlossaries(c *call, which func(tx *bolt.Tx) ([]*glossary, error)) error {
	out := []wire.Glossary{}
	err := s.store.db.View(func(tx *bolt.Tx) error {
		all, err := which(tx)
		for _, g := range all {
			out = append(out, g.wire())
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// attached are a project's glossaries.
func (s *Service) attached(tx *bolt.Tx, projectID string) (out []*glossary, err error) {
	p, err := s.projectIn(tx, projectID)
	if err != nil {
		return nil, err
	}
	for _, id := range p.Glossaries {
		g, _, err := s.glossaryIn(tx, wire.QueryGlossaryID, id)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// defaultGlossary answers GET /v1/glossaries/default.
func (s *Service) defaultGlossary(c *call) error {
	return s.answerDefault(c, s.glossaries)
}

// projectDefaultGlossary answers GET /v1/project/{projectId}/glossaries/default: the default glossary if it is attached; with fallbackToAccount also if
// it is not.
func (s *Service) projectDefaultGlossary(c *call) error {
	fallback, err := c.params.flag(wire.QueryFallbackToAccount)
	if err != nil {
		return err
	}
	return s.answerDefault(c, func(tx *bolt.Tx) ([]*glossary, error) {
		all, err := s.attached(tx, c.PathValue(wire.ProjectID))
		if err != nil || !fallback {
			return all, err
		}
		return s.glossaries(tx)
	})
}

func (s *Service) answerDefault(c *call, among func(tx *bolt.Tx) ([]*glossary, error)) error {
	var found *glossary
	err := s.store.db.View(func(tx *bolt.Tx) error {
		all, err := among(tx)
		if i := slices.IndexFunc(all, func(g *glossary) bool { return g.Default }); i >= 0 {
			found = all[i]
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case found == nil:
		return refuse(http.StatusNotFound, "the default glossary is not attached to the project; attach it, or ask with %s=true", wire.QueryFallbackToAccount)
	}
	return c.json(http.StatusOK, found.wire())
}

// attachGlossaries answers PUT /v1/project/{projectId}/glossaries: an array of identifiers, which takes the place of what was attached.
func (s *Service) attachGlossaries(c *call) error {
	const field = "glossaries"
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	if _, err := s.project(c.PathValue(wire.ProjectID)); err != nil {
		return err
	}
	var ids []string
	if err := json.Unmarshal(raw, &ids); err != nil || ids == nil {
		return invalid(field, "the body is not an array of identifiers: %s", clip(raw))
	}
	err = s.change(c.PathValue(wire.ProjectID), func(tx *bolt.Tx, p *project) error {
		p.Glossaries = nil
		for _, id := range ids {
			g, _, err := s.glossaryIn(tx, field, id)
			if err != nil {
				return err
			}
			p.Glossaries = union(p.Glossaries, []string{g.ID})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// createGlossary answers POST /v1/glossaries with a name, and optionally a description and languages, by the new identifier. The service interface
// shows no way to make a glossary; without one an account would have the default one alone.
func (s *Service) createGlossary(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	b, err := readMembers("body", raw)
	if err != nil {
		return err
	}
	g := &glossary{ID: uuid.NewString(), Name: strings.TrimSpace(member[string](b, "name")), Description: member[string](b, "description")}
	words := member[[]string](b, "languages")
	switch {
	case b.err != nil:
		return b.err
	case g.Name == "":
		return invalid("name", "is missing; a glossary has a name")
	case len(g.Name) > maxGlossaryName:
		return invalid("name", "has more than %d bytes", maxGlossaryName)
	}
	if g.Languages, err = targetCodes("languages", words, ""); err != nil {
		return err
	}
	if err := s.store.db.Update(func(tx *bolt.Tx) error { return s.addGlossary(tx, g) }); err != nil {
		return err
	}
	return c.json(http.StatusOK, g.ID)
}
