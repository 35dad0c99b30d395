// Package people is who translates in the embedded service: how people are invited, what they may choose as names and
// passwords, and what an invitation makes of them.
//
// Its law: an invitation is used once, and gives what its maker chose and nothing else. Words of links are stored as
// digests. It knows no browser; the records are in package store.
package people

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
)

// Bounds of what people choose, and how long an invitation holds.
const (
	maxName       = 60 // characters
	minPassword   = 10 // characters
	maxPassword   = 200
	invitationFor = 7 * 24 * time.Hour
)

// With runs do in a transaction, with the people of its account.
func With(do func(all *store.People) error) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		all, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		return do(all)
	}
}

// Digest is what is stored of a word.
func Digest(word string) string {
	sum := sha256.Sum256([]byte(word))
	return hex.EncodeToString(sum[:])
}

// Wish is what an invitation is to give.
type Wish struct {
	By, Name string // the person who invites, and the one who is invited, with an account or without a name
	Manager  bool
	Address  string // whose owner uses the invitation by a provider of sign-ins, too
	Grant    store.Grant
}

// Invite makes an invitation and returns the word of its link. With the name of a person who has an account it lets
// that person choose a new password; with none the one who comes chooses a name. Projects of the grant are named or
// identified; a grant that says nothing leaves what the person has, or gives a new one all.
func Invite(st *store.Store, wish Wish) (word string, err error) {
	name, err := Name(wish.Name, true)
	if err != nil {
		return "", err
	}
	address := strings.TrimSpace(wish.Address)
	if of, err := mail.ParseAddress(address); address != "" && (err != nil || of.Address != address) {
		return "", api.Refuse(http.StatusBadRequest, "%q is not an address like anna@example.com.", address)
	}
	manager := wish.Manager
	word = rand.Text()
	err = st.Update(func(tx *store.Tx) error {
		people, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		roles, err := RolesOf(tx, wish.Grant)
		if err != nil {
			return err
		}
		if known, err := people.Person(name); err != nil {
			return err
		} else if known != nil {
			name, manager = known.Name, known.Manager || manager && wish.By == ""
			if len(roles) == 0 && !known.Manager {
				roles = known.Granted()
			}
		}
		return people.Invite(Digest(word), &store.Invitation{Name: name, Manager: manager, By: wish.By,
			Address: address, Roles: roles, Expires: tx.Now() + int64(invitationFor)})
	})
	return word, err
}

// RolesOf are those that a grant gives, whose projects are named; none where it says nothing.
func RolesOf(tx *store.Tx, grant store.Grant) ([]store.Grant, error) {
	ids, err := identifiersOf(tx, grant.Projects)
	if err != nil || grant.Role == "" && len(ids)+len(grant.Languages) == 0 {
		return nil, err
	}
	grant.Role, grant.Projects = cmp.Or(grant.Role, store.Reviewer), ids
	if !slices.Contains(store.Roles, grant.Role) {
		return nil, api.Refuse(http.StatusBadRequest, "There is no role %q; choose one of %q.", grant.Role, store.Roles)
	}
	var targets []string
	err = store.EachProject(tx, func(p *store.Project) { targets = append(targets, p.Targets...) })
	if err != nil {
		return nil, err
	}
	for _, code := range grant.Languages {
		if !slices.Contains(targets, code) {
			return nil, api.Refuse(http.StatusNotFound, "No project of the service is translated into %q.", code)
		}
	}
	if grant.Role == store.Manager {
		grant.Languages = nil // what happens to a key happens in all of them
	}
	return []store.Grant{grant}, nil
}

// identifiersOf finds projects that are named by their names or identifiers.
func identifiersOf(tx *store.Tx, projects []string) (ids []string, err error) {
	for _, given := range projects {
		found := len(ids)
		err := store.EachProject(tx, func(p *store.Project) {
			if p.ID == given || p.Name == given {
				ids = append(ids, p.ID)
			}
		})
		if err != nil {
			return nil, err
		}
		if found == len(ids) {
			return nil, api.Refuse(http.StatusNotFound, "The service has no project %q.", given)
		}
	}
	return ids, nil
}

// Name checks a name and takes off the space around it.
func Name(name string, mayLack bool) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "" && !mayLack:
		return "", api.Refuse(http.StatusBadRequest, "A name is missing.")
	case utf8.RuneCountInString(name) > maxName:
		return "", api.Refuse(http.StatusBadRequest, "The name is longer than %d characters.", maxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "", api.Refuse(http.StatusBadRequest, "The name has characters that cannot be shown.")
	}
	return name, nil
}

// Invitation returns the invitation of a word, or refuses.
func Invitation(people *store.People, word string) (*store.Invitation, error) {
	found, err := people.Invitation(Digest(word))
	if err == nil && found == nil && people.Revoked(Digest(word)) {
		return nil, api.Refuse(http.StatusGone, "This invitation was revoked by the one who sent it, or by another manager. "+
			"Ask for another one.")
	}
	if err == nil && found == nil {
		err = api.Refuse(http.StatusNotFound,
			"This invitation was used already, or it is more than %d days old. Ask for another one.",
			int(invitationFor.Hours()/24))
	}
	return found, err
}

// Password refuses a text that cannot be a password.
func Password(text string) error {
	if utf8.RuneCountInString(text) < minPassword || len(text) > maxPassword {
		return api.Refuse(http.StatusBadRequest, "A password has from 10 to 200 characters.")
	}
	return nil
}

// Unused refuses a name that another person has than the one of a name, or had before.
func Unused(people *store.People, name, of string) error {
	taken, err := people.Taken(name, of)
	if err == nil && taken {
		err = api.Refuse(http.StatusConflict, "Another person is called %s here; choose another name.", name)
	}
	return err
}

// Use makes a person of an invitation, unless the name that was chosen is another person's.
func Use(people *store.People, word string, person *store.Person) error {
	found, err := Invitation(people, word) // two may come at once
	if err == nil {
		err = Unused(people, person.Name, found.Name)
	}
	if err != nil {
		return err
	}
	return take(people, Digest(word), found, person)
}

// take makes a person of an invitation, which is used up by that.
func take(people *store.People, digest string, found *store.Invitation, person *store.Person) error {
	all, err := people.All()
	if err != nil {
		return err
	}
	managed := slices.ContainsFunc(all, func(p *store.Person) bool { return p.Manager })
	limited := len(found.Projects)+len(found.Roles) > 0
	person.Manager = found.Manager || !managed && !limited // the first who may do anything is one in any case
	person.Projects, person.Roles = found.Projects, found.Roles
	known, err := people.Person(person.Name)
	if err != nil {
		return err
	}
	if known != nil { // how to sign in is all that is new
		person.Created, person.Former, person.Told = known.Created, known.Former, known.Told
		if (person.Login == store.Login{}) {
			person.Login = known.Login
		} else {
			person.Salt, person.Key = known.Salt, known.Key
		}
		person.Invited, person.Language = known.Invited, known.Language
	}
	person.Invited = cmp.Or(found.Address, person.Invited)
	if err := people.Use(digest); err != nil {
		return err
	}
	return people.Put(person, cmp.Or(found.By, person.Name))
}
