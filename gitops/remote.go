package gitops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/run"
)

// remote is the other side, which is spoken to by the git program alone: fetch, push, ls-remote, with the user's own
// configuration, credentials, ssh, proxies and hooks.
type remote struct {
	r       *Repo
	name    string // what git is given: the remote's name, so that its configuration applies, or an address
	address string
}

type advertised struct {
	refs map[string]hash // full names
	head string          // full name, "" when it is not said
}

// update is one reference to move at the remote.
type update struct {
	ref     string
	old, to hash // old zero: the reference must not exist
	options []string
}

// errDeaf is a remote without the capability push-options.
var errDeaf = errors.New("the remote takes no push options")

// unsure is an error after which the update may have happened: the answer was lost, or says both things.
type unsure struct{ err error }

func (e *unsure) Error() string { return e.err.Error() }
func (e *unsure) Unwrap() error { return e.err }

// fetchRemote is where the base branch is fetched from.
func (r *Repo) fetchRemote() (*remote, error) {
	address := r.set.remoteURL(r.o.Remote)
	if address == "" {
		return nil, fmt.Errorf("%w: %q in %s; git remote add %s URL, or remote = \"\" to keep commits local",
			ErrNoRemote, r.o.Remote, r.facts.GitDir, r.o.Remote)
	}
	return r.remoteAt(r.o.Remote, address), nil
}

// pushRemote is where commits are delivered, and where the branch counts that they are delivered to. It is another one
// than fetchRemote where the configuration says so (a fork); then what the one has says nothing about the other.
func (r *Repo) pushRemote() (*remote, error) {
	from, err := r.fetchRemote()
	if err != nil {
		return nil, err
	}
	to := r.set.pushURLs(r.o.Remote)
	switch {
	case len(to) > 1:
		return nil, fmt.Errorf("remote %s has %d addresses to push to, and a branch can only be compared at one: %w; keep one, "+
			"and let that server pass its branches on", r.o.Remote, len(to), ErrUnsupported)
	case to[0] == from.address:
		return from, nil
	}
	return r.remoteAt(to[0], to[0]), nil
}

// remoteAt is the remote at an address. A relative path is relative to the working tree, whatever folder git runs in.
func (r *Repo) remoteAt(name, address string) *remote {
	if path, ok := localPath(address); ok && !filepath.IsAbs(path) {
		name = filepath.Join(or(r.facts.WorkTree, r.facts.GitDir), path)
	}
	return &remote{r: r, name: name, address: address}
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

// list gives the remote's references and the branch that its HEAD names. The old protocol answers in one request.
func (m *remote) list(ctx context.Context) (advertised, error) {
	out, err := m.run(ctx, run.Call{Args: []string{"-c", "protocol.version=0", "ls-remote", "--symref", m.name}})
	if err != nil {
		return advertised{}, m.explain(err)
	}
	adv := advertised{refs: map[string]hash{}}
	for line := range strings.Lines(string(out)) {
		value, name, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if target, ok := strings.CutPrefix(value, "ref: "); ok && name == "HEAD" {
			adv.head = target
		} else if h, ok := object.Parse(value); ok {
			adv.refs[name] = h
		}
	}
	return adv, m.believable(adv)
}

// believable refuses an answer over http that names nothing where there were branches before: git takes an empty one,
// which a proxy may send, for an empty repository.
func (m *remote) believable(adv advertised) error {
	if len(adv.refs) > 0 || !strings.HasPrefix(m.address, "http") || m.name != m.r.o.Remote {
		return nil
	}
	known, err := m.r.refs.List("refs/remotes/" + m.r.o.Remote + "/")
	if err == nil && len(known) > 0 {
		err = fmt.Errorf("%s: the server names no branch at all, and it had some; it is asked again. If they were all deleted: git fetch --prune %s",
			run.Redact(m.address), m.r.o.Remote)
	}
	return err
}

// intoPacks has git keep even a few objects as a pack, as we do ourselves: it tells no progress of those that it
// unpacks.
var intoPacks = []string{"-c", "fetch.unpackLimit=1", "-c", "transfer.unpackLimit=1"}

// fetch lets git move the tracking references itself, by our refspecs: it knows how to protect what it fetched.
func (m *remote) fetch(ctx context.Context, want map[string]hash, options ...string) error {
	args := append(slices.Clone(intoPacks), "fetch", "--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap=")
	args = append(append(args, options...), m.name)
	for _, ref := range sortedKeys(want) {
		args = append(args, "+"+ref+":"+m.r.trackingRef(strings.TrimPrefix(ref, "refs/heads/")))
	}
	_, err := m.run(ctx, run.Call{Args: args, Write: true})
	for try := 0; try < 5 && err != nil && ctx.Err() == nil && disturbed(err); try++ {
		_, err = m.run(ctx, run.Call{Args: args, Write: true})
	}
	if err != nil {
		return m.explain(err)
	}
	// fetch.writeCommitGraph and its like are the user's business; a shallow clone's edge may have moved.
	return m.r.history.Reload()
}

// disturbed says whether a fetch failed for what another process did here meanwhile: git gc --prune=now takes away packs that
// are being written, and another fetch moves the same tracking reference.
func disturbed(err error) bool {
	var failed *run.Error
	if !errors.As(err, &failed) {
		return false
	}
	said := failed.Stderr
	return strings.Contains(said, "unable to rename temporary") || strings.Contains(said, "cannot lock ref") && strings.Contains(said, "but expected")
}

// push moves one reference with the old value as its lease. A value other than u.old is ErrMoved, u.to already there
// is success; a refusal is *Refused. Where u has options and the remote takes none, errDeaf, and nothing has
// happened. Hooks of this side do not run, as for any plumbing.
func (m *remote) push(ctx context.Context, u update) ([]string, error) {
	args := []string{"push", "--porcelain", "--progress", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed",
		"--force-with-lease=" + u.ref + ":" + u.old.Text()}
	for _, o := range u.options {
		args = append(args, "--push-option="+o)
	}
	args = append(m.noMirror(), append(args, m.name, u.to.String()+":"+u.ref)...)
	out, stderr, err := m.r.git.RunBoth(ctx, m.r.inGitDir(run.Call{Args: args, Env: m.environment(ctx), Write: true}))
	status, found := porcelainStatus(string(out), u.ref)
	said := remoteLines(stderr)
	code := httpStatus(stderr)
	switch {
	case err == nil:
		return said, nil
	case len(u.options) > 0 && strings.Contains(stderr, "does not support push options"):
		return said, errDeaf
	case !found && refusedByStatus(code):
		return said, &Refused{u.ref, strings.TrimSpace(fmt.Sprint(code, " ", http.StatusText(code))), said}
	case !found:
		return said, &unsure{m.explain(err)}
	case strings.Contains(status, "stale info"), strings.Contains(status, "fetch first"), strings.Contains(status, "non-fast-forward"):
		return said, &ref.Moved{Name: u.ref, Want: u.old}
	case perhapsMoved(status):
		return said, &unsure{&Refused{u.ref, status, said}}
	}
	return said, &Refused{u.ref, status, said}
}

// noMirror lets a remote that mirrors everything be given one branch.
func (m *remote) noMirror() []string {
	if key := "remote." + m.r.o.Remote + ".mirror"; m.r.set.bool(key, false) {
		return []string{"-c", key + "=false"}
	}
	return nil
}

// perhapsMoved says whether a status may mean a lost lease as well as a lock that is held, or a clash of names: old
// servers have the same words for all of them, and new ones different words for the first.
func perhapsMoved(status string) bool {
	return slices.ContainsFunc([]string{"failed to update ref", "cannot lock", "remote failure",
		"incorrect old value", "reference already exists", "reference does not exist"},
		func(words string) bool { return strings.Contains(status, words) })
}

// porcelainStatus reads the line that refuses one reference: "!\t<from>:<to>\t[remote rejected] (reason)". A line of
// success ("*\t…\t[new branch]") above a push that failed is none: the connection broke after the report, and whether
// the branch moved is for the next listing to tell.
func porcelainStatus(out, ref string) (string, bool) {
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(parts) != 3 || parts[0] != "!" || !strings.HasSuffix(parts[1], ":"+ref) {
			continue
		}
		status := parts[2]
		if i := strings.LastIndex(status, "("); i >= 0 {
			status = strings.TrimSuffix(status[i+1:], ")")
		}
		return status, true
	}
	return "", false
}

// remoteLines are the lines that the other side printed.
func remoteLines(stderr string) []string {
	var said []string
	for line := range strings.Lines(stderr) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "remote:"); ok && strings.TrimSpace(text) != "" {
			said = append(said, strings.TrimSpace(text))
		}
	}
	return said
}

// rehearse has git do everything of a push but the push: it is to delete a reference that is not there, which needs no
// commit of ours and tells nothing about any branch.
func (m *remote) rehearse(ctx context.Context) error {
	_, err := m.run(ctx, run.Call{Args: append(m.noMirror(), "push", "--dry-run", "--porcelain", "--no-verify", "--no-follow-tags",
		"--recurse-submodules=no", "--no-signed", m.name, ":refs/locsync/may-push")})
	if err != nil && !strings.Contains(err.Error(), "remote ref does not exist") {
		return m.explain(err)
	}
	path, here := localPath(m.address)
	if !here { // git looks at the folders of a server of its own only when it writes there
		return nil
	}
	if !filepath.IsAbs(path) {
		path = m.name
	}
	f, err := findRepository(path)
	if err != nil {
		return err
	}
	for _, dir := range []string{filepath.Join(f.commonDir, "objects"), filepath.Join(f.commonDir, "refs", "heads")} {
		if err := writable(dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// environment is what git is told beside its own configuration. Credentials of Options reach it as the only
// credential helper, and for this host alone; by the environment, which other users cannot read. Redirects are not
// followed where a secret is in the address or in a header: git takes both along to another host.
func (m *remote) environment(ctx context.Context) []string {
	u, err := url.Parse(m.address)
	if err != nil || !strings.HasPrefix(u.Scheme, "http") {
		return nil
	}
	var config, env []string
	if u.User != nil || m.r.setForURL(ctx, "http.extraHeader", m.address) != "" {
		if m.r.setForURL(ctx, "http.followRedirects", m.address) == "" {
			config = append(config, "http.followRedirects", "false")
		}
	}
	if o := m.r.o; o.Password != "" && !strings.ContainsAny(o.Username+o.Password, "\n\r\x00") {
		config = append(config, "credential.helper", "", "credential."+u.Scheme+"://"+u.Host+".helper",
			`!f() { test "$1" = get && printf 'username=%s\npassword=%s\n' "$LOCSYNC_GIT_USER" "$LOCSYNC_GIT_PASSWORD"; }; f`)
		env = append(env, "LOCSYNC_GIT_USER="+o.Username, "LOCSYNC_GIT_PASSWORD="+o.Password)
	}
	n, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT")) // what is there already stays
	for i := 0; i < len(config); i, n = i+2, n+1 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, config[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, config[i+1]))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// setForURL is what git's configuration says for an address; "" for nothing, and where nothing can say so at all.
func (r *Repo) setForURL(ctx context.Context, key, address string) string {
	section, name, _ := strings.Cut(strings.ToLower(key), ".")
	if !slices.ContainsFunc(sortedKeys(r.set), func(k string) bool { return strings.HasPrefix(k, section+".") && strings.HasSuffix(k, "."+name) }) {
		return ""
	}
	out, err := r.runGit(ctx, run.Call{Args: []string{"config", "--get-urlmatch", key, address}})
	if err != nil { // 1: not set
		return ""
	}
	return strings.TrimSuffix(string(out), "\n")
}

// explain gives git's words the type that callers branch on.
func (m *remote) explain(err error) error {
	if silent, ok := errors.AsType[*Silent](err); ok {
		err = &Silent{For: silent.For, Last: m.conceal(silent.Last)}
	}
	var failed *run.Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", run.Redact(m.address), err)
	}
	said := *failed
	said.Stderr = m.conceal(failed.Stderr)
	return explainWords(run.Redact(m.address), said.Stderr, &said)
}

func (m *remote) run(ctx context.Context, c run.Call) ([]byte, error) {
	c.Env = append(c.Env, m.environment(ctx)...)
	return m.r.runGit(ctx, c)
}

// runGit runs the program in this repository: in the git folder, so that no file of the working tree is looked at.
func (r *Repo) runGit(ctx context.Context, c run.Call) ([]byte, error) {
	return r.git.Run(ctx, r.inGitDir(c))
}

func (r *Repo) inGitDir(c run.Call) run.Call {
	c.Dir, c.Objects = r.facts.GitDir, filepath.Join(r.common, "objects")
	c.Env = append(c.Env, "GIT_DIR="+r.facts.GitDir)
	return c
}
