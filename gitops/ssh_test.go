package gitops

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/locsync/locsync/gitops/gittest"
)

// clients are the two ways to speak ssh: OpenSSH under the git program, and our own.
var clients = map[string]string{"git": "", "own": NoGit}

// overSSH is a repository whose origin is behind sshd.
func overSSH(t *testing.T, s *gittest.SSHServer, command string) (dir, bare string) {
	t.Helper()
	dir = gittest.Init(t, sample)
	bare = gittest.Bare(t, dir)
	gittest.Git(t, dir, "remote", "set-url", "origin", s.Address(bare))
	gittest.Git(t, dir, "config", "core.sshCommand", command)
	return dir, bare
}

// The whole loop over a real sshd: something to fetch, a commit, a lease that is lost, a refusal in the server's words, a
// repository that is not there.
func TestLoopOverSSH(t *testing.T) {
	t.Parallel()
	s := gittest.SSH(t, false, "ed25519")
	known := s.KnownHosts(t, s.Known("ed25519"))
	for client, git := range clients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			dir, bare := overSSH(t, s, s.Command(known, s.UserKey))
			r := open(t, dir, Options{Remote: "origin", Git: git})
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
			if _, err := r.Push(t.Context(), second); !errors.As(err, &refused) || strings.Join(refused.Said, "|") != "not before Monday" {
				t.Errorf("a refusal: %v", err)
			}
			gittest.Sound(t, dir)
			gittest.Sound(t, bare)
			gittest.Git(t, dir, "remote", "set-url", "origin", s.Address(bare+"-gone"))
			if _, err := open(t, dir, Options{Remote: "origin", Git: git}).At(t.Context(), "l10n", ""); !errors.Is(err, ErrNoRemote) {
				t.Errorf("no repository: %v", err)
			}
		})
	}
}

// known_hosts in every shape that ssh writes or people write: what is believed, and what is not and what to do then.
func TestKnownHosts(t *testing.T) {
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
		"revoked":                   {[]string{"@revoked * " + strings.TrimPrefix(s.Known("ed25519"), host+" "), s.Known("ed25519")}, "revoked"},
		"changed":                   {[]string{foreign}, "ssh-keygen -R"},
		"unknown":                   {[]string{other.Known("ed25519")}, fmt.Sprintf("ssh-keyscan -p %d 127.0.0.1", s.Port)},
		"excluded":                  {[]string{"!" + s.Host() + ",!127.0.0.1,*" + strings.TrimPrefix(s.Known("ed25519"), host)}, "ssh-keyscan"},
		"empty":                     {nil, "ssh-keyscan"},
	}
	dir, _ := overSSH(t, s, "ssh")
	elsewhere, _ := overSSH(t, other, "ssh")
	for client, git := range clients {
		t.Run("an algorithm it has not got "+client, func(t *testing.T) {
			t.Parallel()
			command := other.Command(other.KnownHosts(t, other.Host()+" "+s.HostKeys["ssh-rsa"]), other.UserKey)
			_, err := withSetting(t, elsewhere, Options{Remote: "origin", Git: git}, "core.sshcommand", command).At(t.Context(), "main", "")
			if !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "ssh-keyscan") {
				t.Errorf("%v", err)
			}
		})
	}
	for name, c := range cases {
		for client, git := range clients {
			t.Run(name+" "+client, func(t *testing.T) {
				t.Parallel()
				command := s.Command(s.KnownHosts(t, c.lines...), s.UserKey)
				r := withSetting(t, dir, Options{Remote: "origin", Git: git}, "core.sshcommand", command)
				before := s.Connections()
				_, err := r.At(t.Context(), "main", "")
				if s.Connections() == before {
					t.Error("it did not connect")
				}
				switch {
				case c.remedy == "" && err != nil:
					t.Errorf("it is not believed: %v", err)
				case c.remedy != "" && (!errors.Is(err, ErrUntrusted) || errors.Is(err, ErrAuth) || !strings.Contains(err.Error(), c.remedy)):
					t.Errorf("%v; it should be untrusted, and say %q", err, c.remedy)
				}
			})
		}
	}
}

// withSetting opens a repository with one setting of its own, so that parallel tests may share it.
func withSetting(t *testing.T, dir string, o Options, key, value string) *Repo {
	t.Helper()
	r := open(t, dir, o)
	if r.git == nil {
		r.set[key] = []string{value}
		return r
	}
	wrapper := filepath.Join(t.TempDir(), "git")
	script := fmt.Sprintf("#!/bin/sh\nexec %s -c %s \"$@\"\n", r.git.path, quoteShell(key+"="+value))
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
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "a passphrase", "-f", locked).CombinedOutput(); err != nil {
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
		for client, git := range clients {
			t.Run(name+" "+client, func(t *testing.T) {
				t.Parallel()
				_, err := withSetting(t, dir, Options{Remote: "origin", Git: git}, "core.sshcommand", c.command).At(t.Context(), "main", "")
				switch {
				case c.want == "" && err != nil:
					t.Errorf("%v", err)
				case c.want != "" && (!errors.Is(err, ErrAuth) || errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), c.want)):
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// ssh's own configuration: an alias with its host, port, user, key and known hosts. A jump host is OpenSSH's to take, and
// without it refused, never left out.
func TestSSHConfiguration(t *testing.T) {
	s := gittest.SSH(t, false, "ed25519")
	known := s.KnownHosts(t, s.Known("ed25519"))
	user := strings.TrimPrefix(strings.Split(s.Address(""), "@")[0], "ssh://")
	config := filepath.Join(t.TempDir(), "config")
	hosts := fmt.Sprintf("Host work jump\n  HostName 127.0.0.1\n  Port %d\n  User %s\n  IdentityFile %s\n  IdentitiesOnly yes\n"+
		"  UserKnownHostsFile %s\n  GlobalKnownHostsFile /dev/null\n", s.Port, user, s.UserKey, known)
	jump := strings.Replace(hosts, "Host work jump\n", "Host far\n  ProxyJump jump\n", 1)
	gittest.Write(t, filepath.Dir(config), map[string]string{"config": hosts + jump, "match": "Match host x\n  User y\n" + hosts})
	dir, bare := overSSH(t, s, "ssh -F "+config)
	for client, git := range clients {
		t.Run(client, func(t *testing.T) {
			gittest.Git(t, dir, "remote", "set-url", "origin", "work:"+bare)
			at(t, open(t, dir, Options{Remote: "origin", Git: git}), "main", "")
			gittest.Git(t, dir, "remote", "set-url", "origin", "far:"+bare)
			before := s.Connections()
			_, err := open(t, dir, Options{Remote: "origin", Git: git}).At(t.Context(), "main", "")
			took := s.Connections() - before
			if client == "git" && (err != nil || took < 2) {
				t.Errorf("through the jump host: %v, %d connections", err, took)
			}
			if client == "own" && (!errors.Is(err, ErrUnsupported) || took != 0 ||
				!strings.Contains(err.Error(), "ProxyJump jump") || !strings.Contains(err.Error(), "install git")) {
				t.Errorf("a jump host: %v, %d connections", err, took)
			}
			gittest.Git(t, dir, "remote", "set-url", "origin", s.Address(bare))
			t.Setenv("GIT_SSH_COMMAND", s.Command(known, s.OtherKey)+" -o IdentityAgent=none")
			if _, err := open(t, dir, Options{Remote: "origin", Git: git}).At(t.Context(), "main", ""); !errors.Is(err, ErrAuth) {
				t.Errorf("GIT_SSH_COMMAND does not count: %v", err)
			}
			t.Setenv("GIT_SSH_COMMAND", s.Command(known, s.UserKey))
			at(t, open(t, dir, Options{Remote: "origin", Git: git}), "main", "")
		})
	}
	for command, word := range map[string]string{
		"ssh -F " + filepath.Join(filepath.Dir(config), "match"): "Match", "sh -c 'ssh x'": "shell", "plink -ssh": "not ssh",
		"ssh -W a:b": "-W", "ssh -o ProxyCommand=nc": "ProxyCommand", "ssh -J x": "ProxyJump", "/usr/bin/ssh -F /no/such/file": "no such file",
	} {
		_, err := withSetting(t, dir, Options{Remote: "origin", Git: NoGit}, "core.sshcommand", command).At(t.Context(), "main", "")
		if err == nil || !strings.Contains(err.Error(), word) || !errors.Is(err, ErrUnsupported) && word != "no such file" {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// stalled is an ssh server that goes silent at a phase of the conversation, and says when it is reached.
type stalled struct {
	address, known string
	reached        chan struct{}
	left           chan error // the client has hung up
}

var phases = []string{"accepted", "greeted", "agent", "authentication", "session", "command", "advertisement"}

func stallAt(t *testing.T, phase string) *stalled {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key := must[ssh.Signer](t)(ssh.NewSignerFromKey(private))
	listener := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { listener.Close() })
	known := filepath.Join(t.TempDir(), "known")
	line := fmt.Sprintf("[127.0.0.1]:%d %s", listener.Addr().(*net.TCPAddr).Port, ssh.MarshalAuthorizedKey(key.PublicKey()))
	if err := os.WriteFile(known, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &stalled{address: "ssh://ada@" + listener.Addr().String() + "/x.git", reached: make(chan struct{}, 1), left: make(chan error, 1)}
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() {
			_, _ = io.Copy(io.Discard, conn)
			s.left <- nil
			conn.Close()
		}()
		if phase == "accepted" {
			s.reached <- struct{}{}
			return
		}
		if phase == "greeted" {
			_, _ = io.WriteString(conn, "SSH-2.0-slow\r\n")
			s.reached <- struct{}{}
			return
		}
		silence := make(chan struct{})
		config := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
			if phase == "authentication" {
				s.reached <- struct{}{}
				<-silence
			}
			return nil, nil
		}}
		config.AddHostKey(key)
		closed := &noticed{Conn: conn, gone: silence}
		_, channels, requests, err := ssh.NewServerConn(closed, config)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for c := range channels {
			if phase == "session" {
				s.reached <- struct{}{}
				continue
			}
			channel, asked, err := c.Accept()
			if err != nil {
				return
			}
			for request := range asked {
				if request.Type != "exec" {
					_ = request.Reply(true, nil)
					continue
				}
				if phase == "advertisement" {
					_ = request.Reply(true, nil)
					_, _ = io.WriteString(channel, "00a2"+strings.Repeat("1", 40)+" refs/hea")
				}
				s.reached <- struct{}{}
			}
		}
	}()
	s.known = known
	return s
}

// silentAgent is an agent's socket that takes questions and answers none.
func silentAgent(t *testing.T, asked chan<- struct{}) string {
	t.Helper()
	dir := must[string](t)(os.MkdirTemp("", "agent-")) // short, as a socket's name must be
	listener := must[net.Listener](t)(net.Listen("unix", filepath.Join(dir, "s")))
	t.Cleanup(func() {
		listener.Close()
		os.RemoveAll(dir)
	})
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			asked <- struct{}{}
		}
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}()
	return filepath.Join(dir, "s")
}

// noticed tells when the other side has hung up, also while nobody reads.
type noticed struct {
	net.Conn
	gone chan struct{}
}

func (n *noticed) Read(b []byte) (int, error) {
	k, err := n.Conn.Read(b)
	if err != nil {
		select {
		case <-n.gone:
		default:
			close(n.gone)
		}
	}
	return k, err
}

// A server that goes silent at any phase holds a call no longer than its context, and no connection stays behind (G9).
func TestSSHEndsAtEachPhase(t *testing.T) {
	gittest.Need(t)
	keys := t.TempDir()
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(keys, "key")).CombinedOutput(); err != nil {
		t.Skipf("ssh-keygen: %s", out)
	}
	t.Parallel()
	for _, phase := range phases {
		for client, git := range clients {
			t.Run(phase+" "+client, func(t *testing.T) {
				t.Parallel()
				s := stallAt(t, phase)
				dir := gittest.Init(t, sample)
				gittest.Git(t, dir, "remote", "add", "origin", s.address)
				key := " -o IdentitiesOnly=yes -i " + filepath.Join(keys, "key")
				if phase == "agent" {
					key = " -o IdentityFile=none -o IdentityAgent=" + silentAgent(t, s.reached)
				}
				gittest.Git(t, dir, "config", "core.sshCommand", "ssh -F none"+key+
					" -o GlobalKnownHostsFile=/dev/null -o UserKnownHostsFile="+s.known)
				r := open(t, dir, Options{Remote: "origin", Git: git})
				ctx, cancel := context.WithCancelCause(t.Context())
				reason := errors.New("the user had enough")
				go func() {
					<-s.reached
					cancel(reason)
				}()
				guard := time.AfterFunc(30*time.Second, func() { cancel(errors.New("the phase was not reached")) })
				defer guard.Stop()
				done := make(chan error, 1)
				go func() {
					_, err := r.At(ctx, "main", "")
					done <- err
				}()
				for what, ended := range map[string]<-chan error{"call": done, "connection": s.left} {
					select {
					case err := <-ended:
						if what == "call" && !errors.Is(err, reason) {
							t.Errorf("%v", err)
						}
					case <-time.After(40 * time.Second):
						t.Errorf("the %s stays", what)
					}
				}
			})
		}
	}
}

// git:// knows no keys; the loop is the same, with and without the git program.
func TestLoopOverGitDaemon(t *testing.T) {
	t.Parallel()
	for client, git := range clients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			s := gittest.Daemon(t, filepath.Dir(bare))
			address := fmt.Sprintf("git://127.0.0.1:%d/", s.Port)
			gittest.Git(t, dir, "remote", "set-url", "origin", address+filepath.Base(bare))
			r := open(t, dir, Options{Remote: "origin", Git: git})
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
			if _, err := open(t, dir, Options{Remote: "origin", Git: git}).At(t.Context(), "main", ""); !errors.Is(err, ErrNoRemote) {
				t.Errorf("%v", err)
			}
			empty := filepath.Join(filepath.Dir(bare), "empty.git")
			gittest.Git(t, "", "init", "-q", "--bare", empty)
			gittest.Git(t, dir, "remote", "set-url", "origin", address+"empty.git")
			if _, err := open(t, dir, Options{Remote: "origin", Git: git}).At(t.Context(), "l10n", "main"); !errors.Is(err, ErrNoBranch) {
				t.Errorf("an empty repository: %v", err)
			}
		})
	}
}
