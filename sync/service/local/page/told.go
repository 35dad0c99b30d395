package page

import (
	"net/http"
)

// feed is the news of the person whose word is in the address. Programs read it, which have no account.
func (s *Service) feed(w http.ResponseWriter, r *http.Request) error {
	return s.News.Feed(w, r, root(r))
}

// makeFeed shows the address of a new feed, once.
func (s *Service) makeFeed(w http.ResponseWriter, r *http.Request, v *visitor) error {
	path, err := s.News.MakeFeed(v.Name)
	if err != nil {
		return err
	}
	return s.showAccount(w, r, v, http.StatusOK, ownAccount{Name: v.Name, Feed: root(r) + path})
}

func (s *Service) revokeFeed(w http.ResponseWriter, _ *http.Request, v *visitor) error {
	if err := s.News.RevokeFeed(v.Name); err != nil {
		return err
	}
	return goTo(w, "account?said=feed", nil)
}

// mails has news go to another address, or turns them on or off.
func (s *Service) mails(w http.ResponseWriter, r *http.Request, v *visitor) error {
	said, err := "mails", error(nil)
	switch do := r.PostFormValue("do"); do {
	case "ask":
		said, err = "asked", s.News.Ask(v.Name, r.PostFormValue("address"))
	case "on", "off":
		err = s.News.Switch(v.Name, do == "on")
	default:
		err = errNotWhole
	}
	if status, said := refusal(w, err); status != 0 {
		return s.showAccount(w, r, v, status, ownAccount{Name: v.Name, Address: r.PostFormValue("address"),
			WrongAddress: said})
	}
	return goTo(w, "account?said="+said, err)
}

// linked is a page with one button, for links in mails: programs open these, too, and a button is for people.
type linked struct{ Path, Word, Words, Button string }

var linkedPages = []linked{
	{Path: "confirm", Words: "News of translations go to your address, at most one mail a day.",
		Button: "Confirm the address"},
	{Path: "unsubscribe", Words: "You get no mail with news of translations any more.", Button: "End these mails"},
}

// link adds the page of a link in mails. A mail program ends mails by a form of its own, with the word in the address.
func (s *Service) link(page linked, do func(word string) error) {
	s.public("GET", page.Path, func(w http.ResponseWriter, r *http.Request) error {
		shown := page
		shown.Word, shown.Words = r.URL.Query().Get("word"), ""
		return show(w, http.StatusOK, "linked", view{Title: "News of translations", Data: shown})
	})
	s.mux.HandleFunc("POST "+Path+page.Path, func(w http.ResponseWriter, r *http.Request) {
		word, err := r.URL.Query().Get("word"), error(nil)
		if word == "" {
			defer s.readForm(w, r, maxSigning, &err)()
			word = r.PostFormValue("word")
		}
		if err == nil {
			err = do(word)
		}
		if err == nil {
			err = show(w, http.StatusOK, "linked", view{Title: "News of translations", Said: page.Words, Data: linked{}})
		}
		s.sayError(w, r, nil, err)
	})
}
