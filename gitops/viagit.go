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
)

// viaGit speaks to a remote through the git program: ssh with the user's own configuration, jump hosts and keys; clones
// whose books git keeps (shallow, partial); folders with hooks.
type viaGit struct {
	r       *Repo
	address string
	folder  string // where a relative address leads, which git would look for from the folder it runs in; else ""
}

// name is what git is given: the remote's name, so that its configuration applies.
func (v *viaGit) name() string { return or(v.folder, v.r.o.Remote) }

func (v *viaGit) list(ctx context.Context) (advertised, error) {
	out, err := v.r.runGit(ctx, call{args: []string{"ls-remote", "--symref", v.name()}, env: v.environment()})
	if err != nil {
		return advertised{}, v.explain(err)
	}
	adv := advertised{refs: map[string]hash{}}
	for line := range strings.Lines(string(out)) {
		value, name, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if target, ok := strings.CutPrefix(value, "ref: "); ok && name == "HEAD" {
			adv.head = target
		} else if h, ok := parseHash(value); ok {
			adv.refs[name] = h
		}
	}
	return adv, nil
}

// fetch lets git move the tracking references itself, by our refspecs: it knows how to protect what it fetched.
func (v *viaGit) fetch(ctx context.Context, want map[string]hash) (*packed, error) {
	args := append(slices.Clone(intoPacks), "fetch", "--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap=", v.name())
	for _, ref := range sortedKeys(want) {
		args = append(args, "+"+ref+":"+v.r.trackingRef(strings.TrimPrefix(ref, "refs/heads/")))
	}
	if _, err := v.r.runGit(ctx, call{args: args, env: v.environment(), write: true}); err != nil {
		return nil, v.explain(err)
	}
	// fetch.writeCommitGraph and its like are the user's business; a shallow clone's edge may have moved.
	cut, err := readShallow(v.r.common)
	if err == nil {
		v.r.shallow.Store(&cut)
	}
	return nil, err
}

// intoPacks has git keep even a few objects as a pack, as we do ourselves: it tells no progress of those that it unpacks.
var intoPacks = []string{"-c", "fetch.unpackLimit=1", "-c", "transfer.unpackLimit=1"}

// push asks git for one update with the old value as its lease. Hooks of this side do not run, as for any plumbing.
func (v *viaGit) push(ctx context.Context, u update) ([]string, error) {
	args := []string{"push", "--porcelain", "--progress", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed",
		"--force-with-lease=" + u.ref + ":" + text(u.old)}
	for _, o := range u.options {
		args = append(args, "--push-option="+o)
	}
	args = append(args, v.name(), u.to.String()+":"+u.ref)
	out, stderr, err := v.r.git.runBoth(ctx, v.r.inGitDir(call{args: args, env: v.environment(), write: true}))
	status, found := porcelainStatus(string(out), u.ref)
	said := remoteLines(stderr)
	switch {
	case err == nil:
		return said, nil
	case len(u.options) > 0 && strings.Contains(stderr, "does not support push options"):
		return said, errDeaf
	case !found && refusedByStatus(httpStatus(stderr)):
		return said, &Refused{u.ref, fmt.Sprint(httpStatus(stderr), " ", http.StatusText(httpStatus(stderr))), said}
	case !found:
		return said, &unsure{v.explain(err)}
	case strings.Contains(status, "stale info"), strings.Contains(status, "fetch first"), strings.Contains(status, "non-fast-forward"):
		return said, &movedError{name: u.ref, want: u.old}
	case perhapsMoved(status):
		return said, &unsure{&Refused{u.ref, status, said}}
	}
	return said, &Refused{u.ref, status, said}
}

// porcelainStatus reads the line that refuses one reference: "!\t<from>:<to>\t[remote rejected] (reason)". A line of success ("*\t…\t[new branch]") above
// a push that failed is none: the connection broke after the report, and whether the branch moved is for the next listing to tell.
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

// environment is what git is told beside its own configuration. Credentials of Options reach it as the only credential
// helper, and for this host alone; by the environment, which other users cannot read. Redirects are not followed where a
// secret is in the address or in a header: git takes both along to another host.
func (v *viaGit) environment() []string {
	u, err := url.Parse(v.address)
	if err != nil || !strings.HasPrefix(u.Scheme, "http") {
		return nil
	}
	var config, env []string
	if _, chosen := v.r.set.lastForURL(v.address, "followredirects"); !chosen && (u.User != nil || len(v.r.set.forURL(v.address, "extraheader")) > 0) {
		config = append(config, "http.followRedirects", "false")
	}
	if o := v.r.o; o.Password != "" && !strings.ContainsAny(o.Username+o.Password, "\n\r\x00") {
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

// explain gives git's words the type that callers branch on.
func (v *viaGit) explain(err error) error {
	login := firstLogin(v.r, v.address)
	if silent, ok := errors.AsType[*Silent](err); ok {
		err = &Silent{For: silent.For, Last: login.conceal(silent.Last)}
	}
	var failed *programError
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", redact(v.address), err)
	}
	said := *failed
	said.stderr = login.conceal(failed.stderr)
	return explainWords(redact(v.address), said.stderr, &said)
}

// runGit runs the program in this repository: in the git folder, so that no file of the working tree is looked at.
func (r *Repo) runGit(ctx context.Context, c call) ([]byte, error) {
	return r.git.run(ctx, r.inGitDir(c))
}

func (r *Repo) inGitDir(c call) call {
	c.dir, c.objects = r.facts.GitDir, filepath.Join(r.common, "objects")
	c.env = append(c.env, "GIT_DIR="+r.facts.GitDir)
	return c
}
