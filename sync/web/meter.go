package web

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/locsync/locsync/sync/engine"
)

// Meter counts what happens while a process lives, whatever configurations come and go. Its methods are what a service client and an engine call.
type Meter struct {
	runs, skipped, sent, brought *prometheus.CounterVec
	durations                    *prometheus.HistogramVec
	commits                      *prometheus.GaugeVec
	requests                     *prometheus.CounterVec
	answers                      *prometheus.HistogramVec
	throttled                    prometheus.Counter
}

// NewMeter makes a meter that has counted nothing.
func NewMeter() *Meter {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "locsync_" + name, Help: help}, labels)
	}
	seconds := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "locsync_" + name, Help: help, Buckets: []float64{.05, .2, 1, 5, 20, 60, 300, 1800}}, labels)
	}
	return &Meter{
		runs:      counter("job_runs_total", "Passes that ended.", "project", "pass", "outcome"),
		durations: seconds("job_duration_seconds", "How long passes took.", "project", "pass"),
		skipped:   counter("job_skipped_total", "Passes that did not begin: git was at work, or a branch was checked out that is not pushed from.", "project", "pass"),
		sent:      counter("keys_pushed_total", "Values sent, translations included.", "project"),
		brought:   counter("keys_pulled_total", "Translations added, changed and removed by pulls.", "project", "language"),
		commits: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "locsync_last_commit_timestamp_seconds",
			Help: "When a pull last made a commit, since this process began."}, []string{"project"}),
		requests: counter("api_requests_total", "Requests to the service.", "operation", "code"),
		answers:  seconds("api_request_duration_seconds", "How long the service took to answer, waiting for the budget not included.", "operation"),
		throttled: prometheus.NewCounter(prometheus.CounterOpts{Name: "locsync_api_throttled_total",
			Help: "Requests that the service refused because there were too many (429)."}),
	}
}

func (m *Meter) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.runs, m.durations, m.skipped, m.sent, m.brought, m.commits, m.requests, m.answers, m.throttled}
}

// Passed counts a pass.
func (m *Meter) Passed(p engine.Passed) {
	if p.Result == engine.ResultSkipped {
		m.skipped.WithLabelValues(p.Project, p.Pass).Inc()
		return
	}
	m.runs.WithLabelValues(p.Project, p.Pass, p.Result).Inc()
	m.durations.WithLabelValues(p.Project, p.Pass).Observe(p.Took.Seconds())
	if p.Sent > 0 {
		m.sent.WithLabelValues(p.Project).Add(float64(p.Sent))
	}
	for language, n := range p.Brought {
		m.brought.WithLabelValues(p.Project, language).Add(float64(n))
	}
	if p.Committed {
		m.commits.WithLabelValues(p.Project).SetToCurrentTime()
	}
}

// Requested counts a request to the service; status is 0 where there was no answer.
func (m *Meter) Requested(operation string, status int, took time.Duration) {
	code := "none"
	if status > 0 {
		code = strconv.Itoa(status/100) + "xx"
	}
	operation, _, _ = strings.Cut(operation, " (") // a language may stand behind it
	operation = strings.ReplaceAll(operation, " ", "_")
	m.requests.WithLabelValues(operation, code).Inc()
	m.answers.WithLabelValues(operation).Observe(took.Seconds())
	if status == 429 {
		m.throttled.Inc()
	}
}
