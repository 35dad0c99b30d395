package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
)

// sharedMachine is a folder that every user may write to, as /tmp is, on a machine with two of them.
type sharedMachine struct {
	t              *testing.T
	dir, home, bin string
	marker         string // is there when a program of the other user has run as this one
}

const (
	victimUser   = 23456
	attackerUser = 65534
)

func newSharedMachine(t *testing.T) *sharedMachine {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOTE: only root can be two users")
	}
	gittest.Need(t)
	top, err := os.MkdirTemp("", "locsync-shared-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	m := &sharedMachine{t: t, dir: filepath.Join(top, "shared"), home: filepath.Join(top, "home"),
		bin: filepath.Join(top, "locsync"), marker: filepath.Join(top, "home", "pwned")}
	program, err := os.Executable()
	m.check(err)
	// By another process: a file that this one has open for writing may be so in a child of a test beside, too.
	m.check(errors.Join(os.Chmod(top, 0o755), exec.Command("cp", program, m.bin).Run(), os.Chmod(m.bin, 0o755)))
	m.folder(m.home, victimUser)
	m.folder(m.dir, 0)
	m.check(os.Chmod(m.dir, 0o777|os.ModeSticky))
	return m
}

func (m *sharedMachine) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *sharedMachine) folder(path string, uid int) string {
	m.t.Helper()
	m.check(errors.Join(os.MkdirAll(path, 0o755), os.Chown(path, uid, uid)))
	return path
}

func (m *sharedMachine) file(path, text string, uid int) {
	m.t.Helper()
	m.check(errors.Join(os.WriteFile(path, []byte(text), 0o644), os.Chown(path, uid, uid)))
}

// as runs a program in a folder as a user of the machine.
func (m *sharedMachine) as(uid uint32, dir, program string, args ...string) (code int, said string) {
	m.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.home, "LOCSYNC_API_KEY=victims-key",
		"LOCSYNC_BUDGET_DIR=" + m.home, "GIT_CONFIG_NOSYSTEM=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// A configuration that another user left in a folder above, or in this one, runs none of its programs and gets no
// key, whatever the command.
func TestConfigurationOfAnotherUser(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	m := newSharedMachine(t)
	called := make(chan string, 100)
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called <- r.Header.Get("Authorization")
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(thief.Close)

	evil := m.folder(filepath.Join(m.dir, "evil"), attackerUser)
	m.file(filepath.Join(evil, ".gitattributes"), "* filter=pwn\n", attackerUser)
	m.file(filepath.Join(evil, "en.json"), `{"a": "A"}`, attackerUser)
	code, said := m.as(attackerUser, evil, "sh", "-c", "git init -q -b main . && git add -A && "+
		"git -c user.name=x -c user.email=x@x commit -q -m x && git config filter.pwn.smudge 'touch "+m.marker+"; cat' && "+
		"git config core.fsmonitor 'touch "+m.marker+"; false'")
	if code != 0 {
		t.Fatal(said)
	}
	m.file(filepath.Join(m.dir, "locsync.toml"), `[service]
url = "`+thief.URL+`"
account_id = "acc"
[[project]]
name = "app"
id = "11111111-2222-3333-4444-555555555555"
repository = "evil"
trust_owner = true
source_language = "en"
target_languages = ["de"]
[project.pull]
remote = ""
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`, attackerUser)

	plain := m.folder(filepath.Join(m.dir, "plain"), victimUser)
	own := m.folder(filepath.Join(m.dir, "own"), victimUser)
	deep := m.folder(filepath.Join(own, "sub"), victimUser)
	if code, said := m.as(victimUser, own, "git", "init", "-q", "."); code != 0 {
		t.Fatal(said)
	}
	commands := []string{"status", "check", "doctor --offline", "push", "sync --dry-run",
		"run", "hook install", "stats"}
	ends := func(where, dir, says string, args ...string) {
		t.Helper()
		for _, command := range commands {
			code, said := m.as(victimUser, dir, m.bin, append(strings.Fields(command), args...)...)
			if code != report.ExitWrong || !strings.Contains(said, says) {
				t.Errorf("%s: %s: exit code %d, %s", where, command, code, said)
			}
		}
	}
	const none, refused = "no locsync.toml here or above", "belongs to another user (uid 65534)"
	ends("in a folder below", plain, none)
	ends("in a repository below", deep, none)
	ends("in the folder itself", m.dir, refused)
	ends("named", own, refused, "--config", filepath.Join(m.dir, "locsync.toml"))
	m.folder(filepath.Join(m.dir, ".git"), attackerUser)
	ends("in what another user made a repository", plain, refused)
	code, said = m.as(victimUser, plain, m.bin, "check", "--json")
	if code != report.ExitWrong || !strings.Contains(said, refused) || !strings.HasPrefix(said, "{") {
		t.Errorf("with --json: exit code %d, %s", code, said)
	}
	if _, err := os.Stat(m.marker); err == nil {
		t.Error("a program of the other user has run")
	}
	close(called)
	for key := range called {
		t.Errorf("the thief was called with %q", key)
	}
}

// What root has set up is for all users, and trust in another user is said as for git.
func TestConfigurationOfRoot(t *testing.T) {
	t.Parallel()
	m := newSharedMachine(t)
	const text = `[[project]]
name = "app"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`
	for uid, want := range map[int]int{0: report.ExitDone, victimUser: report.ExitDone,
		attackerUser: report.ExitWrong} {
		dir := m.folder(filepath.Join(m.dir, "of", "user"), victimUser)
		m.file(filepath.Join(dir, "en.json"), `{"a": "A"}`, victimUser)
		_, _ = m.as(victimUser, dir, "git", "init", "-q", ".")
		m.file(filepath.Join(dir, "locsync.toml"), text, uid)
		if code, said := m.as(victimUser, dir, m.bin, "check"); code != want {
			t.Errorf("a file of user %d: exit code %d, %s", uid, code, said)
		}
		if want == report.ExitDone {
			continue
		}
		m.file(filepath.Join(m.home, ".gitconfig"), "[safe]\n\tdirectory = "+dir+"\n", victimUser)
		if code, said := m.as(victimUser, dir, m.bin, "check"); code != report.ExitDone {
			t.Errorf("a file of user %d, accepted for git: exit code %d, %s", uid, code, said)
		}
	}
}
