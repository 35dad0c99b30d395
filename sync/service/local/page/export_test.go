package page

import (
	"net/http"

	"github.com/locsync/locsync/sync/service/local/store"
)

// Passwords are derived quickly in tests.
func init() { rounds = 10 }

// Begin signs a browser in as a person whose password was right when it had this key.
func (s *Service) Begin(w http.ResponseWriter, r *http.Request, name string, key []byte) error {
	return s.begin(w, r, &store.Person{Name: name, Key: key}, "./")
}
