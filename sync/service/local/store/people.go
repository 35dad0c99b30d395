package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
)

// People who translate in a browser have names and passwords of their own. Their records lie in a bucket for each
// account of the service:
//
//	people      account
//	              person/name in lower case     -> Person (JSON)
//	              invitation/digest of its word -> Invitation (JSON), until it is used, revoked or expires
//	              revoked/digest of its word    -> Invitation (JSON), until it expires
//	              removed/issuer subject        -> when its person was removed (JSON)
//	              visit/digest of its word      -> Visit (JSON): a browser that is signed in
//
// Words of invitations and visits, and passwords, are stored as digests only.
const (
	atPerson     = "person/"
	atInvitation = "invitation/"
	atRevoked    = "revoked/"
	atVisit      = "visit/"
	atRemoved    = "removed/"
)

// Person is a translator with an account of its own.
type Person struct {
	Name    string `json:"name"`
	Manager bool   `json:"manager,omitempty"` // may invite and remove people, and sees all projects
	Created int64  `json:"created"`
	Salt    []byte `json:"salt"`
	Key     []byte `json:"key"` // derived from the password

	// Projects are identifiers of those that a person without roles reviews; none: all. Earlier versions stored them.
	Projects []string `json:"projects,omitempty"`
	Roles    []Grant  `json:"roles,omitempty"`
	Former   []string `json:"former,omitempty"` // names that stand beside what the person wrote
	Told     Told     `json:"told,omitzero"`

	Language string `json:"language,omitempty"` // of the page; empty: as the browser says

	Login   Login  `json:"login,omitzero"`
	Invited string `json:"invited,omitempty"` // the address that was invited
}

// Login is who a person is at a provider of sign-ins; the zero value: the person has none.
type Login struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

func (l Login) key() string { return l.Issuer + " " + l.Subject }

// Role is what a person may do in a project and language. Each includes those before it.
type Role string

const (
	Translator Role = "translator" // writes drafts, and suggests texts in place of those that are confirmed
	Reviewer   Role = "reviewer"   // confirms, approves and rejects
	Manager    Role = "manager"    // archives keys
)

// Roles are all of them.
var Roles = []Role{Translator, Reviewer, Manager}

// Includes reports whether who has the role may do what another one may.
func (r Role) Includes(other Role) bool { return slices.Index(Roles, r) >= slices.Index(Roles, other) }

// Grant gives a person a role in projects, by identifier, and languages; none of either: in all.
type Grant struct {
	Role      Role     `json:"role"`
	Projects  []string `json:"projects,omitempty"`
	Languages []string `json:"languages,omitempty"`
}

// Granted are the roles of a person.
func (p *Person) Granted() []Grant {
	switch {
	case p.Manager:
		return []Grant{{Role: Manager}}
	case len(p.Roles) == 0:
		return []Grant{{Role: Reviewer, Projects: p.Projects}}
	}
	return p.Roles
}

// narrow has an earlier version, which knows no roles, show the person no other projects.
func (p *Person) narrow() {
	p.Projects = nil
	for _, g := range p.Roles {
		if len(g.Projects) == 0 {
			p.Projects = nil
			return
		}
		p.Projects = append(p.Projects, g.Projects...)
	}
}

// RoleIn is the role in a project and language, empty for none; without a language that in any of them.
func (p *Person) RoleIn(project, language string) (role Role) {
	for _, g := range p.Granted() {
		if (len(g.Projects) == 0 || slices.Contains(g.Projects, project)) &&
			(len(g.Languages) == 0 || language == "" || slices.Contains(g.Languages, language)) && g.Role.Includes(role) {
			role = g.Role
		}
	}
	return role
}

// Sees says whether a project is one of the person's.
func (p *Person) Sees(project string) bool { return p.RoleIn(project, "") != "" }

// Invitation lets its holder choose a password, once.
type Invitation struct {
	Name    string `json:"name,omitempty"` // of the person; empty: chosen with the password
	Manager bool   `json:"manager,omitempty"`
	By      string `json:"by,omitempty"` // the person who invites; empty: a command
	Expires int64  `json:"expires"`

	Projects []string `json:"projects,omitempty"` // as a Person's
	Roles    []Grant  `json:"roles,omitempty"`
	Address  string   `json:"address,omitempty"` // its owner uses it by a provider of sign-ins, too
}

// Visit is a browser that is signed in.
type Visit struct {
	Name string `json:"name"`
	Form string `json:"form"` // the word that forms of its pages carry
	Seen int64  `json:"seen"`

	Began int64  `json:"began,omitempty"` // earlier versions did not store it
	Agent string `json:"agent,omitempty"` // what the browser calls itself
}

// VisitIdle is how long a browser stays signed in that is not used.
const VisitIdle = 14 * 24 * time.Hour

// People are the people of the account, within a transaction.
type People struct {
	tx     *Tx
	bucket *bolt.Bucket // nil in a transaction that only reads, while there are none
}

// OpenPeople opens them. In a transaction that writes, what has expired goes.
func OpenPeople(tx *Tx) (*People, error) {
	all, name := tx.bucket(bucketPeople), []byte(tx.Account())
	if !tx.Writable() {
		return &People{tx, all.Bucket(name)}, nil
	}
	b, err := all.CreateBucketIfNotExists(name)
	if err != nil {
		return nil, err
	}
	p := &People{tx, b}
	now := tx.Now()
	expire := func(key []byte, i *Invitation) error {
		if i.Expires > now {
			return nil
		}
		return b.Delete(key)
	}
	return p, errors.Join(eachRecord(b, atInvitation, expire), eachRecord(b, atRevoked, expire))
}

// eachRecord calls do with the records below a prefix.
func eachRecord[T any](b *bolt.Bucket, prefix string, do func(key []byte, record *T) error) error {
	if b == nil {
		return nil
	}
	var keys [][]byte // first: the bucket may change while they are gone through
	c := b.Cursor()
	for key, _ := c.Seek([]byte(prefix)); bytes.HasPrefix(key, []byte(prefix)); key, _ = c.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	for _, key := range keys {
		record := new(T)
		if err := json.Unmarshal(b.Get(key), record); err != nil {
			return err
		}
		if err := do(key, record); err != nil {
			return err
		}
	}
	return nil
}

// NameKey is one key for all spellings of a name in upper and lower case. Every comparison of names uses it.
func NameKey(name string) string { return strings.ToLower(name) }

// PersonID identifies a person in the interface, whose users have identifiers.
func PersonID(account, name string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(account+"/person/"+NameKey(name))).String()
}

func personAt(name string) string { return atPerson + NameKey(name) }

// Person returns the one of a name, in any case; nil where there is none.
func (p *People) Person(name string) (*Person, error) {
	if p.bucket == nil {
		return nil, nil
	}
	found, _, err := getRecord[Person](p.bucket, personAt(name))
	return found, err
}

// All lists them by name.
func (p *People) All() (all []*Person, err error) {
	err = eachRecord(p.bucket, atPerson, func(_ []byte, one *Person) error {
		all = append(all, one)
		return nil
	})
	return all, err
}

// Put stores a person, as by wants. The browsers that the one of that name was signed in with are not any more, and
// other invitations of that name end: each would be a way to another password.
func (p *People) Put(one *Person, by string) error {
	if err := p.leave(one.Name); err != nil {
		return err
	}
	err := eachRecord(p.bucket, atInvitation, func(key []byte, i *Invitation) error {
		if NameKey(i.Name) == NameKey(one.Name) {
			return p.bucket.Delete(key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	known, err := p.Person(one.Name)
	noted := NotedPassword
	if known == nil {
		noted = NotedPerson
	}
	err = errors.Join(err, PutNote(p.tx, noted, by, Noted{Name: one.Name, Manager: one.Manager, Roles: one.Roles}))
	if err != nil {
		return err
	}
	if len(one.Roles) > 0 {
		one.narrow()
	}
	return putRecord(p.bucket, personAt(one.Name), one)
}

// Taken reports whether a name is, or was, another person's than the one who has a name: a new one has none.
func (p *People) Taken(name, of string) (taken bool, err error) {
	all, err := p.All()
	for _, one := range all {
		names := append([]string{one.Name}, one.Former...)
		same := func(n string) bool { return NameKey(n) == NameKey(name) }
		taken = taken || slices.ContainsFunc(names, same) && (of == "" || NameKey(one.Name) != NameKey(of))
	}
	return taken, err
}

// Rename gives a person another name, which is not Taken. Visits and invitations go along.
func (p *People) Rename(from, to string) error {
	one, err := p.Person(from)
	if err != nil || one == nil {
		return err
	}
	was := NameKey(one.Name)
	err = errors.Join(eachRecord(p.bucket, atVisit, func(key []byte, v *Visit) error {
		if NameKey(v.Name) != was {
			return nil
		}
		v.Name = to
		return putRecord(p.bucket, string(key), v)
	}), eachRecord(p.bucket, atInvitation, func(key []byte, i *Invitation) error {
		for _, name := range []*string{&i.Name, &i.By} {
			if *name != "" && NameKey(*name) == was {
				*name = to
			}
		}
		return putRecord(p.bucket, string(key), i)
	}), PutNote(p.tx, NotedRenamed, one.Name, Noted{Name: to}), p.bucket.Delete([]byte(personAt(one.Name))))
	one.Former = append(slices.DeleteFunc(one.Former, func(n string) bool { return NameKey(n) == was }), one.Name)
	one.Name = to
	return errors.Join(err, putRecord(p.bucket, personAt(to), one))
}

// SetRoles replaces the roles of a person, as by wants.
func (p *People) SetRoles(name, by string, roles []Grant) error {
	known, err := p.Person(name)
	if known == nil || err != nil {
		return err
	}
	known.Roles = roles
	known.narrow()
	return errors.Join(PutNote(p.tx, NotedPersonChanged, by, Noted{Name: known.Name, Roles: roles}),
		putRecord(p.bucket, personAt(name), known))
}

// Change stores what do changes of a person; of one that is gone nothing is.
func (p *People) Change(name string, do func(one *Person)) error {
	known, err := p.Person(name)
	if known == nil || err != nil {
		return err
	}
	do(known)
	return putRecord(p.bucket, personAt(name), known)
}

// Remove takes a person away, as by wants, and signs that person out everywhere. Invitations of that person, and those
// that the person has made, end: each would be a way back.
func (p *People) Remove(name, by string) error {
	known, err := p.Person(name)
	if known == nil || err != nil {
		return err
	}
	if err := p.leave(known.Name); err != nil {
		return err
	}
	err = eachRecord(p.bucket, atInvitation, func(key []byte, i *Invitation) error {
		if NameKey(i.Name) == NameKey(known.Name) || NameKey(i.By) == NameKey(known.Name) {
			return p.revoke(key, i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if now := p.tx.Now(); (known.Login != Login{}) {
		err = putRecord(p.bucket, atRemoved+known.Login.key(), &now)
	}
	return errors.Join(err, PutNote(p.tx, NotedPersonRemoved, by, Noted{Name: known.Name}),
		p.bucket.Delete([]byte(personAt(name))))
}

// leave ends the visits of a person, and those that have expired.
func (p *People) leave(name string) error {
	old := p.tx.Now() - int64(VisitIdle)
	return eachRecord(p.bucket, atVisit, func(key []byte, v *Visit) error {
		if v.Seen > old && NameKey(v.Name) != NameKey(name) {
			return nil
		}
		return p.bucket.Delete(key)
	})
}

// Invite stores an invitation by the digest of its word.
func (p *People) Invite(digest string, i *Invitation) error {
	return errors.Join(PutNote(p.tx, NotedInvited, i.By, Noted{Name: i.Name, Manager: i.Manager, Roles: i.Roles}),
		putRecord(p.bucket, atInvitation+digest, i))
}

// Invitation returns one that has not expired; nil where there is none.
func (p *People) Invitation(digest string) (*Invitation, error) {
	if p.bucket == nil {
		return nil, nil
	}
	found, _, err := getRecord[Invitation](p.bucket, atInvitation+digest)
	if found != nil && found.Expires <= p.tx.Now() {
		found = nil
	}
	return found, err
}

// InvitationTo is one that was made for an address, with the digest of its word; nil where there is none.
func (p *People) InvitationTo(address string) (digest string, found *Invitation, err error) {
	err = eachRecord(p.bucket, atInvitation, func(key []byte, i *Invitation) error {
		if i.Expires > p.tx.Now() && i.Address != "" && strings.EqualFold(i.Address, address) {
			digest, found = string(key[len(atInvitation):]), i
		}
		return nil
	})
	return digest, found, err
}

// WasRemoved reports whether a person of a login was removed.
func (p *People) WasRemoved(of Login) bool {
	return p.bucket != nil && p.bucket.Get([]byte(atRemoved+of.key())) != nil
}

// invitationID is how people name an invitation: its word would be a way to a password.
func invitationID(key []byte) string { return string(key[len(atInvitation):][:12]) }

// Invitations calls do with those that have not expired.
func (p *People) Invitations(do func(id string, i *Invitation)) error {
	return eachRecord(p.bucket, atInvitation, func(key []byte, i *Invitation) error {
		if i.Expires > p.tx.Now() {
			do(invitationID(key), i)
		}
		return nil
	})
}

// Revoke ends an invitation, as by wants; nil where there is none of that identifier.
func (p *People) Revoke(id, by string) (revoked *Invitation, err error) {
	err = eachRecord(p.bucket, atInvitation, func(key []byte, i *Invitation) error {
		if invitationID(key) != id {
			return nil
		}
		revoked = i
		return errors.Join(p.revoke(key, i), PutNote(p.tx, NotedRevoked, by, Noted{Name: i.Name}))
	})
	return revoked, err
}

// revoke keeps an invitation under another name, which earlier versions do not know, until it would have expired.
func (p *People) revoke(key []byte, i *Invitation) error {
	return errors.Join(p.bucket.Delete(key), putRecord(p.bucket, atRevoked+string(key[len(atInvitation):]), i))
}

// Revoked reports whether an invitation was revoked.
func (p *People) Revoked(digest string) bool {
	return p.bucket != nil && p.bucket.Get([]byte(atRevoked+digest)) != nil
}

// Use takes an invitation away.
func (p *People) Use(digest string) error { return p.bucket.Delete([]byte(atInvitation + digest)) }

// SignIn stores a new visit by the digest of its word.
func (p *People) SignIn(digest string, v *Visit) error {
	return errors.Join(PutNote(p.tx, NotedSignedIn, v.Name, Noted{}), p.Visited(digest, v))
}

// Visited stores when a visit was seen.
func (p *People) Visited(digest string, v *Visit) error {
	return putRecord(p.bucket, atVisit+digest, v)
}

// Visit returns one that has not expired, with its person; nil where there is none.
func (p *People) Visit(digest string) (*Visit, *Person, error) {
	if p.bucket == nil {
		return nil, nil, nil
	}
	v, _, err := getRecord[Visit](p.bucket, atVisit+digest)
	if v == nil || err != nil || p.tx.Now()-v.Seen > int64(VisitIdle) {
		return nil, nil, err
	}
	person, err := p.Person(v.Name)
	if person == nil {
		return nil, nil, err
	}
	return v, person, err
}

// Visits calls do with the browsers that a person is signed in with.
func (p *People) Visits(name string, do func(digest string, v *Visit)) error {
	old := p.tx.Now() - int64(VisitIdle)
	return eachRecord(p.bucket, atVisit, func(key []byte, v *Visit) error {
		if v.Seen > old && NameKey(v.Name) == NameKey(name) {
			do(string(key[len(atVisit):]), v)
		}
		return nil
	})
}

// LeaveOthers ends all visits of a person but one.
func (p *People) LeaveOthers(name, digest string) error {
	return eachRecord(p.bucket, atVisit, func(key []byte, v *Visit) error {
		if NameKey(v.Name) != NameKey(name) || string(key) == atVisit+digest {
			return nil
		}
		return p.bucket.Delete(key)
	})
}

// SignOut takes a visit away.
func (p *People) SignOut(digest string) error { return p.bucket.Delete([]byte(atVisit + digest)) }
