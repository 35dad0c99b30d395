package gitops

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/hook"
	"github.com/locsync/locsync/gitops/run"
)

func TestOldGit(t *testing.T) {
	for version, old := range map[string]bool{"2.30.9": true, "2.9.5": true, "1.99": true, "2.37.7": true,
		"2.38.0": false, "2.38": false,
		"2.39.5 (Apple Git-154)": false, "2.47.1.windows.1": false, "3.0": false, "2": false, "unknown": false} {
		if run.TooOld(version) != old {
			t.Errorf("%q: old is %t", version, !old)
		}
	}
	path, version, err := CheckGit(t.Context())
	if err != nil || path == "" || version == "" {
		t.Skipf("no git here: %q %q %v", path, version, err)
	}
	dir := gittest.Init(t, sample)
	old := filepath.Join(t.TempDir(), "git")
	writeScript(t, old, "#!/bin/sh\necho git version 2.37.9\n", 0o755)
	if _, err := Open(t.Context(), dir, Options{Git: old}); !errors.Is(err, ErrGit) ||
		!strings.Contains(err.Error(), "2.37.9") {
		t.Errorf("one that is too old: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, _, err := CheckGit(t.Context()); !errors.Is(err, ErrGit) || !strings.Contains(err.Error(), "install") {
		t.Errorf("without git in PATH: %v", err)
	}
	if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrGit) {
		t.Errorf("without git in PATH: %v", err)
	}
}

// asks opens a repository and asks whether it may push; nothing at the remote is another afterwards.
func asks(t *testing.T, dir, bare string, o Options) error {
	t.Helper()
	before := gittest.Git(t, bare, "for-each-ref")
	r, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = r.MayPush(t.Context())
	if after := gittest.Git(t, bare, "for-each-ref"); after != before {
		t.Errorf("the remote was changed: %s", after)
	}
	return err
}

func TestMayPushOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{User: "bot", Password: "right"})
	if err := asks(t, s.dir, s.bare, Options{Remote: "origin", Username: "bot", Password: "right"}); err != nil {
		t.Errorf("who may: %v", err)
	}
	if err := asks(t, s.dir, s.bare, Options{Remote: "origin", Username: "bot", Password: "wrong"}); !errors.Is(err,
		ErrAuth) {
		t.Errorf("a wrong password: %v", err)
	}
	s.always(func(r *http.Request) bool { return r.URL.Query().Get("service") == "git-receive-pack" },
		gittest.Fault{Status: http.StatusForbidden})
	err := asks(t, s.dir, s.bare, Options{Remote: "origin", Username: "bot", Password: "right"})
	if !errors.Is(err, ErrAuth) || !strings.Contains(err.Error(), "use one that may") {
		t.Errorf("who may only read: %v", err)
	}
	if err := asks(t, s.dir, s.bare, Options{}); err != nil {
		t.Errorf("without a remote: %v", err)
	}
}

// The git program does the talking over ssh. Here a script is ssh, and runs what it is asked to on this
// machine.
func TestMayPushThroughGit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a shell")
	}
	gittest.Need(t)
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	ssh := filepath.Join(t.TempDir(), "ssh")
	gittest.Git(t, dir, "remote", "set-url", "origin", "git@host:"+bare)
	gittest.Git(t, dir, "config", "core.sshCommand", ssh)
	writeScript(t, ssh, "#!/bin/sh\nfor last; do :; done\neval \"$last\"\n", 0o755)
	if err := asks(t, dir, bare, Options{Remote: "origin"}); err != nil {
		t.Errorf("who may: %v", err)
	}
	writeScript(t, ssh,
		"#!/bin/sh\nfor last; do :; done\ncase $last in *receive-pack*) echo 'Permission denied (publickey).' >&2; exit 255;; esac\neval \"$last\"\n", 0o755)
	if err := asks(t, dir, bare, Options{Remote: "origin"}); !errors.Is(err, ErrAuth) {
		t.Errorf("who may only read: %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	gittest.Git(t, "", "init", "-q", empty)
	gittest.Git(t, empty, "remote", "add", "origin", "git@host:"+bare)
	gittest.Git(t, empty, "config", "core.sshCommand", ssh)
	if err := asks(t, empty, bare, Options{Remote: "origin"}); !errors.Is(err, ErrAuth) {
		t.Errorf("before the first commit: %v", err)
	}
}

func TestMayPushIntoAFolder(t *testing.T) {
	t.Parallel()
	gittest.Need(t)
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	if err := asks(t, dir, bare, Options{Remote: "origin"}); err != nil {
		t.Errorf("one that is ours: %v", err)
	}
	gittest.Git(t, dir, "remote", "set-url", "origin", bare+"x")
	if err := asks(t, dir, bare, Options{Remote: "origin"}); !errors.Is(err, ErrNoRemote) {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestTrySigning(t *testing.T) {
	gittest.Need(t)
	dir := gittest.Init(t, sample)
	good, _ := sshKey(t, "")
	locked, _ := sshKey(t, "a passphrase")
	for name, x := range map[string]struct {
		o     Signing
		signs bool
		fails bool
	}{
		"none":     {Signing{}, false, false},
		"never":    {Signing{Never: true, KeyFile: good}, false, false},
		"a key":    {Signing{KeyFile: good}, true, false},
		"a locked": {Signing{KeyFile: locked}, true, true},
		"missing":  {Signing{KeyFile: "/nowhere/key"}, true, true},
	} {
		r, err := Open(t.Context(), dir, Options{Signing: x.o})
		if err != nil {
			t.Fatal(err)
		}
		signs, err := r.TrySigning(t.Context(), Person{"Bot", "bot@localhost"})
		if signs != x.signs || errors.Is(err, ErrSign) != x.fails || (err != nil) != x.fails {
			t.Errorf("%s: %t, %v", name, signs, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHooksTellOfThemselves(t *testing.T) {
	gittest.Need(t)
	dir := gittest.Init(t, sample)
	r := hooked(t, dir)
	ours := HookCommands{Here: "true", Team: "true"}
	states := func(c HookCommands) (installed, old int) {
		t.Helper()
		hooks, err := r.Hooks.State(c)
		if err != nil || len(hooks) != 4 {
			t.Fatalf("%+v, %v", hooks, err)
		}
		count := func(has func(hook.State) bool) int {
			return len(slices.DeleteFunc(slices.Clone(hooks), func(h hook.State) bool { return !has(h) }))
		}
		return count(func(h hook.State) bool { return h.Installed }), count(func(h hook.State) bool { return h.Old })
	}
	if installed, old := states(ours); installed != 0 || old != 0 {
		t.Errorf("before: %d installed, %d old", installed, old)
	}
	writeScript(t, filepath.Join(dir, ".git", "hooks", "post-merge"), "#!/bin/sh\n# File generated by pre-commit\n",
		0o755)
	if _, err := r.Hooks.Install(ours); err != nil {
		t.Fatal(err)
	}
	if installed, old := states(ours); installed != 4 || old != 0 {
		t.Errorf("after: %d installed, %d old", installed, old)
	}
	if installed, old := states(HookCommands{Here: "another"}); installed != 4 || old != 4 {
		t.Errorf("with another command: %d installed, %d old", installed, old)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(filepath.Join(dir, ".git", "hooks", "post-commit"), 0o644); err != nil {
		t.Fatal(err)
	}
	if installed, _ := states(ours); installed != 3 {
		t.Errorf("one that git does not run: %d installed", installed)
	}
}
