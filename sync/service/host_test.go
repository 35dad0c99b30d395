//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// everybodys is a folder like /tmp.
func everybodys(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shared")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFoldersThatAreSafeToShare(t *testing.T) {
	good := everybodys(t)
	loose, own := filepath.Join(t.TempDir(), "loose"), t.TempDir()
	for dir, mode := range map[string]os.FileMode{loose: 0o777} {
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode)); err != nil {
			t.Fatal(err)
		}
	}
	if got := sharedFolder([]string{filepath.Join(own, "none"), loose, own, good}); got != good {
		t.Errorf("chose %q; a folder that is missing, one where anybody may remove files, and one's own are no place to share", got)
	}
	if got := sharedFolder([]string{own}); got != "" {
		t.Errorf("chose %q", got)
	}
	if err := ownFolder(loose); err == nil {
		t.Error("a folder that others write to is taken for one's own")
	}
	link := filepath.Join(own, "link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	if err := ownFolder(link); err == nil {
		t.Error("a link is taken for one's own folder")
	}
}

// Whatever lies in the place of the slot file: nothing is written through it, and the budget goes on in one's own folder, with a word.
func TestTrapsInTheSharedFolder(t *testing.T) {
	for _, trap := range []struct {
		name string
		set  func(path, victim string) error
	}{
		{"symbolic link", func(path, victim string) error { return os.Symlink(victim, path) }},
		{"dangling link", func(path, victim string) error { return os.Symlink(victim+".new", path) }},
		{"hard link", func(path, victim string) error { return os.Link(victim, path) }},
		{"pipe", func(path, _ string) error { return unix.Mkfifo(path, 0o666) }},
		{"folder", func(path, _ string) error { return os.Mkdir(path, 0o777) }},
	} {
		t.Run(trap.name, func(t *testing.T) {
			shared, own := everybodys(t), filepath.Join(t.TempDir(), "own")
			var warned []string
			h := newHostSlots(shared, own, "o", "a", func(m string) { warned = append(warned, m) })
			path := h.places[0].(*slotFile).path
			victim := filepath.Join(t.TempDir(), "victim")
			if err := errors.Join(os.WriteFile(victim, []byte("precious"), 0o666), trap.set(path, victim)); err != nil {
				t.Fatal(err)
			}
			b := newBudget(h)
			if _, err := b.claim(t.Context(), newPace(4), turn{}); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(victim); err != nil || string(got) != "precious" {
				t.Errorf("the victim holds %q, %v", got, err)
			}
			if _, err := os.Lstat(victim + ".new"); err == nil {
				t.Error("a file was made through the link")
			}
			if h.at != 1 || len(warned) != 1 || !strings.Contains(warned[0], path) {
				t.Errorf("place %d, warned %q", h.at, warned)
			}
		})
	}
}

// A lock that somebody holds for ever stops nobody for ever.
func TestSomebodyKeepsTheLock(t *testing.T) {
	shared := everybodys(t)
	h := newHostSlots(shared, "", "o", "a", func(string) {})
	f := h.places[0].(*slotFile)
	f.patience = 50 * time.Millisecond
	b := newBudget(h)
	if _, err := b.claim(t.Context(), newPace(4), turn{}); err != nil || h.at != 0 {
		t.Fatalf("%v, place %d", err, h.at)
	}
	_, unlock, err := lockSlots(t.Context(), f.path)
	if err != nil {
		t.Fatal(err)
	}
	// The place changes, and what was sent before is given time to arrive.
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := b.claim(short, newPace(4), turn{}); !errors.Is(err, context.DeadlineExceeded) || h.at != 1 {
		t.Errorf("%v, place %d; want a pause in the next place", err, h.at)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	h.again = time.Time{}
	if err := b.settle(t.Context(), ticket{}); err != nil || h.at != 0 {
		t.Errorf("%v, place %d; want the shared one again", err, h.at)
	}
}

// A file that is removed and made anew while its lock is waited for is not mistaken for the old one.
func TestSlotFileIsReplaced(t *testing.T) {
	path := filepath.Join(everybodys(t), "f")
	_, unlock, err := lockSlots(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o666 {
		t.Fatalf("%v, %v; want a file for everybody", info, err)
	}
	got := make(chan string, 1)
	go func() {
		file, unlock, err := lockSlots(t.Context(), path)
		if err != nil {
			got <- err.Error()
			return
		}
		same, _ := isNamed(file, path)
		got <- fmt.Sprint(same)
		_ = unlock()
	}()
	time.Sleep(20 * time.Millisecond)
	if err := errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o666), unlock()); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "true" {
		t.Errorf("got %s", s)
	}
}

// Two users share one file, whoever made it. Only root can be two users.
func TestUsersShare(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("takes root to be somebody else")
	}
	const nobody = 65534
	shared := everybodys(t)
	for dir := shared; dir != "/"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode()&0o001 == 0 {
			if err := os.Chmod(dir, info.Mode().Perm()|0o711); err != nil {
				t.Skip(err)
			}
		}
	}
	binary := filepath.Join(filepath.Dir(shared), "test")
	body, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(binary, body, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, say(200, `{"id":"x"}`))
	run := func(uid uint32) {
		t.Helper()
		cmd := exec.Command(binary)
		cmd.Dir = "/"
		cmd.Env = []string{envURL + "=" + s.URL, envShared + "=" + shared, envCalls + "=2", envRate + "=50", "TMPDIR=/nonexistent"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("as user %d: %v: %s", uid, err, out)
		}
	}
	run(nobody)
	run(0)
	run(nobody - 1)
	entries, err := os.ReadDir(shared)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v; want one file", entries, err)
	}
	var state slots
	file, err := os.Open(filepath.Join(shared, entries[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := readSlots(file, &state); err != nil || state.Next != 6 {
		t.Errorf("%d requests in the file, %v; want 6", state.Next, err)
	}
}

// Where the budget is kept is known after a request.
func TestBudgetTellsItsPlace(t *testing.T) {
	s := serve(t, say(200, `{"id":"x"}`))
	shared, own := everybodys(t), t.TempDir()
	for name, x := range map[string]struct {
		store slotStore
		want  Budget
	}{
		"one process":   {newSlotMemory(), Budget{}},
		"a folder":      {newSlotFile(own, "o", "a"), Budget{own, true}},
		"this host":     {newHostSlots(shared, own, "o", "b", func(string) {}), Budget{shared, true}},
		"this user":     {newHostSlots("", own, "o", "c", func(string) {}), Budget{own, false}},
		"the next best": {newHostSlots(os.Args[0], own, "o", "d", func(string) {}), Budget{own, false}},
	} {
		c := s.client(t, func(o *Options) { o.AccountID = t.Name() + name })
		c.pace, c.account = newPace(50), &account{budget: newBudget(x.store), breaker: newBreaker()}
		if _, err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := c.Budget(); got != x.want {
			t.Errorf("%s: %+v, want %+v", name, got, x.want)
		}
	}
}
