package web

import (
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/exposition"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// Meter counts what happens while a process lives, whatever configurations come and go. Its methods are what a service
// client and an engine call.
type Meter struct {
	runs, skipped, sent, brought *exposition.Vector
	durations                    *exposition.Vector
	commits                      *exposition.Vector
	requests, answers            *exposition.Vector
	throttled, limiterWaits      *exposition.Vector
	git, gitTook                 *exposition.Vector
	notifications                *exposition.Vector
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
	number := func(name, help string, labels ...string) *exposition.Vector {
		return exposition.NewVector(*describe(name, help, labels...))
	}
	seconds := func(name, help string, labels ...string) *exposition.Vector {
		f := describe(name, help, labels...)
		f.Kind = exposition.Histogram
		return exposition.NewHistogram(*f, buckets)
	}
	m := &Meter{
		runs:      number("job_runs_total", "Passes that ended.", "project", "pass", "outcome"),
		durations: seconds("job_duration_seconds", "How long passes took.", "project", "pass"),
		skipped: number("job_skipped_total", "Passes that did not begin: git was at work, or a branch was checked out "+
			"that is not pushed from.", "project", "pass"),
		sent:    number("keys_pushed_total", "Values sent, translations included.", "project"),
		brought: number("keys_pulled_total", "Translations added, changed and removed by pulls.", "project", "language"),
		commits: number("last_commit_timestamp_seconds",
			"When a pull last made a commit, since this process began.", "project"),
		requests: number("api_requests_total", "Requests to the service.", "operation", "code"),
		answers: seconds("api_request_duration_seconds", "How long the service took to answer, waiting for the "+
			"budget not included.", "operation"),
		throttled:    number("api_throttled_total", "Requests that the service refused because there were too many (429)."),
		limiterWaits: seconds("api_limiter_wait_seconds", "How long requests to the service waited for the budget."),
		git: number("git_operations_total", "What was asked of git remotes (list, fetch, blobs, push), and commits "+
			"that were made.", "op", "outcome"),
		gitTook: seconds("git_duration_seconds", "How long what was asked of git remotes, and commits, took.", "op"),
		notifications: number("notifications_total", "Webhooks of git hosts and notifications of the service.", "source",
			"outcome"),
	}
	// From 0 on: else the first one of a kind would be no increase.
	for _, source := range []string{"github", "gitlab", "gitea", "bitbucket", "azure", "service"} {
		for _, outcome := range []string{outcomeWoken, outcomeHeard, outcomeRepeated, outcomeRefused} {
			m.notifications.Add(0, source, outcome)
		}
	}
	return m
}

// show adds what was counted to a page.
func (m *Meter) show(page *exposition.Page) {
	if m == nil {
		return
	}
	for _, v := range []*exposition.Vector{m.runs, m.durations, m.skipped, m.sent, m.brought, m.commits, m.requests,
		m.answers, m.throttled, m.limiterWaits, m.git, m.gitTook, m.notifications} {
		v.Show(page)
	}
}

// Passed counts a pass.
func (m *Meter) Passed(p pass.Passed) {
	if p.Result == report.ResultSkipped {
		m.skipped.Add(1, p.Project, p.Pass)
		return
	}
	m.runs.Add(1, p.Project, p.Pass, p.Result)
	m.durations.Observe(p.Took.Seconds(), p.Project, p.Pass)
	if p.Sent > 0 {
		m.sent.Add(float64(p.Sent), p.Project)
	}
	for language, n := range p.Brought {
		m.brought.Add(float64(n), p.Project, language)
	}
	if p.Committed {
		m.commits.Set(float64(time.Now().UnixNano())/1e9, p.Project)
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
	m.requests.Add(1, operation, code)
	m.answers.Observe(took.Seconds(), operation)
	if status == 429 {
		m.throttled.Add(1)
	}
}

// Turned counts how long a request waited for the budget.
func (m *Meter) Turned(waited time.Duration) { m.limiterWaits.Observe(waited.Seconds()) }

// GitDone counts what was asked of a git remote, or a commit; op and outcome are words of package gitops.
func (m *Meter) GitDone(op, outcome string, took time.Duration) {
	m.git.Add(1, op, outcome)
	m.gitTook.Observe(took.Seconds(), op)
}

// notified counts a webhook or a notification.
func (m *Meter) notified(source, outcome string) {
	if m != nil {
		m.notifications.Add(1, source, outcome)
	}
}

// describe is a family of the name, which says whether it counts.
func describe(name, help string, labels ...string) *exposition.Family {
	kind := exposition.Gauge
	if strings.HasSuffix(name, "_total") {
		kind = exposition.Counter
	}
	return &exposition.Family{Name: "locsync_" + name, Help: help, Kind: kind, Labels: labels}
}
