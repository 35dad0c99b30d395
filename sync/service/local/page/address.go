package page

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
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

// InviteCall answers POST InvitePath?name=...&manager=true&project=...
func (s *Service) InviteCall(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	link, err := s.InvitationURL(query.Get("name"), query.Get("manager") != "", query["project"]...)
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
	base, _ := s.address.Load().(string)
	if base == "" {
		return "", api.Refuse(http.StatusConflict, "the page is not served at any address; set daemon.listen")
	}
	path, err := s.Invite(name, manager, projects...)
	return base + path, err
}
