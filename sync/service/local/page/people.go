package page

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/audit"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
	"github.com/locsync/locsync/sync/service/wire"
)

// peoplePage is who has an account, for managers.
type peoplePage struct {
	People  []listedPerson
	Offered []*store.Project // for an invitation
	Targets []string         // the languages of all of them
	Link    string           // of a new invitation, relative to the page
	Address string           // the same, as it is sent to a person
	For     string
	Invited []listedInvitation

	Provider string
	Inviting bool // the form for a role is of an invitation: it may be left as it was
}

// Giving is the page for the form that gives a person another role.
func (page peoplePage) Giving() peoplePage {
	page.Inviting = false
	return page
}

// listedPerson is a person of the page.
type listedPerson struct {
	Name    string
	Manager bool
	Created int64
	Roles   []listedRole
}

// listedInvitation is one that was not used yet.
type listedInvitation struct {
	*store.Invitation
	ID    string
	Words []string
}

// listedRole is a role in words, and what a form knows it by.
type listedRole struct{ Words, Was string }

func (s *Service) people(w http.ResponseWriter, _ *http.Request, v *visitor) error {
	return s.showPeople(w, v, peoplePage{})
}

func (s *Service) showPeople(w http.ResponseWriter, v *visitor, page peoplePage) error {
	page.Inviting, page.Provider = true, s.OpenID.Label()
	projects := make(map[string]string)
	err := s.Store.View(func(tx *store.Tx) error {
		err := store.EachProject(tx, func(p *store.Project) {
			if p.Type == wire.ProjectTypeLocalization {
				page.Offered, projects[p.ID] = append(page.Offered, p), p.Name
				page.Targets = api.Union(page.Targets, p.Targets)
			}
		})
		if err != nil {
			return err
		}
		named := words.Of(w).Named
		slices.SortFunc(page.Targets, func(a, b string) int { return strings.Compare(named(a), named(b)) })
		accounts, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		all, err := accounts.All()
		for _, person := range all {
			one := listedPerson{Name: person.Name, Manager: person.Manager, Created: person.Created}
			for _, g := range person.Granted() {
				one.Roles = append(one.Roles, listedRole{audit.Role(words.Of(w), g, projects), grantID(g)})
			}
			page.People = append(page.People, one)
		}
		if err != nil {
			return err
		}
		return accounts.Invitations(func(id string, i *store.Invitation) {
			one := listedInvitation{Invitation: i, ID: id}
			for _, g := range i.Roles {
				one.Words = append(one.Words, audit.Role(words.Of(w), g, projects))
			}
			page.Invited = append(page.Invited, one)
		})
	})
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "people", view{Visitor: v, Title: "People", Data: page})
}

// grantID tells a grant from others of a person.
func grantID(g store.Grant) string { return store.Digest(fmt.Sprintf("%q", g)) }

// grantIn is what a form says.
func grantIn(r *http.Request) store.Grant {
	return store.Grant{Role: store.Role(r.PostFormValue("role")), Projects: r.PostForm["sees"],
		Languages: r.PostForm["into"]}
}

// changeRole gives a person a role, or takes one away.
func (s *Service) changeRole(w http.ResponseWriter, r *http.Request, v *visitor) error {
	err := s.Store.Update(func(tx *store.Tx) error {
		accounts, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		known, err := accounts.Person(r.PostFormValue("name"))
		if err != nil {
			return err
		}
		if known == nil || known.Manager {
			return api.Refuse(http.StatusNotFound, "There is no such person who can be given a role.")
		}
		roles := slices.Clone(known.Granted())
		if was := r.PostFormValue("was"); was != "" {
			roles = slices.DeleteFunc(roles, func(g store.Grant) bool { return grantID(g) == was })
		} else {
			given, err := people.RolesOf(tx, grantIn(r))
			if err != nil {
				return err
			}
			roles = append(roles, given...)
		}
		if len(roles) == 0 || len(roles) > mostRoles {
			return api.Refuse(http.StatusBadRequest,
				"A person has from 1 to %d roles. To keep a person out, remove that person.", mostRoles)
		}
		return accounts.SetRoles(known.Name, v.Name, roles)
	})
	return goTo(w, "people", err)
}

// mostRoles is how many roles a person has.
const mostRoles = 50

// invite makes a link for a person, which is shown once.
func (s *Service) invite(w http.ResponseWriter, r *http.Request, v *visitor) error {
	name := r.PostFormValue("name")
	path, err := s.inviteBy(people.Wish{By: v.Name, Name: name, Manager: r.PostFormValue("manager") != "",
		Address: r.PostFormValue("address"), Grant: grantIn(r)})
	if err != nil {
		return err
	}
	path = strings.TrimPrefix(path, Path)
	return s.showPeople(w, v, peoplePage{Link: path, Address: root(r) + path, For: name})
}

// revoke ends an invitation.
func (s *Service) revoke(w http.ResponseWriter, r *http.Request, v *visitor) error {
	return goTo(w, "people", s.Revoke(r.PostFormValue("id"), v.Name))
}

// Revoke ends an invitation, as a person or, without a name, a command wants.
func (s *Service) Revoke(id, by string) error {
	return s.Store.Update(people.With(func(accounts *store.People) error {
		revoked, err := accounts.Revoke(id, by)
		if err == nil && revoked == nil {
			err = api.Refuse(http.StatusNotFound, "There is no invitation %q that was not used.", id)
		}
		return err
	}))
}

// remove takes a person away. What the person wrote stays.
func (s *Service) remove(w http.ResponseWriter, r *http.Request, v *visitor) error {
	name := r.PostFormValue("name")
	if store.NameKey(name) == store.NameKey(v.Name) {
		return api.Refuse(http.StatusBadRequest, "You cannot remove yourself; another manager can.")
	}
	err := s.Store.Update(people.With(func(accounts *store.People) error {
		return accounts.Remove(name, v.Name)
	}))
	return goTo(w, "people", err)
}
