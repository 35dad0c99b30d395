package news

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/local/mail"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
	"go.uber.org/zap"
)

// When mails are sent again that failed, and how far apart the times are at which two of a person are due: a day may be
// shorter than 24 hours, and the time of the mails may be changed.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
	apart      = 20 * time.Hour
)

// deliver sends what is due until ctx ends.
func (s *Service) deliver(ctx context.Context) {
	for retry := firstRetry; ctx.Err() == nil; {
		wait := s.next().Sub(s.now())
		if s.round(ctx) {
			retry = firstRetry
		} else {
			wait, retry = min(wait, retry), min(2*retry, lastRetry)
		}
		select {
		case <-ctx.Done():
		case <-s.asked:
		case <-time.After(wait):
		}
	}
}

func (s *Service) now() time.Time { return time.Unix(0, s.store.Now()) }

// last is when the mails of this day were due: it was today or yesterday.
func (s *Service) last() time.Time {
	now, at := s.now(), s.mail.Due()
	due := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
	if due.After(now) {
		due = due.AddDate(0, 0, -1)
	}
	return due
}

// next is when mails are due next.
func (s *Service) next() time.Time { return s.last().AddDate(0, 0, 1) }

// round sends what is due; ok is false where some of it has to be tried again.
func (s *Service) round(ctx context.Context) (ok bool) {
	var all []*store.Person
	err := s.store.View(people.With(func(known *store.People) (err error) {
		all, err = known.All()
		return err
	}))
	ok = err == nil
	for _, person := range all {
		for _, send := range []func(context.Context, *store.Person) error{s.ask, s.tell} {
			err = send(ctx, person)
			if ctx.Err() != nil {
				return ok
			}
			if err != nil {
				ok = false
				s.log.Warn("a mail was not sent; it is tried again", zap.String("to", person.Name), zap.Error(err))
			}
		}
	}
	if !ok && len(all) == 0 {
		s.log.Error("mails of news", zap.Error(err))
	}
	return ok
}

// change stores what became of the mails of a person, if the person still is as it was read.
func (s *Service) change(name string, do func(t *store.Told)) error {
	return s.store.Update(people.With(func(known *store.People) error {
		return known.Change(name, func(one *store.Person) { do(&one.Told) })
	}))
}

// ask sends a mail to an address that waits for its owner's word. A new word is made for each try, as none is stored.
func (s *Service) ask(ctx context.Context, person *store.Person) error {
	t := person.Told
	if t.Asked == "" || t.Word != "" {
		return nil
	}
	word, in := rand.Text(), words.Choose(person.Language, "")
	err := s.mail.Send(ctx, mail.Message{To: t.Asked, Subject: in.Text("Confirm your address for news of translations"),
		Text: in.Say("%s wants news of translations at this address, at most one mail a day. To confirm it, open",
			person.Name) + "\n\n" + s.page() + "confirm?word=" + word + "\n\n" +
			in.Text("If that was not you, do nothing: no other mail comes.") + "\n",
		ID: rand.Text(), Date: s.now()})
	if wrong := (mail.Refused{}); errors.As(err, &wrong) {
		return s.change(person.Name, func(t *store.Told) { t.Asked, t.Wrong = "", wrong.Error() })
	}
	if uncertain := (mail.Uncertain{}); err != nil && !errors.As(err, &uncertain) {
		return err
	}
	return s.change(person.Name, func(now *store.Told) {
		if now.Asked == t.Asked && now.Asking == t.Asking {
			now.Word = people.Digest(word)
		}
	})
}

// tell sends the mail of the day to a person, where there is one. That it may have been sent is stored before it is.
func (s *Service) tell(ctx context.Context, person *store.Person) error {
	t, due := person.Told, s.last().UnixNano()
	if t.Address == "" || t.Off || t.Until >= due || due-t.Trying < int64(apart) {
		return nil
	}
	var all []Entry
	more := false
	err := s.store.View(func(tx *store.Tx) (err error) {
		all, more, err = entries(tx, person, t.Until, due)
		return err
	})
	if err != nil || len(all) == 0 {
		return err
	}
	if t.Stop == "" {
		t.Stop = rand.Text()
	}
	err = s.change(person.Name, func(now *store.Told) { now.Trying, now.Stop = due, t.Stop })
	if err != nil {
		return err
	}
	err = s.mail.Send(ctx, s.daily(person, t.Stop, all, more))
	refused, uncertain := mail.Refused{}, mail.Uncertain{}
	stored := s.change(person.Name, func(now *store.Told) {
		switch {
		case err == nil:
			now.Until, now.Wrong = due, ""
		case errors.As(err, &refused):
			now.Wrong = refused.Error()
		case !errors.As(err, &uncertain): // it was not sent
			now.Trying = t.Trying
		}
	})
	if stored != nil || errors.As(err, &refused) || errors.As(err, &uncertain) {
		if err != nil {
			s.log.Warn("a mail of news was not delivered; its news come with the next one", zap.String("to", person.Name),
				zap.Error(err))
		}
		return stored
	}
	return err
}

// page is the address of the page.
func (s *Service) page() string {
	base, _ := s.address.Load().(string)
	return base + s.path
}

// daily is the mail of a day.
func (s *Service) daily(person *store.Person, stop string, all []Entry, more bool) mail.Message {
	in := words.Choose(person.Language, "")
	m := mail.Message{To: person.Told.Address, ID: rand.Text(), Date: s.now(), Stop: s.page() + "unsubscribe?word=" + stop,
		Subject: in.Say("Translations: %d news", len(all))}
	if len(all) == 1 {
		m.Subject = in.Say("Translations: %s", all[0].Title)
	}
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.Title + "\n")
		if e.Text != "" {
			b.WriteString("  " + strings.ReplaceAll(e.Text, "\n", "\n  ") + "\n")
		}
		b.WriteString("  " + s.page() + e.Link + "\n\n")
	}
	if more {
		b.WriteString(in.Text("There was more than this; the lists of the page have all of it.") + "\n\n")
	}
	b.WriteString("-- \n" + in.Text("No such mails any more:") + " " + m.Stop + "\n")
	m.Text = b.String()
	return m
}
