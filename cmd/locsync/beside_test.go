//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service"
)

// A daemon that does nothing by itself after its first push, so that what happens is what commands ask for.
const atRest = "debounce = \"1h\"\nmax_delay = \"1h\"\nrescan = \"1h\"\n"

// newRestingWorld is a daemonWorld whose daemon, if one is started, is at rest.
func newRestingWorld(t *testing.T) *daemonWorld {
	t.Helper()
	w := newDaemonWorld(t)
	w.daemon = atRest
	w.configure("")
	return w
}

// said is what a command printed and how it ended, with everything in it that differs from one world to the next made the same.
type said struct {
	out, err string
	code     int
}

var accidents = []*regexp.Regexp{
	regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d| UTC)?`),
	regexp.MustCompile(`\b[0-9a-f]{10}([0-9a-f]{30})?\b`),
	regexp.MustCompile(`127\.0\.0\.1:\d+`),
	regexp.MustCompile(`"calls": \d+`), // with each look at a job that is not done yet
}

// ofDaemons is what only a daemon tells a status: how it notices changes, whether it runs, what it does next, and how
// many texts are stale.
var ofDaemons = regexp.MustCompile(`(?s),\n      "(?:watch|stale)": \{.*?\n      \}|\n  "daemon": \{.*?\n  \},` +
	`|\n +"next_pull": [^\n]*|\n  next pull  [^\n]*|\n(the daemon runs|no daemon runs)[^\n]*`)

// differing is the lines of two texts that only one of them has.
func differing(got, want string) string {
	var all strings.Builder
	only := func(mark, a, b string) {
		for line := range strings.Lines(a) {
			if !strings.Contains(b, line) {
				fmt.Fprint(&all, mark, line)
			}
		}
	}
	only("+ ", got, want)
	only("- ", want, got)
	return all.String()
}

func (w *daemonWorld) says(args ...string) said {
	w.t.Helper()
	cmd := w.command(args...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run() // the code says it
	plain := func(s string) string {
		s = ofDaemons.ReplaceAllString(strings.ReplaceAll(s, w.repo, "REPO"), "")
		for _, a := range accidents {
			s = a.ReplaceAllString(s, "*")
		}
		return s
	}
	return said{plain(out.String()), plain(err.String()), cmd.ProcessState.ExitCode()}
}

// translator gives texts their translations, at the service.
func (w *daemonWorld) translator(body string) {
	w.t.Helper()
	c, err := service.New(service.Options{BaseURL: w.service.URL, AccountID: "acc", APIKey: "secret"})
	w.check(err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(w.t.Context(), guard)
	defer cancel()
	id, err := c.Strings().StartImport(ctx, service.ImportRequest{Project: daemonProject, Collection: "main", Language: "de", Format: "json", CompletionState: service.Final,
		Conflicts: service.Overwrite, Files: []service.Upload{{Name: "de.json", Body: []byte(body)}}})
	w.check(err)
	_, err = c.Strings().WaitImport(ctx, id)
	w.check(err)
}

func (w *daemonWorld) write(path, text string) {
	w.t.Helper()
	w.check(os.WriteFile(filepath.Join(w.repo, path), []byte(text), 0o644))
}

// commitOn puts a file on a branch, as somebody in another clone would.
func (w *daemonWorld) commitOn(branch, path, text string) {
	w.t.Helper()
	tree := filepath.Join(w.t.TempDir(), "tree")
	gittest.Git(w.t, w.repo, "worktree", "add", "-q", "--force", tree, branch)
	w.check(os.WriteFile(filepath.Join(tree, path), []byte(text), 0o644))
	gittest.Git(w.t, tree, "commit", "-q", "-a", "-m", "by a person")
	gittest.Git(w.t, w.repo, "worktree", "remove", "--force", tree)
}

// Every command does beside a daemon what it does alone: the same results, the same words, the same exit code.
func TestCommandsBesideADaemon(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	beside, alone := newRestingWorld(t), newRestingWorld(t)
	cmd := beside.start()
	beside.until("the first push", func() bool { return strings.Contains(beside.logs.String(), "pushed") })
	if got := alone.says("push"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	both := func(do func(w *daemonWorld)) { do(beside); do(alone) }
	same := func(code int, args ...string) {
		t.Helper()
		got, want := beside.says(args...), alone.says(args...)
		if got != want {
			t.Errorf("%v: beside a daemon and alone differ: %d, %d\n%s", args, got.code, want.code, differing(got.out+got.err, want.out+want.err))
		}
		if got.code != code {
			t.Errorf("%v ends with %d, want %d: %+v", args, got.code, code, got)
		}
	}
	same(0, "push")
	same(0, "status")
	both(func(w *daemonWorld) { w.write("locales/en.json", `{"a": "A2", "b": "B", "c": "C"}`) })
	same(0, "status", "--json")
	same(0, "push", "--dry-run")
	same(0, "push", "--dry-run", "--json")
	same(0, "push", "--json")
	same(0, "push", "--all", "--json")
	same(0, "status", "--json")

	both(func(w *daemonWorld) { w.translator(`{"a": "de A", "b": "de B", "c": "de C"}`) })
	same(0, "pull", "--dry-run", "--json")
	same(0, "pull")
	same(0, "pull", "--full", "--json")
	same(0, "pull", "--force", "--json")

	// A translation that both sides changed, and each way to decide.
	for _, side := range []string{"--ours", "--theirs"} {
		both(func(w *daemonWorld) {
			w.commitOn("l10n", "locales/de.json", strings.Replace(gittest.Git(t, w.repo, "show", "l10n:locales/de.json"), "de A", "hier de A "+side, 1)+"\n")
			w.translator(`{"a": "dort de A ` + side + `"}`)
		})
		same(3, "pull")
		same(0, "status", "--json")
		same(0, "push", side, "--key", "a", "--dry-run", "--json")
		same(0, "push", side, "--key", "a")
		same(0, "status")
		same(3, "push", side, "--key", "a")
	}

	both(func(w *daemonWorld) { w.write("locales/en.json", `{"a": "A3", "b": "B", "c": "C"}`) })
	same(0, "sync", "--dry-run", "--json")
	same(0, "sync", "--full", "--force", "--json")
	same(0, "sync", "--translations", "--all")
	same(0, "check")
	same(0, "check", "--json")
	same(0, "check", "--online")
	same(0, "version", "--json")
	same(0, "--version")

	both(func(w *daemonWorld) { w.write("locales/en.json", `{"a": "A3", "b": }`) })
	same(3, "push")
	same(3, "check")
	same(3, "sync", "--json")
	same(0, "status", "--json")
	same(2, "push", "--project", "nope")
	same(2, "pull", "--project", "nope", "--json")
	same(2, "sync", "--project", "nope")
	same(2, "push", "--ours", "--theirs")
	same(2, "push", "--key", "a")

	both(func(w *daemonWorld) {
		w.write("locales/en.json", `{"a": "A4", "b": "B", "c": "C"}`)
		w.mode.Store(down)
	})
	same(1, "check", "--online")
	same(0, "status")

	rung := strings.Count(beside.logs.String(), "pushed")
	beside.mode.Store(works)
	if got := beside.says("hook", "ring"); got.code != 0 || got.out+got.err != "" {
		t.Errorf("hook ring: %+v", got)
	}
	beside.until("the daemon looked", func() bool { return strings.Count(beside.logs.String(), "pushed") > rung })
	if got := alone.says("hook", "ring"); got.code != 1 || !strings.Contains(got.err, "refused") {
		t.Errorf("hook ring without a daemon: %+v", got)
	}
	beside.check(cmd.Process.Signal(syscall.SIGTERM))
	beside.ends(cmd, 10*time.Second)
}

// A daemon without an address answers commands and hooks all the same: they find it in the state folder.
func TestDaemonWithoutAnAddress(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	w.url = "http://"
	w.configure("")
	cmd := w.start()
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
	for i, args := range [][]string{{"push", "--json"}, {"sync", "--json"}, {"hook", "ring"}} {
		w.write("locales/en.json", fmt.Sprintf(`{"a": "A%d", "b": "B"}`, i))
		if got := w.says(args...); got.code != 0 {
			t.Errorf("%v: %+v", args, got)
		}
		w.until("the edit is sent", func() bool { return strings.Contains(w.says("status", "--json").out, `"pending": 0`) })
	}
	if got := w.says("pull", "--json"); got.code != 0 || !strings.Contains(got.out, `"name": "app"`) {
		t.Errorf("pull: %+v", got)
	}
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// A command whose configuration is not the daemon's gets nothing done by it, and is told what to do; status looks for itself.
func TestAnotherConfiguration(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.start()
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
	text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	w.write("other.toml", strings.Replace(string(text), `["de"]`, `["de", "fr"]`, 1))
	calls := w.called("/")
	for _, args := range [][]string{{"push"}, {"pull", "--dry-run"}, {"sync", "--json"}} {
		got := w.says(append(args, "--config", "other.toml")...)
		if got.code != 2 || !strings.Contains(got.err, "works with another configuration, REPO/locsync.toml") || !strings.Contains(got.err, "state_dir") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if n := w.called("/"); n != calls {
		t.Errorf("%d calls for commands that were refused", n-calls)
	}
	if got := w.says("status", "--json", "--config", "other.toml"); got.code != 0 || !strings.Contains(got.out, `"language": "fr"`) {
		t.Errorf("status: %+v", got)
	}
	// A copy that says the same is the same, wherever its comments are.
	w.write("copy.toml", "# a copy\n"+string(text))
	if got := w.says("push", "--config", "copy.toml"); got.code != 0 {
		t.Errorf("%+v", got)
	}

	// The file itself was changed: the daemon has to read it again first.
	w.write("locsync.toml", strings.Replace(string(text), `["de"]`, `["de", "fr"]`, 1))
	if got := w.says("push"); got.code != 2 || !strings.Contains(got.err, fmt.Sprintf("kill -HUP %d", cmd.Process.Pid)) {
		t.Errorf("%+v", got)
	}
	if got := w.says("status", "--json"); !strings.Contains(got.out, `"language": "fr"`) {
		t.Errorf("status: %+v", got)
	}
	w.write("locsync.toml", "# the page may move without anybody's asking\n"+string(text))
	// At once, or once the daemon has read the file, where it had time to read the other one in between.
	w.until("a push with the configuration of before", func() bool { return w.says("push").code == 0 })
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// A daemon that hangs is told of, and one that dies in the middle of an answer is done without.
func TestDaemonThatDoesNotAnswer(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.start()
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
	w.check(cmd.Process.Signal(syscall.SIGSTOP))
	got := w.says("push")
	if got.code != 1 || !strings.Contains(got.err, fmt.Sprintf("does not answer: process %d", cmd.Process.Pid)) || !strings.Contains(got.err, "try again") {
		t.Errorf("%+v", got)
	}
	w.check(cmd.Process.Signal(syscall.SIGCONT))

	w.write("locales/en.json", `{"a": "A2", "b": "B"}`)
	w.mode.Store(hangs)
	push := w.command("push", "--json")
	var out, errs lockedBuffer
	push.Stdout, push.Stderr = &out, &errs
	w.check(push.Start())
	<-w.hung
	time.Sleep(1500 * time.Millisecond) // the answer has begun: with a heartbeat
	w.mode.Store(works)
	w.check(cmd.Process.Kill())
	if err := push.Wait(); err != nil || !strings.Contains(out.String(), `"keys": 1`) {
		t.Errorf("the command whose daemon died: %v\n%s%s", err, &out, &errs)
	}
	if got := w.says("status", "--json"); !strings.Contains(got.out, `"pending": 0`) {
		t.Errorf("%+v", got)
	}
}

// Two daemons with states of their own do not work on one branch of one repository for one project, and a command that has a state of its own beside a daemon
// says so.
func TestTwoDaemons(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.start()
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
	text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	elsewhere := strings.Replace(string(text), strings.TrimPrefix(w.url, "http://"), "127.0.0.1:0", 1)
	w.write("other.toml", fmt.Sprintf("state_dir = %q\n%s", filepath.Join(w.t.TempDir(), "state"), elsewhere))
	got := w.says("run", "--config", "other.toml")
	if got.code != 2 || !strings.Contains(got.err, `project "app": another daemon already manages it`) || !strings.Contains(got.err, fmt.Sprintf("process %d", cmd.Process.Pid)) {
		t.Errorf("%+v", got)
	}
	got = w.says("push", "--config", "other.toml")
	if got.code != 0 || !strings.Contains(got.err, `warning: project "app": a daemon already manages it`) {
		t.Errorf("%+v", got)
	}
	got = w.says("run") // the same state
	if got.code != 1 || !strings.Contains(got.err, "a daemon is running already") {
		t.Errorf("%+v", got)
	}

	// Another branch is another daemon's business, and a daemon that ended is in the way of none.
	w.write("branch.toml", fmt.Sprintf("state_dir = %q\n%s", filepath.Join(w.t.TempDir(), "state"), strings.Replace(elsewhere, "[project.pull]", "[project.pull]\nbranch = \"other\"", 1)))
	second := w.startWith("--config", "branch.toml")
	w.check(cmd.Process.Kill())
	_ = cmd.Wait()
	third := w.startWith("--config", "other.toml")
	for _, c := range []*exec.Cmd{second, third} {
		w.check(c.Process.Signal(syscall.SIGTERM))
		w.ends(c, 10*time.Second)
	}
}

// The first signal ends the daemon within ten seconds, however long others hold on to it; a second one at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	for _, signals := range []int{1, 2} {
		cmd := w.start()
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		w.check(err)
		defer conn.Close()
		_, err = conn.Write([]byte("GET / HTTP/1.1\r\n")) // and never the rest of it
		w.check(err)
		w.until("it is connected", func() bool { code, _ := w.get("/healthz"); return code == http.StatusOK })
		w.check(cmd.Process.Signal(syscall.SIGTERM))
		w.told("STOPPING=1")
		if signals == 1 {
			w.ends(cmd, 10*time.Second)
			continue
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for begin := time.Now(); ; {
			_ = cmd.Process.Signal(syscall.SIGTERM) // it is gone when this fails
			select {
			case <-ended:
			case <-time.After(20 * time.Millisecond):
				if time.Since(begin) < 10*time.Second {
					continue
				}
				t.Error("it did not end")
			}
			break
		}
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
			t.Errorf("it ended in order, and not at once: %v", cmd.ProcessState)
		}
	}
}

// A reload starts the projects that are new and stops those that are gone, and leaves a project that stays in the middle of its pass.
func TestReloadLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	const gone, new = "22222222-2222-3333-4444-555555555555", "33333333-2222-3333-4444-555555555555"
	for name, id := range map[string]string{"gone": gone, "new": new} {
		w.check(w.svc.EnsureProject(id, name, "en", []string{"de"}))
		w.check(os.MkdirAll(filepath.Join(w.repo, name), 0o755))
		w.write(name+"/en.json", `{"`+name+`": "text"}`)
	}
	with := func(name, id string) string {
		return fmt.Sprintf("[[project]]\nname = %q\nid = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[project.pull]\nbranch = \"l10n-%s\"\nschedule = \"0 0 1 1 *\"\n[[project.files]]\nsource = \"%s/en.json\"\noutput = \"%s/{LANGUAGE}.json\"\n",
			name, id, name, name, name)
	}
	w.projects = with("gone", gone)
	w.configure("")
	cmd := w.start()
	imports := func(id string) int { return w.called("POST /api/integration/v2/project/" + id + "/import") }
	w.until("the first pushes", func() bool { return strings.Count(w.logs.String(), "pushed") == 2 })

	held := w.holdOn("/project/" + daemonProject + "/import")
	w.write("locales/en.json", `{"a": "A2", "b": "B"}`)
	<-held.reached
	w.projects = with("new", new)
	w.configure("")
	w.check(cmd.Process.Signal(syscall.SIGHUP))
	if got := w.told("RELOADING=1"); !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=\d+\n?$`).MatchString(got) {
		t.Errorf("systemd was told %q", got)
	}
	w.told("READY=1")
	w.until("the new project is pushed", func() bool { return imports(new) == 1 && strings.Count(w.logs.String(), "pushed") == 3 })
	if _, body := w.get("/api/status"); strings.Contains(body, `"name": "gone"`) || !strings.Contains(body, `"name": "new"`) || !strings.Contains(body, `"name": "app"`) {
		t.Errorf("the status: %s", body)
	}
	before := imports(gone)
	w.write("gone/en.json", `{"gone": "changed"}`)
	w.write("new/en.json", `{"new": "changed"}`)
	w.until("an edit of the new project is pushed", func() bool { return imports(new) == 2 })
	if n := imports(gone); n != before {
		t.Errorf("%d imports of a project that is gone", n-before)
	}
	if held.dropped.Load() {
		t.Error("the pass of the project that stays was given up")
	}
	held.release()
	w.until("its push is done", func() bool {
		_, body := w.get("/api/status")
		return strings.Contains(body, `"pending": 0`) && strings.Count(w.logs.String(), "pushed") == 5
	})
	if n := imports(daemonProject); n != 2 {
		t.Errorf("%d imports of the project that stays, want 2", n)
	}
	if strings.Contains(w.logs.String(), "interrupted") && !strings.Contains(w.logs.String(), `interrupted; it is taken up again at the next start {"project": "gone"`) {
		t.Errorf("a pass was interrupted:\n%s", w.logs)
	}

	// One that changed itself gives its pass up and begins again as it is to be.
	held = w.holdOn("/project/" + daemonProject + "/import")
	w.write("locales/en.json", `{"a": "A3", "b": "B"}`)
	<-held.reached
	w.labels = `labels = ["fresh"]`
	w.configure("")
	w.check(cmd.Process.Signal(syscall.SIGHUP))
	w.told("RELOADING=1")
	w.told("READY=1")
	<-held.reached
	if !held.dropped.Load() {
		t.Error("the pass of the project that changed goes on")
	}
	held.release()
	w.until("it is pushed", func() bool { _, body := w.get("/api/status"); return strings.Count(body, `"pending": 0`) >= 2 })
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// A reload may turn from a service to the embedded one and back. Passes and commands go to the service of the configuration that there is; and after the end nobody is
// sent to a service that is not there.
func TestReloadTurnsToTheEmbeddedService(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	cmd := w.start()
	pushes := 0
	pushed := func(what string) {
		t.Helper()
		pushes++
		w.until(what, func() bool { return strings.Count(w.logs.String(), " pushed {") == pushes })
	}
	pushed("the first push")
	elsewhere := func() int { return w.called("/api/integration") }
	file := filepath.Join(w.repo, "locsync.toml")
	remote, err := os.ReadFile(file)
	w.check(err)
	embedded := regexp.MustCompile(`(?s)^\[service\]\n.*?\[daemon\]`).ReplaceAll(remote, []byte("[service]\nurl = \"embedded\"\n[daemon]"))
	reload := func(text []byte) {
		t.Helper()
		w.check(os.WriteFile(file, text, 0o600))
		w.check(cmd.Process.Signal(syscall.SIGHUP))
		w.told("RELOADING=1")
		w.told("READY=1")
	}
	plan := func(where string, ours bool) {
		t.Helper()
		before := elsewhere()
		if out, err := w.command("project", "plan").CombinedOutput(); err != nil {
			t.Errorf("the plan for %s: %v\n%s", where, err, out)
		}
		if asked := elsewhere() > before; asked != ours {
			t.Errorf("the plan for %s came from the other one", where)
		}
	}
	for range 2 {
		before := elsewhere()
		reload(embedded)
		if pushes == 1 {
			pushed("all of it is pushed to the embedded service, which has nothing yet")
		}
		plan("the embedded service", false)
		w.write("locales/en.json", fmt.Sprintf(`{"a": "A", "b": "B%d"}`, pushes))
		pushed("an edit is pushed to the embedded service")
		if n := elsewhere(); n != before {
			t.Errorf("%d calls of the service that is configured no more", n-before)
		}
		reload(remote)
		pushed("the edit is pushed to the service that it turned back to")
		if elsewhere() == before {
			t.Error("no call of the service that it turned back to")
		}
		plan("the service", true)
	}
	reload(embedded)
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
	if left, err := filepath.Glob(filepath.Join(w.repo, ".git", "locsync", "*.json")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
	plan("the embedded service without the daemon", false)
}

// After a push of some files the daemon sends the rest, and nothing twice.
func TestPushOfSomeFilesBesideADaemon(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	w.projects = "[[project.files]]\nsource = \"mail/en.json\"\noutput = \"mail/{LANGUAGE}.json\"\ncollection = \"mail\"\n"
	w.configure("")
	w.check(os.MkdirAll(filepath.Join(w.repo, "mail"), 0o755))
	w.write("mail/en.json", `{"m": "M"}`)
	cmd := w.start()
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
	w.write("locales/en.json", `{"a": "A2", "b": "B"}`)
	w.write("mail/en.json", `{"m": "M2"}`)
	for _, c := range []struct {
		args  []string
		files string
	}{
		{[]string{"--file", "mail/en.json", "-n"}, "mail/en.json"},
		{[]string{"--file", "mail/en.json"}, "mail/en.json"},
		{[]string{"--file", "mail/*.json"}, ""},
	} {
		got := w.says(append([]string{"push", "--json"}, c.args...)...)
		if sent := strings.Contains(got.out, `"path": "mail/en.json"`); got.code != 0 || sent != (c.files != "") ||
			strings.Contains(got.out, `"path": "locales/en.json"`) {
			t.Errorf("%v: %+v", c.args, got)
		}
	}
	if got := w.says("push", "--file", "mali/en.json"); got.code != 2 || !strings.Contains(got.err,
		"did you mean mail/en.json?") {
		t.Errorf("%+v", got)
	}
	pushed := strings.Count(w.logs.String(), "pushed")
	if got := w.says("hook", "ring"); got.code != 0 {
		t.Errorf("hook ring: %+v", got)
	}
	w.until("the daemon's push", func() bool { return strings.Count(w.logs.String(), "pushed") > pushed })
	if got := w.says("push"); got.code != 0 || !strings.Contains(got.out, "nothing") {
		t.Errorf("%+v", got)
	}
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
	logged := strings.Split(strings.TrimSpace(w.logs.String()), "pushed")
	if last := logged[len(logged)-1]; !strings.Contains(last, `"keys": 1, "requests": 1, "files": 1`) {
		t.Errorf("the daemon pushed %s", last)
	}
}
