package local

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"time"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/backup"
	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// Commands answers what commands of this machine may ask for: every call of the interface, and what the owner of the
// service does. It is served where only they reach it.
func (s *Service) Commands() http.Handler {
	own := map[string]http.HandlerFunc{
		"POST " + wire.CommandInvite:     s.inviteCall,
		"GET " + wire.CommandInvitations: s.invitationsCall,
		"POST " + wire.CommandRevoke:     s.revokeCall,
		"GET " + wire.CommandAudit:       s.auditCall,
		"POST " + wire.CommandBackup:     s.backupCall,
		"POST " + wire.CommandMove:       s.moveCall,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if do := own[r.Method+" "+r.URL.Path]; do != nil {
			do(w, r)
			return
		}
		s.ServeHTTP(w, r)
	})
}

// inviteCall answers POST CommandInvite?name=...&manager=true&project=...&role=...&language=...
func (s *Service) inviteCall(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	grant := store.Grant{Role: store.Role(query.Get("role")), Projects: query["project"], Languages: query["language"]}
	link, err := s.page.InviteAs(people.Wish{Name: query.Get("name"), Manager: query.Get("manager") != "",
		Address: query.Get("address"), Grant: grant})
	answer(w, wire.Invited{URL: link}, err)
}

// invitationsCall answers GET CommandInvitations.
func (s *Service) invitationsCall(w http.ResponseWriter, _ *http.Request) {
	all := []wire.Invitation{}
	err := s.store.View(func(tx *store.Tx) error {
		names := make(map[string]string)
		err := store.EachProject(tx, func(p *store.Project) { names[p.ID] = p.Name })
		if err != nil {
			return err
		}
		people, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		return people.Invitations(func(id string, i *store.Invitation) {
			one := wire.Invitation{ID: id, Name: i.Name, By: i.By, Expires: api.Timestamp(i.Expires), Manager: i.Manager}
			for _, g := range i.Roles {
				role := wire.Role{Role: string(g.Role), Languages: g.Languages}
				for _, project := range g.Projects {
					role.Projects = append(role.Projects, cmp.Or(names[project], project))
				}
				one.Roles = append(one.Roles, role)
			}
			all = append(all, one)
		})
	})
	answer(w, all, err)
}

// revokeCall answers POST CommandRevoke?id=...
func (s *Service) revokeCall(w http.ResponseWriter, r *http.Request) {
	answer(w, struct{}{}, s.page.Revoke(r.URL.Query().Get("id"), ""))
}

// auditCall answers GET CommandAudit as PathAudit is answered.
func (s *Service) auditCall(w http.ResponseWriter, r *http.Request) {
	call := r.Clone(r.Context())
	call.URL.Path = wire.Prefix + wire.PathAudit
	s.server.Within().ServeHTTP(w, call)
}

// answer answers a command.
func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		status, said := http.StatusInternalServerError, err.Error()
		if p, ok := err.(*api.Problem); ok {
			status = p.Status
		}
		http.Error(w, said, status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the reader is gone when this fails
}

// Accounts are those of a folder that no process serves; none of a folder without a service.
func Accounts(dir string) (all []string, err error) {
	if err := backup.Finish(dir); err != nil {
		return nil, err
	}
	st, err := store.OpenToRead(dir, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, folder.ErrMoved):
		return nil, &SettingsError{err}
	}
	if err != nil {
		return nil, err
	}
	all, err = store.Read(st, store.Accounts)
	return all, errors.Join(err, st.Close())
}

// moveCall answers POST CommandMove?to=... when the service is in the other folder.
func (s *Service) moveCall(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // it takes as long as the disk
	var c backup.Copy
	err := errCopying
	if s.copying.TryLock() {
		defer s.copying.Unlock()
		c, err = backup.Move(s.store, r.URL.Query().Get("to"), s.o.Now)
	}
	if err == nil {
		s.stop() // what it did could not be stored, and would be done again
	}
	if errors.Is(err, backup.ErrNotEmpty) || errors.Is(err, folder.ErrMoved) {
		err = &api.Problem{Status: http.StatusConflict, Detail: err.Error()}
	}
	answer(w, wire.Moved{Accounts: c.Accounts, Created: c.Created, Files: c.Files, Bytes: c.Bytes}, err)
}

// errCopying refuses a second backup at a time.
var errCopying = errors.New("another backup is being made; wait for its end")

// Backup writes a copy of the whole service, which goes on working, and notes it in the audit log.
func (s *Service) Backup(w io.Writer) error {
	if !s.copying.TryLock() {
		return errCopying
	}
	defer s.copying.Unlock()
	if err := folder.Unmoved(s.store.Dir()); err != nil {
		return err
	}
	if _, err := backup.Make(w, s.store, s.o.Now()); err != nil {
		return err
	}
	return s.store.Update(func(tx *store.Tx) error {
		return store.PutNote(tx, store.NotedBackup, "", store.Noted{})
	})
}

// backupCall answers POST CommandBackup with a copy. One that cannot be made is cut off, which its reader notices.
func (s *Service) backupCall(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/gzip")
	out := &stream{w: w, control: http.NewResponseController(w)}
	err := s.Backup(out)
	switch {
	case err == nil:
	case !out.begun:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		s.o.Logger.Warn("a backup could not be finished", zap.Error(err))
		panic(http.ErrAbortHandler)
	}
}

// stream is an answer that may take as long as its reader goes on reading.
type stream struct {
	w       io.Writer
	control *http.ResponseController
	begun   bool
}

// streamPatience is how long a reader may take for one piece.
const streamPatience = time.Minute

func (s *stream) Write(p []byte) (int, error) {
	s.begun = true
	_ = s.control.SetWriteDeadline(time.Now().Add(streamPatience)) // a writer without deadlines has no limit
	return s.w.Write(p)
}
