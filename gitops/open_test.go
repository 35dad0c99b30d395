package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/remote"
	"github.com/locsync/locsync/gitops/run"
)

func TestShallowOverHTTP(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := serve(t, gittest.Options{})
	for i := range 4 {
		gittest.Commit(t, s.dir, "x", map[string]string{"x": fmt.Sprint(i)})
	}
	gittest.Git(t, s.dir, "push", "-q", "origin", "main")
	dir := gittest.Clone(t, gittest.Git(t, s.dir, "remote", "get-url", "origin"), "--depth=2")
	r := open(t, dir, Options{Remote: "origin"})
	main := gittest.Commit(t, s.dir, "later", map[string]string{"x": "later"})
	gittest.Git(t, s.dir, "push", "-q", "origin", "main")
	tip := at(t, r, "l10n", "")
	if tip.Hash() != main {
		t.Errorf("%s", tip.Hash())
	}
	push(t, r, commitOn(t, r, tip, "l10n", files("a", "1")))
	if out := gittest.Git(t, dir, "rev-parse", "--is-shallow-repository"); out != "true" {
		t.Errorf("shallow: %s", out)
	}
	gittest.Sound(t, dir)
	gittest.Sound(t, s.bare)
}

func TestWhatIsRefusedAtOpening(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		make func(t *testing.T) string
		want error
		text string
	}{
		"nothing":   {func(t *testing.T) string { return t.TempDir() }, ErrNotRepo, "git init"},
		"no folder": {func(t *testing.T) string { return filepath.Join(t.TempDir(), "x") }, fs.ErrNotExist, ""},
		"half a one": {func(t *testing.T) string {
			d := t.TempDir()
			gittest.Write(t, d, map[string]string{".git": "gitdir: nowhere\n"})
			return d
		}, ErrNotRepo, "nowhere"},
		"reftable": {func(t *testing.T) string {
			d := gittest.Init(t, sample)
			gittest.Write(t, d,
				map[string]string{".git/config": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n"})
			return d
		}, ErrUnsupported, "refstorage"},
		"a new extension": {func(t *testing.T) string {
			d := gittest.Init(t, sample)
			gittest.Write(t, d,
				map[string]string{".git/config": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tshinyThing = true\n"})
			return d
		}, ErrUnsupported, "shinything"},
		"a new format": {func(t *testing.T) string {
			d := gittest.Init(t, sample)
			gittest.Write(t, d, map[string]string{".git/config": "[core]\n\trepositoryformatversion = 7\n"})
			return d
		}, ErrUnsupported, "found 7"},
	}
	for name, c := range cases {
		dir := c.make(t)
		_, err := Open(t.Context(), dir, Options{})
		if !errors.Is(err, c.want) || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.text)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRepositoryOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a repository away")
	}
	dir := gittest.Init(t, sample)
	if err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, _ error) error {
		return os.Lchown(p, 12345, 12345)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrOwner) ||
		!strings.Contains(err.Error(), "safe.directory") {
		t.Error(err)
	}
	global := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(global, []byte("[safe]\n\tdirectory = "+dir+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	r, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
	r.Close()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r, err = Open(t.Context(), dir, Options{Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	at(t, r, "main", "")
	r.Close()
}

// A hook's environment must not lead our git somewhere else.
func TestEnvironmentOfAHook(t *testing.T) {
	dir, other := gittest.Init(t, sample), gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	gittest.Hook(t, bare, "update", "exit 0") // makes the push go through the git program
	r := open(t, dir, Options{Remote: "origin"})
	for name, value := range map[string]string{"GIT_DIR": other + "/.git", "GIT_WORK_TREE": other,
		"GIT_INDEX_FILE":      other + "/.git/index",
		"GIT_QUARANTINE_PATH": other, "GIT_OBJECT_DIRECTORY": other + "/.git/objects",
		"GIT_CONFIG_PARAMETERS": "'core.bare=true'"} {
		t.Setenv(name, value)
	}
	r2, err := Open(t.Context(), dir, Options{Remote: "origin"})
	if err != nil {
		t.Fatal(err)
	}
	defer r2.Close()
	made := commitOn(t, r2, at(t, r, "main", ""), "main", files("a", "1"))
	if result := push(t, r2, made); !result.Pushed || result.Local != Followed {
		t.Errorf("%+v", result)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://user:pw@example.org/x.git": "https://example.org/x.git", "https://tok%zz@example.org/x": "https://example.org/x",
		"ssh://git:pw@example.org/x": "ssh://git@example.org/x", "git@example.org:x.git": "git@example.org:x.git",
		"/srv/x.git": "/srv/x.git",
	} {
		if got := run.Redact(address); got != want {
			t.Errorf("%s is shown as %s", address, got)
		}
	}
	for address, want := range map[string]string{"/srv/x": "/srv/x", "../x": "../x", "x": "x",
		"file:///srv/a%20b": "/srv/a b", "./a:b": "./a:b",
		"host:x": "", "https://h/x": "", "git@h:/x": ""} {
		if got, ok := remote.LocalPath(address); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q %v", address, got, ok)
		}
	}
}

// ssh through the user's own ssh command, which here runs the remote's command on this machine.
func TestSSH(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	log := filepath.Join(t.TempDir(), "log")
	script := filepath.Join(t.TempDir(), "ssh")
	gittest.Executable(t, script,
		[]byte("#!/bin/sh\necho \"$@\" >> "+log+"\nfor last; do :; done\nexec sh -c \"$last\"\n"))
	gittest.Git(t, dir, "remote", "set-url", "origin", "git@example.org:"+bare)
	gittest.Git(t, dir, "config", "core.sshCommand", script)
	r := open(t, dir, Options{Remote: "origin"})
	other := gittest.Clone(t, bare)
	main := gittest.Commit(t, other, "x", map[string]string{"x": "y"})
	gittest.Git(t, other, "push", "-q")
	tip := at(t, r, "l10n", "")
	if tip.Hash() != main {
		t.Errorf("the tip is %s", tip.Hash())
	}
	first := commitOn(t, r, tip, "l10n", files("a", "1"))
	if result := push(t, r, first); !result.Pushed || result.Local != Moved {
		t.Errorf("%+v", result)
	}
	second := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "2"))
	gittest.Git(t, bare, "update-ref", "refs/heads/l10n", main)
	if _, err := r.Push(t.Context(), second); !errors.Is(err, ErrMoved) {
		t.Errorf("a lost lease: %v", err)
	}
	gittest.Git(t, bare, "update-ref", "refs/heads/l10n", first.Hash())
	gittest.Hook(t, bare, "pre-receive", "echo no >&2; exit 1")
	if _, err := r.Push(t.Context(), second); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "no") {
		t.Errorf("a refusal: %v", err)
	}
	if got := string(must[[]byte](t)(os.ReadFile(log))); !strings.Contains(got, "git@example.org git-receive-pack") {
		t.Errorf("ssh was called with %s", got)
	}
	gittest.Executable(t, script,
		[]byte("#!/bin/sh\necho 'git@example.org: Permission denied (publickey).' >&2\nexit 255\n"))
	if _, err := r.At(t.Context(), "l10n", ""); !errors.Is(err, ErrAuth) {
		t.Errorf("a key that is not accepted: %v", err)
	}
}
