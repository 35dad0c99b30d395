package page

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

// ownAccount is the page where people change their accounts.
type ownAccount struct {
	Name          string // as the form has it
	WrongName     string
	WrongPassword string
	Sessions      []session

	Languages []*words.Language
	Provider  string
	Person    *store.Person

	Feed         string // the address of a new feed
	Mails        bool   // mails are sent
	Address      string // as the form has it
	WrongAddress string
}

// session is a browser that the person is signed in with.
type session struct {
	Visit *store.Visit
	Agent string
	Here  bool
}

// changed is what the page says after a form.
var changed = map[string]string{"name": "Your name is changed.", "password": "Your password is changed.",
	"elsewhere": "You are signed out everywhere else.", "feed": "The feed is revoked: its address has nothing any more.",
	"linked": "You can sign in by it from now on.",
	"words":  "Your language is changed.", "mails": "Your choice is stored.",
	"asked": "A mail is on its way to that address. Follow the link in it."}

func (s *Service) account(w http.ResponseWriter, r *http.Request, v *visitor) error {
	return s.showAccount(w, r, v, http.StatusOK, ownAccount{Name: v.Name})
}

func (s *Service) showAccount(w http.ResponseWriter, r *http.Request, v *visitor, status int, page ownAccount) error {
	page.Languages, page.Mails, page.Provider = words.All(), s.News.Mails(), s.OpenID.Label()
	err := s.Store.View(people.With(func(accounts *store.People) (err error) {
		page.Person, err = accounts.Person(v.Name)
		if err != nil || page.Person == nil { // removed in this moment
			page.Person = v.person
			return err
		}
		return accounts.Visits(v.Name, func(digest string, visit *store.Visit) {
			page.Sessions = append(page.Sessions, session{visit, serve.Agent(visit.Agent), digest == v.digest})
		})
	}))
	if err != nil {
		return err
	}
	slices.SortFunc(page.Sessions, func(a, b session) int { return cmp.Compare(b.Visit.Seen, a.Visit.Seen) })
	return show(w, status, "account", view{Visitor: v, Title: "Your account", Said: changed[r.FormValue("said")],
		Data: page})
}

// changeName gives a person another name. What was written before keeps the old one, which no other person can take.
func (s *Service) changeName(w http.ResponseWriter, r *http.Request, v *visitor) error {
	name, err := people.Name(r.PostFormValue("name"), false)
	if err == nil {
		err = s.Store.Update(people.With(func(accounts *store.People) error {
			if err := people.Unused(accounts, name, v.Name); err != nil {
				return err
			}
			return accounts.Rename(v.Name, name)
		}))
	}
	if status, said := refusal(w, err); status != 0 {
		return s.showAccount(w, r, v, status, ownAccount{Name: r.PostFormValue("name"), WrongName: said})
	}
	return goTo(w, "account?said=name", err)
}

// changeWords has the pages of a person speak another language; empty: the browser's.
func (s *Service) changeWords(w http.ResponseWriter, r *http.Request, v *visitor) error {
	err := s.Store.Update(people.With(func(accounts *store.People) error {
		chosen := r.PostFormValue("words")
		if chosen != "" {
			chosen = words.Choose(chosen, "").Code
		}
		return accounts.Change(v.Name, func(one *store.Person) { one.Language = chosen })
	}))
	return goTo(w, "account?said=words", err)
}

// changePassword gives a person who knows the password another one. Other browsers are not signed in any more.
func (s *Service) changePassword(w http.ResponseWriter, r *http.Request, v *visitor) error {
	person, err := s.withPassword(r, v, r.PostFormValue("new"))
	if status, said := refusal(w, err); status != 0 {
		return s.showAccount(w, r, v, status, ownAccount{Name: v.Name, WrongPassword: said})
	}
	if err != nil {
		return err
	}
	return s.begin(w, r, person, "account?said=password")
}

// withPassword stores another password of a person who knows the present one.
func (s *Service) withPassword(r *http.Request, v *visitor, next string) (person *store.Person, err error) {
	account := attempt{serve.Peer(r), store.NameKey(v.Name)}
	if s.byAccount.Take(account, time.Unix(0, s.Store.Now())) > 0 {
		return nil, api.Refuse(http.StatusTooManyRequests, "Too many attempts failed. Try again in half a minute.")
	}
	if knows, err := s.knows(r, v.person); err != nil {
		return nil, err
	} else if !knows {
		return nil, api.Refuse(http.StatusForbidden, "That is not your password.")
	}
	s.byAccount.Return(account)
	if err := people.Password(next); err != nil {
		return nil, err
	}
	salt := []byte(rand.Text())
	key, err := s.derive(r, next, salt)
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(people.With(func(accounts *store.People) (err error) {
		person, err = unchanged(accounts, v.person)
		if err != nil {
			return err
		}
		person.Salt, person.Key = salt, key
		return accounts.Put(person, person.Name)
	}))
	return person, err
}

// leaveElsewhere signs a person out in all other browsers.
func (s *Service) leaveElsewhere(w http.ResponseWriter, _ *http.Request, v *visitor) error {
	err := s.Store.Update(people.With(func(accounts *store.People) error {
		return accounts.LeaveOthers(v.Name, v.digest)
	}))
	return goTo(w, "account?said=elsewhere", err)
}
