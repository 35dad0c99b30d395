//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// metric is what a daemon's metrics say now; 0 where they do not say it.
func (w *daemonWorld) metric(sample string) float64 {
	w.t.Helper()
	_, body := w.get("/metrics")
	for line := range strings.Lines(body) {
		if text, ok := strings.CutPrefix(line, "locsync_"+sample+" "); ok {
			value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			w.check(err)
			return value
		}
	}
	return 0
}

// moves waits until all of these have grown by at least one since they were as was says; a test of a number that never
// moves does not end well.
func (w *daemonWorld) moves(why string, was map[string]float64, samples ...string) {
	w.t.Helper()
	for _, sample := range samples {
		w.until(why+": "+sample, func() bool { return w.metric(sample) >= was[sample]+1 })
	}
}

// A daemon is led through everything that is measured, and each number moves when its time comes.
func TestMetricsMove(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	w.configure("callback_secret_env = \"BELL_SECRET\"")
	bare := gittest.Bare(t, w.repo)
	cmd := w.start()
	none := map[string]float64{}
	edit := func(text string) {
		w.check(os.WriteFile(filepath.Join(w.repo, "locales/en.json"), []byte(text), 0o644))
	}

	w.moves("the first push", none, `ready`, `job_runs_total{outcome="ok",pass="push",project="app"}`,
		`job_duration_seconds_count{pass="push",project="app"}`,
		`api_requests_total{code="2xx",operation="start_import"}`,
		`api_request_duration_seconds_count{operation="start_import"}`, `api_limiter_wait_seconds_count`,
		`last_success_timestamp_seconds{pass="push",project="app"}`,
		`last_success_timestamp_seconds{pass="scan",project="app"}`,
		`watches{project="app"}`, `scan_files{project="app"}`,
		`watch_mode{project="app"}`, `next_pull_timestamp_seconds{project="app"}`,
		`missing_keys{language="de",project="app"}`, `state_bytes`)
	if sent, overdue, next := w.metric(`keys_pushed_total{project="app"}`), w.metric(`pull_overdue_timestamp_seconds{project="app"}`), w.metric(`next_pull_timestamp_seconds{project="app"}`); sent != 2 || overdue <= next {
		t.Errorf("%v values sent; the next pull is due at %v, and overdue after %v", sent, next, overdue)
	}

	w.post("/trigger?action=pull", "")
	w.moves("a pull", none, `job_runs_total{outcome="ok",pass="pull",project="app"}`,
		`git_operations_total{op="fetch",outcome="ok"}`, `git_operations_total{op="commit",outcome="ok"}`,
		`git_operations_total{op="push",outcome="ok"}`, `git_duration_seconds_count{op="fetch"}`,
		`git_duration_seconds_count{op="commit"}`, `git_duration_seconds_count{op="push"}`,
		`last_commit_timestamp_seconds{project="app"}`, `last_success_timestamp_seconds{pass="pull",project="app"}`,
		`keys_pulled_total{language="de",project="app"}`,
		`translated_keys{language="de",project="app"}`, `api_requests_total{code="2xx",operation="download_export"}`)

	events := map[string]float64{`watch_events_total{project="app"}`: w.metric(`watch_events_total{project="app"}`),
		`keys_pushed_total{project="app"}`: 2}
	edit(`{"a": "A", "b": "B", "c": "C"}`)
	w.moves("an edit", events, `watch_events_total{project="app"}`, `keys_pushed_total{project="app"}`)

	rebase := filepath.Join(w.repo, ".git", "rebase-merge")
	w.check(os.Mkdir(rebase, 0o755))
	edit(`{"a": "A", "b": "B", "c": "C", "d": "D"}`)
	w.moves("a rebase", none, `git_gate_closed_seconds{project="app"}`)
	if got := w.metric(`keys_pushed_total{project="app"}`); got != 3 {
		t.Errorf("%v values are sent within a rebase", got)
	}
	w.check(os.Remove(rebase))
	w.moves("its end", map[string]float64{`keys_pushed_total{project="app"}`: 3}, `keys_pushed_total{project="app"}`)
	w.until("the gate is open", func() bool { return w.metric(`git_gate_closed_seconds{project="app"}`) == 0 })

	w.post("/callback/project/status", `["x"]`, "X-Locsync-Callback", "dingdong")
	w.post("/callback/project/status", `["`+daemonProject+`"]`, "X-Locsync-Callback", "dingdong")
	w.post("/callback/project/status", `["`+daemonProject+`"]`, "X-Locsync-Callback", "wrong")
	w.moves("notifications", none, `notifications_total{outcome="heard",source="service"}`,
		`notifications_total{outcome="woken",source="service"}`,
		`notifications_total{outcome="refused",source="service"}`)

	edit(`{"a": `)
	w.moves("a broken file", none, `files_unparsable{project="app"}`, `problems{project="app"}`,
		`job_runs_total{outcome="partial",pass="push",project="app"}`)
	w.check(os.Rename(bare, bare+".gone"))
	w.post("/trigger?action=pull", "")
	w.moves("no remote", none, `git_operations_total{op="fetch",outcome="failed"}`,
		`job_runs_total{outcome="failed",pass="pull",project="app"}`, `last_run_failed{pass="pull",project="app"}`)
	w.mode.Store(noImports)
	edit(`{"a": "A", "b": "B", "c": "C changed"}`)
	w.moves("no service", none, `api_requests_total{code="5xx",operation="start_import"}`,
		`last_run_failed{pass="push",project="app"}`, `pending_keys{project="app"}`)
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}
