package page

import (
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// peoplePage is who has an account, for managers.
type peoplePage struct {
	People  []listedPerson
	Offered []*store.Project // for an invitation
	Link    string           // of a new invitation, relative to the page
	Address string           // the same, as it is sent to a person
	For     string
}

// listedPerson is a person of the page.
type listedPerson struct {
	Name     string
	Manager  bool
	Created  int64
	Projects []string // the names of those that the person sees; none: all
}

const peopleAreManaged = "Only managers invite people. Ask one of them."

// managed refuses all but managers.
func managed(v *visitor, why string) error {
	if !v.Manager {
		return api.Refuse(http.StatusForbidden, "%s", why)
	}
	return nil
}

func (s *Service) people(w http.ResponseWriter, _ *http.Request, v *visitor) error {
	if err := managed(v, peopleAreManaged); err != nil {
		return err
	}
	return s.showPeople(w, v, peoplePage{})
}

func (s *Service) showPeople(w http.ResponseWriter, v *visitor, page peoplePage) error {
	err := s.Store.View(func(tx *store.Tx) error {
		err := store.EachProject(tx, func(p *store.Project) {
			if p.Type == wire.ProjectTypeLocalization {
				page.Offered = append(page.Offered, p)
			}
		})
		if err != nil {
			return err
		}
		people, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		all, err := people.All()
		for _, person := range all {
			one := listedPerson{Name: person.Name, Manager: person.Manager, Created: person.Created}
			for _, p := range page.Offered {
				if len(person.Projects) > 0 && !person.Manager && person.Sees(p.ID) {
					one.Projects = append(one.Projects, p.Name)
				}
			}
			page.People = append(page.People, one)
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
	if err := managed(v, peopleAreManaged); err != nil {
		return err
	}
	name := r.PostFormValue("name")
	path, err := s.inviteBy(v.Name, name, r.PostFormValue("manager") != "", r.PostForm["sees"])
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
	if err := managed(v, peopleAreManaged); err != nil {
		return err
	}
	name := r.PostFormValue("name")
	if store.NameKey(name) == store.NameKey(v.Name) {
		return api.Refuse(http.StatusBadRequest, "You cannot remove yourself; another manager can.")
	}
	err := s.Store.Update(func(tx *store.Tx) error {
		people, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		return people.Remove(name, v.Name)
	})
	if err != nil {
		return err
	}
	return goTo(w, "people")
}
