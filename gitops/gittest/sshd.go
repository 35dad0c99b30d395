package gittest

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// SSHServer is a real sshd on loopback with host and user keys of its own, which lets the user that runs the tests
// in. It is started once for each connection.
type SSHServer struct {
	*Lines
	Authority string            // the public key that signed the host's certificates
	HostKeys  map[string]string // public keys by algorithm: "ssh-ed25519" to "ssh-ed25519 AAAA…"
	UserKey   string            // the file of a private key that is let in
	OtherKey  string            // the file of one that is not

	dir, user string
}

// Lines is a server that starts a program for each connection, as inetd would, behind a relay that can break the line
// after any byte.
type Lines struct {
	Port int
	ctx  context.Context

	mu          sync.Mutex
	broken      Break
	connections int
	sent        [2]int
	active      sync.WaitGroup
}

// Break is how the line breaks: once so many bytes have passed it is cut, or goes silent and stays up. 0 means that
// there is no limit.
type Break struct {
	ToServer, FromServer int
	Hang                 bool
}

// SSH starts a server that has host keys of the given kinds (ssh-keygen's: ed25519, ecdsa, rsa), each with a
// certificate when signed. The test is skipped, with the reason, where there is no sshd or it refuses to log in.
func SSH(t testing.TB, signed bool, kinds ...string) *SSHServer {
	t.Helper()
	program := needSSH(t)
	s := &SSHServer{HostKeys: map[string]string{}, dir: t.TempDir(), user: "nobody"}
	if me, err := user.Current(); err == nil {
		s.user = me.Username
	}
	s.UserKey, s.OtherKey = s.keygen(t, "user", "ed25519"), s.keygen(t, "other", "ed25519")
	authority := s.keygen(t, "authority", "ed25519")
	s.Authority = s.public(t, authority)
	var b strings.Builder
	for _, kind := range kinds {
		key := s.keygen(t, "host-"+kind, kind)
		public := s.public(t, key)
		algorithm, _, _ := strings.Cut(public, " ")
		s.HostKeys[algorithm] = public
		fmt.Fprintf(&b, "HostKey %s\n", key)
		if signed {
			run(t, "ssh-keygen", "-q", "-s", authority, "-I", kind, "-h", "-n", "127.0.0.1,git.example.org", key+".pub")
			fmt.Fprintf(&b, "HostCertificate %s-cert.pub\n", key)
		}
	}
	fmt.Fprintf(&b, "AuthorizedKeysFile %s.pub\nStrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\n", s.UserKey)
	b.WriteString("PasswordAuthentication no\nKbdInteractiveAuthentication no\n")
	b.WriteString("KexAlgorithms curve25519-sha256\n") // what sshd prefers costs a tenth of a second for each connection
	// bash reads ~/.bashrc for each command that sshd starts, which may start programs by the dozen.
	fmt.Fprintf(&b, "SetEnv HOME=%s GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null\n", s.dir)
	config := filepath.Join(s.dir, "sshd_config")
	if err := os.WriteFile(config, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Lines = listen(t, program, "-i", "-e", "-f", config)
	known := s.KnownHosts(t, s.Known(kinds[0]))
	if out, err := exec.Command("ssh", append(s.options(known, s.UserKey), "127.0.0.1",
		"true")...).CombinedOutput(); err != nil {
		t.Skipf("sshd refuses to log in here: %v %s", err, out)
	}
	return s
}

func listen(t testing.TB, program string, args ...string) *Lines {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Lines{Port: listener.Addr().(*net.TCPAddr).Port, ctx: ctx}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.relay(conn, program, args...) })
		}
	})
	t.Cleanup(func() {
		cancel()
		listener.Close()
		wg.Wait()
	})
	return s
}

// Daemon serves the repositories below a folder with the real `git daemon`, for git://127.0.0.1:Port/. Pushes are
// allowed.
func Daemon(t testing.TB, dir string) *Lines {
	t.Helper()
	Need(t)
	return listen(t, "git", "daemon", "--inetd", "--export-all", "--enable=receive-pack", "--base-path="+dir, dir)
}

// needSSH finds sshd, and gives it the empty folder that its unprivileged part lives in, as its service would.
func needSSH(t testing.TB) string {
	t.Helper()
	Need(t)
	program := "/usr/sbin/sshd"
	if found, err := exec.LookPath("sshd"); err == nil {
		program = found
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("no sshd: apt-get install openssh-server")
	}
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("no ssh: apt-get install openssh-client")
	}
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skip(err)
		}
	}
	return program
}

func run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v %s", name, strings.Join(args, " "), err, out)
	}
}

func (s *SSHServer) keygen(t testing.TB, name, kind string) string {
	t.Helper()
	file := filepath.Join(s.dir, name)
	args := []string{"-q", "-t", kind, "-N", "", "-C", name, "-f", file}
	if kind == "rsa" {
		args = append(args, "-b", "2048")
	}
	run(t, "ssh-keygen", args...)
	return file
}

// public is a key's algorithm and text, without its comment.
func (s *SSHServer) public(t testing.TB, file string) string {
	t.Helper()
	content, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(content))
	return words[0] + " " + words[1]
}

// relay connects one connection with a program of its own.
func (s *Lines) relay(conn net.Conn, program string, args ...string) {
	s.mu.Lock()
	broken := s.broken
	s.connections++
	s.active.Add(1)
	s.mu.Unlock()
	defer s.active.Done()
	defer context.AfterFunc(s.ctx, func() { conn.Close() })()
	cmd := exec.CommandContext(s.ctx, program, args...)
	cmd.Env = Environ()
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	var client, server sync.WaitGroup
	client.Go(func() {
		n := passed(in, conn, broken.ToServer)
		in.Close()
		s.count(0, n)
		switch {
		case broken.ToServer == 0 || n < broken.ToServer: // the client closed it
		case broken.Hang:
			_, _ = io.Copy(io.Discard, conn)
		default:
			conn.Close()
		}
	})
	n := passed(conn, out, broken.FromServer)
	s.count(1, n)
	server.Go(func() { _, _ = io.Copy(io.Discard, out) }) // what it was doing, it ends
	if !broken.Hang || broken.ToServer == 0 && n < broken.FromServer {
		conn.Close()
	}
	client.Wait()
	conn.Close()
	server.Wait()
	_ = cmd.Wait()
}

// passed copies to the end, or so many bytes.
func passed(to io.Writer, from io.Reader, limit int) int {
	if limit > 0 {
		from = io.LimitReader(from, int64(limit))
	}
	n, _ := io.Copy(to, from)
	return int(n)
}

func (s *Lines) count(way, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[way] = n
}

// Passed waits until no connection is left, and says how many bytes the last one that ended sent to the server and
// back.
func (s *Lines) Passed() (toServer, fromServer int) {
	s.active.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[0], s.sent[1]
}

// Connections says how many there were.
func (s *Lines) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

// Broken breaks every line from now on; the zero value mends it.
func (s *Lines) Broken(b Break) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = b
}

// Address is a repository's address at this server.
func (s *SSHServer) Address(dir string) string {
	return fmt.Sprintf("ssh://%s@127.0.0.1:%d%s", s.user, s.Port, dir)
}

// Host is the server as known_hosts names it.
func (s *SSHServer) Host() string { return "[127.0.0.1]:" + strconv.Itoa(s.Port) }

// Known is the line of known_hosts for a host key: of ssh-keygen's kind, or a public key itself.
func (s *SSHServer) Known(key string) string {
	for algorithm, public := range s.HostKeys {
		if strings.Contains(algorithm, key) {
			key = public
		}
	}
	return s.Host() + " " + key
}

// KnownHosts writes a file of such lines.
func (s *SSHServer) KnownHosts(t testing.TB, lines ...string) string {
	t.Helper()
	f, err := os.CreateTemp(s.dir, "known-hosts-")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// options keep the configuration of the user and the machine away; key "" offers none.
func (s *SSHServer) options(known, key string) []string {
	list := []string{"-F", "none", "-p", strconv.Itoa(s.Port), "-l", s.user, "-o", "UserKnownHostsFile=" + known, "-o",
		"GlobalKnownHostsFile=/dev/null"}
	if key == "" {
		return append(list, "-o", "IdentityFile=none")
	}
	return append(list, "-o", "IdentitiesOnly=yes", "-i", key)
}

// Command is an ssh command for core.sshCommand that knows the hosts of a file and has one key ("": none).
func (s *SSHServer) Command(known, key string) string {
	return "ssh " + strings.Join(s.options(known, key), " ")
}

// Agent starts a real ssh-agent that holds the key and gives its socket.
func (s *SSHServer) Agent(t testing.TB, key string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "agent-") // short, as a socket's name must be
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	cmd := exec.Command("ssh-agent", "-D", "-a", socket)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		os.RemoveAll(dir)
	})
	for range 200 {
		if conn, err := net.Dial("unix", socket); err == nil { // the file is there before the agent listens
			conn.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	add := exec.Command("ssh-add", "-q", key)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("ssh-add: %v %s", err, out)
	}
	return socket
}
