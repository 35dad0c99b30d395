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
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/zap"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

const runningProject = "11111111-2222-3333-4444-555555555555"

// runningServer is the address of an engine that runs, with a project that works and one whose repository is not there
// yet. calls counts requests to the service.
func runningServer(t *testing.T) (handler http.Handler, repo, missing string, calls *atomic.Int64) {
	t.Helper()
	gittest.Need(t)
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc", Keys: []string{"key"}, Pseudo: true,
		Balance: 9000})
	check(t, err)
	check(t, svc.EnsureProject(runningProject, "app", "en", []string{"de"}))
	calls = new(atomic.Int64)
	http := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		svc.ServeHTTP(w, r)
	}))
	repo = gittest.Init(t, map[string]string{"secret-path/en.json": `{"secret-key": "A"}`,
		"secret-path/broken.json": `{`})
	missing = filepath.Join(t.TempDir(), "later")
	project := func(name, repository string) string {
		return fmt.Sprintf("[[project]]\nname = %q\nid = %q\nrepository = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[project.pull]\nbranch = \"l10n-%s\"\nschedule = \"@hourly\"\n"+
			"[[project.files]]\nsource = \"secret-path/*.json\"\noutput = \"out/{LANGUAGE}/{NAME}.json\"\n", name, runningProject, repository, name)
	}
	cfg, err := config.Parse(filepath.Join(repo, "locsync.toml"),
		[]byte(fmt.Sprintf("[service]\nurl = %q\naccount_id = \"acc\"\n", http.URL)+project("app",
			repo)+project("later", missing)))
	check(t, err)
	store, err := boltledger.Open(t.TempDir())
	check(t, err)
	meter := NewMeter()
	requested := func(r service.Request) { meter.Requested(r.Operation, r.Status, r.Took) }
	client, err := service.New(service.Options{BaseURL: http.URL, AccountID: "acc", APIKey: "key",
		OnRequest: requested, OnTurn: meter.Turned})
	check(t, err)
	e := engine.New(engine.Parts{Config: cfg, State: store, Service: client, Log: zap.NewNop(),
		Meter: engine.Meter{Passed: meter.Passed, GitDone: meter.GitDone}})
	_, err = engine.AskBalance(t.Context(), e)
	check(t, err)
	_ = engine.CountStale(t.Context(), e) // of one project; the other's repository is not there yet
	calls.Store(0)
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
	return New(Options{Engine: e, Log: zap.NewNop(), Version: "test", Meter: meter,
		Reloaded: func() Reload { return Reload{true, read} },
		Callback: Header{"X-Bell", "dingdong"}, WebhookSecret: hookSecret}), repo, missing, calls
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func get(handler http.Handler, path string) (int, string) {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil))
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

// What is measured of a running daemon, and that nothing of the repository is in it but names that the configuration
// gives.
var measured = []string{
	"build_info", "config_last_reload_successful", "config_last_reload_success_timestamp_seconds", "ready",
	"last_success_timestamp_seconds", "last_commit_timestamp_seconds", "last_run_failed", "last_run_keys",
	"next_pull_timestamp_seconds", "pull_overdue_timestamp_seconds",
	"job_runs_total", "job_duration_seconds_count",
	"watch_mode", "watches", "watch_events_total", "watch_overflows_total",
	"unannounced_changes_total", "git_gate_closed_seconds",
	"git_operations_total", "git_duration_seconds_count",
	"scan_failed", "scan_files", "scan_duration_seconds", "files_unparsable",
	"outbox_items", "outbox_oldest_seconds", "tasks_inflight", "task_age_seconds",
	"keys_pushed_total", "keys_pulled_total", "pending_keys", "removed_keys", "problems", "conflicts",
	"conflicts_oldest_seconds", "held_batches", "translated_keys", "missing_keys",
	"stale_translations",
	"api_requests_total", "api_request_duration_seconds_count", "api_rate_limit", "api_throttled_total",
	"api_limiter_wait_seconds_count", "api_queued_requests", "breaker_open", "balance",
	"notifications_total",
	"state_bytes", "state_rebuilds_total",
}

var sample = regexp.MustCompile(`(?m)^(locsync_\w+)(?:\{(.*)\})? (\S+)$`)

func TestMetrics(t *testing.T) {
	t.Parallel()
	handler, _, _, _ := runningServer(t)
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
		return strings.Contains(body, `locsync_keys_pulled_total{language="de",project="app"} 1`) &&
			strings.Contains(body, `locsync_watch_mode{project="app"}`)
	})
	names := make(map[string]bool)
	label := regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
	allowed := []string{"project", "pass", "language", "outcome", "operation", "code", "kind", "state", "op",
		"source", "version", "go", "le"}
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
		if short := strings.TrimPrefix(name, "locsync_"); !slices.Contains(measured, short) && !strings.HasSuffix(short,
			"_bucket") && !strings.HasSuffix(short, "_sum") {
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
		`locsync_api_requests_total{code="2xx",operation="start_import"} 1`,
		`locsync_last_success_timestamp_seconds{pass="scan",project="app"} `,
		`locsync_git_operations_total{op="commit",outcome="ok"} 1`, `locsync_git_gate_closed_seconds{project="app"} 0`,
		`locsync_api_queued_requests 0`,
		`locsync_config_last_reload_success_timestamp_seconds 1.7e+09`,
		`locsync_last_run_failed{pass="push",project="later"} 1`,
		`locsync_stale_translations{language="de",project="app"} 0`, `locsync_scan_failed{project="app"} 0`, `locsync_scan_failed{project="later"} 1`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("not measured: %s\n%s", want, body)
		}
	}
	if strings.Contains(body, `locsync_last_success_timestamp_seconds{pass="push",project="later"}`) {
		t.Error("a project that never worked has a last success")
	}
	for _, never := range []string{`locsync_files_unparsable{project="later"}`,
		`locsync_pending_keys{project="later"}`} {
		if strings.Contains(body, never) {
			t.Errorf("nobody can know that: %s", never)
		}
	}
	lint(t, body)
	promtool(t, strings.NewReader(body), "check", "metrics")
	alertsOn(t, body)
}

// A repository that goes away takes no trouble along that was told of: what did not parse, what waits and what is held
// back is as it was seen last, in the metrics and the status, until it is seen again.
func TestMetricsOfARepositoryThatIsGone(t *testing.T) {
	t.Parallel()
	handler, repo, _, _ := runningServer(t)
	told := []string{`locsync_files_unparsable{project="app"} 1`, `locsync_scan_files{project="app"} 2`,
		`locsync_scan_failed{project="app"} 0`}
	all := func(body string) bool {
		return !slices.ContainsFunc(told, func(want string) bool { return !strings.Contains(body, want) })
	}
	until(t, handler, "/metrics", func(_ int, body string) bool {
		return all(body) && strings.Contains(body, `locsync_keys_pushed_total{project="app"} 1`)
	})
	git := filepath.Join(repo, ".git")
	check(t, os.Rename(git, git+".gone"))
	told[2] = `locsync_scan_failed{project="app"} 1`
	until(t, handler, "/api/status", func(_ int, body string) bool {
		return strings.Contains(body, "nothing can be told of this project but what was seen at ") &&
			strings.Count(body, `"path": "secret-path/`) == 2 && strings.Contains(body, "broken.json:1:")
	})
	until(t, handler, "/metrics", func(_ int, body string) bool { return all(body) })
	check(t, os.RemoveAll(git)) // a git that was at work makes the folder of what it writes
	check(t, os.Rename(git+".gone", git))
	told[2] = `locsync_scan_failed{project="app"} 0`
	until(t, handler, "/api/status", func(_ int, body string) bool {
		return !strings.Contains(body, "was seen at") && strings.Contains(body, "broken.json:1:")
	})
	until(t, handler, "/metrics", func(_ int, body string) bool { return all(body) })
}

// lint holds the metrics to Prometheus's own rules: names, units, and a help text that says more than the name.
func lint(t *testing.T, body string) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	check(t, err)
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, m := range regexp.MustCompile(`(?m)^# HELP (locsync_\w+) ?(.*)$`).FindAllStringSubmatch(body, -1) {
		if len(m[2]) < 15 || !strings.HasSuffix(m[2], ".") {
			t.Errorf("%s: the help %q is no sentence", m[1], m[2])
		}
	}
}

// alertsOn has the ready-made rules judge what a daemon serves, as if it stayed so: of the two source files of app
// one does not parse, and later has no repository; nothing else is wrong.
func alertsOn(t *testing.T, body string) {
	t.Helper()
	rules, err := filepath.Abs(filepath.Join("..", "..", "systemd", "locsync.rules.yml"))
	check(t, err)
	var in strings.Builder
	fmt.Fprintf(&in, "rule_files: [%q]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n", rules)
	for _, m := range sample.FindAllStringSubmatch(body, -1) {
		fmt.Fprintf(&in, "      - {series: '%s{%s}', values: '%sx120'}\n", m[1], m[2], m[3])
	}
	in.WriteString(`    alert_rule_test:
      - {alertname: LocsyncNoSuccessfulPull, eval_time: 110m}
      - {alertname: LocsyncHeldBack, eval_time: 110m}
      - alertname: LocsyncFileUnparsable
        eval_time: 110m
        exp_alerts:
          - exp_labels: {severity: warning, project: app}
            exp_annotations:
              summary: "1 source file(s) of app do not parse"
              description: "Their keys are not pushed. locsync check on the repository shows file, line and column."
      - alertname: LocsyncRepositoryUnreadable
        eval_time: 110m
        exp_alerts:
          - exp_labels: {severity: warning, project: later}
            exp_annotations:
              summary: "The repository of later cannot be read"
              description: "Nothing of later on  is pushed or pulled, and what other alerts say of its files is from before. locsync status says why."
`)
	file := filepath.Join(t.TempDir(), "live_test.yml")
	check(t, os.WriteFile(file, []byte(in.String()), 0o600))
	promtool(t, nil, "test", "rules", file)
}

// Whatever the projects, the service and git hosts say: the labels hold names that the configuration gives and words of
// ours, there are as many series as it has projects and languages, and the metrics are sound.
func TestMetricsCardinality(t *testing.T) {
	foreign := rapid.Custom(func(t *rapid.T) string {
		return "FOREIGN" + rapid.SampledFrom([]string{"", "\"", "\\", "\n", "\xff\xfe", "{a=\"b\"}", "../../etc", "é",
			"<b>", "\x00"}).Draw(t, "text") + rapid.StringN(0, 8, 40).Draw(t, "more")
	})
	var series map[string]bool // of the first example; the others have no further ones
	rapid.Check(t, func(t *rapid.T) {
		text := func() string { return foreign.Draw(t, "foreign") }
		past := func() *report.Past {
			return &report.Past{At: time.Now(), GoodAt: time.Now(),
				Result: rapid.SampledFrom([]string{text(), report.ResultOK, report.ResultFailed}).Draw(t, "result"),
				Commit: text(), Error: text(), Problems: []report.Problem{{File: text()}}}
		}
		next := time.Now()
		status := report.ProjectStatus{Name: "app", ID: text(), State: text(), LastPush: past(),
			LastPull: past(), NextPull: &next,
			Delivery: report.Delivery{Base: text(), RequestURL: text()},
			Process: report.Process{Overdue: next, Seen: next,
				Watch: &report.Watching{Mode: rapid.SampledFrom([]string{"event", "poll"}).Draw(t, "mode"),
					Why: text()}},
			Languages: []report.LanguageStatus{{Language: "de"}}}
		for range rapid.IntRange(0, 20).Draw(t, "many") {
			status.Files = append(status.Files, report.FileStatus{Path: text(), Format: text(),
				Collection: text(), Error: text()})
			status.Problems = append(status.Problems, report.Problem{File: text(), Key: text(),
				Language: text(), Problem: text()})
			status.Conflicts = append(status.Conflicts, report.Conflict{File: text(), Language: text(), Key: text(),
				Ours: map[string]string{text(): text()}})
			status.Orphaned = append(status.Orphaned, report.Problem{File: text(), Key: text()})
			status.Jobs = append(status.Jobs, report.Job{Kind: text()}, report.Job{Kind: "import", Known: true})
			status.Lines = append(status.Lines, report.LineStatus{Base: text(), Branch: text(),
				Collections: []string{text()}})
		}
		meter := NewMeter()
		meter.Passed(pass.Passed{Project: "app", Pass: "pull", Result: report.ResultOK,
			Brought: map[string]int{"de": 1}, Committed: true})
		meter.Passed(pass.Passed{Project: "app", Pass: "push", Result: report.ResultSkipped})
		meter.Passed(pass.Passed{Project: "app", Pass: "push", Result: report.ResultFailed, Sent: 1})
		meter.Requested("start import ("+text()+")", 200+rapid.IntRange(0, 99).Draw(t, "status"), time.Second)
		meter.Turned(time.Second)
		measured := new(sink)
		measured.project(status, make(map[string][]report.Job))
		registry := prometheus.NewRegistry()
		registry.MustRegister(measured)
		told := httptest.NewRecorder()
		all := prometheus.Gatherers{registry, meter.registry}
		promhttp.HandlerFor(all, promhttp.HandlerOpts{}).ServeHTTP(told, httptest.NewRequest("GET", "/metrics", nil))
		if told.Code != http.StatusOK {
			t.Fatal(told.Body)
		}
		now := make(map[string]bool)
		for _, m := range sample.FindAllStringSubmatch(told.Body.String(), -1) {
			if strings.Contains(strings.ToUpper(m[2]), "FOREIGN") {
				t.Fatalf("of the repository: %s", m[0])
			}
			now[m[1]+m[2]] = true
		}
		if series == nil {
			series = now
		}
		for name := range now {
			if !series[name] {
				t.Fatalf("a series of its own: %s", name)
			}
		}
	})
}

// Readiness names every project that does not work yet, with the reason, and comes by itself when the reason goes.
func TestReadyTellsWhy(t *testing.T) {
	handler, _, missing, _ := runningServer(t)
	body := until(t, handler, "/readyz", func(code int, body string) bool {
		return code == http.StatusServiceUnavailable && !strings.Contains(body, `"app"`) &&
			!strings.Contains(body, "not checked yet")
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

// The metrics that systemd/README.md explains are measured.
func TestExplainedMetrics(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "systemd", "README.md"))
	check(t, err)
	_, table, _ := strings.Cut(string(text), "| metric | tells |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	said := 0
	for row := range strings.Lines(table) {
		names, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(names, -1) {
			said++
			if !slices.Contains(measured, m[1]) && !slices.Contains(measured, m[1]+"_count") {
				t.Errorf("systemd/README.md explains %s, which is not measured", m[1])
			}
		}
	}
	if said < 15 {
		t.Errorf("systemd/README.md explains %d metrics", said)
	}
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
