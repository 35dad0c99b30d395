// Package clients answers our own clients what the interface has no calls for: the questions of translators, who wrote
// a text, and keys that are put aside.
//
// Its law: it is answered to who has the account's key, about the account's projects, as all calls are.
package clients

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// Service answers our own clients.
type Service struct {
	store *store.Store
	keys  *keys.Service
}

// New is a service for the keys of a store.
func New(st *store.Store, k *keys.Service) *Service { return &Service{store: st, keys: k} }

// Routes are its calls, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathOwnQuestions: {"GET": s.questions},
		wire.PathOwnWriters:   {"POST": s.writers},
		wire.PathOwnArchive:   {"POST": s.archive},
	}
}

// Offering is a call on a project whose answer says what there is for it.
func (s *Service) Offering(do func(*api.Call) error) func(*api.Call) error {
	return func(c *api.Call) error {
		p, err := s.store.LocalizationProject(c.PathValue(wire.ProjectID))
		if err != nil {
			return err
		}
		offers, err := s.offers(p)
		if err != nil {
			return err
		}
		c.Writer.Header().Set(wire.HeaderOwn, offers)
		return do(c)
	}
}

// mostQuestions is how many questions an answer has.
const mostQuestions = 100

// questions answers GET PathOwnQuestions: those that wait for an answer, by key.
func (s *Service) questions(c *api.Call) error {
	p, err := s.store.LocalizationProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	all := []wire.Question{}
	err = s.store.View(func(tx *store.Tx) error {
		for _, name := range store.CollectionNames(tx, p.ID) {
			k, err := store.OpenCollection(tx, p.ID, name)
			if err == nil {
				err = k.EachQuestion(func(r *store.Row, c store.Comment) error {
					all = append(all, wire.Question{Collection: name, Key: r.Key, Language: c.Language, By: c.By, Text: c.Text})
					return nil
				})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b wire.Question) int { return cmp.Compare(a.Key, b.Key) })
	return c.Answer(http.StatusOK, all[:min(len(all), mostQuestions)])
}

// offers is what HeaderOwn lists for a project.
func (s *Service) offers(p *store.Project) (list string, err error) {
	list = wire.OffersArchive
	err = s.store.View(func(tx *store.Tx) error {
		asked, aside := "", 0
		for _, name := range store.CollectionNames(tx, p.ID) {
			k, err := store.OpenCollection(tx, p.ID, name)
			if err == nil {
				aside += k.Archived
				err = k.EachQuestion(func(*store.Row, store.Comment) error {
					asked = " " + wire.OffersQuestions
					return nil
				})
			}
			if err != nil {
				return err
			}
		}
		list += asked
		if aside > 0 {
			list += " " + wire.OffersArchived + strconv.Itoa(aside)
		}
		people, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		all, err := people.All()
		if len(all) > 0 {
			list += " " + wire.OffersWriters
		}
		return err
	})
	return list, err
}

// writers answers POST PathOwnWriters: the people who wrote the present texts of keys on the page, in order.
func (s *Service) writers(c *api.Call) error {
	p, asked, err := s.keysOf(c)
	if err != nil {
		return err
	}
	names := make(map[string]bool)
	err = s.store.View(func(tx *store.Tx) error {
		for _, of := range asked {
			k, err := store.OpenCollection(tx, p.ID, of.Collection)
			if err != nil {
				return err
			}
			for _, key := range of.Keys {
				if err := writersOf(k, of.Language, key, names); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, append([]string{}, slices.Sorted(maps.Keys(names))...))
}

// writersOf adds who wrote the texts of a key; k may be nil.
func writersOf(k *store.Keyspace, language, key string, names map[string]bool) error {
	for _, plural := range []bool{false, true} {
		if k == nil {
			return nil
		}
		n, row, err := k.Find(key, plural)
		if err == nil && row != nil {
			var t *store.Translation
			if t, err = k.Translation(language, n); t != nil && t.By != "" {
				names[t.By] = true
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// archive answers POST PathOwnArchive.
func (s *Service) archive(c *api.Call) error {
	p, asked, err := s.keysOf(c)
	if err != nil {
		return err
	}
	for _, of := range asked {
		if err := s.keys.Archive(p.ID, of.Collection, of.Keys); err != nil {
			return err
		}
	}
	return c.Empty(http.StatusNoContent)
}

// keysOf reads a body of keys of a project.
func (s *Service) keysOf(c *api.Call) (p *store.Project, all []wire.KeysOf, err error) {
	if p, err = s.store.LocalizationProject(c.PathValue(wire.ProjectID)); err != nil {
		return nil, nil, err
	}
	raw, err := api.ReadBody(c, api.MaxModel)
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, nil, api.Invalid("body", "is not an array of collections with their keys: %v", err)
	}
	return p, all, nil
}
