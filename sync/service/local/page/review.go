package page

import (
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
)

// mostApproved is how many texts are approved at once: as many as a person looks through.
const mostApproved = 200

// approvals is the page on which many texts are approved at once: those with text that the filter shows and that are
// not final.
func (s *Service) approvals(w http.ResponseWriter, r *http.Request, v *visitor) error {
	p := scopeOf(r)
	if p.Show != showConfirmed {
		p.Show = showDraft
	}
	return s.preview(w, r, v, p, doApprove, "Approve texts: %s")
}

// approve makes the chosen texts final that still are what was seen, or rejects them with one reason.
func (s *Service) approve(w http.ResponseWriter, r *http.Request, v *visitor) error {
	what, reason := "approved", ""
	if r.PostFormValue("do") == "reject" {
		var err error
		what = "rejected"
		reason, err = reasonIn(r)
		if err != nil {
			return err
		}
	}
	done, err := s.eachTaken(r, v, func(o *opened, seen string, it item) (bool, error) {
		if !it.approves(seen, it.texts()) {
			return false, nil
		}
		is := *it.Is
		is.Changed = o.tx.Now()
		if reason != "" {
			is.State, is.Rejected = store.Draft, store.Rejection{By: v.Name, Reason: reason}
		} else {
			is.State, is.Rejected, is.Source = o.project.Level(store.Final), store.Rejection{}, nil
		}
		return true, o.put(it, &is, s.Saved)
	})
	return toList(w, r, what, done, err)
}

// maxReason is how long the reason of a rejection may be, in bytes.
const maxReason = 2000

// reasonIn is the reason of a rejection.
func reasonIn(r *http.Request) (string, error) {
	reason := strings.TrimSpace(strings.ReplaceAll(r.PostFormValue("reason"), "\r\n", "\n"))
	if reason == "" || len(reason) > maxReason {
		return "", api.Refuse(http.StatusBadRequest,
			"Not rejected: a rejection needs a reason of at most %d bytes.", maxReason)
	}
	return strings.ToValidUTF8(reason, "\uFFFD"), nil
}

// reject makes a text a draft again, with the reason, which is shown until the text is saved anew.
func (s *Service) reject(w http.ResponseWriter, r *http.Request, v *visitor) error {
	reason, err := reasonIn(r)
	if err != nil {
		return err
	}
	err = s.onKey(r, v, func(o *opened, it item) error {
		if it.Is == nil || it.version() != r.PostFormValue("seen") {
			return api.Refuse(http.StatusConflict, "Not rejected: this text has changed since you opened it.")
		}
		is := *it.Is
		is.State, is.Changed = store.Draft, o.tx.Now()
		is.Rejected = store.Rejection{By: v.Name, Reason: reason}
		return o.put(it, &is, s.Saved)
	})
	return goTo(w, "key?"+string(scopeOf(r).With("after", r.PostFormValue("at"), "said", "rejected")), err)
}
