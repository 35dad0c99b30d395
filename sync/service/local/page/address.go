package page

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
)

// InvitePath is where commands of this machine have a person invited. It is served where only they reach it.
const InvitePath = "/locsync/invite"

// Invited is the answer: where the invitation is accepted.
type Invited struct {
	URL string `json:"url"`
}

// SetAddress says at which address the page is served; empty: at none.
func (s *Service) SetAddress(base string) { s.address.Store(strings.TrimRight(base, "/")) }

// InviteCall answers POST InvitePath?name=...&manager=true.
func (s *Service) InviteCall(w http.ResponseWriter, r *http.Request) {
	url, err := s.InvitationURL(r.URL.Query().Get("name"), r.URL.Query().Get("manager") != "")
	if err != nil {
		status, said := http.StatusInternalServerError, err.Error()
		if p, ok := err.(*api.Problem); ok {
			status = p.Status
		}
		http.Error(w, said, status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(Invited{url}) // the reader is gone when this fails
}

// InvitationURL makes an invitation and returns its whole address.
func (s *Service) InvitationURL(name string, manager bool) (string, error) {
	base, _ := s.address.Load().(string)
	if base == "" {
		return "", api.Refuse(http.StatusConflict, "the page is not served at any address; set daemon.listen")
	}
	path, err := s.Invite(name, manager)
	return base + path, err
}
