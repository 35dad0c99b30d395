package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kevinburke/ssh_config"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// ssh without the git program and without OpenSSH: keys of an agent and of files, ssh's configuration as far as it says
// where to and with which key, and known_hosts, strictly. What it cannot do (jump hosts, proxy commands, Match blocks, an
// ssh command that is no plain ssh) is refused by name, never left out: the wrong road to a host is no road.

// sshSettings answers for one host as OpenSSH would: the command line first, then the files; the first value counts.
type sshSettings struct {
	alias string
	given map[string][]string // of the command line, by keyword in lower case
	files []*ssh_config.Config
}

func (c *sshSettings) all(keyword string) []string {
	values := slices.Clone(c.given[strings.ToLower(keyword)])
	for _, f := range c.files {
		more, _ := f.GetAll(c.alias, keyword)
		values = append(values, more...)
	}
	return values
}

func (c *sshSettings) get(keyword string) string {
	if values := c.all(keyword); len(values) > 0 {
		return values[0]
	}
	return ""
}

// readSSHSettings reads git's ssh command and ssh's configuration.
func readSSHSettings(set settings, home, alias string) (*sshSettings, error) {
	c := &sshSettings{alias: alias, given: map[string][]string{}}
	files := []string{filepath.Join(home, ".ssh", "config"), "/etc/ssh/ssh_config"}
	command := or(os.Getenv("GIT_SSH_COMMAND"), or(set.get("core.sshcommand"), os.Getenv("GIT_SSH")))
	own, err := c.readCommand(command, home)
	if err != nil {
		return nil, fmt.Errorf("the ssh command %q without a git program is %w (%w); install git and ssh", command, ErrUnsupported, err)
	}
	if own != "" {
		files = []string{own}
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) && own == "" || name == "none" {
			continue
		}
		if err != nil {
			return nil, err
		}
		f, err := ssh_config.DecodeBytes(content)
		if err != nil {
			return nil, fmt.Errorf("%s without a git program is %w (%w); install git and ssh", name, ErrUnsupported, err)
		}
		c.files = append(c.files, f)
	}
	for _, keyword := range []string{"ProxyJump", "ProxyCommand"} {
		if v := c.get(keyword); v != "" && !strings.EqualFold(v, "none") {
			return nil, fmt.Errorf("%s %s without a git program is %w; install git and ssh", keyword, v, ErrUnsupported)
		}
	}
	return c, nil
}

// readCommand understands a plain ssh with the options that say who, where and with what. It gives the file of -F.
func (c *sshSettings) readCommand(command, home string) (file string, err error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return "", nil
	}
	if strings.ContainsAny(command, "'\"\\$`;|&<>*?(){}") {
		return "", errors.New("it needs a shell")
	}
	if filepath.Base(words[0]) != "ssh" {
		return "", errors.New("it is not ssh")
	}
	for words = words[1:]; len(words) > 0; words = words[1:] {
		flag, value := words[0], ""
		if len(flag) < 2 || flag[0] != '-' {
			return "", fmt.Errorf("unknown word %q", flag)
		}
		if strings.Trim(flag[1:], "46TxaqnvC") == "" {
			continue
		}
		if flag, value = flag[:2], flag[2:]; value == "" && len(words) > 1 {
			words = words[1:]
			value = words[0]
		}
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = filepath.Join(home, rest)
		}
		keyword := map[string]string{"-i": "identityfile", "-p": "port", "-l": "user", "-J": "proxyjump"}[flag]
		switch {
		case keyword != "":
		case flag == "-F":
			file = value
			continue
		case flag == "-o":
			keyword, value, _ = strings.Cut(value, "=")
			keyword = strings.ToLower(keyword)
		default:
			return "", fmt.Errorf("unknown option %s", flag)
		}
		c.given[keyword] = append(c.given[keyword], value)
	}
	return file, nil
}

// sshHost is where to connect, as whom, with what, and which host keys are believed.
type sshHost struct {
	name, user, path string
	at               string // host:port to connect to
	known            []string
	agent            string   // the agent's socket
	wanted           []string // key files that were asked for, tried first
	usual            []string // the ones that ssh tries by itself
	only             bool     // nothing but the wanted ones
}

func newSSHHost(set settings, address string) (*sshHost, error) {
	who, alias, port, path, err := sshAddress(address)
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	c, err := readSSHSettings(set, home, alias)
	if err != nil {
		return nil, err
	}
	me := "git"
	if u, err := user.Current(); err == nil {
		me = u.Username
	}
	name := or(strings.ReplaceAll(c.get("HostName"), "%h", alias), alias)
	port = or(port, or(c.get("Port"), "22"))
	who = or(who, or(c.get("User"), me))
	expand := func(file string) string {
		if rest, ok := strings.CutPrefix(strings.Trim(file, `"`), "~/"); ok {
			return filepath.Join(home, rest)
		}
		return strings.NewReplacer("%%", "%", "%d", home, "%h", name, "%u", me, "%r", who, "%p", port, "%n", alias).Replace(strings.Trim(file, `"`))
	}
	h := &sshHost{name: name, user: who, path: path, at: net.JoinHostPort(name, port), only: strings.EqualFold(c.get("IdentitiesOnly"), "yes")}
	if h.agent = expand(or(c.get("IdentityAgent"), "SSH_AUTH_SOCK")); h.agent == "SSH_AUTH_SOCK" {
		h.agent = os.Getenv("SSH_AUTH_SOCK")
	}
	asked := c.all("IdentityFile")
	for _, file := range asked {
		if file != "none" {
			h.wanted = append(h.wanted, expand(file))
		}
	}
	if len(asked) == 0 {
		for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
			h.usual = append(h.usual, filepath.Join(home, ".ssh", "id_"+kind))
		}
	}
	files := strings.Fields(or(c.get("UserKnownHostsFile"), "~/.ssh/known_hosts ~/.ssh/known_hosts2"))
	files = append(files, strings.Fields(or(c.get("GlobalKnownHostsFile"), "/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2"))...)
	for _, file := range files {
		if file = expand(file); file != "none" && file != os.DevNull {
			h.known = append(h.known, file)
		}
	}
	return h, nil
}

// open connects, makes sure of the host, shows a key and starts the service. All of it ends with ctx.
func (h *sshHost) open(ctx context.Context, service string) (*line, error) {
	known, err := h.knownHosts()
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", h.at)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	keys := &sshKeys{host: h, ctx: ctx}
	defer keys.close()
	config := &ssh.ClientConfig{
		User:              h.user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeysCallback(keys.signers)},
		HostKeyCallback:   proven(known.HostKeyCallback()),
		HostKeyAlgorithms: known.HostKeyAlgorithms(h.at),
	}
	l, err := h.start(conn, config, service)
	if err == nil {
		hangUp := l.close
		l.close = func() { stop(); hangUp() }
		return l, nil
	}
	stop()
	conn.Close()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, h.explain(err, keys)
}

func (h *sshHost) start(conn net.Conn, config *ssh.ClientConfig, service string) (*line, error) {
	c, channels, requests, err := ssh.NewClientConn(conn, h.at, config)
	if err != nil {
		return nil, err
	}
	client := ssh.NewClient(c, channels, requests)
	session, err := client.NewSession()
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	in, err := session.StdinPipe()
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	out, err := session.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	said := new(tail)
	session.Stderr = said
	if err := session.Start(service + " " + quoteShell(h.path)); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return &line{
		Reader: out, Writer: in, closeWrite: in.Close, close: func() { client.Close() },
		said: func() string {
			_ = session.Wait()
			return said.String()
		},
	}, nil
}

// knownHosts reads the files that there are.
func (h *sshHost) knownHosts() (*knownhosts.HostKeyDB, error) {
	var there []string
	for _, file := range h.known {
		if _, err := os.Stat(file); err == nil {
			there = append(there, file)
		}
	}
	known, err := knownhosts.NewDB(there...)
	if err != nil {
		return nil, fmt.Errorf("%w; repair that line", err)
	}
	return known, nil
}

// unproven is a host key that was not believed, whatever the reason.
type unproven struct{ error }

func (e unproven) Unwrap() error { return e.error }

func proven(check ssh.HostKeyCallback) ssh.HostKeyCallback {
	return func(host string, remote net.Addr, key ssh.PublicKey) error {
		if err := check(host, remote, key); err != nil {
			return unproven{err}
		}
		return nil
	}
}

// explain gives a failed handshake its type and its remedy.
func (h *sshHost) explain(err error, keys *sshKeys) error {
	var key *xknownhosts.KeyError
	var revoked *xknownhosts.RevokedError
	var algorithms *ssh.AlgorithmNegotiationError
	words := ""
	switch {
	case errors.As(err, &revoked):
		words = fmt.Sprintf("its host key is revoked in %s, line %d", revoked.Revoked.Filename, revoked.Revoked.Line)
	case errors.As(err, &key) && len(key.Want) > 0:
		words = fmt.Sprintf("its host key is not the one in %s, line %d: %s", key.Want[0].Filename, key.Want[0].Line, hostKeyChanged(h.at))
	case errors.As(err, new(unproven)):
		words = "its host key is unknown: " + hostKeyUnknown(h.at)
	case errors.As(err, &algorithms) && strings.Contains(err.Error(), "host key"):
		words = "it has no host key of a kind that is in known_hosts: " + hostKeyUnknown(h.at)
	case strings.Contains(err.Error(), "unable to authenticate"):
		return fmt.Errorf("%w: %s: %w", ErrAuth, keys.tried(), err)
	default:
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrUntrusted, words, err)
}

func hostKeyUnknown(at string) string {
	return "compare it with what the server's operator publishes, then " + keyscan(at)
}

func hostKeyChanged(at string) string {
	return fmt.Sprintf("when its operator says that it was changed, ssh-keygen -R %q forgets the old one, and %s; else somebody is in between",
		xknownhosts.Normalize(at), keyscan(at))
}

func keyscan(at string) string {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return "add it to ~/.ssh/known_hosts"
	}
	return fmt.Sprintf("ssh-keyscan -p %s %s >> ~/.ssh/known_hosts", port, host)
}

// quoteShell quotes a path for the shell at the other end, as git does.
func quoteShell(s string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(s) + "'"
}

// sshAddress takes ssh://user@host:port/path or user@host:path apart. Port and user may be "".
func sshAddress(address string) (user, host, port, path string, err error) {
	if strings.Contains(address, "://") {
		u, err := url.Parse(address)
		if err != nil {
			return "", "", "", "", errors.New("not an address")
		}
		path = u.Path
		if strings.HasPrefix(path, "/~") {
			path = path[1:]
		}
		return u.User.Username(), u.Hostname(), u.Port(), path, nil
	}
	rest := address
	if before, after, ok := strings.Cut(address, "@"); ok && !strings.ContainsAny(before, ":/") {
		user, rest = before, after
	}
	if inner, after, ok := strings.Cut(rest, "]:"); ok && strings.HasPrefix(rest, "[") { // [host:port]:path, [::1]:path
		host, path = inner[1:], after
		if name, p, ok := strings.Cut(host, ":"); ok && !strings.Contains(p, ":") {
			host, port = name, p
		}
	} else {
		host, path, _ = strings.Cut(rest, ":")
	}
	if host == "" || path == "" {
		err = fmt.Errorf("not an address")
	}
	return user, host, port, path, err
}

// tail keeps the last words of a stream.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if len(t.kept) > 8192 {
		t.kept = t.kept[len(t.kept)-4096:]
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
