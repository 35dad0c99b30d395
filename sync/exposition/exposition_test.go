package exposition

import (
	"cmp"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"pgregory.net/rapid"
)

// official is what Prometheus's own library serves of collectors.
func official(t *testing.T, collectors ...prometheus.Collector) (text, kind string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors...)
	answer := httptest.NewRecorder()
	asked := httptest.NewRequest("GET", "/metrics", nil)
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(answer, asked)
	return answer.Body.String(), answer.Header().Get("Content-Type")
}

func written(p *Page) string {
	var b strings.Builder
	_, _ = p.WriteTo(&b)
	return b.String()
}

// What is counted is written byte by byte as Prometheus's own library writes it.
func TestAsTheOfficialLibrary(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab\\\"\n{}, é=\u2028")))
		help := text.Draw(r, "help") + "."
		labels := slices.Compact(slices.Sorted(slices.Values(
			rapid.SliceOfN(rapid.SampledFrom([]string{"project", "pass", "language", "Zone", "a_b"}), 0, 3).Draw(r,
				"labels"))))
		if rapid.Bool().Draw(r, "backwards") {
			slices.Reverse(labels)
		}
		bounds := []float64{.05, .25, 1, 20, 1800, 1e7}
		counters := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "x_total", Help: help}, labels)
		gauges := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "b_now", Help: help}, labels)
		histograms := prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Name: "s_seconds", Help: help, Buckets: bounds}, labels)
		counted := NewVector(Family{"x_total", help, Counter, labels})
		now := NewVector(Family{"b_now", help, Gauge, labels})
		observed := NewHistogram(Family{"s_seconds", help, Histogram, labels}, bounds)
		// Quarters are added without rounding, whatever is added first.
		many := rapid.IntRange(1, 20).Draw(r, "many")
		for range many {
			values := make([]string, len(labels))
			for i := range values {
				values[i] = text.Draw(r, "value")
			}
			v := float64(rapid.OneOf(rapid.IntRange(0, 100), rapid.SampledFrom([]int{80, 4e7, 1 << 42})).Draw(r,
				"number")) / 4
			counters.WithLabelValues(values...).Add(v)
			gauges.WithLabelValues(values...).Set(-v)
			histograms.WithLabelValues(values...).Observe(v)
			counted.Add(v, values...)
			now.Set(-v, values...)
			observed.Observe(v, values...)
		}
		page := NewPage()
		for _, v := range []*Vector{observed, counted, now} {
			v.Show(page)
		}
		want, kind := official(t, counters, gauges, histograms)
		if got := written(page); got != want {
			r.Fatalf("written:\n%s\nwant:\n%s", got, want)
		}
		if !strings.HasPrefix(kind, ContentType) {
			r.Fatalf("the official content type is %q", kind)
		}
	})
}

// numbers are the samples of a text, and its other lines.
func numbers(t *testing.T, text string) (samples map[string]float64, about []string) {
	t.Helper()
	samples = make(map[string]float64)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			about = append(about, line)
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		v, err := strconv.ParseFloat(line[i+1:], 64)
		if err != nil {
			t.Fatal(err)
		}
		samples[line[:i]] = v
	}
	return samples, about
}

// What is told of the process has the names and words of Prometheus's own library, and about its numbers.
func TestProcess(t *testing.T) {
	page := NewPage()
	ShowProcess(page)
	text, _ := official(t, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	want, wantAbout := numbers(t, text)
	got, about := numbers(t, written(page))
	if !slices.Equal(about, wantAbout) {
		t.Errorf("\n%s\nwant\n%s", strings.Join(about, "\n"), strings.Join(wantAbout, "\n"))
	}
	for name, w := range want {
		g, there := got[name]
		switch {
		case !there:
			t.Errorf("%s is missing", name)
		case slices.Contains([]string{"process_start_time_seconds", "process_max_fds", "go_gc_gogc_percent",
			"process_virtual_memory_max_bytes", "go_gc_gomemlimit_bytes", "go_sched_gomaxprocs_threads"}, name) &&
			g != w:
			t.Errorf("%s is %v, want %v", name, g, w)
		case strings.HasSuffix(name, "_bytes") && (g > 2*w+1<<20 || w > 2*g+1<<20):
			t.Errorf("%s is %v, and the official library says %v", name, g, w)
		}
	}
	if len(got) != len(want) || cmp.Compare(got["process_open_fds"], 3) < 0 {
		t.Errorf("%d samples, want %d; %v open files", len(got), len(want), got["process_open_fds"])
	}
}
