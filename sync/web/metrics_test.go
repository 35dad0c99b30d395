package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/state"
)

const runningProject = "11111111-2222-3333-4444-555555555555"

// runningServer is the address of an engine that runs, with a project that works and one whose repository is not there yet.
func runningServer(t *testing.T) (handler http.Handler, missing string) {
	t.Helper()
	gittest.Need(t)
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc", Keys: []string{"key"}, Pseudo: true})
	check(t, err)
	check(t, svc.EnsureProject(runningProject, "app", "en", []string{"de"}))
	http := httptest.NewServer(svc)
	repo := gittest.Init(t, map[string]string{"secret-path/en.json": `{"secret-key": "A"}`, "secret-path/broken.json": `{`})
	missing = filepath.Join(t.TempDir(), "later")
	project := func(name, repository string) string {
		return fmt.Sprintf("[[project]]\nname = %q\nid = %q\nrepository = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[project.pull]\nbranch = \"l10n-%s\"\nschedule = \"@hourly\"\n"+
			"[[project.files]]\nsource = \"secret-path/*.json\"\noutput = \"out/{LANGUAGE}/{NAME}.json\"\n", name, runningProject, repository, name)
	}
	cfg, err := config.Parse(filepath.Join(repo, "locsync.toml"), []byte(fmt.Sprintf("[service]\nurl = %q\naccount_id = \"acc\"\n", http.URL)+project("app", repo)+project("later", missing)))
	check(t, err)
	store, err := state.Open(t.TempDir())
	check(t, err)
	meter := NewMeter()
	client, err := service.New(service.Options{BaseURL: http.URL, AccountID: "acc", APIKey: "key", OnRequest: meter.Requested})
	check(t, err)
	e := engine.New(engine.Parts{Config: cfg, State: store, Service: client, Log: zap.NewNop(), Passed: meter.Passed})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		check(t, <-done)
		client.Close()
		http.Close()
		check(t, svc.Close())
		check(t, store.Close())
	})
	read := time.Unix(1_700_000_000, 0)
	return New(Options{Engine: e, Log: zap.NewNop(), Version: "test", Meter: meter, Reloaded: func() Reload { return Reload{true, read} }}), missing
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func get(handler http.Handler, path string) (int, string) {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer.Code, answer.Body.String()
}

// until asks again and again; every answer is a request of its own, so that nothing is waited for in one.
func until(t *testing.T, handler http.Handler, path string, holds func(code int, body string) bool) string {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		code, body := get(handler, path)
		if holds(code, body) {
			return body
		}
		if time.Now().After(end) {
			t.Fatalf("%s never was as wanted: %d\n%s", path, code, body)
		}
	}
}

// What is measured of a running daemon, and that nothing of the repository is in it but names that the configuration gives.
var measured = []string{
	"build_info", "config_last_reload_successful", "config_last_reload_success_timestamp_seconds", "ready",
	"last_success_timestamp_seconds", "last_commit_timestamp_seconds", "last_run_failed", "last_run_keys", "next_pull_timestamp_seconds", "pull_interval_seconds",
	"job_runs_total", "job_duration_seconds_count",
	"watch_mode", "watches", "watch_overflows_total", "unannounced_changes_total",
	"scan_files", "scan_duration_seconds", "files_unparsable",
	"outbox_items", "outbox_oldest_seconds", "tasks_inflight", "task_age_seconds",
	"keys_pushed_total", "keys_pulled_total", "pending_keys", "removed_keys", "problems", "conflicts", "held_batches", "translated_keys", "missing_keys",
	"api_requests_total", "api_request_duration_seconds_count", "api_rate_limit", "api_throttled_total", "breaker_open",
	"state_bytes", "state_rebuilds_total",
}

var sample = regexp.MustCompile(`(?m)^(locsync_\w+)(?:\{(.*)\})? (\S+)$`)

func TestMetrics(t *testing.T) {
	handler, _ := runningServer(t)
	until(t, handler, "/metrics", func(_ int, body string) bool {
		return strings.Contains(body, `locsync_keys_pushed_total{project="app"} 1`)
	})
	answer := httptest.NewRecorder()
	trigger := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/trigger?project=app&action=pull", nil)
	trigger.RemoteAddr = "127.0.0.1:1"
	handler.ServeHTTP(answer, trigger)
	if answer.Code != http.StatusAccepted {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	body := until(t, handler, "/metrics", func(_ int, body string) bool {
		return strings.Contains(body, `locsync_keys_pulled_total{language="de",project="app"} 1`) && strings.Contains(body, `locsync_watch_mode{project="app"}`)
	})
	names := make(map[string]bool)
	label := regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
	allowed := []string{"project", "pass", "language", "outcome", "operation", "code", "kind", "state", "version", "go", "le"}
	for _, m := range sample.FindAllStringSubmatch(body, -1) {
		names[m[1]] = true
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(allowed, l[1]) {
				t.Errorf("%s has the label %s", m[1], l[1])
			}
		}
	}
	for _, name := range measured {
		if !names["locsync_"+name] {
			t.Errorf("locsync_%s is not measured", name)
		}
	}
	for name := range names {
		if short := strings.TrimPrefix(name, "locsync_"); !slices.Contains(measured, short) && !strings.HasSuffix(short, "_bucket") && !strings.HasSuffix(short, "_sum") {
			t.Errorf("%s is measured and not in the list", name)
		}
	}
	for _, never := range []string{"secret", runningProject, ".json", "/"} {
		for _, m := range sample.FindAllStringSubmatch(body, -1) {
			if strings.Contains(m[2], never) {
				t.Errorf("%q stands in a label: %s", never, m[0])
			}
		}
	}
	for _, want := range []string{
		`locsync_job_runs_total{outcome="partial",pass="push",project="app"} `, `locsync_files_unparsable{project="app"} 1`, `locsync_scan_files{project="app"} 2`,
		`locsync_api_requests_total{code="2xx",operation="start_import"} 1`, `locsync_pull_interval_seconds{project="app"} 3600`,
		`locsync_config_last_reload_success_timestamp_seconds 1.7e+09`, `locsync_last_run_failed{pass="push",project="later"} 1`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("not measured: %s\n%s", want, body)
		}
	}
	if strings.Contains(body, `locsync_last_success_timestamp_seconds{pass="push",project="later"}`) {
		t.Error("a project that never worked has a last success")
	}
	promtool(t, strings.NewReader(body), "check", "metrics")
}

// Readiness names every project that does not work yet, with the reason, and comes by itself when the reason goes.
func TestReadyTellsWhy(t *testing.T) {
	handler, missing := runningServer(t)
	body := until(t, handler, "/readyz", func(code int, body string) bool {
		return code == http.StatusServiceUnavailable && !strings.Contains(body, `"app"`) && !strings.Contains(body, "not looked yet")
	})
	if !strings.Contains(body, `project "later": `) || !strings.Contains(body, missing) {
		t.Errorf("no reason: %s", body)
	}
	code, status := get(handler, "/healthz")
	if code != http.StatusOK {
		t.Errorf("healthz: %d %s", code, status)
	}
}

// The alerts ask for metrics that there are, and do what they are to do.
func TestAlerts(t *testing.T) {
	dir := filepath.Join("..", "..", "systemd")
	rules, err := os.ReadFile(filepath.Join(dir, "locsync.rules.yml"))
	check(t, err)
	asked := regexp.MustCompile(`\blocsync_\w+`).FindAllString(string(rules), -1)
	if len(asked) < 3 {
		t.Fatalf("the rules ask for %v", asked)
	}
	for _, name := range asked {
		if !slices.Contains(measured, strings.TrimPrefix(name, "locsync_")) {
			t.Errorf("the rules ask for %s, which is not measured", name)
		}
	}
	promtool(t, nil, "check", "rules", filepath.Join(dir, "locsync.rules.yml"))
	promtool(t, nil, "test", "rules", filepath.Join(dir, "locsync.rules_test.yml"))
}

// promtool runs Prometheus's own tool, where it is installed.
func promtool(t *testing.T, in *strings.Reader, args ...string) {
	t.Helper()
	exe, err := exec.LookPath("promtool")
	if err != nil {
		t.Logf("no promtool here (apt-get install prometheus): not run: promtool %s", strings.Join(args, " "))
		return
	}
	cmd := exec.Command(exe, args...)
	if in != nil {
		cmd.Stdin = in
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
