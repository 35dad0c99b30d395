package page

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
)

// InvitePath is where commands of this machine have a person invited. It is served where only they reach it.
const InvitePath = "/locsync/invite"

// Invited is the answer: where the invitation is accepted.
type Invited struct {
	URL string `json:"url"`
}

// SetAddress says at which address the page is served; empty: at none. All addresses of the machine have no name of
// their own: this machine calls itself localhost.
func (s *Service) SetAddress(base string) {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "" || ip != nil && ip.IsUnspecified() {
			base = "http://" + net.JoinHostPort("localhost", u.Port())
		}
	}
	s.address.Store(strings.TrimRight(base, "/"))
}

// InviteCall answers POST InvitePath?name=...&manager=true&project=...&role=...&language=...
func (s *Service) InviteCall(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	grant := store.Grant{Role: store.Role(query.Get("role")), Projects: query["project"], Languages: query["language"]}
	link, err := s.invitationURL(query.Get("name"), query.Get("manager") != "", grant)
	if err != nil {
		status, said := http.StatusInternalServerError, err.Error()
		if p, ok := err.(*api.Problem); ok {
			status = p.Status
		}
		http.Error(w, said, status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(Invited{link}) // the reader is gone when this fails
}

// InvitationURL makes an invitation and returns its whole address.
func (s *Service) InvitationURL(name string, manager bool, projects ...string) (string, error) {
	return s.invitationURL(name, manager, store.Grant{Projects: projects})
}

func (s *Service) invitationURL(name string, manager bool, grant store.Grant) (string, error) {
	base, _ := s.address.Load().(string)
	if base == "" {
		return "", api.Refuse(http.StatusConflict, "the page is not served at any address; set daemon.listen")
	}
	path, err := s.inviteBy("", name, manager, grant)
	return base + path, err
}
