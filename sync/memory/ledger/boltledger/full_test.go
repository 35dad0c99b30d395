//go:build unix

package boltledger

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fillUp writes until the disk is full, or what represents it: a limit on how long this process's files may be. Then
// it makes room and writes once more, in the same process, as a daemon would.
func fillUp(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	var before syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before)
	room := before
	room.Cur = 256 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		fmt.Println("no limit:", err)
		return
	}
	n := 0
	for err == nil && n < 10000 {
		if err = s.SetMarks(at("app", "known", fmt.Sprint(n), "en"), someMarks(200, n)); err == nil {
			n++
		}
	}
	fmt.Printf("full after %d: %v\n", n, err)
	_, err = s.Marks(at("app", "known", "0", "en"))
	fmt.Println("read:", err)
	_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)
	fmt.Println("again:", s.SetMarks(at("app", "known", "again", "en"), someMarks(200, 1)))
	fmt.Println("close:", s.Close())
}

// A full disk is an error that names what was being done, and nothing that was stored before is harmed: it is read in
// the same process, more is stored when there is room again, and the next process finds all of it.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd, _, out := child(t, "full", dir)
	var said []string
	for out.Scan() {
		said = append(said, out.Text())
	}
	must(t, cmd.Wait())
	var n int
	if _, err := fmt.Sscanf(strings.Join(said, "\n"), "full after %d:", &n); err != nil || n == 0 || len(said) != 4 {
		t.Fatalf("said %q", said)
	}
	if !strings.Contains(said[0], "write state") || !strings.Contains(said[0], syscall.EFBIG.Error()) {
		t.Errorf("the error is %q", said[0])
	}
	if said[1] != "read: <nil>" || said[2] != "again: <nil>" || said[3] != "close: <nil>" {
		t.Errorf("after it: %q", said[1:])
	}
	s := open(t, dir)
	defer closed(t, s)
	if aside, why := s.Rebuilt(); aside != "" {
		t.Fatalf("put aside: %v", why)
	}
	for i := range n {
		if got, err := s.Marks(at("app", "known", fmt.Sprint(i), "en")); err != nil || !maps.Equal(got, someMarks(200, i)) {
			t.Fatalf("slot %d of %d: %v", i, n, err)
		}
	}
}

// The folder goes away under an open store, and comes back empty: what is stored is gone with it, the next process
// begins anew and says nothing of damage, and the lock of the gone folder keeps nobody out.
func TestTheFolderVanishes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := open(t, dir)
	must(t, s.SetMarks(aSlot, someMarks(5, 1)))
	must(t, os.RemoveAll(dir))
	if err := s.SetMarks(aSlot, someMarks(5, 2)); err != nil {
		t.Logf("writing into what is gone: %v", err)
	}
	other := open(t, dir)
	if got, err := other.Marks(aSlot); err != nil || got != nil {
		t.Errorf("%v %v", got, err)
	}
	if aside, _ := other.Rebuilt(); aside != "" {
		t.Error("an empty folder counts as damaged")
	}
	closed(t, s)
	_, err := Open(dir)
	if locked, ok := errors.AsType[*Locked](err); !ok || locked.PID != os.Getpid() {
		t.Errorf("whoever asks for the folder then is told %v", err)
	}
	closed(t, other)
}
