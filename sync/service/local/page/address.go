package page

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
)

// SetAddress says at which address the page is served; empty: at none. All addresses of the machine have no name of
// their own: this machine calls itself localhost.
func (s *Service) SetAddress(base string) {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "" || ip != nil && ip.IsUnspecified() {
			base = "http://" + net.JoinHostPort("localhost", u.Port())
		}
	}
	base = strings.TrimRight(base, "/")
	s.address.Store(base)
	s.News.SetAddress(base)
}

// InvitationURL makes an invitation and returns its whole address.
func (s *Service) InvitationURL(name string, manager bool, projects ...string) (string, error) {
	return s.InviteAs(people.Wish{Name: name, Manager: manager, Grant: store.Grant{Projects: projects}})
}

// InviteAs is InvitationURL for all that a person wishes.
func (s *Service) InviteAs(wish people.Wish) (string, error) {
	base, _ := s.address.Load().(string)
	if base == "" {
		return "", api.Refuse(http.StatusConflict, "the page is not served at any address; set daemon.listen")
	}
	word, err := people.Invite(s.Store, wish)
	return base + invitationPath + word, err
}
