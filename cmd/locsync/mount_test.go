//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
)

// docs adds a second project, whose repository is this one.
func (w *daemonWorld) docs(repository string) {
	w.t.Helper()
	const id = "11111111-2222-3333-4444-666666666666"
	w.check(w.svc.EnsureProject(id, "docs", "en", []string{"de"}))
	w.projects = fmt.Sprintf("[[project]]\nname = \"docs\"\nid = %q\nrepository = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[project.pull]\nschedule = \"0 0 1 1 *\"\n"+
		"[[project.files]]\nsource = \"docs/en.json\"\noutput = \"docs/{LANGUAGE}.json\"\n", id, repository)
	w.configure("")
}

// answer ends the silence of a file that is a pipe: everybody who waits for it reads that it is empty, and it is gone.
func (w *daemonWorld) answer(pipe string) {
	w.t.Helper()
	writer, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	w.check(err)
	w.check(os.Remove(pipe))
	w.check(writer.Close())
}

// beside checks what a daemon does of which the project docs hangs from the beginning: everything else.
func (w *daemonWorld) beside() {
	t := w.t
	t.Helper()
	w.until("the other project is pushed", func() bool {
		return strings.Contains(w.logs.String(), "pushed {\"project\": \"app\"")
	})
	w.until("the log names the one that hangs", func() bool {
		return strings.Contains(w.logs.String(), "the project does not begin {\"project\": \"docs\"")
	})
	w.told("STATUS=2 projects; docs: its repository does not answer")
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable,
		"/api/status": http.StatusOK, "/metrics": http.StatusOK, "/": http.StatusOK} {
		code, said := w.get(path)
		if code != want {
			t.Errorf("%s: %d %s", path, code, said)
		}
		if named := strings.Contains(said, "has not answered since"); named != (path != "/healthz" &&
			path != "/metrics") {
			t.Errorf("%s tells that a repository does not answer: %v\n%s", path, named, said)
		}
		if path == "/metrics" && (!strings.Contains(said, `locsync_scan_failed{project="docs"} 1`) ||
			!strings.Contains(said, `locsync_scan_failed{project="app"} 0`)) {
			t.Errorf("the metrics do not tell of it:\n%s", said)
		}
	}
	w.post("/trigger?project=app&action=pull", "")
	w.until("the other project is pulled", func() bool {
		return strings.Contains(w.logs.String(), "pulled {\"project\": \"app\"")
	})

	for _, c := range []struct {
		want string
		code int
		args []string
	}{
		{"has not answered since", report.ExitDone, []string{"status"}},
		{"has not answered since", report.ExitLater, []string{"push"}},
		{"", report.ExitDone, []string{"sync", "--project", "app"}},
	} {
		cmd := w.command(c.args...)
		out, _ := cmd.CombinedOutput() // its code is looked at
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("locsync %s: %d\n%s", strings.Join(c.args, " "), code, out)
		}
	}
}

// hup has the daemon read its configuration again, and waits until it has.
func (w *daemonWorld) hup(daemon *os.Process) {
	w.t.Helper()
	w.check(daemon.Signal(syscall.SIGHUP))
	w.told("RELOADING=1")
	w.told("READY=1")
}

// A project whose repository does not answer, for good and for real (see hang), keeps no other one from anything: the
// daemon starts without it, says so wherever it is asked, is not started again for it, reads its configuration again,
// and begins with the project when it answers.
func TestRepositoryThatDoesNotAnswer(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newRestingWorld(t)
	repository := gittest.Init(t, map[string]string{"docs/en.json": `{"a": "A"}`})
	gittest.Git(t, repository, "config", "include.path", "included")
	pipe := filepath.Join(repository, ".git", "included")
	gittest.Pipe(t, pipe)
	w.docs(repository)
	w.env = append(w.env, "WATCHDOG_USEC=900000", testHangsAfter+"=3s") // the repository is silent for longer
	cmd := w.start()
	w.beside()

	w.configure("callback_secret_env = \"BELL_SECRET\"")
	w.hup(cmd.Process)
	if code := w.post("/callback/document/exportRequestCompleted", `["x"]`, "X-Locsync-Callback",
		"dingdong"); code != http.StatusOK {
		t.Errorf("the new configuration is not in use: %d", code)
	}
	for range 5 {
		w.told("WATCHDOG=1")
	}

	w.answer(pipe)
	w.until("the project begins", func() bool {
		return strings.Contains(w.logs.String(), "pushed {\"project\": \"docs\"")
	})
	w.until("it is ready", func() bool { code, _ := w.get("/readyz"); return code == http.StatusOK })
	if _, body := w.get("/api/status"); strings.Contains(body, "until that is repaired") {
		t.Errorf("the status still tells of it:\n%s", body)
	}
	if strings.Contains(w.logs.String(), "the daemon hangs") {
		t.Error("the watchdog would have ended it")
	}
	out, err := w.command("push", "--project", "docs").CombinedOutput()
	if err != nil {
		t.Errorf("a push that is asked for: %v\n%s", err, out)
	}
	other := w.command("run")
	text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	w.write("other.toml", "state_dir = \"other\"\n"+string(text))
	other.Args = append(other.Args, "--config", "other.toml")
	if out, _ := other.CombinedOutput(); other.ProcessState.ExitCode() != report.ExitWrong ||
		!strings.Contains(string(out), `project "docs": another daemon already manages it`) {
		t.Errorf("a second daemon of the project that came late: %d\n%s", other.ProcessState.ExitCode(), out)
	}
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// A configuration that is a pipe is not used, and is not waited for; one that does not answer is in TestDeadMount.
func TestConfigurationThatIsAPipe(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.start()
	file := filepath.Join(w.repo, "locsync.toml")
	w.check(os.Remove(file))
	gittest.Pipe(t, file)
	for range 3 {
		w.check(cmd.Process.Signal(syscall.SIGHUP))
		w.told("RELOADING=1")
		if said := w.told("READY=1"); !strings.Contains(said, "the new configuration is not used") {
			t.Errorf("systemd is told %q", said)
		}
	}
	w.until("the log says why each time", func() bool {
		return strings.Count(w.logs.String(), "it is not a regular file") == 3
	})
	w.check(os.Remove(file))
	w.configure("")
	w.until("it is used", func() bool {
		w.hup(cmd.Process)
		return strings.Contains(w.logs.String(), "the configuration was read again")
	})

	secret := filepath.Join(w.repo, "secret")
	gittest.Pipe(t, secret)
	w.configure("callback_secret_file = \"secret\"")
	w.check(cmd.Process.Signal(syscall.SIGHUP))
	w.told("RELOADING=1")
	if said := w.told("READY=1"); !strings.Contains(said, "the new configuration is not used") {
		t.Errorf("of a secret that is a pipe systemd is told %q", said)
	}
	w.check(os.Remove(secret))
	w.write("secret", "dingdong")
	w.until("the secret is used", func() bool {
		w.hup(cmd.Process)
		return w.post("/callback/document/exportRequestCompleted", `["x"]`,
			"X-Locsync-Callback", "dingdong") == http.StatusOK
	})
}
