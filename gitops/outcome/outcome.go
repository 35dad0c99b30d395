// Package outcome names the ways in which calls of package gitops end, for callers that branch on them, and says what
// to do about them.
package outcome

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/locsync/locsync/gitops/ref"
)

// Outcomes that a caller branches on.
var (
	ErrNothing     = errors.New("nothing to commit")            // the files are there already
	ErrDirty       = errors.New("the working tree has changes") // only as PushResult.Cause
	ErrRefused     = errors.New("the remote refused")           // always a *Refused
	ErrAuth        = errors.New("the remote does not accept our credentials")
	ErrUntrusted   = errors.New("the remote did not prove who it is") // TLS certificate, ssh host key
	ErrUnavailable = errors.New("the remote is not available now")    // always an *Unavailable
	ErrUnfetched   = errors.New("the object was left out by a partial clone")
	ErrPath        = errors.New("the path cannot be written") // always a *BadPaths
	ErrNoBranch    = errors.New("no such branch")             // always a *NoBranch
	ErrNoRemote    = errors.New("no such remote")
	ErrSign        = errors.New("the commit cannot be signed") // nothing was written
	ErrDamaged     = errors.New("the clone is damaged")
)

// Refused is a remote's no to an update: a hook, a protected branch, a size limit. Asking again with the same content
// will give the same answer.
type Refused struct {
	Ref    string   // refs/heads/…
	Status string   // the word of the protocol: "pre-receive hook declined"
	Said   []string // what the remote printed, line by line
}

func (e *Refused) Error() string {
	s := fmt.Sprintf("%s refused: %s", e.Ref, e.Status)
	if len(e.Said) > 0 {
		s += ": " + strings.Join(e.Said, "; ")
	}
	return s
}

func (e *Refused) Is(target error) bool { return target == ErrRefused }

// Unavailable is a server that cannot answer now: overloaded, down, asked too often, or not to be reached.
type Unavailable struct {
	Status int // of http; 0 for no answer
}

func (e *Unavailable) Error() string {
	if e.Status == 0 {
		return ErrUnavailable.Error()
	}
	return fmt.Sprintf("%v (%d)", ErrUnavailable, e.Status)
}

func (e *Unavailable) Is(target error) bool { return target == ErrUnavailable }

// Rejection is a remote that cannot be used as it is, with the words of its server, of ssh and of git.
type Rejection struct {
	Kind    error  // ErrAuth, ErrUntrusted, ErrNoRemote or an *Unavailable
	Address string // without a password
	Cause   string
	Remedy  string
	Said    error // by git
}

func (e *Rejection) Error() string {
	return fmt.Sprintf("%s: %v: %s: %v", e.Address, e.Kind, e.Cause+"; "+e.Remedy, e.Said)
}

// Told is what people are told: which remote, why, and what to do.
func (e *Rejection) Told() string {
	return fmt.Sprintf("the remote %s: %s; %s", e.Address, e.Cause, e.Remedy)
}

func (e *Rejection) Unwrap() []error { return []error{e.Kind, e.Said} }

// BadPath is a path that Commit does not write, and why.
type BadPath struct{ Path, Why string }

// BadPaths are all the paths of one Commit that cannot be written. Nothing was written; without these paths the same
// call works.
type BadPaths struct{ Paths []BadPath }

func (e *BadPaths) Error() string {
	var lines []string
	for _, p := range e.Paths {
		lines = append(lines, fmt.Sprintf("%q: %s", p.Path, p.Why))
	}
	return strings.Join(lines, "; ")
}

func (e *BadPaths) Is(target error) bool { return target == ErrPath }

// NoBranch says which branch was looked for, where, and what to do about it.
type NoBranch struct {
	Branch string // "" when HEAD names none
	Where  string // the remote's name, or "" for this repository
	Try    string
}

func (e *NoBranch) Error() string {
	if e.Branch == "" {
		return "no branch is checked out; " + e.Try
	}
	what, where := fmt.Sprintf("branch %q", e.Branch), "here"
	if e.Where != "" {
		where = "at remote " + e.Where
	}
	return fmt.Sprintf("%s does not exist %s; %s", what, where, e.Try)
}

func (e *NoBranch) Is(target error) bool { return target == ErrNoBranch }

// WithRemedy says what to do about a disk or a process that does not let us write.
func WithRemedy(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w; let this user write there, or run locsync as the user who owns the repository", err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w; make room there", err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%w; raise the limit of open files (ulimit -n, LimitNOFILE= in a unit)", err)
	}
	return err
}

// What Options.Done is told of: each takes the time that people wonder about.
const (
	List   = "list"   // the remote's branches were asked for
	Fetch  = "fetch"  // the same, and what was new of them brought here
	Blobs  = "blobs"  // what a partial clone had left out was brought
	Commit = "commit" // a commit was made and stored
	Push   = "push"   // an update was sent to the remote, and its answer understood
)

// Tell tells how an operation ended that began then: deferred with the address of the error that the caller is about to
// return.
func Tell(done func(op, outcome string, took time.Duration), op string, began time.Time, err *error) {
	if done != nil {
		done(op, Of(*err), time.Since(began))
	}
}

// Of says in one word how an operation ended. There are as many words as lines here, whatever a remote says.
func Of(err error) string {
	for _, known := range []struct {
		err  error
		word string
	}{
		{nil, "ok"},
		{ErrNothing, "nothing"},
		{ref.ErrMoved, "moved"},
		{ref.ErrBusy, "busy"},
		{ErrRefused, "refused"},
		{ErrAuth, "auth"},
		{ErrUntrusted, "untrusted"},
		{ErrUnavailable, "unavailable"},
		{context.Canceled, "interrupted"},
	} {
		if errors.Is(err, known.err) {
			return known.word
		}
	}
	return "failed"
}
