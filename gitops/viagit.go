package gitops

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
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
	out, err := v.r.runGit(ctx, call{args: []string{"ls-remote", "--symref", v.name()}, env: v.credentials()})
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
	args := []string{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap=", v.name()}
	for _, ref := range sortedKeys(want) {
		args = append(args, "+"+ref+":"+v.r.trackingRef(strings.TrimPrefix(ref, "refs/heads/")))
	}
	if _, err := v.r.runGit(ctx, call{args: args, env: v.credentials(), write: true}); err != nil {
		return nil, v.explain(err)
	}
	// fetch.writeCommitGraph and its like are the user's business; a shallow clone's edge may have moved.
	cut, err := readShallow(v.r.common)
	if err == nil {
		v.r.shallow.Store(&cut)
	}
	return nil, err
}

// push asks git for one update with the old value as its lease. Hooks of this side do not run, as for any plumbing.
func (v *viaGit) push(ctx context.Context, u update) ([]string, error) {
	args := []string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed",
		"--force-with-lease=" + u.ref + ":" + text(u.old)}
	for _, o := range u.options {
		args = append(args, "--push-option="+o)
	}
	args = append(args, v.name(), u.to.String()+":"+u.ref)
	out, stderr, err := v.r.git.runBoth(ctx, v.r.inGitDir(call{args: args, env: v.credentials(), write: true}))
	status, found := porcelainStatus(string(out), u.ref)
	said := remoteLines(stderr)
	switch {
	case err == nil:
		return said, nil
	case len(u.options) > 0 && strings.Contains(stderr, "does not support push options"):
		return said, errDeaf
	case !found:
		return said, &unsure{v.explain(err)}
	case strings.Contains(status, "stale info"), strings.Contains(status, "fetch first"), strings.Contains(status, "non-fast-forward"):
		return said, &movedError{name: u.ref, want: u.old}
	case strings.Contains(status, "failed to update ref"), strings.Contains(status, "remote failure"):
		return said, &unsure{&Refused{u.ref, status, said}}
	}
	return said, &Refused{u.ref, status, said}
}

// porcelainStatus reads the line of one reference: "!\t<from>:<to>\t[remote rejected] (reason)".
func porcelainStatus(out, ref string) (string, bool) {
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(parts) != 3 || !strings.HasSuffix(parts[1], ":"+ref) {
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

// credentials of Options reach an http remote by the environment, which other users cannot read; git's helpers give any
// other.
func (v *viaGit) credentials() []string {
	if v.r.o.Password == "" || !strings.HasPrefix(v.address, "http") {
		return nil
	}
	basic := base64.StdEncoding.EncodeToString([]byte(v.r.o.Username + ":" + v.r.o.Password))
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http." + redact(v.address) + ".extraHeader",
		"GIT_CONFIG_VALUE_0=Authorization: Basic " + basic}
}

// explain gives git's words the type that callers branch on.
func (v *viaGit) explain(err error) error {
	var failed *programError
	if !errors.As(err, &failed) {
		return err
	}
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(failed.stderr, w) {
				return true
			}
		}
		return false
	}
	where := redact(v.address)
	switch {
	case says("Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED"):
		return fmt.Errorf("%s: %w: its host key is unknown or changed; compare it, then ssh-keyscan into known_hosts: %w", where, ErrAuth, err)
	case says("Authentication failed", "could not read Username", "could not read Password", "Permission denied (", "HTTP 401", "error: 403", "terminal prompts disabled"):
		return fmt.Errorf("%s: %w: %w", where, ErrAuth, err)
	case says("does not appear to be a git repository", "not found", "does not exist"):
		return fmt.Errorf("%s: %w: %w", where, ErrNoRemote, err)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// runGit runs the program in this repository: in the git folder, so that no file of the working tree is looked at.
func (r *Repo) runGit(ctx context.Context, c call) ([]byte, error) {
	return r.git.run(ctx, r.inGitDir(c))
}

func (r *Repo) inGitDir(c call) call {
	c.dir = r.facts.GitDir
	c.env = append(c.env, "GIT_DIR="+r.facts.GitDir)
	return c
}
