//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package budget

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

// forAllUsers is a folder like /tmp.
func forAllUsers(t *testing.T) string {
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
	good := forAllUsers(t)
	loose, own := filepath.Join(t.TempDir(), "loose"), t.TempDir()
	for dir, mode := range map[string]os.FileMode{loose: 0o777} {
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode)); err != nil {
			t.Fatal(err)
		}
	}
	if got := sharedFolder([]string{filepath.Join(own, "none"), loose, own, good}); got != good {
		t.Errorf("chose %q; a folder that is missing, one where all users may remove files, and one's own are not shared",
			got)
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

// Whatever has the name of the slot file: nothing is written through it, and the budget goes on in one's own
// folder, with a word.
func TestHostileFilesInTheSharedFolder(t *testing.T) {
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
			shared, own := forAllUsers(t), filepath.Join(t.TempDir(), "own")
			var warned []string
			h := newHostSlots(shared, own, "o", "a", func(m string) { warned = append(warned, m) })
			path := h.stores[0].(*slotFile).path
			victim := filepath.Join(t.TempDir(), "victim")
			if err := errors.Join(os.WriteFile(victim, []byte("precious"), 0o666), trap.set(path, victim)); err != nil {
				t.Fatal(err)
			}
			b := newBudget(h)
			if _, err := b.Claim(t.Context(), NewPace(4), Request{}); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(victim); err != nil || string(got) != "precious" {
				t.Errorf("the victim holds %q, %v", got, err)
			}
			if _, err := os.Lstat(victim + ".new"); err == nil {
				t.Error("a file was made through the link")
			}
			if h.at != 1 || len(warned) != 1 || !strings.Contains(warned[0], path) {
				t.Errorf("store %d, warned %q", h.at, warned)
			}
		})
	}
}

// A lock that is held for ever stops no process for ever.
func TestLockThatIsKept(t *testing.T) {
	shared := forAllUsers(t)
	h := newHostSlots(shared, "", "o", "a", func(string) {})
	f := h.stores[0].(*slotFile)
	f.patience = 50 * time.Millisecond
	b := newBudget(h)
	if _, err := b.Claim(t.Context(), NewPace(4), Request{}); err != nil || h.at != 0 {
		t.Fatalf("%v, store %d", err, h.at)
	}
	_, unlock, err := lockSlots(t.Context(), f.path)
	if err != nil {
		t.Fatal(err)
	}
	// The store changes, and what was sent before is given time to arrive.
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := b.Claim(short, NewPace(4), Request{}); !errors.Is(err, context.DeadlineExceeded) || h.at != 1 {
		t.Errorf("%v, store %d; want a pause in the next one", err, h.at)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	h.again = time.Time{}
	if err := b.Settle(t.Context(), Ticket{}); err != nil || h.at != 0 {
		t.Errorf("%v, store %d; want the shared one again", err, h.at)
	}
}

// A file that is removed and made anew while its lock is waited for is not mistaken for the old one.
func TestSlotFileIsReplaced(t *testing.T) {
	path := filepath.Join(forAllUsers(t), "f")
	_, unlock, err := lockSlots(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o666 {
		t.Fatalf("%v, %v; want a file for all users", info, err)
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

// Two users share one file, whichever of them made it. Only root can be two users.
func TestUsersShare(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	const nobody = 65534
	shared := forAllUsers(t)
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
	s := newArrivals(t)
	run := func(uid uint32) {
		t.Helper()
		cmd := exec.Command(binary)
		cmd.Dir = "/"
		cmd.Env = []string{envURL + "=" + s.URL, envShared + "=" + shared,
			envCalls + "=2", envRate + "=50", "TMPDIR=/nonexistent"}
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
func TestBudgetTellsItsFolder(t *testing.T) {
	shared, own := forAllUsers(t), t.TempDir()
	type folder struct {
		dir    string
		shared bool
	}
	for name, x := range map[string]struct {
		store store
		want  folder
	}{
		"one process":   {newSlotMemory(), folder{}},
		"a folder":      {newSlotFile(own, "o", "a"), folder{own, true}},
		"this host":     {newHostSlots(shared, own, "o", "b", func(string) {}), folder{shared, true}},
		"this user":     {newHostSlots("", own, "o", "c", func(string) {}), folder{own, false}},
		"the next best": {newHostSlots(os.Args[0], own, "o", "d", func(string) {}), folder{own, false}},
	} {
		b := newBudget(x.store)
		if _, err := b.Claim(t.Context(), NewPace(50), Request{}); err != nil {
			t.Fatal(err)
		}
		if dir, shared := b.Folder(); (folder{dir, shared}) != x.want {
			t.Errorf("%s: %q, shared %v; want %+v", name, dir, shared, x.want)
		}
	}
}

// The files of accounts that are not used any more go; one that is locked, or is none of ours, stays.
func TestUnusedFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * unusedAfter)
	make := func(name string, at time.Time) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := []string{make("locsync-01.slots", old), newSlotFile(dir, "o", "before").path}
	for _, path := range gone {
		make(filepath.Base(path), old)
	}
	locked := make("locsync-02.slots", old)
	_, unlock, err := lockSlots(t.Context(), locked)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	stay := []string{
		locked, make("locsync-03.slots", time.Now()), make("other-04.slots", old), make("locsync-05.txt", old),
	}
	link := filepath.Join(dir, "locsync-06.slots")
	if err := os.Symlink(stay[2], link); err != nil {
		t.Fatal(err)
	}
	b := newBudget(newSlotFile(dir, "o", "a"))
	if _, err := b.Claim(t.Context(), NewPace(4), Request{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range gone {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", filepath.Base(path))
		}
	}
	for _, path := range append(stay, link, b.slots.(*slotFile).path) {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}
