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
	People  []*store.Person
	Offered []*store.Project // for an invitation
	Targets []string         // the languages of all of them
	Link    string           // of a new invitation, relative to the page
	Address string           // the same, as it is sent to a person
	For     string
	Invited []invited

	Provider string
	Inviting bool // the form for a role is of an invitation: it may be left as it was

	projects map[string]string // their names by identifiers
	in       *words.Language
}

// invited is an invitation that was not used yet.
type invited struct {
	ID         string
	Invitation *store.Invitation
}

// Giving is the page for the form that gives a person another role.
func (page peoplePage) Giving() peoplePage {
	page.Inviting = false
	return page
}

// Words are what a grant says.
func (page peoplePage) Words(g store.Grant) string { return audit.Role(page.in, g, page.projects) }

// GrantID is what a form knows a grant by.
func (page peoplePage) GrantID(g store.Grant) string { return grantID(g) }

func (s *Service) people(w http.ResponseWriter, _ *http.Request, v *visitor) error {
	return s.showPeople(w, v, peoplePage{})
}

func (s *Service) showPeople(w http.ResponseWriter, v *visitor, page peoplePage) error {
	page.Inviting, page.Provider = true, s.OpenID.Label()
	page.projects, page.in = make(map[string]string), words.Of(w)
	err := s.Store.View(func(tx *store.Tx) error {
		err := store.EachProject(tx, func(p *store.Project) {
			if p.Type == wire.ProjectTypeLocalization {
				page.Offered, page.projects[p.ID] = append(page.Offered, p), p.Name
				page.Targets = api.Union(page.Targets, p.Targets)
			}
		})
		if err != nil {
			return err
		}
		named := page.in.Named
		slices.SortFunc(page.Targets, func(a, b string) int { return strings.Compare(named(a), named(b)) })
		accounts, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		if page.People, err = accounts.All(); err != nil {
			return err
		}
		return accounts.Invitations(func(id string, i *store.Invitation) {
			page.Invited = append(page.Invited, invited{id, i})
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
	word, err := people.Invite(s.Store, people.Wish{By: v.Name, Name: name, Manager: r.PostFormValue("manager") != "",
		Address: r.PostFormValue("address"), Grant: grantIn(r)})
	if err != nil {
		return err
	}
	path := strings.TrimPrefix(invitationPath, Path) + word
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
