package web

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/locsync/locsync/sync/engine"
)

// metrics serves the Prometheus text format. Labels are project names, passes and languages, never keys, paths or identifiers.
func (s *server) metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(&collector{s}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// collector reads everything from the status at the moment of a scrape, so there is no second set of numbers to keep.
type collector struct{ *server }

var (
	buildInfo   = describe("build_info", "Which program runs.", "version", "go")
	ready       = describe("ready", "1 once configuration, repositories and service have been seen to work.")
	lastSuccess = describe("last_success_timestamp_seconds", "When a pass last ended well.", "project", "job")
	lastFailed  = describe("last_run_failed", "1 when the last pass ended with an error.", "project", "job")
	lastKeys    = describe("last_run_keys", "Keys that the last pass sent or brought.", "project", "job")
	pendingKeys = describe("pending_keys", "Values that the next push would send.", "project")
	removedKeys = describe("removed_keys", "Keys that were pushed once and that the source no longer has.", "project")
	problemsNow = describe("problems", "Keys and files that are left out.", "project")
	nextPull    = describe("next_pull_timestamp_seconds", "When the next pull is due.", "project")
	haveKeys    = describe("translated_keys", "Keys of the source that a language has.", "project", "language")
	missingKeys = describe("missing_keys", "Keys of the source that a language lacks.", "project", "language")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("locsync_"+name, help, labels, nil)
}

func (c *collector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(buildInfo, 1, c.Version, runtime.Version())
	gauge(ready, truth(c.Engine.Ready() == nil))
	for _, p := range c.Engine.LastStatus().Projects {
		for job, past := range map[string]*engine.Past{"push": p.LastPush, "pull": p.LastPull} {
			if past == nil {
				continue
			}
			if past.Result != engine.ResultFailed {
				gauge(lastSuccess, float64(past.At.Unix()), p.Name, job)
			}
			gauge(lastFailed, truth(past.Result == engine.ResultFailed), p.Name, job)
			gauge(lastKeys, float64(past.Keys), p.Name, job)
		}
		gauge(pendingKeys, float64(p.Pending), p.Name)
		gauge(removedKeys, float64(p.Removed), p.Name)
		gauge(problemsNow, float64(len(p.Problems)), p.Name)
		if p.NextPull != nil {
			gauge(nextPull, float64(p.NextPull.Unix()), p.Name)
		}
		for _, l := range p.Languages {
			gauge(haveKeys, float64(l.Keys), p.Name, l.Language)
			gauge(missingKeys, float64(l.Missing), p.Name, l.Language)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
