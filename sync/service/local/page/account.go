package page

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/subtle"
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
	Language  string // the one that was chosen

	Provider string
	Linked   bool // to a sign-in at the provider
	Password bool // there is one

	Told         store.Told
	Feed         string // the address of a new feed
	Mails        bool   // mails are sent
	Address      string // as the form has it
	WrongAddress string
}

// session is a browser that the person is signed in with.
type session struct {
	Agent       string
	Began, Seen int64 // Began is 0 where an earlier version stored it
	Here        bool
}

// nameTaken is of a name that another person has.
const nameTaken = "Another person is called %s here; choose another name."

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
	page.Languages, page.Language = words.All(), v.person.Language
	page.Mails, page.Provider, page.Password = s.News.Mails(), s.OpenID.Label(), len(v.person.Key) > 0
	err := s.Store.View(people.With(func(accounts *store.People) error {
		now, err := accounts.Person(v.Name)
		if err != nil || now == nil {
			return err
		}
		page.Told, page.Linked = now.Told, now.Login != store.Login{}
		return accounts.Visits(v.Name, func(digest string, visit *store.Visit) {
			page.Sessions = append(page.Sessions, session{serve.Agent(visit.Agent), visit.Began, visit.Seen, digest == v.digest})
		})
	}))
	if err != nil {
		return err
	}
	slices.SortFunc(page.Sessions, func(a, b session) int { return cmp.Compare(b.Seen, a.Seen) })
	return show(w, status, "account", view{Visitor: v, Title: "Your account", Said: changed[r.FormValue("said")],
		Data: page})
}

// changeName gives a person another name. What was written before keeps the old one, which no other person can take.
func (s *Service) changeName(w http.ResponseWriter, r *http.Request, v *visitor) error {
	page := ownAccount{Name: r.PostFormValue("name")}
	name, err := people.Name(page.Name, false)
	if err != nil {
		page.WrongName, _ = wrong(w, err)
		return s.showAccount(w, r, v, http.StatusBadRequest, page)
	}
	taken := false
	err = s.Store.Update(people.With(func(accounts *store.People) (err error) {
		taken, err = accounts.Rename(v.Name, name)
		return err
	}))
	if err != nil {
		return err
	}
	if taken {
		page.WrongName = words.Of(w).Say(nameTaken, name)
		return s.showAccount(w, r, v, http.StatusConflict, page)
	}
	return goTo(w, "account?said=name", nil)
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
	page, next := ownAccount{Name: v.Name}, r.PostFormValue("new")
	account, now := attempt{serve.Peer(r), store.NameKey(v.Name)}, time.Unix(0, s.Store.Now())
	if s.byAccount.Take(account, now) > 0 {
		page.WrongPassword = "Too many attempts failed. Try again in half a minute."
		return s.showAccount(w, r, v, http.StatusTooManyRequests, page)
	}
	key, err := s.derive(r, r.PostFormValue("password"), v.person.Salt)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(key, v.person.Key) != 1 {
		page.WrongPassword = "That is not your password."
		return s.showAccount(w, r, v, http.StatusForbidden, page)
	}
	s.byAccount.Return(account)
	page.WrongPassword = people.WrongPassword(next)
	if page.WrongPassword != "" {
		return s.showAccount(w, r, v, http.StatusBadRequest, page)
	}
	salt := []byte(rand.Text())
	if key, err = s.derive(r, next, salt); err != nil {
		return err
	}
	var person *store.Person
	err = s.Store.Update(people.With(func(accounts *store.People) (err error) {
		if person, err = accounts.Person(v.Name); err != nil {
			return err
		}
		if person == nil || !bytes.Equal(person.Key, v.person.Key) {
			return api.Refuse(http.StatusForbidden, "This account has changed just now. Sign in again.")
		}
		person.Salt, person.Key = salt, key
		return accounts.Put(person, person.Name)
	}))
	if err != nil {
		return err
	}
	return s.begin(w, r, person, "account?said=password")
}

// leaveElsewhere signs a person out in all other browsers.
func (s *Service) leaveElsewhere(w http.ResponseWriter, _ *http.Request, v *visitor) error {
	err := s.Store.Update(people.With(func(accounts *store.People) error {
		return accounts.LeaveOthers(v.Name, v.digest)
	}))
	return goTo(w, "account?said=elsewhere", err)
}
