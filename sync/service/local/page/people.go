package page

import (
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
)

// peoplePage is who has an account, for managers.
type peoplePage struct {
	People  []*store.Person
	Link    string // of a new invitation, relative to the page
	Address string // the same, as it is sent to a person
	For     string
}

func managed(v *visitor) error {
	if !v.Manager {
		return api.Refuse(http.StatusForbidden, "Only managers invite people. Ask one of them.")
	}
	return nil
}

func (s *Service) people(w http.ResponseWriter, _ *http.Request, v *visitor) error {
	if err := managed(v); err != nil {
		return err
	}
	return s.showPeople(w, v, peoplePage{})
}

func (s *Service) showPeople(w http.ResponseWriter, v *visitor, page peoplePage) error {
	err := s.Store.View(func(tx *store.Tx) error {
		people, err := store.OpenPeople(tx)
		if err == nil {
			page.People, err = people.All()
		}
		return err
	})
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "people", view{Visitor: v, Title: "People", Data: page})
}

// invite makes a link for a person, which is shown once.
func (s *Service) invite(w http.ResponseWriter, r *http.Request, v *visitor) error {
	if err := managed(v); err != nil {
		return err
	}
	name := r.PostFormValue("name")
	path, err := s.inviteBy(v.Name, name, r.PostFormValue("manager") != "")
	if err != nil {
		return err
	}
	scheme := "http://"
	if cookieOf(r).Secure {
		scheme = "https://"
	}
	return s.showPeople(w, v, peoplePage{Link: strings.TrimPrefix(path, Path), Address: scheme + r.Host + path, For: name})
}

// remove takes a person away. What the person wrote stays.
func (s *Service) remove(w http.ResponseWriter, r *http.Request, v *visitor) error {
	if err := managed(v); err != nil {
		return err
	}
	name := r.PostFormValue("name")
	if strings.EqualFold(name, v.Name) {
		return api.Refuse(http.StatusBadRequest, "You cannot remove yourself; another manager can.")
	}
	err := s.Store.Update(func(tx *store.Tx) error {
		people, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		return people.Remove(name)
	})
	if err != nil {
		return err
	}
	return goTo(w, "people")
}
