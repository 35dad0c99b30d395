// Package gitops reads a branch as a file system and adds a commit to it, here and at its remote.
//
// Its law: a reference moves only from the value that was just compared to a commit that contains it, after every
// object that the commit needs is on disk. Hence nobody's commit is ever dropped, and a crash at any moment leaves a
// repository that git finds sound. Working tree, index and HEAD stay as they are, byte for byte, with one announced
// exception: where the branch is checked out and clean, `git merge --ff-only` lets that tree follow.
//
// One pass looks like this:
//
//	tip, _    := repo.At(ctx, branch, base)            // fetch; the branch as the remote has it, an fs.FS
//	merged, _ := repo.Merge(ctx, tip, tip.Base(), …)   // what base has and the branch lacks, in memory
//	tip, err   = repo.Commit(ctx, merged.Tip, branch, files, message)
//	result, _ := repo.Push(ctx, tip)                   // to the remote, then the tracking reference, then the local branch
//
// What it keeps in the repository, besides ordinary objects and branches:
//
//	refs/locsync/<branch>                 a tag object: the commit that was made and not delivered yet, and where to
//	refs/locsync-remotes/<remote>/<branch> a fetched branch that the remote's fetch refspecs have no place for
//	<common dir>/locsync-git/             lock of the processes of this package on one machine; names of the locks they
//	                                      hold
//	objects/locsync-git/                  packs that are not finished
//	objects/pack/pack-*.keep              while a new pack has no reference yet; first word "locsync"
//	one line in some hooks                where InstallHooks was asked for it (see hooks.go)
//
// OpenClone does the same for a repository that is elsewhere, in a bare clone that nobody else works in (see clone.go).
//
// It knows nothing of translations. It does not rewrite history or prompt. Remotes, merges, attributes, content
// filters and the configuration are the git program's (package run); objects are read by go-git and by the git
// program (package object). No go-git type but the kind of an object leaves that package.
package gitops

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
)

// Short names for what is used everywhere here.
type (
	hash   = object.Name
	entry  = object.Entry
	commit = object.CommitData
)

// Options says how a repository is used. The zero value is a local repository without a remote.
type Options struct {
	// Remote is the remote's name in the repository's configuration. "" keeps everything local.
	Remote string

	// Username and Password answer an http remote that asks who we are, before git's credential helpers are asked. A user
	// in the remote's address comes first.
	Username, Password string

	// Git is the git program: "" looks it up in PATH.
	Git string

	// Trust accepts a repository that belongs to another user of this machine. Without it the rule is git's: refused,
	// unless safe.directory in the user's or the system's configuration names it.
	Trust bool

	// Signing says how commits are signed. The zero value: as git's configuration says.
	Signing Signing

	// Silence is for how long a call that talks to a remote or runs the git program may stand still before it is given
	// up with a *Silent (see run/silence.go); DefaultSilence when it is not above 0. How long it takes while it moves is
	// not bounded, but by its context.
	Silence time.Duration

	// Alive, when not nil, is told at every step (such a call begins or ends, a file or folder is read), and while such
	// a call moves eight times in Silence: a watchdog's sign that what takes long is no hang. It may be called from
	// several goroutines, never after the call, and must not block.
	Alive func()

	// Now is the clock of the lines in reference logs; default time.Now. Files are judged by their own clock.
	Now func() time.Time

	// Done, when not nil, is told of everything that was asked of a remote and of every commit: which operation (list,
	// fetch, blobs, commit, push), how it ended (ok, nothing, moved, busy, refused, auth, untrusted, unavailable,
	// interrupted, failed) and how long it took. It may be called from several goroutines.
	Done func(op, outcome string, took time.Duration)
}

// Person is an author. Angle brackets and line breaks are taken out of both fields.
type Person struct{ Name, Email string }

// Message is what a commit says about itself. When is raised to one second after the youngest parent where a clock went
// back.
type Message struct {
	Text   string
	Author Person
	When   time.Time
}

// Trailer is the message trailer that marks a commit as ours. A local branch that is ahead of its remote by nothing but
// such commits is built upon; anything else there is somebody's unpublished work and left alone.
const Trailer = "Locsync-Project"

// Outcomes that a caller branches on.
var (
	ErrMoved       = ref.ErrMoved                               // read the tip again, compute again, commit again
	ErrNothing     = errors.New("nothing to commit")            // the files are there already
	ErrDirty       = errors.New("the working tree has changes") // only as PushResult.Cause
	ErrBusy        = ref.ErrBusy                                // a lock is held, or a rebase or merge is in progress
	ErrRefused     = errors.New("the remote refused")           // always a *Refused
	ErrAuth        = errors.New("the remote does not accept our credentials")
	ErrUntrusted   = errors.New("the remote did not prove who it is") // TLS certificate, ssh host key
	ErrUnavailable = errors.New("the remote is not available now")    // always an *Unavailable
	ErrUnfetched   = errors.New("the object was left out by a partial clone")
	ErrUnsupported = ref.ErrUnsupported
	ErrPath        = errors.New("the path cannot be written") // always a *BadPaths
	ErrNoBranch    = errors.New("no such branch")             // always a *NoBranch
	ErrNoRemote    = errors.New("no such remote")
	ErrNotRepo     = errors.New("not a git repository")
	ErrOwner       = errors.New("the repository belongs to another user")
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

// Unavailable is a server that cannot answer now: overloaded, down, or asked too often.
type Unavailable struct {
	Status int // of http
}

func (e *Unavailable) Error() string {
	return fmt.Sprintf("%v (%d)", ErrUnavailable, e.Status)
}

func (e *Unavailable) Is(target error) bool { return target == ErrUnavailable }

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
	what := fmt.Sprintf("branch %q", e.Branch)
	if e.Branch == "" {
		what = "a current branch"
	}
	where := "here"
	if e.Where != "" {
		where = "at remote " + e.Where
	}
	return fmt.Sprintf("%s does not exist %s; %s", what, where, e.Try)
}

func (e *NoBranch) Is(target error) bool { return target == ErrNoBranch }
