package web

import (
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
)

// gauges measures what the status tells.
type gauges struct {
	engine   *engine.Engine
	version  string
	meter    *Meter        // what is counted beside it
	reloaded func() Reload // nil where the configuration is read once
}

// serve answers in the Prometheus text format. Labels are project names, passes, languages and operations, never keys,
// paths or identifiers. None is called job, which scrapes give a meaning of their own.
//
// Everything that is a state is read from the status at the moment of a scrape, so there is no second set of numbers to
// keep. What happens is counted by a Meter.
func (g *gauges) serve(w http.ResponseWriter, r *http.Request) {
	now := new(sink)
	g.measure(now)
	registry := prometheus.NewRegistry()
	registry.MustRegister(now, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	all := prometheus.Gatherers{registry}
	if g.meter != nil {
		all = append(all, g.meter.registry)
	}
	promhttp.HandlerFor(all, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// family is what the numbers of one name have in common.
type family struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// describe is a family of the name, which says whether it counts.
func describe(name, help string, labels ...string) family {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(name, "_total") {
		kind = prometheus.CounterValue
	}
	return family{prometheus.NewDesc("locsync_"+name, help, labels, nil), kind}
}

var (
	buildInfo = describe("build_info", "Which program runs.", "version", "go")
	ready     = describe("ready", "1 once configuration, repositories and service have been seen to work.")
	reloadOK  = describe("config_last_reload_successful", "1 when the configuration that was read last is the one in use.")
	reloadAt  = describe("config_last_reload_success_timestamp_seconds", "When the configuration in use was read.")

	lastSuccess = describe("last_success_timestamp_seconds", "When a pass, or a scan of the files, last ended well.",
		"project", "pass")
	lastFailed  = describe("last_run_failed", "1 when the last pass ended with an error.", "project", "pass")
	lastKeys    = describe("last_run_keys", "Keys that the last pass sent or brought.", "project", "pass")
	nextPull    = describe("next_pull_timestamp_seconds", "When the next pull is due.", "project")
	pullOverdue = describe("pull_overdue_timestamp_seconds", "When two scheduled pulls will have been due since the "+
		"last one that worked.", "project")

	pendingKeys = describe("pending_keys", "Values that the next push would send.", "project")
	removedKeys = describe("removed_keys", "Keys that were pushed once and that the source no longer has.", "project")
	problemsNow = describe("problems", "Keys and files that are left out.", "project")
	conflicts   = describe("conflicts", "Translations changed on both sides that wait for a decision.", "project")
	conflictAge = describe("conflicts_oldest_seconds", "How long the oldest of them waits; 0 where there is none.",
		"project")
	heldBatches = describe("held_batches", "Files that the brake of pushes or the guard of pulls holds back.", "project")
	haveKeys    = describe("translated_keys", "Keys of the source that a language has.", "project", "language")
	missingKeys = describe("missing_keys", "Keys of the source that a language lacks.", "project", "language")
	staleTexts  = describe("stale_translations", "Translations that are older than their source texts, by git's "+
		"history; absent where that is unknown.", "project", "language")

	scanFailed = describe("scan_failed", "1 when the last scan of a project could not be made: its repository "+
		"cannot be opened, or does not answer. What else is told of its files is from before.", "project")
	scanFiles      = describe("scan_files", "Source files at the last scan.", "project")
	scanDuration   = describe("scan_duration_seconds", "How long the last scan took.", "project")
	unparsable     = describe("files_unparsable", "Source files that do not parse.", "project")
	watchMode      = describe("watch_mode", "How changes of files are noticed: 1 by events, 2 by polling.", "project")
	watches        = describe("watches", "Folders that are watched.", "project")
	watchEvents    = describe("watch_events_total", "File events that came.", "project")
	watchOverflows = describe("watch_overflows_total", "Times that the kernel lost events and everything was "+
		"scanned instead.", "project")
	unannounced = describe("unannounced_changes_total", "Full scans that found a change no event had announced.",
		"project")

	gitBusy = describe("git_gate_closed_seconds", "For how long pushes have been waiting because git is at work; "+
		"0 where they do not.", "project")

	outboxItems = describe("outbox_items", "Imports and exports that were begun and are not finished: sent, or of "+
		"which it is unknown whether the service has them.", "project", "state")
	outboxOldest  = describe("outbox_oldest_seconds", "How long ago the oldest of them was begun.", "project", "state")
	tasksInFlight = describe("tasks_inflight", "Imports and exports at the service that are not finished.", "kind")
	taskAge       = describe("task_age_seconds", "How long ago the oldest of them was begun.", "kind")

	rateLimit = describe("api_rate_limit", "Requests per second that are allowed.")
	queued    = describe("api_queued_requests", "Requests that wait for the budget.")
	balance   = describe("balance", "Words that the account had left for machine translation when the service was "+
		"asked last.")
	breakerOpen = describe("breaker_open", "1 while no request goes out because the service failed repeatedly.")
	stateBytes  = describe("state_bytes", "Size of the state file.")
	rebuilds    = describe("state_rebuilds_total", "States that were damaged and begun anew by this process.")
)

func (g *gauges) measure(m *sink) {
	m.add(buildInfo, 1, g.version, runtime.Version())
	m.add(ready, truth(g.engine.Ready() == nil))
	if g.reloaded != nil {
		r := g.reloaded()
		m.add(reloadOK, truth(r.OK))
		m.add(reloadAt, float64(r.At.Unix()))
	}
	g.parts(m)
	if !engine.Speaks(g.engine) {
		return // another process of the cluster measures the projects
	}
	tasks := make(map[string][]report.Job)
	now := g.engine.LastStatus()
	for _, p := range now.Projects {
		m.project(p, tasks)
	}
	if now.Balance != nil {
		m.add(balance, now.Balance.Words)
	}
	for _, kind := range []string{"import", "export"} {
		m.add(tasksInFlight, float64(len(tasks[kind])), kind)
		m.add(taskAge, oldest(tasks[kind]), kind)
	}
}

// parts measures what the projects have in common.
func (g *gauges) parts(m *sink) {
	if config := g.engine.Config; config != nil && !config.Service.Embedded() {
		m.add(rateLimit, config.Service.RequestsPerSecond)
	}
	if client := g.engine.Service; client != nil {
		m.add(queued, float64(client.Queued()))
		m.add(breakerOpen, truth(client.Blocked() > 0))
	}
	if store := g.engine.State; store != nil {
		_, damage := store.Rebuilt()
		m.add(stateBytes, float64(store.Size()))
		m.add(rebuilds, truth(damage != nil))
	}
}

// sink collects the numbers of one scrape.
type sink struct{ numbers []prometheus.Metric }

func (m *sink) add(f family, v float64, labels ...string) {
	m.numbers = append(m.numbers, prometheus.MustNewConstMetric(f.desc, f.kind, v, labels...))
}

// Describe names nothing: which numbers there are depends on what is known.
func (m *sink) Describe(chan<- *prometheus.Desc) {}

// Collect gives what was measured.
func (m *sink) Collect(to chan<- prometheus.Metric) {
	for _, n := range m.numbers {
		to <- n
	}
}

// project measures one project, and adds its imports and exports that the service knows of to tasks.
func (m *sink) project(p report.ProjectStatus, tasks map[string][]report.Job) {
	m.passes(p)
	m.left(p)
	m.watching(p)
	m.outbox(p, tasks)
}

// neverSeen reports whether no look at a project could tell anything of its files: a zero would say that there is
// nothing wrong with them.
func neverSeen(p report.ProjectStatus) bool { return p.Unseen && p.Seen.IsZero() }

func (m *sink) passes(p report.ProjectStatus) {
	for pass, past := range map[string]*report.Past{"push": p.LastPush, "pull": p.LastPull} {
		if past == nil {
			continue
		}
		if !past.GoodAt.IsZero() {
			m.add(lastSuccess, float64(past.GoodAt.Unix()), p.Name, pass)
		}
		m.add(lastFailed, truth(past.Result == report.ResultFailed), p.Name, pass)
		m.add(lastKeys, float64(past.Keys), p.Name, pass)
	}
	if !p.Seen.IsZero() {
		m.add(lastSuccess, float64(p.Seen.Unix()), p.Name, "scan")
	}
	if p.NextPull != nil {
		m.add(nextPull, float64(p.NextPull.Unix()), p.Name)
	}
	if !p.Overdue.IsZero() {
		m.add(pullOverdue, float64(p.Overdue.Unix()), p.Name)
	}
}

func (m *sink) left(p report.ProjectStatus) {
	m.add(problemsNow, float64(len(p.Problems)), p.Name)
	m.add(conflicts, float64(len(p.Conflicts)), p.Name)
	m.add(conflictAge, oldestConflict(p.Conflicts).Seconds(), p.Name)
	m.add(heldBatches, float64(p.Held), p.Name)
	if neverSeen(p) {
		return
	}
	if !p.PendingUnknown {
		m.add(pendingKeys, float64(p.Pending), p.Name)
	}
	m.add(removedKeys, float64(p.Removed), p.Name)
	for _, l := range p.Languages {
		m.add(haveKeys, float64(l.Keys), p.Name, l.Language)
		m.add(missingKeys, float64(l.Missing), p.Name, l.Language)
	}
	if p.Stale != nil {
		for _, l := range p.Stale.Languages {
			m.add(staleTexts, float64(l.Keys), p.Name, l.Language)
		}
	}
}

// oldestConflict is for how long the oldest of some conflicts has been waiting.
func oldestConflict(conflicts []report.Conflict) (age time.Duration) {
	for _, c := range conflicts {
		age = max(age, time.Since(c.Since))
	}
	return age
}

func (m *sink) watching(p report.ProjectStatus) {
	broken := 0
	for _, f := range p.Files {
		if f.Error != "" {
			broken++
		}
	}
	m.add(scanFailed, truth(p.Unseen), p.Name)
	if !neverSeen(p) {
		m.add(scanFiles, float64(len(p.Files)), p.Name)
		m.add(scanDuration, p.Took.Seconds(), p.Name)
		m.add(unparsable, float64(broken), p.Name)
	}
	m.add(gitBusy, p.GitBusy.Seconds(), p.Name)
	if w := p.Watch; w != nil {
		m.add(watchMode, 1+truth(w.Mode == "poll"), p.Name)
		m.add(watches, float64(w.Watches), p.Name)
		m.add(watchEvents, float64(w.Events), p.Name)
		m.add(watchOverflows, float64(w.Overflows), p.Name)
		m.add(unannounced, float64(w.Unannounced), p.Name)
	}
}

// outbox measures what was begun and is not finished, and adds what the service knows of to tasks.
func (m *sink) outbox(p report.ProjectStatus, tasks map[string][]report.Job) {
	states := map[string][]report.Job{"sent": nil, "unknown": nil}
	for _, j := range p.Jobs {
		if j.Known {
			states["sent"] = append(states["sent"], j)
			tasks[j.Kind] = append(tasks[j.Kind], j)
		} else {
			states["unknown"] = append(states["unknown"], j)
		}
	}
	for state, jobs := range states {
		m.add(outboxItems, float64(len(jobs)), p.Name, state)
		m.add(outboxOldest, oldest(jobs), p.Name, state)
	}
}

// oldest is the age of the job that was begun first, in seconds.
func oldest(jobs []report.Job) float64 {
	age := time.Duration(0)
	for _, j := range jobs {
		age = max(age, time.Since(j.Since))
	}
	return age.Seconds()
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
