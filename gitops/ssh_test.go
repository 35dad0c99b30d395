package gitops

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// overSSH is a repository whose origin is behind sshd.
func overSSH(t *testing.T, s *gittest.SSHServer, command string) (dir, bare string) {
	t.Helper()
	dir = gittest.Init(t, sample)
	bare = gittest.Bare(t, dir)
	gittest.Git(t, dir, "remote", "set-url", "origin", s.Address(bare))
	gittest.Git(t, dir, "config", "core.sshCommand", command)
	return dir, bare
}

// The whole loop over a real sshd: something to fetch, a commit, a lease that is lost, a refusal in the server's words,
// a repository that is not there.
func TestLoopOverSSH(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := gittest.SSH(t, false, "ed25519")
	known := s.KnownHosts(t, s.Known("ed25519"))
	dir, bare := overSSH(t, s, s.Command(known, s.UserKey))
	r := open(t, dir, Options{Remote: "origin"})
	other := gittest.Clone(t, bare)
	main := gittest.Commit(t, other, "x", map[string]string{"x": "y"})
	gittest.Git(t, other, "push", "-q")
	tip := at(t, r, "l10n", "")
	if tip.Hash() != main {
		t.Errorf("the tip is %s", tip.Hash())
	}
	first := commitOn(t, r, tip, "l10n", files("a", "1"))
	if result := push(t, r, first); !result.Pushed || result.Local != Moved {
		t.Errorf("%+v", result)
	}
	second := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "2"))
	gittest.Git(t, bare, "update-ref", "refs/heads/l10n", main)
	if _, err := r.Push(t.Context(), second); !errors.Is(err, ErrMoved) {
		t.Errorf("a lost lease: %v", err)
	}
	gittest.Git(t, bare, "update-ref", "refs/heads/l10n", first.Hash())
	gittest.Hook(t, bare, "pre-receive", "echo not before Monday >&2; exit 1")
	var refused *Refused
	if _, err := r.Push(t.Context(), second); !errors.As(err, &refused) || strings.Join(refused.Said,
		"|") != "not before Monday" {
		t.Errorf("a refusal: %v", err)
	}
	gittest.Sound(t, dir)
	gittest.Sound(t, bare)
	gittest.Git(t, dir, "remote", "set-url", "origin", s.Address(bare+"-gone"))
	if _, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "l10n", ""); !errors.Is(err, ErrNoRemote) {
		t.Errorf("no repository: %v", err)
	}
}

// known_hosts in every shape that ssh writes or people write: what is believed, and what is not and what to do then.
func TestKnownHosts(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := gittest.SSH(t, true, "ed25519", "ecdsa", "rsa")
	other := gittest.SSH(t, true, "ed25519")
	host := strings.Fields(s.Known("ed25519"))[0]
	foreign := s.Host() + strings.TrimPrefix(other.Known("ed25519"), other.Host())
	hashed := s.KnownHosts(t, s.Known("ecdsa"))
	if out, err := exec.Command("ssh-keygen", "-q", "-H", "-f", hashed).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen -H: %s", out)
	}
	scanned := string(must[[]byte](t)(os.ReadFile(hashed)))
	if !strings.HasPrefix(scanned, "|1|") {
		t.Fatalf("not hashed: %s", scanned)
	}
	cases := map[string]struct {
		lines  []string
		remedy string // "" is believed
	}{
		"plain":                     {[]string{s.Known("ed25519")}, ""},
		"hashed":                    {[]string{scanned}, ""},
		"one of several algorithms": {[]string{s.Known("rsa")}, ""},
		"several names, a comment":  {[]string{"# ours", "", "git.example.org," + s.Known("ecdsa") + " me@here"}, ""},
		"a pattern":                 {[]string{"[127.0.0.*]:" + fmt.Sprint(s.Port) + strings.TrimPrefix(s.Known("ed25519"), host)}, ""},
		"a star":                    {[]string{"*" + strings.TrimPrefix(s.Known("ed25519"), host)}, ""},
		"an authority":              {[]string{"@cert-authority " + host + " " + s.Authority}, ""},
		"another authority":         {[]string{"@cert-authority " + host + " " + other.Authority}, "ssh-keyscan"},
		"revoked": {[]string{"@revoked * " + strings.TrimPrefix(s.Known("ed25519"), host+" "),
			s.Known("ed25519")}, "revoked"},
		"changed": {[]string{foreign}, "ssh-keygen -R"},
		"unknown": {[]string{other.Known("ed25519")}, "ssh-keyscan"},
		"excluded": {[]string{"!" + s.Host() + ",!127.0.0.1,*" +
			strings.TrimPrefix(s.Known("ed25519"), host)}, "ssh-keyscan"},
		"empty": {nil, "ssh-keyscan"},
	}
	dir, _ := overSSH(t, s, "ssh")
	elsewhere, _ := overSSH(t, other, "ssh")
	t.Run("an algorithm it has not got", func(t *testing.T) {
		t.Parallel()
		command := other.Command(other.KnownHosts(t, other.Host()+" "+s.HostKeys["ssh-rsa"]), other.UserKey)
		_, err := withSetting(t, elsewhere, Options{Remote: "origin"}, "core.sshcommand",
			command).At(t.Context(), "main", "")
		if !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "ssh-keyscan") {
			t.Errorf("%v", err)
		}
	})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := s.Command(s.KnownHosts(t, c.lines...), s.UserKey)
			r := withSetting(t, dir, Options{Remote: "origin"}, "core.sshcommand", command)
			before := s.Connections()
			_, err := r.At(t.Context(), "main", "")
			if s.Connections() == before {
				t.Error("it did not connect")
			}
			switch {
			case c.remedy == "" && err != nil:
				t.Errorf("it is not believed: %v", err)
			case c.remedy != "" && (!errors.Is(err, ErrUntrusted) || errors.Is(err, ErrAuth) ||
				!strings.Contains(err.Error(), c.remedy)):
				t.Errorf("%v; it should be untrusted, and say %q", err, c.remedy)
			}
		})
	}
}

// withSetting opens a repository with one setting of its own, so that parallel tests may share it.
func withSetting(t *testing.T, dir string, o Options, key, value string) *Repo {
	t.Helper()
	r := open(t, dir, o)
	wrapper := filepath.Join(t.TempDir(), "git")
	script := fmt.Sprintf("#!/bin/sh\nexec %s -c %s \"$@\"\n", r.repo.Git.Path,
		"'"+strings.ReplaceAll(key+"="+value, "'", `'\''`)+"'")
	gittest.Executable(t, wrapper, []byte(script))
	o.Git = wrapper
	return open(t, dir, o)
}

// Which key is shown: of a file, of an agent; and what is said when none is accepted or there is none.
func TestSSHKeys(t *testing.T) {
	t.Parallel()
	s := gittest.SSH(t, false, "ed25519")
	known := s.KnownHosts(t, s.Known("ed25519"))
	agent, wrong := s.Agent(t, s.UserKey), s.Agent(t, s.OtherKey)
	locked := filepath.Join(t.TempDir(), "locked")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "a passphrase", "-f",
		locked).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	none := s.Command(known, "")
	cases := map[string]struct{ command, want string }{
		"a file":                {s.Command(known, s.UserKey), ""},
		"an agent":              {none + " -o IdentityAgent=" + agent, ""},
		"a key of the agent":    {s.Command(known, s.UserKey+".pub") + " -o IdentityAgent=" + agent, ""},
		"not asked for":         {s.Command(known, s.OtherKey+".pub") + " -o IdentityAgent=" + agent, "core.sshCommand"},
		"a file that is wrong":  {s.Command(known, s.OtherKey) + " -o IdentityAgent=none", "ssh"},
		"an agent that has not": {none + " -o IdentityAgent=" + wrong, "ssh"},
		"no key":                {none + " -o IdentityAgent=none", "core.sshCommand"},
		"a locked key":          {s.Command(known, locked) + " -o IdentityAgent=none", "agent"},
		"no agent there":        {none + " -o IdentityAgent=/nowhere", "core.sshCommand"},
	}
	dir, _ := overSSH(t, s, "ssh")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := withSetting(t, dir, Options{Remote: "origin"}, "core.sshcommand",
				c.command).At(t.Context(), "main", "")
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%v", err)
			case c.want != "" && (!errors.Is(err, ErrAuth) || errors.Is(err, ErrUntrusted) ||
				!strings.Contains(err.Error(), c.want)):
				t.Errorf("%v", err)
			}
		})
	}
}

// git:// knows no keys; the loop is the same.
func TestLoopOverGitDaemon(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	s := gittest.Daemon(t, filepath.Dir(bare))
	address := fmt.Sprintf("git://127.0.0.1:%d/", s.Port)
	gittest.Git(t, dir, "remote", "set-url", "origin", address+filepath.Base(bare))
	r := open(t, dir, Options{Remote: "origin"})
	push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
	other := gittest.Clone(t, bare, "-b", "l10n")
	theirs := gittest.Commit(t, other, "x", map[string]string{"b": "2"})
	gittest.Git(t, other, "push", "-q")
	if tip := at(t, r, "l10n", ""); tip.Hash() != theirs {
		t.Errorf("the tip is %s", tip.Hash())
	}
	gittest.Hook(t, bare, "update", "echo not this branch >&2; exit 1")
	_, err := r.Push(t.Context(), commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "2")))
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "not this branch") {
		t.Errorf("%v", err)
	}
	gittest.Git(t, dir, "remote", "set-url", "origin", address+"nowhere.git")
	if _, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "main", ""); !errors.Is(err, ErrNoRemote) {
		t.Errorf("%v", err)
	}
	empty := filepath.Join(filepath.Dir(bare), "empty.git")
	gittest.Git(t, "", "init", "-q", "--bare", empty)
	gittest.Git(t, dir, "remote", "set-url", "origin", address+"empty.git")
	if _, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "l10n", "main"); !errors.Is(err, ErrNoBranch) {
		t.Errorf("an empty repository: %v", err)
	}
}
