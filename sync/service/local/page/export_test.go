package page

import (
	"net/http"

	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
)

// Passwords are derived quickly in tests.
func init() { rounds = 10 }

// Begin signs a browser in as a person whose password was right when it had this key.
func (s *Service) Begin(w http.ResponseWriter, r *http.Request, name string, key []byte) error {
	return s.begin(w, r, &store.Person{Name: name, Key: key}, "./")
}

// Invite is the path of an invitation, of a page that is served at no address.
func (s *Service) Invite(name string, manager bool, projects ...string) (string, error) {
	word, err := people.Invite(s.Store, people.Wish{Name: name, Manager: manager, Grant: store.Grant{Projects: projects}})
	return invitationPath + word, err
}
