package web

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// Meter counts what happens while a process lives, whatever configurations come and go. Its methods are what a service
// client and an engine call.
type Meter struct {
	registry                     *prometheus.Registry // of all of them
	runs, skipped, sent, brought *prometheus.CounterVec
	requests, git, notifications *prometheus.CounterVec
	durations, answers, gitTook  *prometheus.HistogramVec
	commits                      *prometheus.GaugeVec
	throttled                    prometheus.Counter
	limiterWaits                 prometheus.Histogram
}

// What becomes of webhooks and notifications.
const (
	outcomeWoken    = "woken"    // a pass begins
	outcomeHeard    = "heard"    // there was no reason to
	outcomeRepeated = "repeated" // it was heard before
	outcomeRefused  = "refused"  // without the secret, or could not be read
)

// buckets of durations, in seconds: from what is not noticed to half an hour.
var buckets = []float64{.05, .2, 1, 5, 20, 60, 300, 1800}

// NewMeter makes a meter that has counted nothing.
func NewMeter() *Meter {
	registry := prometheus.NewRegistry()
	in := promauto.With(registry)
	number := func(name, help string, labels ...string) *prometheus.CounterVec {
		return in.NewCounterVec(prometheus.CounterOpts{Name: "locsync_" + name, Help: help}, labels)
	}
	seconds := func(name, help string, labels ...string) *prometheus.HistogramVec {
		o := prometheus.HistogramOpts{Name: "locsync_" + name, Help: help, Buckets: buckets}
		return in.NewHistogramVec(o, labels)
	}
	m := &Meter{
		registry:  registry,
		runs:      number("job_runs_total", "Passes that ended.", "project", "pass", "outcome"),
		durations: seconds("job_duration_seconds", "How long passes took.", "project", "pass"),
		skipped: number("job_skipped_total", "Passes that did not begin: git was at work, or a branch was checked out "+
			"that is not pushed from.", "project", "pass"),
		sent:    number("keys_pushed_total", "Values sent, translations included.", "project"),
		brought: number("keys_pulled_total", "Translations added, changed and removed by pulls.", "project", "language"),
		commits: in.NewGaugeVec(prometheus.GaugeOpts{Name: "locsync_last_commit_timestamp_seconds",
			Help: "When a pull last made a commit, since this process began."}, []string{"project"}),
		requests: number("api_requests_total", "Requests to the service.", "operation", "code"),
		answers: seconds("api_request_duration_seconds", "How long the service took to answer, waiting for the "+
			"budget not included.", "operation"),
		throttled: in.NewCounter(prometheus.CounterOpts{Name: "locsync_api_throttled_total",
			Help: "Requests that the service refused because there were too many (429)."}),
		limiterWaits: in.NewHistogram(prometheus.HistogramOpts{Name: "locsync_api_limiter_wait_seconds",
			Help: "How long requests to the service waited for the budget.", Buckets: buckets}),
		git: number("git_operations_total", "What was asked of git remotes (list, fetch, blobs, push), and commits "+
			"that were made.", "op", "outcome"),
		gitTook: seconds("git_duration_seconds", "How long what was asked of git remotes, and commits, took.", "op"),
		notifications: number("notifications_total", "Webhooks of git hosts and notifications of the service.", "source",
			"outcome"),
	}
	// From 0 on: else the first one of a kind would be no increase.
	for _, source := range []string{"github", "gitlab", "gitea", "bitbucket", "azure", "service"} {
		for _, outcome := range []string{outcomeWoken, outcomeHeard, outcomeRepeated, outcomeRefused} {
			m.notifications.WithLabelValues(source, outcome)
		}
	}
	return m
}

// Passed counts a pass.
func (m *Meter) Passed(p pass.Passed) {
	if p.Result == report.ResultSkipped {
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
	if i := strings.IndexFunc(operation, func(c rune) bool { return c != ' ' && (c < 'a' || c > 'z') }); i >= 0 {
		operation = operation[:i] // a language may follow it
	}
	operation = strings.ReplaceAll(strings.TrimSpace(operation), " ", "_")
	m.requests.WithLabelValues(operation, code).Inc()
	m.answers.WithLabelValues(operation).Observe(took.Seconds())
	if status == 429 {
		m.throttled.Inc()
	}
}

// Turned counts how long a request waited for the budget.
func (m *Meter) Turned(waited time.Duration) { m.limiterWaits.Observe(waited.Seconds()) }

// GitDone counts what was asked of a git remote, or a commit; op and outcome are words of package gitops.
func (m *Meter) GitDone(op, outcome string, took time.Duration) {
	m.git.WithLabelValues(op, outcome).Inc()
	m.gitTook.WithLabelValues(op).Observe(took.Seconds())
}

// notified counts a webhook or a notification.
func (m *Meter) notified(source, outcome string) {
	if m != nil {
		m.notifications.WithLabelValues(source, outcome).Inc()
	}
}
