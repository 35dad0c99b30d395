package news

import (
	"crypto/rand"
	"net/http"
	"net/mail"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
)

// MakeFeed gives a person a feed, in place of the one before, and returns its address below the page.
func (s *Service) MakeFeed(name string) (path string, err error) {
	word := rand.Text()
	err = s.change(name, func(t *store.Told) { t.Feed, t.Since = people.Digest(word), s.store.Now() })
	return "feed?word=" + word, err
}

// RevokeFeed ends the feed of a person.
func (s *Service) RevokeFeed(name string) error {
	return s.change(name, func(t *store.Told) { t.Feed, t.Since = "", 0 })
}

// Bounds of what a person asks for: a confirmation is a mail to an address that may be another one's.
const (
	maxAddress  = 254         // bytes
	askedApart  = time.Minute // doubled for each mail that was not answered,
	mostDoubled = 11          // to more than a day
	confirmable = 7 * 24 * time.Hour
)

// Ask has a mail sent to an address, which is used when its owner follows the link in it.
func (s *Service) Ask(name, address string) error {
	of, err := mail.ParseAddress(strings.TrimSpace(address))
	switch {
	case s.mail == nil:
		return api.Refuse(http.StatusConflict, "This service sends no mail.")
	case err != nil || len(of.Address) > maxAddress || of.Name != "":
		return api.Refuse(http.StatusBadRequest, "That is not an address like anna@example.com.")
	}
	early := false
	err = s.change(name, func(t *store.Told) {
		now := s.store.Now()
		early = t.Asks > 0 && now-t.Asking < int64(askedApart)<<min(t.Asks-1, mostDoubled)
		if !early {
			t.Asked, t.Asking, t.Asks, t.Word, t.Wrong = of.Address, now, t.Asks+1, "", ""
		}
	})
	if err == nil && early {
		err = api.Refuse(http.StatusTooManyRequests, "You asked for a mail just now. Wait for it, or try again later.")
	}
	s.asked.Raise()
	return err
}

// Confirm has mails go to the address whose mail had this word.
func (s *Service) Confirm(word string) error {
	return s.byWord(word, func(t *store.Told) string { return t.Word }, func(t *store.Told) bool {
		now := s.store.Now()
		if now-t.Asking > int64(confirmable) {
			return false
		}
		if t.Until == 0 { // what happened before is not news
			t.Until = now
		}
		t.Address, t.Off, t.Asked, t.Asks, t.Word, t.Wrong = t.Asked, false, "", 0, "", ""
		return true
	})
}

// Unsubscribe ends the mails that have this word.
func (s *Service) Unsubscribe(word string) error {
	return s.byWord(word, func(t *store.Told) string { return digestOf(t.Stop) }, func(t *store.Told) bool {
		t.Off = true
		return true
	})
}

// digestOf is that of a word that is stored as it is: every mail has it, and it ends mails, no more.
func digestOf(word string) string {
	if word == "" {
		return ""
	}
	return people.Digest(word)
}

// byWord changes the person who has a word, unless do refuses.
func (s *Service) byWord(word string, of func(t *store.Told) string, do func(t *store.Told) bool) error {
	return s.store.Update(func(tx *store.Tx) error {
		person, err := s.find(tx, of, word)
		if err != nil {
			return err
		}
		if person == nil || !do(&person.Told) {
			return api.Refuse(http.StatusNotFound, "This link is of an older mail, or was used already. A page of one's own "+
				"account has what it is for.")
		}
		known, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		return known.Change(person.Name, func(one *store.Person) { one.Told = person.Told })
	})
}

// Switch turns the mails of a person on or off. What happened while they were off is not told.
func (s *Service) Switch(name string, on bool) error {
	return s.change(name, func(t *store.Told) {
		if t.Off && on {
			t.Until = s.store.Now()
		}
		t.Off = !on
	})
}
