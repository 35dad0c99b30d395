//go:build unix

package boltledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
)

// The test binary runs itself as a second process: with LOCSYNC_STATE_CHILD set it plays a part instead of
// running tests.
func TestMain(m *testing.M) {
	switch os.Getenv("LOCSYNC_STATE_CHILD") {
	case "":
		os.Exit(gittest.AtOnce(m))
	case "hold":
		s, err := Open(os.Getenv("LOCSYNC_STATE_DIR"))
		if err == nil {
			err = s.Announce("127.0.0.1:7420")
		}
		fmt.Println("open", err)
		_, _ = io.Copy(io.Discard, os.Stdin) // until the parent lets go
		_ = s.Close()
	case "write":
		write(os.Getenv("LOCSYNC_STATE_DIR"))
	case "full":
		fillUp(os.Getenv("LOCSYNC_STATE_DIR"))
	}
}

func child(t *testing.T, part, dir string) (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "LOCSYNC_STATE_CHILD="+part, "LOCSYNC_STATE_DIR="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, in, bufio.NewScanner(out)
}

func TestASecondProcessIsToldWhoHasIt(t *testing.T) {
	dir := t.TempDir()
	began := time.Now()
	cmd, in, out := child(t, "hold", dir)
	if !out.Scan() || out.Text() != "open <nil>" {
		t.Fatalf("the first process says %q", out.Text())
	}
	_, err := Open(dir)
	locked, ok := errors.AsType[*Locked](err)
	if !ok {
		t.Fatalf("got %v, want a *Locked", err)
	}
	if locked.PID != cmd.Process.Pid || locked.Address != "127.0.0.1:7420" || locked.Since.Before(began.Add(-2*time.Second)) || locked.Since.After(time.Now()) {
		t.Errorf("got %+v, want process %d", locked, cmd.Process.Pid)
	}
	for _, says := range []string{strconv.Itoa(cmd.Process.Pid), dir, "stop that one first"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%q does not say %q", err, says)
		}
	}
	must(t, in.Close())
	must(t, cmd.Wait())
	closed(t, open(t, dir))
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		t.Errorf("the lock file was removed: %v", err)
	}
}

func TestTwoOpenersInOneProcess(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := Open(dir); err == nil {
		t.Error("opened twice")
	} else if locked, ok := errors.AsType[*Locked](err); !ok || locked.PID != os.Getpid() || locked.Address != "" {
		t.Errorf("got %v", err)
	}
	closed(t, s)
	closed(t, open(t, dir))
}

func TestALockWithoutHolder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer closed(t, s)
	must(t, os.Remove(filepath.Join(dir, "holder")))
	_, err := Open(dir)
	if locked, ok := errors.AsType[*Locked](err); !ok || locked.PID != 0 || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
}

// write sets three slots and a counter in one transaction after the other, and says so after each.
func write(dir string) {
	s, err := Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _, err := get[int](s, "app", "count", "n")
	for err == nil {
		n++
		err = s.Update(func(tx ledger.Writer) error {
			for i := range 3 {
				if err := tx.SetMarks(at("app", "known", fmt.Sprint(i), "en"), someMarks(200, n)); err != nil {
					return err
				}
			}
			return put(tx, "app", "count", "n", n)
		})
		fmt.Println(n)
	}
	fmt.Println(err)
}

// Killed in the middle of writing, the store holds exactly what the last finished call left: nothing that was
// returned is missing, and all parts of an update are of the same one.
func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	last := 0
	for round := range 20 {
		cmd, _, out := child(t, "write", dir)
		var kill *time.Timer
		soon := func() {
			kill = time.AfterFunc(time.Duration(rand.IntN(40))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		}
		if round%4 == 0 {
			soon() // while it opens the store; else once it writes, however slow the machine is
		}
		said := last
		for out.Scan() {
			if kill == nil {
				soon()
			}
			n, err := strconv.Atoi(out.Text())
			if err != nil {
				t.Fatalf("round %d: the writer says %q", round, out.Text())
			}
			said = n
		}
		kill.Stop()
		_ = cmd.Wait()

		s := open(t, dir)
		if aside, why := s.Rebuilt(); aside != "" && (said > 0 || last > 0) {
			t.Fatalf("round %d: the store was put aside after %d updates: %v", round, said, why)
		}
		n, _, err := get[int](s, "app", "count", "n")
		must(t, err)
		if n < said || n > said+1 {
			t.Fatalf("round %d: %d updates are there, %d were finished", round, n, said)
		}
		for i := range 3 {
			got, err := s.Marks(at("app", "known", fmt.Sprint(i), "en"))
			if err != nil || n > 0 && !maps.Equal(got, someMarks(200, n)) {
				t.Fatalf("round %d: slot %d is not of update %d: %v", round, i, n, err)
			}
		}
		closed(t, s)
		last = n
	}
	if last < 15 {
		t.Errorf("only %d updates in 20 rounds: the test kills too early to mean anything", last)
	}
	t.Logf("%d updates over 20 kills", last)
}
