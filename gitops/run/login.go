package run

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Login is a user name and password for one host. Git asks for them over a socket, when the host does: whatever else
// git starts (hooks, filters) inherits neither.
type Login struct {
	Host               string // with its scheme
	Username, Password string
}

// answerTime bounds an answer to git.
const answerTime = 10 * time.Second

// offer answers git's question until end is called. The settings name the only credential helper for the host: git's
// own client of a cache, whose part this process plays.
func (l *Login) offer() (settings []string, end func() error, err error) {
	dir, err := os.MkdirTemp("", "locsync-")
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Join(dir, "login")
	socket, err := net.Listen("unix", name)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("offer git the password: %w; set TMPDIR to a short path", err),
			os.RemoveAll(dir))
	}
	go func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			go l.answer(conn)
		}
	}()
	quoted := "'" + strings.ReplaceAll(filepath.ToSlash(name), "'", `'\''`) + "'"
	return []string{"credential.helper=", "credential." + l.Host + ".helper=" +
			`!f() { test "$1" = get && git credential-cache --socket=` + quoted + ` get; }; f`},
		func() error { return errors.Join(socket.Close(), os.RemoveAll(dir)) }, nil
}

// answer answers one question, which ends with the writing half of its connection.
func (l *Login) answer(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(answerTime)) // it is a socket
	question, err := io.ReadAll(io.LimitReader(conn, 64<<10))
	if err == nil && strings.HasPrefix(string(question), "action=get\n") {
		fmt.Fprintf(conn, "username=%s\npassword=%s\n", l.Username, l.Password)
	}
}
