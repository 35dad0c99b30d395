package page

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
)

// maxComment is how long a comment may be, in bytes.
const maxComment = 2000

// errNotWhole refuses a form that no page has.
var errNotWhole = api.Refuse(http.StatusBadRequest, "The form is not whole; load the page again.")

// onKey runs do on the key that a form is about, in a transaction that changes it.
func (s *Service) onKey(r *http.Request, v *visitor, do func(o *opened, it item) error) error {
	if scopeOf(r).Show == showArchived {
		return errNotWhole
	}
	return s.atKey(r, v, s.Store.Update, do)
}

// atKey runs do on the key that a form is about, archived or not, in a transaction of a kind.
func (s *Service) atKey(r *http.Request, v *visitor, within func(func(tx *store.Tx) error) error,
	do func(o *opened, it item) error) error {
	at, known := readPosition(r.PostFormValue("at"))
	if !known {
		return errNotWhole
	}
	return within(s.in(scopeOf(r), v, func(o *opened) error {
		it, err := o.at(at)
		if err != nil {
			return err
		}
		return do(o, it)
	}))
}

// comment adds what a person says about a key. A question is told to the developers.
func (s *Service) comment(w http.ResponseWriter, r *http.Request, v *visitor) error {
	text := strings.TrimSpace(strings.ReplaceAll(r.PostFormValue("comment"), "\r\n", "\n"))
	if text == "" || len(text) > maxComment {
		return api.Refuse(http.StatusBadRequest, "Not stored: a comment has from 1 to %d bytes.", maxComment)
	}
	c := store.Comment{By: v.Name, Language: r.FormValue("language"), Text: strings.ToValidUTF8(text, "\uFFFD"),
		Question: r.PostFormValue("question") != ""}
	said := "commented"
	if c.Question {
		said = "asked"
	}
	err := s.onKey(r, v, func(o *opened, it item) error {
		all := it.Comments
		if len(all) >= mostComments {
			return api.Refuse(http.StatusConflict, "Not stored: this key has %d comments already.", mostComments)
		}
		c.At = o.tx.Now()
		if len(all) > 0 {
			c.At = max(c.At, all[len(all)-1].At+1) // each is known by its time
		}
		if c.Question {
			o.tx.OnCommit(func() { s.Saved(o.project.ID, false) })
			if err := o.tell(it, store.NewsQuestion, v.Name, c.Text); err != nil {
				return err
			}
		}
		return it.k.PutComments(it.n(), append(all, c))
	})
	return goTo(w, "key?"+string(scopeOf(r).With("at", r.PostFormValue("at"), "said", said)), err)
}

// answered marks a question as answered.
func (s *Service) answered(w http.ResponseWriter, r *http.Request, v *visitor) error {
	when, err := strconv.ParseInt(r.PostFormValue("when"), 10, 64)
	if err != nil {
		return errNotWhole
	}
	err = s.onKey(r, v, func(o *opened, it item) error {
		all := it.Comments
		i := slices.IndexFunc(all, func(c store.Comment) bool { return c.At == when && c.Open() })
		if i < 0 {
			return nil
		}
		all[i].Answered = v.Name
		o.tx.OnCommit(func() { s.Saved(o.project.ID, false) })
		if err := o.tell(it, store.NewsAnswer, v.Name, all[i].Text); err != nil {
			return err
		}
		return it.k.PutComments(it.n(), all)
	})
	return goTo(w, "key?"+string(scopeOf(r).With("at", r.PostFormValue("at"), "said", "answered")), err)
}

// decide approves or dismisses what a person suggests.
func (s *Service) decide(w http.ResponseWriter, r *http.Request, v *visitor) error {
	said := "dismissed"
	err := s.onKey(r, v, func(o *opened, it item) error {
		own := it.Suggested != nil && store.NameKey(it.Suggested.By) == store.NameKey(v.Name)
		switch do := r.PostFormValue("do"); {
		case it.Suggested == nil || it.version() != r.PostFormValue("seen"):
			return api.Refuse(http.StatusConflict, "Not decided: this text has changed since you opened it.")
		case do == "dismiss" && (own || v.Reviews()):
			return it.k.SetSuggested(o.Language, it.n(), nil)
		case do == "approve" && v.Reviews():
			said = "saved"
			is := *it.Suggested
			is.State, is.Changed = o.project.Level(store.Final), o.tx.Now()
			return o.put(it, &is, s.Saved)
		case v.Reviews():
			return errNotWhole
		}
		return api.Refuse(http.StatusForbidden, "Only reviewers decide on suggestions of others. Ask one of them.")
	})
	return goTo(w, "key?"+string(scopeOf(r).With("at", r.PostFormValue("at"), "said", said)), err)
}
