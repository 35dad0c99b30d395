// Package pgtest starts a PostgreSQL for tests: one server for the tests of a package, in a temporary folder, and a
// database of its own for each test that asks for one. Where there is no PostgreSQL on this machine those tests are
// skipped, and say so.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/locsync/locsync/gitops/gittest"
)

// Server is a PostgreSQL that this process has started.
type Server struct {
	Port    int
	Clock   string // how far the clock of the next Start is off, such as "+5m"; only with libfaketime
	dir     string // its data
	bin     string
	command *exec.Cmd
	ended   chan struct{}
}

var shared struct {
	sync.Mutex
	server *Server
	err    error
	names  atomic.Int64
}

// Main runs the tests of a package, and ends the server that they shared. It is for TestMain.
func Main(m *testing.M) int {
	defer func() {
		if shared.server != nil {
			shared.server.Stop()
			_ = os.RemoveAll(filepath.Dir(shared.server.dir))
		}
	}()
	return gittest.AtOnce(m)
}

// Database makes an empty database, and returns its address.
func Database(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = New()
	}
	if errors.Is(shared.err, errNone) {
		t.Skip("NOTE: " + shared.err.Error())
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	name := fmt.Sprintf("locsync%d", shared.names.Add(1))
	if err := shared.server.Create(name); err != nil {
		t.Fatal(err)
	}
	return shared.server.Address(name)
}

// Start starts a server for one test, which the test may stop and start again, with a database of that name.
func Start(t testing.TB, database string) *Server {
	t.Helper()
	s, err := New()
	if errors.Is(err, errNone) {
		t.Skip("NOTE: " + err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		_ = os.RemoveAll(filepath.Dir(s.dir))
	})
	if err := s.Create(database); err != nil {
		t.Fatal(err)
	}
	return s
}

var errNone = errors.New("no PostgreSQL here (Debian's package postgresql); what needs it is skipped in this run")

// Faketime is where Debian's libfaketime is. It does nothing to programs in Go, which call the system by themselves.
const Faketime = "/usr/lib/*/faketime/libfaketime.so.1"

// binaries is the folder of the server's programs.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errNone
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// New makes a server with an empty cluster, and starts it.
func New() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	outer, err := os.MkdirTemp("", "locsync-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: filepath.Join(outer, "data"), bin: bin}
	// What it writes is gone with the test: nothing has to reach the disk.
	initdb := s.run("initdb", "-D", s.dir, "-U", "locsync", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err := s.own(outer, initdb); err != nil {
		return nil, err
	}
	if said, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, said)
	}
	if s.Port, err = freePort(); err != nil {
		return nil, err
	}
	return s, s.Start()
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) run(program string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.bin, program), args...)
	c.Dir, c.Env = "/", []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
	return c
}

// Start starts the server where it was stopped.
func (s *Server) Start() error {
	s.command = s.run("postgres", "-D", s.dir, "-p", fmt.Sprint(s.Port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=200")
	if found, _ := filepath.Glob(Faketime); s.Clock != "" && len(found) > 0 {
		s.command.Env = append(s.command.Env, "LD_PRELOAD="+found[0], "FAKETIME="+s.Clock, "FAKETIME_DISABLE_SHM=1",
			"FAKETIME_DONT_FAKE_MONOTONIC=1")
	}
	if err := s.own("", s.command); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.ended = ended
	if err := s.command.Start(); err != nil {
		return err
	}
	go func(c *exec.Cmd) {
		_ = c.Wait()
		close(ended)
	}(s.command)
	for end := time.Now().Add(30 * time.Second); ; {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		c, err := pgx.Connect(ctx, s.Address("postgres"))
		cancel()
		if err == nil {
			return c.Close(context.Background())
		}
		select {
		case <-ended:
			return errors.New("the PostgreSQL of the test has ended at its start")
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return err
		}
	}
}

// Stop ends the server at once, as a machine that fails would.
func (s *Server) Stop() {
	_ = s.command.Process.Signal(immediate)
	<-s.ended
}

// Create makes an empty database.
func (s *Server) Create(name string) error {
	c, err := pgx.Connect(context.Background(), s.Address("postgres"))
	if err != nil {
		return err
	}
	defer c.Close(context.Background())
	_, err = c.Exec(context.Background(), "CREATE DATABASE "+name)
	return err
}

// Address is the address of a database of the server.
func (s *Server) Address(database string) string {
	return fmt.Sprintf("postgres://locsync@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

// Bouncer starts a PgBouncer in a mode before the server of a database, and returns the address of the database there.
// Without the program the test is skipped, and says so.
func Bouncer(t testing.TB, database, mode string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Skip("NOTE: no PgBouncer here (Debian's package pgbouncer); what needs it is skipped in this run")
		}
	}
	at, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "locsync-pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "pgbouncer.ini")
	settings := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d user=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"+
		"listen_port = %d\nunix_socket_dir =\nauth_type = any\npool_mode = %s\n", at.Port, at.User, port, mode)
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &Server{Port: port, dir: dir, bin: filepath.Dir(program), command: exec.Command(program, "-q", file)}
	s.command.Env = []string{"LC_ALL=C"}
	if err := s.own(dir, s.command); err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
	})
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := pgx.Connect(t.Context(), s.Address(at.Database))
		if err == nil {
			if err := c.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			return s.Address(at.Database)
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
