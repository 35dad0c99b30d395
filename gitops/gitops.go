// Package gitops reads a branch as a file system and adds a commit to it, here and at its remote.
//
// Its law: a reference moves only from the value that was just compared to a commit that contains it, after every
// object that the commit needs is on disk. Hence no commit of others is ever dropped, and a crash at any moment leaves
// a repository that git finds sound. Working tree, index and HEAD stay as they are, byte for byte, with one announced
// exception: where the branch is checked out and clean, `git merge --ff-only` lets that tree follow.
//
// One pass looks like this:
//
//	tip, _    := repo.At(ctx, branch, base)            // fetch; the branch as the remote has it, an fs.FS
//	merged, _ := repo.Merge(ctx, tip, tip.Base(), …)   // what base has and the branch lacks, in memory
//	tip, err   = repo.Commit(ctx, merged.Tip, branch, files, message)
//	result, _ := repo.Push(ctx, tip)                   // to the remote, its tracking reference, the local branch
//
// What it keeps in the repository, besides ordinary objects and branches:
//
//	refs/locsync-outbox/<branch>          a tag object: the commit that was made and not delivered yet, and where to
//	refs/locsync/<name>                   a small tree of files that travels beside the branches (see Kept)
//	refs/locsync-remotes/<remote>/<branch> a fetched branch that the remote's fetch refspecs have no place for
//	objects/pack/pack-*.keep              while a new pack has no reference yet; first word "locsync". One that a
//	                                      killed process left goes after an hour
//	one line in some hooks                where Hooks.Install was asked for it (package hook)
//
// OpenClone does the same for a repository that is elsewhere, in a bare clone that only this program works in (see
// clone.go).
//
// It knows nothing of translations. It does not rewrite history or prompt. Remotes, merges, attributes, content
// filters, diffs and the configuration are the git program's; so are objects, references and history. The
// parts, each of which imports only those after it:
//
//	content      how files are stored: attributes, filters, what a partial clone left out
//	remote       the other side: list, fetch, push, and what it says
//	hook         the line in the repository's hooks
//	repository   what is on this disk: configuration, objects, references, history, working trees
//	tree         a tree as a file system; two compared; one edited in memory
//	history, ref, object, outcome, run
package gitops

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/history"
	"github.com/locsync/locsync/gitops/hook"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// How a repository is used, and what it is.
type (
	Options = repository.Options
	Signing = repository.Signing
	Facts   = repository.Facts

	HookCommands = hook.Commands
)

// Person is an author. Angle brackets and line breaks are taken out of both fields.
type Person struct{ Name, Email string }

// at is the person with a time as commits, tags and logs have it.
func (p Person) at(when time.Time) string {
	p = p.clean()
	return fmt.Sprintf("%s <%s> %d %s", p.Name, p.Email, when.Unix(), when.Format("-0700"))
}

// clean is the person without what git takes out of names.
func (p Person) clean() Person {
	clean := func(s string) string {
		s = strings.Map(func(c rune) rune {
			if c < ' ' || c == '<' || c == '>' || c == 0x7f {
				return -1
			}
			return c
		}, strings.ToValidUTF8(s, ""))
		return strings.Trim(s, " .,:;\"'\\")
	}
	return Person{cmp.Or(clean(p.Name), "locsync"), cmp.Or(clean(p.Email), "locsync@localhost")}
}

// Message is what a commit says about itself. When is raised to one second after the youngest parent where a clock went
// back.
type Message struct {
	Text   string
	Author Person
	When   time.Time
}

// Trailer is the message trailer that marks a commit as ours. A local branch that is ahead of its remote by nothing but
// such commits is built upon; anything else there is unpublished work of others and left alone.
const Trailer = history.Trailer

// trailer is a line that git reads as one (git interpret-trailers).
var trailer = regexp.MustCompile(`^[A-Za-z0-9-]+[ \t]*:`)

// WithTrailers adds trailers to a message: to those that its last paragraph is made of, or as a paragraph of their own.
// The first paragraph is the subject, whatever it looks like.
func WithTrailers(text string, trailers ...string) string {
	text = strings.TrimRight(text, " \t\r\n")
	between := "\n\n"
	if at := strings.LastIndex(text, "\n\n"); at > 0 {
		lines := strings.Split(text[at+2:], "\n")
		if !slices.ContainsFunc(lines, func(line string) bool { return !trailer.MatchString(line) }) {
			between = "\n"
		}
	}
	return text + between + strings.Join(trailers, "\n") + "\n"
}

// Outcomes that a caller branches on.
var (
	ErrMoved       = ref.ErrMoved           // read the tip again, compute again, commit again
	ErrNothing     = outcome.ErrNothing     // the files are there already
	ErrDirty       = outcome.ErrDirty       // only as PushResult.Cause
	ErrBusy        = ref.ErrBusy            // a lock is held, or a rebase or merge is in progress
	ErrRefused     = outcome.ErrRefused     // always a *Refused
	ErrAuth        = outcome.ErrAuth        // the remote does not accept our credentials
	ErrUntrusted   = outcome.ErrUntrusted   // TLS certificate, ssh host key
	ErrUnavailable = outcome.ErrUnavailable // always an *Unavailable
	ErrUnfetched   = outcome.ErrUnfetched   // left out by a partial clone
	ErrUnsupported = ref.ErrUnsupported
	ErrPath        = outcome.ErrPath     // always a *BadPaths
	ErrNoBranch    = outcome.ErrNoBranch // always a *NoBranch
	ErrNoRemote    = outcome.ErrNoRemote
	ErrNotRepo     = repository.ErrNotRepo
	ErrOwner       = repository.ErrOwner
	ErrSign        = outcome.ErrSign    // nothing was written
	ErrDamaged     = outcome.ErrDamaged // a clone that we own is to be made again: RemoveClone, then OpenClone
	ErrGit         = run.ErrGit         // there is no git program, or one that is too old
)

// What the errors are.
type (
	Refused     = outcome.Refused
	Unavailable = outcome.Unavailable
	BadPath     = outcome.BadPath
	BadPaths    = outcome.BadPaths
	NoBranch    = outcome.NoBranch
	Rejection   = outcome.Rejection
	Silent      = run.Silent
)
