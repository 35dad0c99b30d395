//go:build systemd

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// booted is a machine within this one: a systemd as process 1 in namespaces of its own (testdata/systemd/boot), with
// this test's program installed as locsync.
type booted struct {
	*testing.T
	pid string // of its process 1, out here
}

// install is what its root gets before it starts. The units are those of the project; drop-ins have what differs,
// as they would on any machine.
const install = `
install -m 0755 /tmp/install/locsync /usr/bin/locsync
mkdir -p /etc/systemd/system /etc/systemd/user /etc/locsync /srv/locsync
install -m 0644 /tmp/install/units/locsync.service /tmp/install/units/locsync@.service \
  /tmp/install/units/locsync-service.service /etc/systemd/system
printf 'key\n' > /etc/locsync/service_api_keys
install -m 0644 /tmp/install/units/user/locsync@.service /etc/systemd/user
id locsync > /dev/null 2>&1 || useradd --system --home-dir /var/lib/locsync --shell /usr/sbin/nologin locsync
useradd --uid 7420 --create-home --shell /bin/sh developer
cp /tmp/install/*.toml /etc/locsync
printf key > /etc/locsync/app.api_key
chmod 0600 /etc/locsync/*api_key
export GIT_CONFIG_GLOBAL=/tmp/install/gitconfig
git init -q -b main /tmp/seed
mkdir /tmp/seed/locales
printf '{"a": "A"}' > /tmp/seed/locales/en.json
git -C /tmp/seed add .
git -C /tmp/seed commit -q -m seed
for repository in one app; do
  git clone -q --bare /tmp/seed /srv/locsync/$repository.git
  git -C /srv/locsync/$repository.git remote remove origin
done
chown -R locsync: /srv/locsync
git clone -q /tmp/seed /home/developer/app
git -C /home/developer/app remote remove origin
cp /tmp/install/user/locsync.toml /home/developer/app
chown -R developer: /home/developer
for unit in system/locsync user/locsync@; do
  mkdir /etc/systemd/$unit.service.d
  printf '[Service]\nWatchdogSec=6\nRestartSec=1\nEnvironment=TEST_HANGS_AFTER=3s\n' > /etc/systemd/$unit.service.d/test.conf
done
for unit in systemd-networkd-wait-online systemd-networkd dbus systemd-resolved systemd-timesyncd; do ln -sf /dev/null /etc/systemd/system/$unit.service; done
cat > /etc/systemd/system/user@7420.service << END
# A user's manager without a login, which would take D-Bus and PAM.
[Service]
Type=notify
User=developer
Slice=user-7420.slice
Delegate=yes
Environment=XDG_RUNTIME_DIR=/run/user/7420
ExecStartPre=+install -d -o developer -m 0700 /run/user/7420
ExecStart=/lib/systemd/systemd --user
END
tr -d - < /proc/sys/kernel/random/uuid > /etc/machine-id
`

// boot boots it. Where that cannot be done the test is skipped, and says why.
func boot(t *testing.T) *booted {
	t.Helper()
	for _, need := range []string{"/lib/systemd/systemd", "/lib/systemd/systemd-journald"} {
		if _, err := os.Stat(need); err != nil {
			t.Skipf("NOTE: no systemd is installed here: %v", err)
		}
	}
	for _, program := range []string{"unshare", "nsenter", "pivot_root", "useradd", "runuser", "git", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOTE: %v", err)
		}
	}
	if out, err := exec.Command("unshare", "--pid", "--fork", "--mount", "--cgroup", "--uts", "--ipc", "--net", "mount",
		"-t", "tmpfs", "tmpfs", t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("NOTE: no namespaces can be made here: %v: %s", err, out)
	}
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, "install", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	project := func(service, daemon, repository, push string) string {
		return fmt.Sprintf("[service]\n%s[daemon]\n%s[[project]]\nname = \"app\"\nid = %q\nrepository = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[project.push]\n%s[project.pull]\nschedule = \"0 0 1 1 *\"\n[[project.files]]\nsource = \"locales/en.json\"\noutput = \"locales/{LANGUAGE}.json\"\n",
			service, daemon, daemonProject, repository, push)
	}
	put("install", install)
	put("gitconfig", "[user]\nname = Dev\nemail = dev@localhost\n")
	const embedded = "url = \"embedded\"\n"
	put("locsync.toml", project(embedded, "", "/srv/locsync/one.git", "source = \"main\"\n"))
	put("app.toml", project("url = \"http://127.0.0.1:9\"\naccount_id = \"acc\"\n", "listen = \"127.0.0.1:7421\"\n",
		"/srv/locsync/app.git", "source = \"main\"\n"))
	put("packaged.toml", deployed(t, "package/locsync.toml"))
	put("wrong.toml", "nonsense = 1\nmore = 2\n")
	put("user/locsync.toml", project(embedded, "listen = \"\"\n", ".", ""))
	for _, unit := range append(slices.Clone(units), serviceUnit) {
		put("units/"+unit, deployed(t, unit))
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "install", "locsync"), text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join("testdata", "systemd", "boot"))
	if err != nil {
		t.Fatal(err)
	}
	group := "locsync-test-" + strconv.Itoa(os.Getpid())
	console := &lockedBuffer{}
	cmd := exec.Command(script, dir, "outside", group)
	cmd.Stdout, cmd.Stderr = console, console
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed in the end
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("its console:\n%s", console)
		}
		_ = cmd.Process.Kill() // and with it all that is in its namespaces
		<-ended
		dropGroups(t, group)
	})
	b := &booted{T: t}
	b.until("it is up", func() bool {
		select {
		case <-ended:
			t.Fatalf("it did not boot:\n%s", console)
		default:
		}
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", cmd.Process.Pid, cmd.Process.Pid))
		if b.pid = strings.TrimSpace(string(children)); b.pid == "" {
			return false
		}
		_, err := b.try("systemctl", "is-active", "sysinit.target")
		return err == nil
	})
	return b
}

// dropGroups takes the control groups away that boot made.
func dropGroups(t *testing.T, name string) {
	t.Helper()
	tops, err := filepath.Glob("/sys/fs/cgroup/*/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, top := range append(tops, "/sys/fs/cgroup/"+name) {
		for end := time.Now().Add(guard); ; time.Sleep(10 * time.Millisecond) {
			var all []string
			_ = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error { // what is gone is gone
				if err == nil && d.IsDir() {
					all = append(all, path)
				}
				return nil
			})
			for _, dir := range slices.Backward(all) {
				_ = os.Remove(dir) // not while something ends in it
			}
			if _, err := os.Stat(top); os.IsNotExist(err) {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%s cannot be taken away", top)
				break
			}
		}
	}
}

// try runs a command in it.
func (b *booted) try(args ...string) (string, error) {
	cmd := exec.Command("nsenter", append([]string{"--target", b.pid, "--mount", "--pid", "--net", "--uts", "--ipc",
		"--cgroup", "--root", "--wd", "--"}, args...)...)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "SYSTEMD_PAGER=cat"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run is try where it has to work.
func (b *booted) run(args ...string) string {
	b.Helper()
	out, err := b.try(args...)
	if err != nil {
		b.Fatalf("%q: %v\n%s", args, err, out)
	}
	return out
}

func (b *booted) until(what string, holds func() bool) {
	b.Helper()
	for end := time.Now().Add(3 * guard); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			journal, _ := b.try("journalctl", "--no-pager", "-n", "60")
			b.Fatalf("never: %s\n%s", what, journal)
		}
	}
}

// as is what makes a command one of the system's manager, or of a user's.
type as []string

var (
	system    = as{}
	developer = as{"runuser", "-u", "developer", "--", "env", "XDG_RUNTIME_DIR=/run/user/7420"}
)

// systemctl asks the manager.
func (b *booted) systemctl(who as, args ...string) (string, error) {
	if len(who) > 0 {
		args = append([]string{"--user"}, args...)
	}
	return b.try(append(append(slices.Clone(who), "systemctl"), args...)...)
}

// show is a property of a unit.
func (b *booted) show(who as, unit, property string) string {
	out, _ := b.systemctl(who, "show", "--value", "-p", property, unit) // what there is not is empty
	return strings.TrimSpace(out)
}

// moment is when a unit came to a state last, by the manager's own clock.
func (b *booted) moment(who as, unit, state string) time.Duration {
	b.Helper()
	microseconds, err := strconv.ParseInt(b.show(who, unit, state+"TimestampMonotonic"), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(microseconds) * time.Microsecond
}

// entry is a message in the journal.
type entry struct {
	Message    any    `json:"MESSAGE"`
	Priority   string `json:"PRIORITY"`
	Identifier string `json:"SYSLOG_IDENTIFIER"`
}

// journal is what a unit's program said.
func (b *booted) journal(unit string) []entry {
	b.Helper()
	var all []entry
	for d := json.NewDecoder(strings.NewReader(b.run("journalctl", "--no-pager", "-o", "json", "_SYSTEMD_UNIT="+unit,
		"+", "_SYSTEMD_USER_UNIT="+unit))); ; {
		var e entry
		if err := d.Decode(&e); err == io.EOF {
			return all
		} else if err != nil {
			b.Fatal(err)
		}
		if e.Identifier == "locsync" {
			all = append(all, e)
		}
	}
}

// logs waits until a message that begins so is in a unit's journal, which is written a moment after it was said, and
// checks its priority.
func (b *booted) logs(unit, begins, want string) {
	b.Helper()
	got := ""
	b.until("the journal of "+unit+" has: "+begins, func() bool {
		got = priorityOf(b.journal(unit), begins)
		return got != ""
	})
	if got != want {
		b.Errorf("%q has priority %s, want %s", begins, got, want)
	}
}

// priorityOf is that of the first message in a journal that begins so; "" where there is none.
func priorityOf(all []entry, begins string) string {
	for _, e := range all {
		if text, ok := e.Message.(string); ok && strings.HasPrefix(text, begins) {
			return e.Priority
		}
	}
	return ""
}

// hangs makes the daemon's next pass hang (see daemonWorld.hang), lets systemd notice, and waits until it has put
// another one in its place.
func (b *booted) hangs(who as, unit, gitDir string, ring func()) {
	b.Helper()
	before := b.show(who, unit, "MainPID")
	b.run("sh", "-c", "printf '[include]\\n\\tpath = included\\n' >> "+gitDir+"/config") // every git command reads it
	b.run("mkfifo", "-m", "0666", gitDir+"/included")
	ring()
	b.until("the status says that it hangs", func() bool {
		return strings.Contains(b.show(who, unit, "StatusText"), `project "app" hangs; `)
	})
	b.run("rm", gitDir+"/included") // else the next one hangs, too
	b.until("another process is in its place", func() bool {
		now := b.show(who, unit, "MainPID")
		return b.show(who, unit, "ActiveState") == "active" && now != before && now != "0"
	})
	if n := b.show(who, unit, "NRestarts"); n != "1" {
		b.Errorf("%s was started again %s times", unit, n)
	}
	b.logs(unit, "the daemon hangs; the watchdog is not told any more", "3")
	b.logs(unit, "SIGABRT", "6") // where it hung, which the Go runtime writes
}

// The units under a real systemd: the program starts and is ready, says what it does, is reloaded, is watched, logs
// with priorities, and ends; as a system's service within all that the unit takes away from it, as one of several, and
// as a developer's own.
func TestBooted(t *testing.T) {
	b := boot(t)
	active := func(who as, unit string) {
		b.Helper()
		b.until(unit+" says how it left its project",
			func() bool { return strings.HasPrefix(b.show(who, unit, "StatusText"), "app: everything is pushed") })
		if state := b.show(who, unit, "ActiveState"); state != "active" {
			b.Errorf("%s is %s", unit, state)
		}
	}
	start := func(who as, unit string) {
		b.Helper()
		if out, err := b.systemctl(who, "start", unit); err != nil {
			journal, _ := b.try("journalctl", "--no-pager", "-n", "60")
			b.Fatalf("start %s: %v %s\n%s", unit, err, out, journal)
		}
		active(who, unit)
	}
	stop := func(who as, unit string) {
		b.Helper()
		if out, err := b.systemctl(who, "stop", unit); err != nil {
			b.Errorf("stop %s: %v %s", unit, err, out)
		}
		if took := b.moment(who, unit, "InactiveEnter") - b.moment(who, unit, "ActiveExit"); took < 0 ||
			took > 10*time.Second {
			b.Errorf("%s took %s to stop", unit, took)
		}
		if state, result := b.show(who, unit, "ActiveState"), b.show(who, unit, "Result"); state != "inactive" ||
			result != "success" {
			b.Errorf("%s is %s, %s", unit, state, result)
		}
	}
	trigger := func() { b.run("curl", "-fsS", "-X", "POST", "http://127.0.0.1:7420/trigger") }

	start(system, "locsync")
	b.logs("locsync.service", "running {", "6")
	b.logs("locsync.service", "pushed {", "6")
	good := b.run("cat", "/etc/locsync/locsync.toml")
	configure := func(text string) {
		b.Helper()
		b.run("sh", "-c", `printf %s "$1" > /etc/locsync/locsync.toml`, "sh", text)
		b.run("systemctl", "reload", "locsync")
	}
	configure("nonsense = 1\n")
	b.until("the status says that the new configuration is not used", func() bool {
		return strings.HasPrefix(b.show(system, "locsync", "StatusText"), "the new configuration is not used")
	})
	b.logs("locsync.service", "the new configuration is not used; the old one stays {", "3")
	configure(good)
	active(system, "locsync")
	if out := b.run("journalctl", "--no-pager", "-u", "locsync", "-p", "err", "-o", "cat"); strings.Contains(out,
		"running") || !strings.Contains(out, "not used") {
		t.Errorf("journalctl -p err:\n%s", out)
	}
	b.hangs(system, "locsync.service", "/srv/locsync/one.git", trigger)
	active(system, "locsync")
	stop(system, "locsync")

	// A configuration that is wrong ends it with 2, and systemd does not start it again.
	b.run("cp", "/etc/locsync/wrong.toml", "/etc/locsync/locsync.toml")
	if out, err := b.systemctl(system, "start", "locsync"); err == nil {
		t.Errorf("it starts with a wrong configuration: %s", out)
	}
	if state, code, n := b.show(system, "locsync", "ActiveState"), b.show(system, "locsync", "ExecMainStatus"),
		b.show(system, "locsync", "NRestarts"); state != "failed" || code != strconv.Itoa(report.ExitWrong) ||
		n != "0" {
		t.Errorf("with a wrong configuration it is %s, with %s, after %s further starts", state, code, n)
	}
	problems := 0
	for _, e := range b.journal("locsync.service") {
		if text, _ := e.Message.(string); regexp.MustCompile(`wrong|locsync\.toml:[12]:`).MatchString(text) &&
			e.Priority == "3" {
			problems++
		}
	}
	if problems < 2 {
		t.Errorf("%d lines about two mistakes are errors", problems)
	}

	// What the packages install runs without a project, says so, and takes over the first one without a restart.
	b.run("systemctl", "reset-failed", "locsync")
	b.run("sh", "-c", "mkdir /etc/locsync/projects && cp /etc/locsync/packaged.toml /etc/locsync/locsync.toml")
	b.run("systemctl", "start", "locsync")
	b.until("locsync says that it has no project", func() bool {
		return strings.HasPrefix(b.show(system, "locsync", "StatusText"), "no project is configured yet")
	})
	if page := b.run("curl", "-fsS", "http://127.0.0.1:7420/"); !strings.Contains(page, "locsync project add") {
		t.Errorf("its page says nothing of that: %s", page)
	}
	_, first, _ := strings.Cut(good, "[[project]]")
	pid := b.show(system, "locsync", "MainPID")
	b.run("sh", "-c", `printf '[[project]]%s' "$1" > /etc/locsync/projects/app.toml`, "sh", first)
	active(system, "locsync")
	if now := b.show(system, "locsync", "MainPID"); now != pid {
		t.Errorf("it was started again: process %s, then %s", pid, now)
	}
	stop(system, "locsync")

	// One of several has a state of its own, and its key from the credential, without which it would not start; that
	// its service is down is no reason not to.
	if out, err := b.systemctl(system, "start", "locsync@app"); err != nil {
		t.Errorf("start locsync@app: %v %s", err, out)
	}
	b.until("locsync@app says that its push failed", func() bool {
		text := b.show(system, "locsync@app", "StatusText")
		return strings.HasPrefix(text, "app: push fails since ") &&
			strings.Contains(text, "; 1 value waits to be pushed")
	})
	if out, err := b.try("ls", "/var/lib/locsync/app/control.json"); err != nil {
		t.Errorf("its state: %v %s", err, out)
	}
	b.logs("locsync@app.service", "push failed, trying again {", "3")
	stop(system, "locsync@app")

	// The translation service of a team is backed up while it runs, and restored by root into the folder of its user.
	const data, key = "/var/lib/locsync-service", "team:key"
	b.run("systemctl", "start", "locsync-service")
	account := func() (string, error) {
		return b.try("curl", "-fsS", "-u", key, "http://127.0.0.1:7430/api/integration/v1/account")
	}
	b.until("locsync-service answers", func() bool {
		_, err := account()
		return err == nil
	})
	b.run("curl", "-fsS", "-u", key, "-H", "Content-Type: application/json", "-d",
		`{"name": "app", "sourceLanguage": "en", "targetLanguages": ["de"], "assignToVendor": false}`,
		"http://127.0.0.1:7430/api/integration/v1/project/create")
	if link := b.run("locsync", "service", "invite", "--data", data); !strings.Contains(link, "/translate/invitation") {
		t.Errorf("an invitation: %s", link)
	}
	b.run("locsync", "service", "backup", "/root/service.tar.gz", "--data", data)
	if out, err := b.try("locsync", "service", "restore", "/root/service.tar.gz", "--data", data, "--force"); err == nil ||
		!strings.Contains(out, "is in use") {
		t.Errorf("restored into a service that runs: %v %s", err, out)
	}
	stop(system, "locsync-service")
	b.run("locsync", "service", "restore", "/root/service.tar.gz", "--data", data, "--force")
	b.run("systemctl", "start", "locsync-service")
	b.until("the restored service answers", func() bool {
		_, err := account()
		return err == nil
	})
	if log := b.run("locsync", "service", "audit", "--data", data); !strings.Contains(log, "backupRestored") ||
		!strings.Contains(log, "projectCreated") {
		t.Errorf("its audit log: %s", log)
	}
	stop(system, "locsync-service")

	b.run("systemctl", "start", "user@7420")
	unit := "locsync@" + strings.TrimSpace(b.run("systemd-escape", "--path", "/home/developer/app")) + ".service"
	start(developer, unit)
	b.run("runuser", "-u", "developer", "--", "sh", "-c",
		`printf '{"a": "A", "b": "B"}' > /home/developer/app/locales/en.json`)
	b.until("an edit is pushed", func() bool {
		n := 0
		for _, e := range b.journal(unit) {
			if text, _ := e.Message.(string); strings.HasPrefix(text, "pushed {") && e.Priority == "6" {
				n++
			}
		}
		return n == 2
	})
	if out, err := b.systemctl(developer, "reload", unit); err != nil {
		t.Errorf("reload %s: %v %s", unit, err, out)
	}
	b.hangs(developer, unit, "/home/developer/app/.git", func() {
		b.run("runuser", "-u", "developer", "--", "sh", "-c",
			`printf '{"a": "A", "b": "B", "c": "C"}' > /home/developer/app/locales/en.json`)
	})
	active(developer, unit)
	stop(developer, unit)
}
