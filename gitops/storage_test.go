//go:build linux

package gitops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// nothingLeft fails the test where a pass that failed left something unfinished: packs, indexes, reservations, locks.
func nothingLeft(t *testing.T, gitDir string) {
	t.Helper()
	err := filepath.WalkDir(gitDir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		base := filepath.Base(path)
		if err == nil && !d.IsDir() && (strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, ".keep")) {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	packs, _ := filepath.Glob(filepath.Join(gitDir, "objects/pack/*.pack"))
	indexes, _ := filepath.Glob(filepath.Join(gitDir, "objects/pack/*.idx"))
	if len(packs) != len(indexes) {
		t.Errorf("packs %v, indexes %v", packs, indexes)
	}
}

// onePass commits and delivers in a repository that may refuse to be written.
func onePass(t *testing.T, dir, branch string, content []byte) error {
	t.Helper()
	r, err := Open(t.Context(), dir, Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = pass(t, r, branch, map[string][]byte{"locales/de/app.json": content})
	return err
}

// A disk that is full, with more and less room left, is an error that says so; nothing half-made is visible, and with
// room again the same pass works.
func TestFullDisk(t *testing.T) {
	gittest.Long(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can make a small disk")
	}
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("no small disk here: ", err)
	}
	defer func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	}()
	dir := filepath.Join(disk, "work")
	gittest.Git(t, disk, "clone", "-q", "--template=", gittest.Init(t, sample), dir)
	fill, err := os.Create(filepath.Join(disk, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	defer fill.Close()
	const page = 4096
	full, failed, worked := 0, 0, 0
	for ; ; full++ {
		if _, err := fill.WriteAt(make([]byte, page), int64(full)*page); err != nil {
			break
		}
	}
	for room := 0; room < 32; room++ {
		if err := fill.Truncate(int64(full-room) * page); err != nil {
			t.Fatal(err)
		}
		branch := fmt.Sprintf("l10n-%d", room)
		err := onePass(t, dir, branch, noise(20_000, uint64(room)))
		switch {
		case err == nil:
			worked++
		case errors.Is(err, syscall.ENOSPC) && strings.Contains(err.Error(), "make room"),
			err != nil && strings.Contains(err.Error(), "couldn't write"): // git does not say why
			failed++
		default:
			t.Errorf("with room for %d pages: %v", room, err)
		}
		if err := fill.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			if out, err := gittest.TryGit(t, dir, "rev-parse", "--verify", "-q", "refs/heads/"+branch); err == nil {
				t.Errorf("with room for %d pages the branch is there, at %s", room, out)
			}
			if err := onePass(t, dir, branch, noise(20_000, uint64(room))); err != nil && !errors.Is(err, ErrNothing) {
				t.Errorf("with room again: %v", err)
			}
		}
		nothingLeft(t, filepath.Join(dir, ".git"))
		gittest.Git(t, dir, "branch", "-q", "-D", branch)
		gittest.Git(t, dir, "gc", "-q", "--prune=now")
		for full = 0; ; full++ { // gc changed how much there is
			if _, err := fill.WriteAt(make([]byte, page), int64(full)*page); err != nil {
				break
			}
		}
	}
	if err := fill.Truncate(0); err != nil {
		t.Fatal(err)
	}
	gittest.Sound(t, dir)
	if failed < 5 || worked < 5 {
		t.Errorf("%d passes failed and %d worked: the disk was not nearly full", failed, worked)
	}
}

// someoneElse is a user without rights; files can be kept from it, as they cannot from root.
const someoneElse = 65534

// restricted is what the test binary does as that user: it says what became of one pass for each line that it reads,
// which names a limit on open files (0: none), a branch and the repository.
func init() {
	if os.Getenv("LOCSYNC_TEST_RESTRICTED") != "" {
		restricted(os.Stdin)
		os.Exit(0)
	}
}

func restricted(in *os.File) {
	var before syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before)
	if a, b, err := os.Pipe(); err == nil { // the runtime's own files, without which it does not go on
		a.Close()
		b.Close()
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var limit uint64
		var branch, dir string
		if _, err := fmt.Sscan(lines.Text(), &limit, &branch, &dir); err != nil {
			panic(err)
		}
		now := before
		if limit > 0 {
			now.Cur = limit
		}
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &now)
		err := func() error {
			ctx := context.Background()
			r, err := Open(ctx, dir, Options{})
			if err != nil {
				return err
			}
			defer r.Close()
			tip, err := r.At(ctx, branch, "main")
			if err != nil {
				return err
			}
			made, err := r.Pending(branch)
			if err == nil && made == nil {
				made, err = r.Commit(ctx, tip, branch, files("locales/de/app.json", branch, "locales/fr/x", "y"),
					message("x"))
			}
			if err != nil {
				return err
			}
			_, err = r.Push(ctx, made)
			return err
		}()
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
		fmt.Printf("%t %t %q\n", errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EMFILE), fmt.Sprint(err))
	}
}

// restrictedPass starts that process; ask runs one pass in it.
func restrictedPass(t *testing.T) (ask func(limit int, branch, dir string) (denied, exhausted bool, said string)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	self := filepath.Join("/tmp", fmt.Sprintf("locsync-restricted-%d.test", os.Getpid())) // where that user may read it
	binary, err := os.ReadFile(must[string](t)(os.Executable()))
	if err != nil {
		t.Skip("no copy of the test for another user: ", err)
	}
	gittest.Executable(t, self, binary)
	t.Cleanup(func() { os.Remove(self) })
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "LOCSYNC_TEST_RESTRICTED=1", "HOME=/")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: someoneElse, Gid: someoneElse}}
	cmd.Stderr = os.Stderr
	in, out := must[io.WriteCloser](t)(cmd.StdinPipe()), must[io.ReadCloser](t)(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Skip("no process of another user: ", err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	answers := bufio.NewScanner(out)
	return func(limit int, branch, dir string) (denied, exhausted bool, said string) {
		fmt.Fprintln(in, limit, branch, dir)
		if !answers.Scan() {
			t.Fatal("the other process ended")
		}
		if _, err := fmt.Sscanf(answers.Text(), "%t %t %q", &denied, &exhausted, &said); err != nil {
			t.Fatal(answers.Text(), err)
		}
		return denied, exhausted, said
	}
}

// theirs makes a repository of that user.
func theirs(t *testing.T) string {
	t.Helper()
	dir := must[string](t)(os.MkdirTemp("/tmp", "locsync-theirs-"))
	t.Cleanup(func() { os.RemoveAll(dir) })
	gittest.Git(t, "", "clone", "-q", "--bare", "--template=", gittest.Init(t, sample), dir)
	give(t, dir)
	return dir
}

func give(t *testing.T, dir string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, _ error) error {
		return os.Lchown(p, someoneElse, someoneElse)
	}); err != nil {
		t.Fatal(err)
	}
}

// A folder of the repository that may not be written is an error that names it and says what to do; nothing half-made
// is visible, and when it may be written again the same pass works.
func TestFoldersThatMayNotBeWritten(t *testing.T) {
	gittest.Long(t)
	ask := restrictedPass(t)
	for n, folder := range []string{".", "objects", "objects/pack", "refs", "refs/heads", "refs/locsync-outbox"} {
		dir := theirs(t)
		if _, _, said := ask(0, "first", dir); said != "<nil>" { // so that all folders are there
			t.Fatal(said)
		}
		if err := os.Chmod(filepath.Join(dir, folder), 0o555); err != nil {
			t.Fatal(err)
		}
		branch := fmt.Sprintf("l10n-%d", n)
		denied, _, said := ask(0, branch, dir)
		if folder == "objects" || folder == "." || folder == "refs" {
			if said != "<nil>" && !denied { // what is written lies deeper, in folders that are there
				t.Errorf("%s: %s", folder, said)
			}
		} else if !denied || !strings.Contains(said, filepath.Join(dir, folder)) ||
			!strings.Contains(said, "let this user write") {
			t.Errorf("%s: %s", folder, said)
		}
		nothingLeft(t, dir)
		if err := os.Chmod(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, _, said := ask(0, branch, dir); said != "<nil>" && !strings.Contains(said, ErrNothing.Error()) {
			t.Errorf("%s, when it may be written again: %s", folder, said)
		}
		gittest.Git(t, dir, "-c", "safe.directory=*", "rev-parse", "--verify", "-q", "refs/heads/"+branch)
		fsck(t, dir)
	}
}

// fsck is gittest.Sound for a repository of another user.
func fsck(t *testing.T, dir string) {
	t.Helper()
	if out, err := gittest.TryGit(t, dir, "-c", "safe.directory=*", "fsck", "--strict", "--no-dangling",
		"--no-progress"); err != nil || out != "" {
		t.Errorf("git fsck in %s: %v %s", dir, err, out)
	}
}

// A process that may have so and so many files open, from none to enough: an error or a delivered commit, and nothing
// between.
func TestTooManyOpenFiles(t *testing.T) {
	gittest.Long(t)
	ask := restrictedPass(t)
	dir := theirs(t)
	failed := 0
	for limit := 3; ; limit++ {
		branch := fmt.Sprintf("l10n-%d", limit)
		_, exhausted, said := ask(limit, branch, dir)
		if said == "<nil>" {
			break
		}
		if failed++; !exhausted || failed > 60 {
			t.Fatalf("with %d files: %s", limit, said)
		}
		if _, _, said := ask(0, branch, dir); said != "<nil>" && !strings.Contains(said, ErrNothing.Error()) {
			t.Errorf("after a pass with %d files: %s", limit, said)
		}
		gittest.Git(t, dir, "-c", "safe.directory=*", "rev-parse", "--verify", "-q", "refs/heads/"+branch)
		nothingLeft(t, dir)
	}
	if failed < 3 {
		t.Errorf("only %d passes had too few", failed)
	}
	fsck(t, dir)
}

// noise is content that does not compress.
func noise(n int, seed uint64) []byte {
	rnd := rand.New(rand.NewPCG(seed, seed))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	return data
}
