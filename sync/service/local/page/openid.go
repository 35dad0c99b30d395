package page

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/openid"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
	"go.uber.org/zap"
)

// backPath is where the provider sends people back to. The sign-in goes on from a page of this address, so that the
// browser sends the cookies that it keeps for such pages alone.
const backPath = "oidc-back"

// purpose is what a person signs in for at the provider.
type purpose struct {
	Next string `json:"next,omitempty"` // the page to go on with
	Word string `json:"word,omitempty"` // of an invitation
	Link string `json:"link,omitempty"` // the digest of the visit whose person links the sign-in
}

// attemptCookie holds an attempt, in the browser that makes it.
func attemptCookie(r *http.Request) *http.Cookie {
	cookie := cookieOf(r)
	cookie.Name += "-oidc"
	cookie.MaxAge = int((10 * time.Minute).Seconds())
	return cookie
}

var errNoProvider = api.Refuse(http.StatusNotFound, "There is no sign-in but by password here.")

// toProvider sends a person to the provider, from a page of this address.
func (s *Service) toProvider(w http.ResponseWriter, r *http.Request, v *visitor, p purpose) error {
	if s.OpenID == nil {
		return errNoProvider
	}
	what, err := json.Marshal(p)
	if err != nil {
		return err
	}
	address, begun, err := s.OpenID.Begin(root(r)+backPath, string(what))
	if err != nil {
		return s.unproven(err)
	}
	cookie := attemptCookie(r)
	cookie.Value = begun.Kept()
	http.SetCookie(w, cookie)
	return show(w, http.StatusOK, "onward", view{Visitor: v, Onward: address,
		Title: words.Of(w).Say("Sign in with %s", s.OpenID.Name)})
}

func (s *Service) openID(w http.ResponseWriter, r *http.Request) error {
	return s.toProvider(w, r, nil, purpose{Next: r.FormValue("next"), Word: r.FormValue("word")})
}

func (s *Service) linkOpenID(w http.ResponseWriter, r *http.Request, v *visitor) error {
	return s.toProvider(w, r, v, purpose{Next: "account?said=linked", Link: v.digest})
}

// backFromProvider goes on with what the provider answers.
func (s *Service) backFromProvider(w http.ResponseWriter, r *http.Request) error {
	return show(w, http.StatusOK, "onward", view{Title: "Sign in", Onward: "oidc-in?" + r.URL.Query().Encode()})
}

// unproven is what people read of an error of the provider.
func (s *Service) unproven(err error) error {
	if wrong, is := errors.AsType[*openid.Wrong](err); is {
		s.aside.Warn("translation page: a sign-in by the provider failed", zap.Error(wrong.Cause))
		return api.Refuse(http.StatusForbidden, wrong.Words, wrong.Args...)
	}
	if away, is := errors.AsType[*openid.Away](err); is {
		s.aside.Warn("translation page: no sign-in by the provider", zap.Error(away))
		return api.Refuse(http.StatusBadGateway, "%s does not answer at this moment. Try again, or sign in with a password.",
			s.OpenID.Name)
	}
	return err
}

// signInByProvider signs in the person who has come back from the provider.
func (s *Service) signInByProvider(w http.ResponseWriter, r *http.Request) error {
	from, now := serve.Peer(r), time.Unix(0, s.Store.Now())
	if s.OpenID == nil {
		return errNoProvider
	}
	if s.byAddress.Take(from, now) > 0 {
		return api.Refuse(http.StatusTooManyRequests, "Too many attempts to sign in from your address. Try again soon.")
	}
	var begun openid.Attempt
	var p purpose
	if cookie, err := r.Cookie(attemptCookie(r).Name); err == nil {
		begun = openid.ReadAttempt(cookie.Value)
		_ = json.Unmarshal([]byte(begun.For), &p) // of an attempt that succeeds, it can be read
	}
	used := attemptCookie(r)
	used.MaxAge = -1
	http.SetCookie(w, used)
	found, err := s.OpenID.Finish(r.Context(), root(r)+backPath, begun, r.URL.Query())
	if err != nil {
		return s.unproven(err)
	}
	who := people.Comer{Login: store.Login{Issuer: found.Issuer, Subject: found.Subject}, Address: found.Address,
		Name: found.Name}
	if s.OpenID.Allows(found.Address) {
		who.Role = store.Role(s.OpenID.Role)
	}
	v, err := s.visitorOf(r)
	if err != nil {
		return err
	}
	var person *store.Person
	err = s.Store.Update(func(tx *store.Tx) (err error) {
		switch {
		case p.Word != "":
			person, err = people.Accept(tx, p.Word, who)
		case p.Link == "":
			person, err = people.Recognize(tx, who)
		case v == nil || v.digest != p.Link:
			err = api.Refuse(http.StatusForbidden, "You have signed out meanwhile. Sign in, and begin again.")
		default:
			err = people.Link(tx, v.Name, who)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.byAddress.Return(from)
	if person == nil {
		return goTo(w, ownAddress(p.Next), nil)
	}
	return s.begin(w, r, person, ownAddress(p.Next))
}
