package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service/local/backup"
	"github.com/locsync/locsync/sync/service/wire"
	"github.com/locsync/locsync/sync/web"
)

// Embedded is an embedded service of this machine: that of a daemon, or of locsync service.
type Embedded struct {
	Data   string // the folder with all that it has
	ticket string // the folder that says how its process is reached
}

// EmbeddedAt is the service of a folder that locsync service serves.
func EmbeddedAt(dir string) Embedded { return Embedded{dir, dir} }

// EmbeddedOf is the service of the daemon that a configuration is for.
func EmbeddedOf(ctx context.Context, cfg *config.Config) (Embedded, error) {
	dir, err := process.StateDir(ctx, cfg)
	return Embedded{process.ServiceDir(dir), dir}, err
}

// call asks the process of the service, and returns an answer that is not an error.
func (e Embedded) call(ctx context.Context, method, path string, query url.Values) (*http.Response, error) {
	through, err := web.ServiceTransport(ctx, e.ticket)
	if err != nil {
		return nil, err
	}
	call, err := http.NewRequestWithContext(ctx, method, "http://embedded.invalid"+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	answer, err := (&http.Client{Transport: through}).Do(call)
	if err != nil {
		return nil, fmt.Errorf("ask the embedded service: %w", err)
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close()
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "application/") { // an answer of the interface
		return nil, failure.Usage(errors.New("the service that runs is of an earlier version, which does not know this; " +
			"start it again"))
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("ask the embedded service: %w", err)
	}
	said := errors.New(strings.TrimSpace(string(text)))
	if answer.StatusCode >= http.StatusInternalServerError {
		return nil, said
	}
	return nil, failure.Usage(said)
}

// ask is decoded of a service that has to run.
func ask[T any](ctx context.Context, e Embedded, method, path string, query url.Values) (found T, err error) {
	found, err = decoded[T](ctx, e, method, path, query)
	if errors.Is(err, web.ErrNoDaemon) {
		return found, e.stopped()
	}
	return found, err
}

// stopped is the error of what the process of the service would have to answer.
func (e Embedded) stopped() error {
	if e.Data != e.ticket {
		return failure.Usage(errors.New("the embedded service is not running; start locsync run first, or name the folder " +
			"of a locsync service with --data"))
	}
	if !backup.IsIn(e.Data) {
		return failure.Usage(fmt.Errorf("%s has no data of a service; name another folder with --data, or start locsync "+
			"service there first", e.Data))
	}
	return failure.Usage(fmt.Errorf("no locsync service runs for %s; start locsync service --data %s first", e.Data,
		e.Data))
}

// decoded is call for an answer in JSON.
func decoded[T any](ctx context.Context, e Embedded, method, path string, query url.Values) (found T, err error) {
	answer, err := e.call(ctx, method, path, query)
	if err != nil {
		return found, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(io.LimitReader(answer.Body, 64<<20)).Decode(&found); err != nil {
		return found, fmt.Errorf("read the answer of the embedded service: %w", err)
	}
	return found, nil
}

// Invitation is what a link is for: a person, and what that person may do. What is empty is as it was, or the usual.
type Invitation struct {
	Name, Role, Address string
	Manager             bool // of everything
	Projects, Languages []string
}

// Invite has the service make an invitation, and returns its address.
func (e Embedded) Invite(ctx context.Context, of Invitation) (string, error) {
	query := url.Values{"name": {of.Name}, "role": {of.Role}, "address": {of.Address},
		"project": of.Projects, "language": of.Languages}
	if of.Manager {
		query.Set("manager", "true")
	}
	made, err := ask[wire.Invited](ctx, e, http.MethodPost, wire.CommandInvite, query)
	return made.URL, err
}

// Invitations are those that were not used yet.
func (e Embedded) Invitations(ctx context.Context) ([]wire.Invitation, error) {
	return ask[[]wire.Invitation](ctx, e, http.MethodGet, wire.CommandInvitations, nil)
}

// Revoke ends an invitation.
func (e Embedded) Revoke(ctx context.Context, id string) error {
	_, err := ask[struct{}](ctx, e, http.MethodPost, wire.CommandRevoke, url.Values{"id": {id}})
	return err
}

// Audit is what was done since a time, as far as the service keeps it.
func (e Embedded) Audit(ctx context.Context, since time.Time) (all []wire.AuditEntry, err error) {
	for page := 1; ; page++ {
		some, err := ask[[]wire.AuditEntry](ctx, e, http.MethodGet, wire.CommandAudit, url.Values{
			wire.QueryStartTime:  {since.UTC().Format(time.RFC3339)},
			wire.QueryPageNumber: {strconv.Itoa(page)},
		})
		all = append(all, some...)
		if err != nil || len(some) < wire.MaxAuditPerPage {
			return all, err
		}
	}
}

// Backup writes a copy of the service: its process makes it while it works; where none serves the folder, this one.
func (e Embedded) Backup(ctx context.Context, w io.Writer) (backup.Copy, error) {
	answer, err := e.call(ctx, http.MethodPost, wire.CommandBackup, nil)
	if errors.Is(err, web.ErrNoDaemon) {
		c, err := backup.MakeStopped(w, e.Data, time.Now())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = e.noData()
		case errors.Is(err, backup.ErrMoved):
			err = failure.Usage(err)
		}
		return c, err
	}
	if err != nil {
		return backup.Copy{}, err
	}
	defer answer.Body.Close()
	received := &tee{from: answer.Body, to: w}
	c, err := backup.Check(received)
	if received.failed != nil {
		err = received.failed
	}
	return c, err
}

// Move puts the service into another folder: its process does while it works; where none serves the folder, this one.
func (e Embedded) Move(ctx context.Context, to string) (c backup.Copy, err error) {
	to, err = filepath.Abs(to)
	if err != nil {
		return c, err
	}
	for _, pair := range [][2]string{{to, e.Data}, {e.Data, to}} {
		if within, err := isWithin(pair[0], pair[1]); err != nil || within {
			return c, errors.Join(err, failure.Usage(fmt.Errorf("%s and %s are within each other; name another folder",
				to, e.Data)))
		}
	}
	moved, err := decoded[wire.Moved](ctx, e, http.MethodPost, wire.CommandMove, url.Values{"to": {to}})
	if !errors.Is(err, web.ErrNoDaemon) {
		return backup.Copy{Accounts: moved.Accounts, Created: moved.Created, Files: moved.Files, Bytes: moved.Bytes}, err
	}
	c, err = backup.MoveStopped(e.Data, to, time.Now)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = e.noData()
	case errors.Is(err, backup.ErrNotEmpty), errors.Is(err, backup.ErrMoved):
		err = failure.Usage(err)
	}
	return c, err
}

func (e Embedded) noData() error {
	return failure.Usage(fmt.Errorf("%s has no data of a service; name the folder with --data", e.Data))
}

// tee passes on what is read, and keeps what went wrong on one of the sides.
type tee struct {
	from   io.Reader
	to     io.Writer
	failed error
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	if err != nil && err != io.EOF {
		t.failed = fmt.Errorf("the service ended before the backup was whole: %w", err)
	}
	if _, failed := t.to.Write(p[:n]); failed != nil {
		t.failed, err = failed, failed
	}
	return n, err
}

// BackupTo is Backup into a file, which is there as a whole or not at all.
func (e Embedded) BackupTo(ctx context.Context, file string, replace bool) (c backup.Copy, err error) {
	if _, err := os.Lstat(file); err == nil && !replace {
		return c, failure.Usage(fmt.Errorf("%s is there already; name another file, or replace it with --force", file))
	}
	if within, err := isWithin(filepath.Dir(file), e.Data); err != nil {
		return c, err
	} else if within {
		return c, failure.Usage(fmt.Errorf("%s is in the folder that is copied; name a file outside of %s", file, e.Data))
	}
	err = files.WritePrivate(file, func(f *os.File) error {
		c, err = e.Backup(ctx, f)
		return err
	})
	return c, err
}

// isWithin reports whether a folder is another one, or below it.
func isWithin(folder, other string) (bool, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false, err
	}
	if other, err = filepath.Abs(other); err != nil {
		return false, err
	}
	way, err := filepath.Rel(files.Resolved(other), files.Resolved(folder))
	return err == nil && filepath.IsLocal(way), nil
}

// Restore puts the service of a copy into the folder, in place of what it has where that is meant.
func (e Embedded) Restore(from io.Reader, replace bool) (backup.Restored, error) {
	done, err := backup.Restore(from, e.Data, replace, time.Now)
	if errors.Is(err, backup.ErrNotEmpty) {
		err = fmt.Errorf("%w; name another folder, or have what is there moved aside with --force", err)
	}
	if errors.Is(err, backup.ErrNotEmpty) || errors.Is(err, backup.ErrUnusable) {
		err = failure.Usage(err)
	}
	return done, err
}
