package people

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
)

// Comer is who comes from a provider of sign-ins.
type Comer struct {
	store.Login
	Address string     // that the provider has verified; empty: none
	Name    string     // at the provider
	Role    store.Role // of an account that is made without an invitation; empty: none is made
}

// Recognize returns the person who comes: the one with this login; else the one who was invited by this address, who
// has the login from then on; else a new one, of an invitation for the address or because the address is allowed.
func Recognize(tx *store.Tx, who Comer) (*store.Person, error) {
	known, err := store.OpenPeople(tx)
	if err != nil {
		return nil, err
	}
	person, err := having(known, who.Login)
	if person != nil || err != nil {
		return person, err
	}
	if who.Address == "" {
		return nil, api.Refuse(http.StatusForbidden, "You have no account here with this sign-in, and no verified address "+
			"by which you could have been invited. Ask a manager for a link.")
	}
	all, err := known.All()
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if strings.EqualFold(one.Invited, who.Address) && one.Login == (store.Login{}) {
			one.Login = who.Login
			return one, known.Change(one.Name, func(now *store.Person) { now.Login = who.Login })
		}
	}
	digest, invitation, err := known.InvitationTo(who.Address)
	if err != nil {
		return nil, err
	}
	person = &store.Person{Login: who.Login, Created: tx.Now()}
	switch {
	case invitation != nil && invitation.Name != "":
		person.Name = invitation.Name
	default:
		if person.Name, err = free(known, who); err != nil {
			return nil, err
		}
	}
	switch {
	case invitation != nil:
		return person, take(known, digest, invitation, person)
	case who.Role == "":
		return nil, api.Refuse(http.StatusForbidden, "%s has no account here. Ask a manager to invite this address.",
			who.Address)
	case known.WasRemoved(who.Login):
		return nil, api.Refuse(http.StatusForbidden, "A manager has removed your account. Ask for an invitation.")
	}
	person.Roles, person.Invited = []store.Grant{{Role: who.Role}}, who.Address
	return person, known.Put(person, person.Name)
}

// Accept makes a person of the invitation with a word, who signs in as the one who comes.
func Accept(tx *store.Tx, word string, who Comer) (*store.Person, error) {
	known, err := store.OpenPeople(tx)
	if err != nil {
		return nil, err
	}
	found, err := Invitation(known, word)
	if err != nil {
		return nil, err
	}
	person := &store.Person{Name: found.Name, Login: who.Login, Created: tx.Now()}
	if person.Name == "" {
		if person.Name, err = free(known, who); err != nil {
			return nil, err
		}
	}
	if err := unused(known, who.Login, person.Name); err != nil {
		return nil, err
	}
	return person, take(known, Digest(word), found, person)
}

// Link has a person sign in as the one who comes.
func Link(tx *store.Tx, name string, who Comer) error {
	known, err := store.OpenPeople(tx)
	if err == nil {
		err = unused(known, who.Login, name)
	}
	if err != nil {
		return err
	}
	return known.Change(name, func(one *store.Person) { one.Login = who.Login })
}

// having is the person with a login; nil where there is none.
func having(known *store.People, login store.Login) (*store.Person, error) {
	all, err := known.All()
	i := slices.IndexFunc(all, func(p *store.Person) bool { return p.Login == login })
	if err != nil || i < 0 {
		return nil, err
	}
	return all[i], nil
}

// unused refuses a login that another person has.
func unused(known *store.People, login store.Login, name string) error {
	other, err := having(known, login)
	if err == nil && other != nil && store.NameKey(other.Name) != store.NameKey(name) {
		err = api.Refuse(http.StatusConflict, "This sign-in is that of the account %s already. Sign out at the provider to "+
			"use another one.", other.Name)
	}
	return err
}

// free is a name for a new person: that at the provider, with a number where another person has it.
func free(known *store.People, who Comer) (string, error) {
	local, _, _ := strings.Cut(who.Address, "@")
	base := ""
	for _, proposed := range []string{who.Name, local, "translator"} {
		if name, err := Name(proposed, false); err == nil && base == "" {
			base = name
		}
	}
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name += " " + strconv.Itoa(n)
		}
		if taken, err := known.Taken(name, ""); err != nil || !taken {
			return name, err
		}
	}
}
