package page

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
	"go.uber.org/zap"
)

// Bounds of visits.
const (
	maxAgent  = 300       // bytes of what a browser calls itself
	seenEvery = time.Hour // a visit's last use is stored that often at most
)

// rounds is how often a password is hashed, as OWASP advises for PBKDF2 with SHA-256. A variable for tests.
var rounds = 600_000

// derive is what is stored of a password. It takes a processor for a while, so that senders wait for each other.
func (s *Service) derive(r *http.Request, password string, salt []byte) ([]byte, error) {
	if !s.deriver.Wait(r.Context(), serve.Peer(r)) {
		return nil, api.Refuse(http.StatusServiceUnavailable, "Too many people sign in at this moment. Try again.")
	}
	defer s.deriver.Next()
	return pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
}

// knows reports whether a form has the password of a person.
func (s *Service) knows(r *http.Request, person *store.Person) (bool, error) {
	key, err := s.derive(r, r.PostFormValue("password"), person.Salt)
	return err == nil && subtle.ConstantTimeCompare(key, person.Key) == 1, err
}

// unchanged is a person whose password is what it was when it was read: to derive one takes a while, in which another
// one may have been chosen, or the person removed.
func unchanged(accounts *store.People, was *store.Person) (*store.Person, error) {
	now, err := accounts.Person(was.Name)
	if err == nil && (now == nil || !bytes.Equal(now.Key, was.Key)) {
		err = api.Refuse(http.StatusForbidden, "This account has changed just now. Sign in again.")
	}
	return now, err
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Empty reports whether no person has an account yet.
func (s *Service) Empty() (empty bool, err error) {
	err = s.Store.View(people.With(func(accounts *store.People) error {
		all, err := accounts.All()
		empty = len(all) == 0
		return err
	}))
	return empty, err
}

// invitationPath is where an invitation is accepted; its word follows.
const invitationPath = Path + "invitation?word="

// invitation is the page of one.
type invitation struct {
	Word, Name string
	Wrong      string
	Fixed      bool // the name is that of the invitation
	Provider   string
}

func (s *Service) invitationForm(w http.ResponseWriter, r *http.Request) error {
	page, err := s.invitation(r.URL.Query().Get("word"))
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "invitation", view{Title: "Welcome", Data: page})
}

func (s *Service) invitation(word string) (page invitation, err error) {
	err = s.Store.View(people.With(func(accounts *store.People) error {
		found, err := people.Invitation(accounts, word)
		if err == nil {
			page = invitation{Word: word, Name: found.Name, Fixed: found.Name != "", Provider: s.OpenID.Label()}
		}
		return err
	}))
	return page, err
}

// accept makes the account of an invitation, which is used up, and signs in.
func (s *Service) accept(w http.ResponseWriter, r *http.Request) error {
	page, err := s.invitation(r.PostFormValue("word")) // before any work is done for it
	if err != nil {
		return err
	}
	if !page.Fixed {
		page.Name = r.PostFormValue("name")
	}
	person, err := s.joined(r, page)
	if status, said := refusal(w, err); status != 0 {
		page.Wrong = said
		return show(w, status, "invitation", view{Title: "Welcome", Data: page})
	}
	if err != nil {
		return err
	}
	return s.begin(w, r, person, "./")
}

// joined makes a person of an invitation, with the password of a form.
func (s *Service) joined(r *http.Request, of invitation) (*store.Person, error) {
	name, err := people.Name(of.Name, false)
	if err == nil {
		err = people.Password(r.PostFormValue("password"))
	}
	if err != nil {
		return nil, err
	}
	person := &store.Person{Name: name, Salt: []byte(rand.Text()), Created: s.Store.Now()}
	person.Key, err = s.derive(r, r.PostFormValue("password"), person.Salt)
	if err != nil {
		return nil, err
	}
	return person, s.Store.Update(people.With(func(accounts *store.People) error {
		return people.Use(accounts, of.Word, person)
	}))
}

// signing is the form of the sign-in page.
type signing struct{ Name, Next, Wrong, Provider string }

func (s *Service) signInForm(w http.ResponseWriter, r *http.Request) error {
	return show(w, http.StatusOK, "sign-in", view{Title: "Sign in", Data: signing{Next: r.URL.Query().Get("next"),
		Provider: s.OpenID.Label()}})
}

// askToSignIn sends who is not signed in to the form, which leads back.
func askToSignIn(w http.ResponseWriter, r *http.Request) error {
	next := ""
	if r.Method == http.MethodGet {
		next = strings.TrimPrefix(r.URL.Path, Path)
		if r.URL.RawQuery != "" {
			next += "?" + r.URL.RawQuery
		}
	}
	return goTo(w, "sign-in?next="+url.QueryEscape(next), nil)
}

// ownAddress is an address below the page as a form had it; the first page for all that is none.
func ownAddress(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || strings.ContainsAny(u.Path, `/\:`) {
		return "./"
	}
	return "./" + next
}

// attempt is a try to sign in: by address and account together, so that a stranger gets in nowhere and keeps out no
// other.
type attempt struct{ from, account string }

func (s *Service) signIn(w http.ResponseWriter, r *http.Request) error {
	form := signing{Name: strings.TrimSpace(r.PostFormValue("name")), Next: r.PostFormValue("next"),
		Provider: s.OpenID.Label()}
	from, now := serve.Peer(r), time.Unix(0, s.Store.Now())
	account := attempt{from, store.NameKey(form.Name)}
	if s.byAddress.Take(from, now) > 0 || s.byAccount.Take(account, now) > 0 {
		w.Header().Set("Retry-After", "30")
		form.Wrong = "Too many attempts with this name failed from your address. Try again in half a minute."
		return show(w, http.StatusTooManyRequests, "sign-in", view{Title: "Sign in", Data: form})
	}
	var person *store.Person
	err := s.Store.View(people.With(func(accounts *store.People) (err error) {
		person, err = accounts.Person(form.Name)
		return err
	}))
	if err != nil {
		return err
	}
	known := person != nil
	if !known { // the time it takes must not tell which names there are
		person = &store.Person{Salt: []byte(rand.Text())}
	}
	knows, err := s.knows(r, person)
	if err != nil {
		return err
	}
	if !known || !knows {
		s.aside.Warn("translation page: a wrong name or password", zap.String("from", from),
			zap.Int64("wrong", s.wrong.Add(1)))
		form.Wrong = "That is not a name and its password. A manager, or the command locsync service invite, can " +
			"make a link to choose a new one."
		return show(w, http.StatusForbidden, "sign-in", view{Title: "Sign in", Data: form})
	}
	s.byAddress.Return(from)
	s.byAccount.Return(account)
	return s.begin(w, r, person, ownAddress(form.Next))
}

// begin signs a browser in, as a person whose password was right.
func (s *Service) begin(w http.ResponseWriter, r *http.Request, person *store.Person, next string) error {
	word, agent := rand.Text(), strings.ToValidUTF8(r.UserAgent(), "")
	err := s.Store.Update(people.With(func(accounts *store.People) error {
		if _, err := unchanged(accounts, person); err != nil {
			return err
		}
		return accounts.SignIn(people.Digest(word), &store.Visit{Name: person.Name, Form: rand.Text(), Seen: s.Store.Now(),
			Began: s.Store.Now(), Agent: agent[:min(len(agent), maxAgent)]})
	}))
	if err != nil {
		return err
	}
	cookie := cookieOf(r)
	cookie.Value, cookie.MaxAge = word, int(store.VisitIdle/time.Second)
	http.SetCookie(w, cookie)
	return goTo(w, next, nil)
}

func (s *Service) signOut(w http.ResponseWriter, r *http.Request, v *visitor) error {
	err := s.Store.Update(people.With(func(accounts *store.People) error {
		return accounts.SignOut(v.digest)
	}))
	if err != nil {
		return err
	}
	cookie := cookieOf(r)
	cookie.MaxAge = -1
	http.SetCookie(w, cookie)
	return goTo(w, "sign-in", nil)
}

// visitorOf returns who a request is from; nil where its browser is not signed in.
func (s *Service) visitorOf(r *http.Request) (*visitor, error) {
	cookie, err := r.Cookie(cookieOf(r).Name)
	if err != nil {
		return nil, nil
	}
	at := people.Digest(cookie.Value)
	var visit *store.Visit
	var person *store.Person
	err = s.Store.View(people.With(func(accounts *store.People) (err error) {
		visit, person, err = accounts.Visit(at)
		return err
	}))
	if err != nil || visit == nil {
		return nil, err
	}
	if now := s.Store.Now(); now-visit.Seen > int64(seenEvery) {
		visit.Seen = now
		err = s.Store.Update(people.With(func(accounts *store.People) error {
			if still, _, err := accounts.Visit(at); err != nil || still == nil { // it may have ended meanwhile
				return err
			}
			return accounts.Visited(at, visit)
		}))
		if err != nil { // pages are shown without it, where the disk is full or the service has moved
			s.aside.Warn("translation page: the time of a visit is not stored", zap.Error(err))
		}
	}
	serve.Known(r.Context())
	return &visitor{Name: person.Name, Form: visit.Form, digest: at, person: person}, nil
}

// root is the address of the page, as the one who asks reaches it.
func root(r *http.Request) string {
	scheme := "http://"
	if cookieOf(r).Secure {
		scheme = "https://"
	}
	return scheme + r.Host + Path
}

// cookieOf is the cookie of a visit. Browsers do not tell ports of one host apart, so that two services on a machine
// need two names.
func cookieOf(r *http.Request) *http.Cookie {
	name := "locsync-translate"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		name += "-" + port
	}
	secure := r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
	return &http.Cookie{Name: name, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure}
}
