//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package budget

import (
	"context"
	"errors"
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

// onHost is a budget that is shared on this host through two folders.
func onHost(shared, own string, warn func(string)) *Budget {
	o := Options{Origin: "o", Account: "a", Warn: warn}
	return newBudget(o, hostKeepers(shared, own, warn)...)
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
			b := onHost(shared, own, func(m string) { warned = append(warned, m) })
			path := b.keepers[0].(*slotFile).path(b.account)
			victim := filepath.Join(t.TempDir(), "victim")
			if err := errors.Join(os.WriteFile(victim, []byte("precious"), 0o666), trap.set(path, victim)); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Claim(t.Context(), NewPace(4), Request{}); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(victim); err != nil || string(got) != "precious" {
				t.Errorf("the victim holds %q, %v", got, err)
			}
			if _, err := os.Lstat(victim + ".new"); err == nil {
				t.Error("a file was made through the link")
			}
			if b.used != 1 || len(warned) != 1 || !strings.Contains(warned[0], path) {
				t.Errorf("keeper %d, warned %q", b.used, warned)
			}
		})
	}
}

// A lock that is held for ever stops no process for ever.
func TestLockThatIsKept(t *testing.T) {
	b := onHost(forAllUsers(t), filepath.Join(t.TempDir(), "own"), func(string) {})
	f := b.keepers[0].(*slotFile)
	f.patience = 50 * time.Millisecond
	if _, err := b.Claim(t.Context(), NewPace(4), Request{}); err != nil || b.used != 0 {
		t.Fatalf("%v, keeper %d", err, b.used)
	}
	_, unlock, err := lockSlots(t.Context(), f.path(b.account))
	if err != nil {
		t.Fatal(err)
	}
	// The keeper changes, and what was sent before is given time to arrive.
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := b.Claim(short, NewPace(4), Request{}); !errors.Is(err, context.DeadlineExceeded) || b.used != 1 {
		t.Errorf("%v, keeper %d; want a pause in the next one", err, b.used)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	b.again = time.Time{}
	if err := b.Settle(t.Context(), Ticket{}); err != nil || b.used != 0 {
		t.Errorf("%v, keeper %d; want the shared one again", err, b.used)
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
	path := filepath.Join(shared, entries[0].Name())
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if state := decode(content, sinceBoot()); state.Next != 6 {
		t.Errorf("%d requests in the file; want 6", state.Next)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("%v, %v; want a file for all users", info, err)
	}
}

// Where the budget is kept is known after a request.
func TestBudgetTellsItsFolder(t *testing.T) {
	shared, own := forAllUsers(t), t.TempDir()
	warn := func(m string) { t.Log(m) }
	type folder struct {
		dir    string
		shared bool
	}
	for name, x := range map[string]struct {
		keepers []Keeper
		want    folder
	}{
		"one process":   {[]Keeper{newSlotMemory()}, folder{}},
		"a folder":      {[]Keeper{&slotFile{dir: own, patience: lockWait}}, folder{own, true}},
		"this host":     {hostKeepers(shared, own, warn), folder{shared, true}},
		"this user":     {hostKeepers("", own, warn), folder{own, false}},
		"the next best": {hostKeepers(os.Args[0], own, warn), folder{own, false}},
	} {
		b := newBudget(Options{Origin: "o", Account: name, Warn: warn}, x.keepers...)
		if _, err := b.Claim(t.Context(), NewPace(50), Request{}); err != nil {
			t.Fatal(err)
		}
		if dir, shared := b.Folder(); (folder{dir, shared}) != x.want {
			t.Errorf("%s: %q, shared %v; want %+v", name, dir, shared, x.want)
		}
	}
}
