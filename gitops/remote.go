package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// remote is the other side: a server that is spoken to by protocol (session.go), a repository on this disk that is read
// and written directly (folder.go), or either of them through the git program (viagit.go).
type remote interface {
	// list gives the remote's references and the branch that its HEAD names.
	list(ctx context.Context) (advertised, error)
	// fetch brings the commits and all that they need. The pack that it gives is not installed yet; nil when the objects
	// are in place and protected.
	fetch(ctx context.Context, want map[string]hash) (*packed, error)
	// push moves one reference. A value other than u.old is ErrMoved, u.to already there is success; a refusal is
	// *Refused. Where u has options and the remote takes none, errDeaf, and nothing has happened.
	push(ctx context.Context, u update) (said []string, err error)
	// rehearse says why a push would not be let in; nil where nothing speaks against it. Nothing is changed.
	rehearse(ctx context.Context) error
}

type advertised struct {
	refs map[string]hash // full names
	head string          // full name, "" when it is not said
}

// update is one reference to move at the remote.
type update struct {
	ref     string
	old, to hash // old zero: the reference must not exist
	// pack writes what the remote lacks, given references that it has.
	pack func(w io.Writer, have []hash) (hash, []indexed, error)
	// thin does the same with differences from what the remote has; false when it wrote nothing, because that does not pay. nil: never.
	thin    func(w io.Writer, have []hash) (bool, error)
	options []string
}

// errDeaf is a remote without the capability push-options.
var errDeaf = errors.New("the remote takes no push options")

// unsure is an error after which the update may have happened: the answer was lost, or says both things.
type unsure struct{ err error }

func (e *unsure) Error() string { return e.err.Error() }
func (e *unsure) Unwrap() error { return e.err }

// remoteFor chooses how to speak to Options.Remote. The choice is kept, with what it learned about credentials.
func (r *Repo) remoteFor(ctx context.Context, push bool) (remote, error) {
	r.remoteMu.Lock()
	defer r.remoteMu.Unlock()
	kept := &r.fetchFrom
	if push {
		kept = &r.pushTo
	}
	if *kept != nil {
		return *kept, nil
	}
	address := r.set.remoteURL(r.o.Remote, push)
	if address == "" {
		return nil, fmt.Errorf("%w: %q in %s; git remote add %s URL, or remote = \"\" to keep commits local",
			ErrNoRemote, r.o.Remote, r.facts.GitDir, r.o.Remote)
	}
	made, err := r.newRemote(ctx, address, push)
	if err != nil {
		return nil, err
	}
	*kept = made
	return made, nil
}

func (r *Repo) newRemote(ctx context.Context, address string, push bool) (remote, error) {
	viaGit := &viaGit{r: r, address: address}
	if path, ok := localPath(address); ok {
		if !filepath.IsAbs(path) {
			path = filepath.Join(or(r.facts.WorkTree, r.facts.GitDir), path)
			viaGit.folder = path
		}
		return r.newFolder(ctx, path, viaGit)
	}
	scheme, _, _ := strings.Cut(address, "://")
	if !strings.Contains(address, "://") {
		scheme = "ssh" // host:path
		if strings.Contains(address, "::") {
			scheme = "helper"
		}
	}
	cut := r.facts.Shallow || r.facts.Partial // git keeps the books of both; a push does not need them
	switch {
	case scheme == "http" || scheme == "https":
		if cut && !push && r.git != nil {
			return viaGit, nil
		}
		if setting := r.set.needsGit(address); setting != "" {
			if r.git == nil {
				return nil, fmt.Errorf("remote %s: %s without a git program is %w; install git", redact(address), setting, ErrUnsupported)
			}
			return viaGit, nil
		}
		return newSession(r, address)
	case r.git != nil:
		return viaGit, nil
	case scheme == "ssh" || scheme == "git":
		return newSession(r, address)
	}
	return nil, fmt.Errorf("remote %s: %s without a git program is %w; install git", redact(address), scheme, ErrUnsupported)
}

// localPath says whether an address is a path on this machine, by git's rule: file://, or no colon before the first
// slash.
func localPath(address string) (string, bool) {
	if rest, ok := strings.CutPrefix(address, "file://"); ok {
		if plain, err := url.PathUnescape(rest); err == nil {
			rest = plain
		}
		return rest, true
	}
	if strings.Contains(address, "://") {
		return "", false
	}
	colon, slash := strings.Index(address, ":"), strings.Index(address, "/")
	return address, colon < 0 || slash >= 0 && slash < colon
}

// packFor gives the function that writes what a remote lacks to have a tip. The pack that was just made is copied when it
// is known to be exactly that; else the commits between the remote's references and the tip are collected.
func (r *Repo) packFor(t *Tip) func(w io.Writer, have []hash) (hash, []indexed, error) {
	return func(w io.Writer, have []hash) (hash, []indexed, error) {
		c, err := r.readCommit(t.commit)
		if err != nil {
			return hash{}, nil, err
		}
		if t.made != nil && !slices.ContainsFunc(c.parents, func(p hash) bool { return !slices.Contains(have, p) && !slices.Contains(t.there, p) }) {
			sum, places, err := t.made.copyTo(w)
			if !errors.Is(err, os.ErrNotExist) { // repacked meanwhile, which is no matter
				return sum, places, err
			}
		}
		return r.encodeMissing(w, t.commit, append(have, t.there...))
	}
}

// encodeMissing writes what is needed to have a commit where others are had already.
func (p *place) encodeMissing(w io.Writer, commit hash, have []hash) (hash, []indexed, error) {
	commits, err := p.ahead(commit, have)
	if err != nil {
		return hash{}, nil, err
	}
	objects, err := p.newObjects(commits)
	if err != nil {
		return hash{}, nil, err
	}
	return encodePack(w, len(objects), p.objectAt(objects))
}

func (p *place) objectAt(list []hash) func(i int) (object, error) {
	return func(i int) (object, error) {
		k, data, err := p.objects.read(list[i])
		return object{kind: k, hash: list[i], data: data}, err
	}
}
