// Package remote is the other side of a repository, which is spoken to by the git program alone: fetch, push,
// ls-remote, with the user's own configuration, credentials, ssh, proxies and hooks. What it says gets the type that
// callers branch on, and no address with a password leaves.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// Remote is one address of the remote.
type Remote struct {
	Address string
	repo    *repository.Repository
	name    string // what git is given: the remote's name, so that its configuration applies, or an address
}

// advertised is what a remote has.
type advertised struct {
	refs map[string]object.Name // full names
	head string                 // full name, "" when it is not said
}

// listingAge is how old a listing may be that was made for something else.
const listingAge = 2 * time.Second

// takeListing takes what was said of references that were listed along with others a moment ago; each is told once.
func (m *Remote) takeListing(refs []string) (advertised, bool) {
	l := m.repo.Listed.Swap(nil)
	if l == nil || l.Address != m.Address || time.Since(l.At) > listingAge ||
		slices.ContainsFunc(refs, func(ref string) bool { return !slices.Contains(l.Asked, ref) }) {
		return advertised{}, false
	}
	return advertised{l.Refs, l.Head}, true
}

// From is where the base branch is fetched from.
func From(r *repository.Repository) (*Remote, error) {
	if r.URL == "" {
		return nil, fmt.Errorf("%w: %q in %s; git remote add %s URL, or remote = \"\" to keep commits local",
			outcome.ErrNoRemote, r.Options.Remote, r.Facts.GitDir, r.Options.Remote)
	}
	return at(r, r.Options.Remote, r.URL), nil
}

// To is where commits are delivered, and where the branch counts that they are delivered to. It is another one
// than From where the configuration says so (a fork); then what the one has says nothing about the other.
func To(r *repository.Repository) (*Remote, error) {
	from, err := From(r)
	if err != nil {
		return nil, err
	}
	to, err := r.PushURLs()
	switch {
	case err != nil:
		return nil, err
	case len(to) > 1:
		return nil, fmt.Errorf("remote %s has %d addresses to push to, and a branch can only be compared at one: %w; "+
			"keep one, and let that server pass its branches on", r.Options.Remote, len(to), ref.ErrUnsupported)
	case len(to) == 0, to[0] == from.Address:
		return from, nil
	}
	return at(r, to[0], to[0]), nil
}

// at is the remote at an address. A relative path is relative to the working tree, whatever folder git runs in.
func at(r *repository.Repository, name, address string) *Remote {
	if path, ok := LocalPath(address); ok && !filepath.IsAbs(path) {
		name = filepath.Join(cmp.Or(r.Facts.WorkTree, r.Facts.GitDir), path)
	}
	return &Remote{repo: r, name: name, Address: address}
}

// LocalPath says whether an address is a path on this machine, by git's rule: file://, or no colon before the first
// slash.
func LocalPath(address string) (string, bool) {
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

// list gives the remote's references and the branch that its HEAD names. Where branches are named, these and that one
// are enough. The server lists all of them to git ls-remote, whichever protocol: over http the old one is one request.
func (m *Remote) list(ctx context.Context, branches ...string) (advertised, error) {
	var refs []string
	for _, branch := range branches {
		if branch != "" {
			refs = append(refs, "refs/heads/"+branch)
		}
	}
	if len(branches) == 0 {
		return m.listRefs(ctx, false, nil)
	}
	adv, known := m.takeListing(refs)
	if known {
		return adv, nil
	}
	return m.listRefs(ctx, true, refs)
}

// listRefs gives all references, or only some and what HEAD names.
func (m *Remote) listRefs(ctx context.Context, only bool, refs []string) (advertised, error) {
	args := []string{"ls-remote", "--symref", m.name}
	if strings.HasPrefix(m.Address, "http") {
		args = append([]string{"-c", "protocol.version=0"}, args...)
	}
	if only {
		args = append(append(args, "HEAD"), refs...)
	}
	var out []byte
	err := m.patiently(ctx, func() (err error) {
		out, err = m.run(ctx, run.Call{Args: args, Remote: true})
		return m.explained(err)
	})
	if err != nil {
		return advertised{}, err
	}
	adv := advertised{refs: map[string]object.Name{}}
	for line := range strings.Lines(string(out)) {
		value, name, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if target, ok := strings.CutPrefix(value, "ref: "); ok && name == "HEAD" {
			adv.head = target
		} else if h, ok := object.Parse(value); ok {
			adv.refs[name] = h
		}
	}
	if adv.head != "" && !adv.refs["HEAD"].IsZero() {
		adv.refs[adv.head] = adv.refs["HEAD"]
	}
	if len(adv.refs) == 0 && only {
		return m.listRefs(ctx, false, nil) // has it any?
	}
	return adv, m.believable(adv)
}

// believable refuses an answer over http that names nothing where there were branches before: git takes an empty one,
// which a proxy may send, for an empty repository.
func (m *Remote) believable(adv advertised) error {
	if len(adv.refs) > 0 || !strings.HasPrefix(m.Address, "http") || m.name != m.repo.Options.Remote {
		return nil
	}
	known, err := m.repo.Refs.List("refs/remotes/" + m.repo.Options.Remote + "/")
	if err == nil && len(known) > 0 {
		err = fmt.Errorf("%s: the server names no branch at all, and it had some; it is asked again. If they were all "+
			"deleted: git fetch --prune %s", run.Redact(m.Address), m.repo.Options.Remote)
	}
	return err
}

// intoPacks has git keep even a few objects as a pack, as we do ourselves: it tells no progress of those that it
// unpacks.
var intoPacks = []string{"-c", "fetch.unpackLimit=1", "-c", "transfer.unpackLimit=1"}

// fetch lets git move the tracking references itself, by our refspecs: it knows how to protect what it fetched.
func (m *Remote) fetch(ctx context.Context, want map[string]object.Name, options ...string) error {
	args := append(slices.Clone(intoPacks), "fetch", "--progress", "--no-tags", "--no-recurse-submodules",
		"--no-write-fetch-head", "--refmap=")
	args = append(append(args, options...), m.name)
	for _, ref := range slices.Sorted(maps.Keys(want)) {
		args = append(args, "+"+ref+":"+m.repo.Tracking(strings.TrimPrefix(ref, "refs/heads/")))
	}
	return m.bring(ctx, args)
}

// bring is a git fetch, again where another process disturbs it.
func (m *Remote) bring(ctx context.Context, args []string) error {
	return m.patiently(ctx, func() error {
		_, err := m.run(ctx, run.Call{Args: args, Write: true, Remote: true})
		for try := 0; try < 5 && err != nil && ctx.Err() == nil && run.Disturbed(err); try++ {
			_, err = m.run(ctx, run.Call{Args: args, Write: true, Remote: true})
		}
		return m.explained(err)
	})
}

// Rehearse has git do everything of a push but the push: it is to delete a reference that is not there, which needs no
// commit of ours and tells nothing about any branch. Whether a folder of this machine can be written is seen by a push.
func (m *Remote) Rehearse(ctx context.Context) error {
	_, err := m.run(ctx, run.Call{Remote: true, Args: append(m.noMirror(), "push", "--dry-run", "--porcelain",
		"--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed", m.name, ":refs/locsync/may-push")})
	if err != nil && !strings.Contains(err.Error(), "remote ref does not exist") {
		return m.explain(err)
	}
	return nil
}

// Configured is a call with what git is told beside its own configuration. Credentials of Options are the only ones
// that it has, and for this host alone. Redirects are not followed where a secret is in the address or in a header: git
// takes both along to another host.
func (m *Remote) Configured(ctx context.Context, c run.Call) run.Call {
	u, err := url.Parse(m.Address)
	if err != nil || !strings.HasPrefix(u.Scheme, "http") {
		return c
	}
	if u.User != nil || m.Setting(ctx, "http.extraHeader") != "" {
		if m.Setting(ctx, "http.followRedirects") == "" {
			c.Settings = append(c.Settings, "http.followRedirects=false")
		}
	}
	if o := m.repo.Options; o.Password != "" && !strings.ContainsAny(o.Username+o.Password, "\n\r\x00") {
		c.Login = &run.Login{Host: u.Scheme + "://" + u.Host, Username: o.Username, Password: o.Password}
	}
	return c
}

// Setting is what git's configuration says for the address; "" for nothing.
func (m *Remote) Setting(ctx context.Context, key string) string {
	section, name, _ := strings.Cut(strings.ToLower(key), ".")
	for k := range m.repo.Settings {
		if strings.HasPrefix(k, section+".") && strings.HasSuffix(k, "."+name) {
			// fails where it is not set
			out, _ := m.repo.Run(ctx, run.Call{Args: []string{"config", "--get-urlmatch", key, m.Address}})
			return strings.TrimSuffix(string(out), "\n")
		}
	}
	return ""
}

// explained is explain for what need not have failed.
func (m *Remote) explained(err error) error {
	if err == nil {
		return nil
	}
	return m.explain(err)
}

// explain gives git's words the type that callers branch on.
func (m *Remote) explain(err error) error {
	if silent, ok := errors.AsType[*run.Silent](err); ok {
		err = &run.Silent{For: silent.For, Last: m.conceal(silent.Last)}
	}
	var failed *run.Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", run.Redact(m.Address), err)
	}
	said := *failed
	said.Stderr = m.conceal(failed.Stderr)
	return explainWords(run.Redact(m.Address), said.Stderr, &said)
}

func (m *Remote) run(ctx context.Context, c run.Call) ([]byte, error) {
	return m.repo.Run(ctx, m.Configured(ctx, c))
}
