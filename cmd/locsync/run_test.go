//go:build unix

package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local"
)

// daemonWorld is a repository, a service over HTTP that can hang or be down, and daemons that run as processes of their
// own.
type daemonWorld struct {
	t       *testing.T
	repo    string
	url     string // of the daemon
	service *httptest.Server
	mode    atomic.Int32 // how the service behaves
	hung    chan struct{}
	mu      sync.Mutex
	calls   []string
	logs    *lockedBuffer
	notify  chan string // what systemd is told
	env     []string
	svc     *local.Service
	hold    atomic.Pointer[holding]

	daemon   string // of [daemon], in place of a short debounce
	labels   string // of the files of the project app
	projects string // further ones
}

// holding keeps the calls of the service whose path has a part from being done.
type holding struct {
	part    string
	reached chan struct{} // a call is held
	open    chan struct{}
	release func()
	dropped atomic.Bool // the caller gave one up
}

func (w *daemonWorld) holdOn(part string) *holding {
	h := &holding{part: part, reached: make(chan struct{}, 100), open: make(chan struct{})}
	h.release = sync.OnceFunc(func() { close(h.open) })
	w.t.Cleanup(h.release)
	w.hold.Store(h)
	return h
}

const (
	works int32 = iota
	down
	noImports
	hangs
)

const daemonProject = "11111111-2222-3333-4444-555555555555"

func newDaemonWorld(t *testing.T) *daemonWorld {
	t.Helper()
	gittest.Need(t)
	w := &daemonWorld{t: t, repo: gittest.Init(t, map[string]string{"locales/en.json": `{"a": "A", "b": "B"}`}),
		logs: &lockedBuffer{}, hung: make(chan struct{}, 100), notify: make(chan string, 10_000)}
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc", Keys: []string{"secret"}, Pseudo: true})
	w.check(err)
	w.svc = svc
	w.check(svc.EnsureProject(daemonProject, "app", "en", []string{"de"}))
	end := make(chan struct{})
	w.service = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch w.mode.Load() {
		case down:
			http.Error(rw, "down", http.StatusServiceUnavailable)
			return
		case noImports:
			if r.Method == http.MethodPost {
				http.Error(rw, "down", http.StatusServiceUnavailable)
				return
			}
		case hangs:
			w.hung <- struct{}{}
			select {
			case <-r.Context().Done():
			case <-end:
			}
			return
		}
		if h := w.hold.Load(); h != nil && strings.Contains(r.URL.Path, h.part) {
			h.reached <- struct{}{}
			body, err := io.ReadAll(r.Body) // else the end of the caller is not seen
			if err != nil {
				h.dropped.Store(true)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			select {
			case <-h.open:
			case <-r.Context().Done():
				h.dropped.Store(true)
				return
			}
		}
		if strings.HasSuffix(r.URL.Path, "/smartwords/balance") { // it is asked at some time, and then is in every status
			http.NotFound(rw, r)
			return
		}
		w.mu.Lock()
		w.calls = append(w.calls, r.Method+" "+r.URL.Path)
		w.mu.Unlock()
		svc.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() {
		close(end)
		w.service.Close()
		w.check(svc.Close())
	})
	w.url = "http://" + unusedAddress(t)
	w.configure("")
	w.env = append(os.Environ(), "LOCSYNC_API_KEY=secret", "LOCSYNC_BUDGET_DIR="+t.TempDir(), "HOOK_SECRET=hook",
		"BELL_SECRET=dingdong", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	return w
}

func unusedAddress(t *testing.T) string {
	t.Helper()
	port, err := unusedPort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

func (w *daemonWorld) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// configure writes the configuration; more stands in [daemon].
func (w *daemonWorld) configure(more string) {
	w.t.Helper()
	daemon := w.daemon
	if daemon == "" {
		daemon = "debounce = \"50ms\"\n"
	}
	text := fmt.Sprintf("[service]\nurl = %q\naccount_id = \"acc\"\nrequests_per_second = 200\n[daemon]\nlisten = %q\n%s%s\n", w.service.URL, strings.TrimPrefix(w.url, "http://"), daemon, more)
	text += fmt.Sprintf("[[project]]\nname = \"app\"\nid = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[project.pull]\nschedule = \"0 0 1 1 *\"\n", daemonProject)
	text += "[[project.files]]\nsource = \"locales/en.json\"\noutput = \"locales/{LANGUAGE}.json\"\n" + w.labels +
		"\n" + w.projects
	w.check(os.WriteFile(filepath.Join(w.repo, "locsync.toml"), []byte(text), 0o600))
}

// start starts a daemon and waits until it says that it is ready.
func (w *daemonWorld) start() *exec.Cmd {
	w.t.Helper()
	return w.startWith()
}

// startWith is start with further arguments.
func (w *daemonWorld) startWith(args ...string) *exec.Cmd {
	w.t.Helper()
	return w.startThis(w.command(append([]string{"run"}, args...)...))
}

// startThis is start of what runs a daemon.
func (w *daemonWorld) startThis(cmd *exec.Cmd) *exec.Cmd {
	w.t.Helper()
	socket := filepath.Join(w.t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	w.check(err)
	w.t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return
			}
			w.notify <- string(buf[:n])
		}
	}()
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+socket)
	cmd.Stderr = w.logs
	cmd.WaitDelay = guard // what it started may have its standard error for longer
	w.check(cmd.Start())
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("the daemon's log:\n%s", w.logs)
		}
		_ = cmd.Process.Kill() // it has ended in most tests
		_ = cmd.Wait()
	})
	w.told("READY=1")
	return cmd
}

func (w *daemonWorld) command(args ...string) *exec.Cmd {
	w.t.Helper()
	exe, err := exec.LookPath("locsync")
	w.check(err)
	cmd := exec.Command(exe, args...)
	cmd.Dir, cmd.Env = w.repo, append([]string(nil), w.env...)
	return cmd
}

// told waits until systemd was told something, and returns all of it. What the daemon does, and that it moves, it may
// tell in between.
func (w *daemonWorld) told(want string) string {
	w.t.Helper()
	for late := time.After(guard); ; {
		select {
		case got := <-w.notify:
			switch {
			case strings.HasPrefix(got, want):
				return got
			case !strings.HasPrefix(got, "STATUS=") && got != "WATCHDOG=1":
				w.t.Fatalf("systemd was told %q, want %q\n%s", got, want, w.logs)
			}
		case <-late:
			w.t.Fatalf("systemd was not told %q\n%s", want, w.logs)
		}
	}
}

// ends checks that a daemon ends by itself, in time and well.
func (w *daemonWorld) ends(cmd *exec.Cmd, within time.Duration) {
	w.t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		w.check(err)
	case <-time.After(within):
		w.t.Fatalf("it did not end within %s\n%s", within, w.logs)
	}
}

// until waits until something holds.
func (w *daemonWorld) until(what string, holds func() bool) {
	w.t.Helper()
	for end := time.Now().Add(guard); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("never: %s\n%s", what, w.logs)
		}
	}
}

// asking is who asks a daemon: what has to be answered at once is, or it fails.
var asking = &http.Client{Timeout: guard / 2}

// get returns status and body.
func (w *daemonWorld) get(path string) (int, string) {
	resp, err := asking.Get(w.url + path)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

// post sends a body with headers, name and value by turns.
func (w *daemonWorld) post(path, body string, headers ...string) int {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPost, w.url+path, strings.NewReader(body))
	w.check(err)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := asking.Do(req)
	w.check(err)
	w.check(resp.Body.Close())
	return resp.StatusCode
}

// called is how often the service was called so.
func (w *daemonWorld) called(part string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, c := range w.calls {
		if strings.Contains(c, part) {
			n++
		}
	}
	return n
}

// lockedBuffer can be written and read from several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A daemon that is told to end while the service hangs, in a pass of its own and in one for a command, ends within 10
// seconds and well; the next one takes up the work.
func TestEndsWhileTheServiceHangs(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	cmd := w.start()
	w.until("the first push", func() bool {
		return w.called("/import") > 0 && strings.Contains(w.logs.String(), "pushed")
	})
	w.mode.Store(hangs)
	pull := w.command("pull") // the daemon does it
	var said lockedBuffer
	pull.Stderr = &said
	w.check(pull.Start())
	<-w.hung
	w.check(os.WriteFile(filepath.Join(w.repo, "locales/en.json"), []byte(`{"a": "A2", "b": "B"}`), 0o644))
	w.until("a status beside the busy daemon whose own push waits for the command's pull", func() bool {
		out, err := w.command("status", "--json").CombinedOutput()
		return err == nil && strings.Contains(string(out), `"pending": 1`)
	})
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
	w.told("STOPPING=1")
	w.mode.Store(works)
	if err := pull.Wait(); err != nil { // the command goes on alone
		t.Errorf("the command beside the daemon that ended: %v\n%s", err, &said)
	}
	cmd = w.start()
	w.until("the edit is pushed", func() bool {
		code, body := w.get("/api/status")
		return code == 200 && strings.Contains(body, `"pending": 0`)
	})
	w.check(cmd.Process.Signal(syscall.SIGINT))
	w.ends(cmd, 10*time.Second)
}

// A reload takes a good configuration and keeps the old one otherwise, whether it cannot be read or cannot be begun
// with.
func TestReload(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	cmd := w.start()
	hup := func() {
		w.check(cmd.Process.Signal(syscall.SIGHUP))
		w.told("RELOADING=1")
		w.told("READY=1")
	}
	secret := `callback_secret_env = "BELL_SECRET"`
	w.configure(secret)
	hup()
	ring := func() int {
		return w.post("/callback/document/exportRequestCompleted", `["x"]`, "X-Locsync-Callback", "dingdong")
	}
	if got := ring(); got != http.StatusOK {
		t.Errorf("the new secret does not count: %d", got)
	}
	for name, bad := range map[string]string{"unknown key": "wat = 1",
		"secret that is not set": `callback_secret_env = "NO_SUCH_THING"`, "address of another machine": "# " +
			"\n" + `public_url = "nonsense"`} {
		w.configure(bad)
		hup()
		if got := ring(); got != http.StatusOK {
			t.Errorf("%s: the old configuration is not kept: %d", name, got)
		}
	}
	w.until("the log says that the old one stays",
		func() bool { return strings.Count(w.logs.String(), "the old one stays") == 3 })
	if _, body := w.get("/metrics"); !strings.Contains(body, "locsync_config_last_reload_successful 0") {
		t.Errorf("the metrics do not tell of it:\n%s", body)
	}
	old := w.url
	w.url = "http://" + unusedAddress(t)
	taken, err := net.Listen("tcp", strings.TrimPrefix(w.url, "http://"))
	w.check(err)
	w.configure(secret)
	hup() // somebody has that address
	w.check(taken.Close())
	w.url, old = old, w.url
	if got := ring(); got != http.StatusOK {
		t.Errorf("the old address does not answer any more: %d", got)
	}
	w.until("the log says why it keeps its address",
		func() bool { return strings.Contains(w.logs.String(), "choose another address") })
	w.url, old = old, w.url
	text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	w.write("locsync.toml", "state_dir = \"elsewhere\"\n"+string(text))
	hup()
	w.until("the log says why it keeps its state folder",
		func() bool { return strings.Contains(w.logs.String(), "set state_dir = ") })
	w.configure(secret)
	hup()
	if _, body := w.get("/metrics"); !strings.Contains(body, "locsync_config_last_reload_successful 1") {
		t.Errorf("the metrics do not tell of it:\n%s", body)
	}
	if got := ring(); got != http.StatusOK {
		t.Errorf("the new address does not answer: %d", got)
	}
	if _, err := http.Get(old + "/healthz"); err == nil {
		t.Error("the old address answers still")
	}

	// Secrets change with a reload and not before it; what they were before is refused then.
	w.configure("callback_secret_file = \"bell\"\nwebhook_secret_file = \"hook\"")
	both := func(bell, hook string, want int) {
		t.Helper()
		if got := w.post("/callback/document/exportRequestCompleted", `["x"]`,
			"X-Locsync-Callback", bell); got != want {
			t.Errorf("notified with %q: %d, want %d", bell, got, want)
		}
		if got := w.post("/webhook/gitlab", `{"event_name": "other"}`, "X-Gitlab-Token", hook); got != want {
			t.Errorf("a webhook with %q: %d, want %d", hook, got, want)
		}
	}
	w.write("bell", "one\n")
	w.write("hook", "uno\n")
	hup()
	both("one", "uno", http.StatusOK)
	both("dingdong", "hook", http.StatusForbidden)
	w.write("bell", "two\n")
	w.write("hook", "due\n")
	both("one", "uno", http.StatusOK)
	hup()
	both("two", "due", http.StatusOK)
	both("one", "uno", http.StatusForbidden)
	w.check(os.Remove(filepath.Join(w.repo, "hook")))
	hup() // nothing of it is taken
	both("two", "due", http.StatusOK)
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// A daemon that does not answer at all is no reason for status not to.
func TestStatusBesideAStoppedDaemon(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newDaemonWorld(t)
	cmd := w.start()
	w.until("the first push", func() bool {
		_, body := w.get("/api/status")
		return strings.Contains(body, `"result": "ok"`)
	})
	w.check(cmd.Process.Signal(syscall.SIGSTOP))
	defer cmd.Process.Signal(syscall.SIGCONT)
	out, err := w.command("status", "--json").CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"pending": 0`) ||
		!strings.Contains(string(out), `"result": "ok"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// The service is down when the daemon starts: the daemon works, is not ready, and says why.
func TestServiceDownAtStart(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	w.mode.Store(down)
	cmd := w.start()
	w.until("not ready, with the reason", func() bool {
		code, body := w.get("/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(body, `project "app"`) &&
			strings.Contains(body, "503")
	})
	if code, _ := w.get("/healthz"); code != http.StatusOK {
		t.Errorf("healthz: %d", code)
	}
	if _, body := w.get("/metrics"); !strings.Contains(body, "locsync_ready 0") {
		t.Errorf("metrics:\n%s", body)
	}
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// What fails is done as soon as the service works again, without anybody's help; edits meanwhile do not put that off.
func TestOutage(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newDaemonWorld(t)
	w.mode.Store(noImports)
	cmd := w.start()
	w.until("the push failed", func() bool {
		_, body := w.get("/api/status")
		return strings.Contains(body, `"result": "failed"`)
	})
	w.post("/trigger", "")
	w.until("the second push failed", func() bool {
		return strings.Count(w.logs.String(), "push failed, trying again") >= 2
	})
	w.mode.Store(works)
	w.until("pushed", func() bool { _, body := w.get("/api/status"); return strings.Contains(body, `"pending": 0`) })
	if code, body := w.get("/readyz"); code != http.StatusOK {
		t.Errorf("readyz: %d %s", code, body)
	}
	if _, body := w.get("/metrics"); !strings.Contains(body, `locsync_pending_keys{project="app"} 0`) ||
		!strings.Contains(body, "locsync_ready 1") {
		t.Errorf("metrics:\n%s", body)
	}
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// Who may ring, and how: hooks of this machine, git hosts with their signatures, the service with its header.
func TestWhoMayTrigger(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	w.configure("webhook_secret_env = \"HOOK_SECRET\"\ncallback_secret_env = \"BELL_SECRET\"\ncallback_header = \"X-Bell\"")
	cmd := w.start()
	body := `{"ref": "refs/heads/main"}`
	mac := hmac.New(sha256.New, []byte("hook"))
	mac.Write([]byte(body))
	sum := hex.EncodeToString(mac.Sum(nil))
	long := strings.Repeat(" ", 70<<10)
	for _, c := range []struct {
		want       int
		path, body string
		headers    []string
	}{
		{202, "/trigger", "", nil},
		{202, "/trigger?project=app&action=sync", "", nil},
		{202, "/trigger", "", []string{"Origin", w.url}},
		{202, "/trigger", "", []string{"Host", "localhost:1"}},
		{400, "/trigger?action=delete", "", nil},
		{404, "/trigger?project=nope", "", nil},
		{403, "/trigger", "", []string{"Host", "evil.example"}},
		{403, "/trigger", "", []string{"Origin", "http://evil.example"}},
		{403, "/trigger", "", []string{"Origin", "null"}},
		{403, "/trigger", "", []string{"X-Forwarded-For", "203.0.113.7"}},
		{403, "/trigger", "", []string{"Sec-Fetch-Site", "cross-site"}},

		{202, "/webhook/github", body, []string{"X-Hub-Signature-256", "sha256=" + sum}},
		{403, "/webhook/github", body + " ", []string{"X-Hub-Signature-256", "sha256=" + sum}},
		{403, "/webhook/github", body, []string{"X-Hub-Signature-256", sum}},
		{403, "/webhook/github", body, nil},
		{403, "/webhook/github", body, []string{"X-Gitlab-Token", "hook"}},
		{202, "/webhook/gitea", body, []string{"X-Gitea-Signature", sum}},
		{202, "/webhook/gitea", body, []string{"X-Forgejo-Signature", sum}},
		{403, "/webhook/gitea", body, []string{"X-Gitea-Signature", "zz"}},
		{202, "/webhook/gitlab", body, []string{"X-Gitlab-Token", "hook"}},
		{403, "/webhook/gitlab", body, []string{"X-Gitlab-Token", "hooks"}},
		{403, "/webhook/gitlab", body, nil},
		{404, "/webhook/else", body, nil},
		{202, "/webhook/github", body, []string{"X-Hub-Signature-256", "sha256=" + sum, "X-GitHub-Event", "push"}},
		{200, "/webhook/github", body, []string{"X-Hub-Signature-256", "sha256=" + sum, "X-GitHub-Event", "ping"}},
		{403, "/webhook/github", body, []string{"X-Hub-Signature-256", "sha256=" + hex.EncodeToString([]byte(sum)),
			"X-GitHub-Event", "ping"}},
		{202, "/webhook/gitlab", body, []string{"X-Gitlab-Token", "hook", "X-Gitlab-Event", "Push Hook",
			"X-Gitlab-Event-UUID", "u1"}},
		{200, "/webhook/gitlab", body, []string{"X-Gitlab-Token", "hook", "X-Gitlab-Event", "Push Hook",
			"X-Gitlab-Event-UUID", "u1"}},
		{200, "/webhook/gitlab", body, []string{"X-Gitlab-Token", "hook", "X-Gitlab-Event", "Tag Push Hook"}},
		{200, "/webhook/gitlab", body, []string{"X-Gitlab-Token", "hook", "X-Gitlab-Event", "Note Hook"}},

		{200, "/callback/project/status", `["` + daemonProject + `"]`, []string{"X-Bell", "dingdong"}},
		{200, "/callback/project/status", `"` + daemonProject + `"`, []string{"X-Bell", "dingdong"}},
		{200, "/callback/document/status", `["1_2"]`, []string{"X-Bell", "dingdong"}},
		{200, "/callback/document/exportRequestCompleted", `["1"]`, []string{"X-Bell", "dingdong"}},
		{200, "/callback/document/translationImportCompleted", `["1"]`, []string{"X-Bell", "dingdong"}},
		{403, "/callback/project/status", `["` + daemonProject + `"]`, []string{"X-Bell", "wrong"}},
		{403, "/callback/project/status", `["` + daemonProject + `"]`, []string{"X-Locsync-Callback", "dingdong"}},
		{403, "/callback/project/status", `["` + daemonProject + `"]`, nil},
		{400, "/callback/project/status", `{`, []string{"X-Bell", "dingdong"}},
		{413, "/callback/project/status", long, []string{"X-Bell", "dingdong"}},
		{404, "/callback/project/else", `["1"]`, []string{"X-Bell", "dingdong"}},
	} {
		if got := w.post(c.path, c.body, c.headers...); got != c.want {
			t.Errorf("POST %s %v: %d, want %d", c.path, c.headers, got, c.want)
		}
	}
	if code, _ := w.get("/trigger"); code != http.StatusMethodNotAllowed {
		t.Errorf("GET /trigger: %d", code)
	}
	if code, page := w.get("/"); code != 200 || !strings.Contains(page, "locales/en.json") ||
		strings.Contains(page, "dingdong") || strings.Contains(page, "secret") {
		t.Errorf("the page: %d\n%s", code, page)
	}

	// A notification brings a pull soon, also while the pass before it is slow to answer: it is answered at once.
	quiet := func() bool {
		_, body := w.get("/api/status")
		return strings.Contains(body, "everything is pushed; last pulled")
	}
	w.until("all bells are heard", quiet)
	time.Sleep(200 * time.Millisecond)
	w.until("all bells are heard", quiet)
	before := w.called("/export")
	if got := w.post("/callback/project/status", `["`+strings.ToUpper(daemonProject)+`"]`, "X-Bell",
		"dingdong"); got != http.StatusOK {
		t.Errorf("%d", got)
	}
	w.until("a pull", func() bool { return w.called("/export") > before })
	w.until("its end", quiet)
	w.mode.Store(hangs)
	w.post("/callback/project/status", `["`+daemonProject+`"]`, "X-Bell", "dingdong")
	<-w.hung
	w.post("/callback/project/status", `["`+daemonProject+`"]`, "X-Bell",
		"dingdong") // nothing ends the pass before these are answered
	if code, _ := w.get("/api/status"); code != 200 {
		t.Errorf("status %d", code)
	}
	w.mode.Store(works)
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// Commands that come while others work wait for their turn, and all are done.
func TestCommandsAtOnce(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	var all sync.WaitGroup
	for _, args := range [][]string{{"push"}, {"sync"}, {"pull"}, {"status"}, {"check", "--online"}} {
		all.Go(func() {
			if out, err := w.command(args...).CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		})
	}
	all.Wait()
	if n := w.called("POST /api/integration/v1/project/" + daemonProject + "/import"); n > 1 {
		t.Errorf("%d imports of the same keys", n)
	}
}

// The demo works beside a daemon that has its port, and stays up when it is asked to.
func TestDemoKeepsRunning(t *testing.T) {
	t.Parallel()
	gittest.Need(t)
	if l, err := net.Listen("tcp", "127.0.0.1:7420"); err == nil { // else another program has it, which is as good
		defer l.Close()
	}
	exe, err := exec.LookPath("locsync")
	if err != nil {
		t.Fatal(err)
	}
	var out lockedBuffer
	cmd := exec.Command(exe, "demo", "--dir", filepath.Join(t.TempDir(), "demo"), "--keep-running")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &daemonWorld{t: t, logs: &out}
	defer cmd.Process.Kill()
	w.until("it runs", func() bool {
		_, rest, ok := strings.Cut(out.String(), "look at http://")
		address, _, done := strings.Cut(rest, "/")
		w.url = "http://" + address
		return ok && done
	})
	w.until("the page", func() bool {
		code, body := w.get("/")
		return code == http.StatusOK && strings.Contains(body, "web/locales/en.json")
	})
	w.check(cmd.Process.Signal(os.Interrupt))
	w.ends(cmd, 10*time.Second)
}

// The page shows what a repository holds as text, and nothing of it as markup.
func TestPageEscapes(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	name := "locales/<img src=x onerror=alert(1)>.json"
	hostile := `{"<script>alert(1)</script>": "one", "`
	w.check(os.WriteFile(filepath.Join(w.repo, "locales/en.json"), []byte(hostile+`a": "A"}`), 0o644))
	w.check(os.WriteFile(filepath.Join(w.repo, filepath.FromSlash(name)),
		[]byte(`{"<script>alert(1)</script>": "two"}`), 0o644))
	text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	w.check(os.WriteFile(filepath.Join(w.repo, "locsync.toml"),
		bytes.Replace(bytes.Replace(text, []byte(`"locales/en.json"`), []byte(`"locales/*.json"`), 1),
			[]byte(`"locales/{LANGUAGE}.json"`), []byte(`"out/{LANGUAGE}/{NAME}.json"`), 1), 0o600))
	// An output with such a name is refused for good reasons; the file with it is a source, which may be called what it
	// likes.
	cmd := w.start()
	var page string
	w.until("the page tells of both", func() bool {
		_, page = w.get("/")
		return strings.Contains(page, "&lt;script&gt;")
	})
	if strings.Count(page, "<script") != 1 || !strings.Contains(page, `<script src="static/page.`) ||
		strings.Contains(page, "<img") {
		t.Errorf("markup of the repository is markup of the page:\n%s", page)
	}
	resp, err := http.Get(w.url + "/")
	w.check(err)
	w.check(resp.Body.Close())
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
		!strings.Contains(policy, "script-src 'self';") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}
