// Package exposition counts, and writes numbers in Prometheus's text format (version 0.0.4), byte by byte as
// Prometheus's own Go library does, which is the second reader of its tests. That library brings Protocol Buffers and
// eight modules more, a tenth of the program; no smaller one keeps help texts and Prometheus's histograms.
package exposition

import (
	"cmp"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ContentType is what a Page is sent as.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Kind is what a family's numbers are.
type Kind string

// The kinds of families.
const (
	Gauge     Kind = "gauge"
	Counter   Kind = "counter"
	Histogram Kind = "histogram"
	Summary   Kind = "summary"
)

// Family is what samples of one name have in common.
type Family struct {
	Name, Help string
	Kind       Kind
	Labels     []string // names; each sample has values in their order
}

// sample is one line: a family's name with an end, labels and a value.
type sample struct {
	end          string // _sum, _count, _bucket
	values       []string
	label, bound string // what a histogram or summary adds
	value        float64
}

// Page is one answer.
type Page struct{ families map[*Family][]sample }

// NewPage is an answer without numbers.
func NewPage() *Page { return &Page{make(map[*Family][]sample)} }

// Add adds a sample; values are those of the family's labels.
func (p *Page) Add(f *Family, value float64, values ...string) {
	p.families[f] = append(p.families[f], sample{values: values, value: value})
}

// Quantiles adds a summary without labels.
func (p *Page) Quantiles(f *Family, at, values []float64, sum float64, count int64) {
	for i, q := range at {
		p.families[f] = append(p.families[f], sample{label: "quantile", bound: number(q), value: values[i]})
	}
	p.families[f] = append(p.families[f], sample{end: "_sum", value: sum}, sample{end: "_count", value: float64(count)})
}

// WriteTo writes families by name, and the samples of each by their labels.
func (p *Page) WriteTo(w io.Writer) (int64, error) {
	families := slices.SortedFunc(maps.Keys(p.families), func(a, b *Family) int { return cmp.Compare(a.Name, b.Name) })
	var b strings.Builder
	for _, f := range families {
		b.WriteString("# HELP " + f.Name + " " + helpText.Replace(f.Help) + "\n")
		b.WriteString("# TYPE " + f.Name + " " + string(f.Kind) + "\n")
		f.write(&b, p.families[f])
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

var (
	helpText   = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// write writes the samples of a family. Labels are sorted by name, and samples by the values in that order; those of
// one histogram keep theirs.
func (f *Family) write(b *strings.Builder, samples []sample) {
	order := make([]int, len(f.Labels))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(f.Labels[i], f.Labels[j]) })
	slices.SortStableFunc(samples, func(x, y sample) int {
		for _, i := range order {
			if c := cmp.Compare(x.values[i], y.values[i]); c != 0 {
				return c
			}
		}
		return 0
	})
	for _, s := range samples {
		b.WriteString(f.Name + s.end)
		separator := "{"
		label := func(name, value string) {
			b.WriteString(separator + name + `="` + labelValue.Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`)
			separator = ","
		}
		for _, i := range order {
			label(f.Labels[i], s.values[i])
		}
		if s.label != "" {
			label(s.label, s.bound)
		}
		if separator == "," {
			b.WriteByte('}')
		}
		b.WriteString(" " + number(s.value) + "\n")
	}
}

func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case v == 0:
		return "0" // also the negative one
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Vector counts: a number, or a histogram, for each combination of label values. It may be used by many at once.
type Vector struct {
	Family
	buckets []float64 // upper bounds; of histograms

	mu     sync.Mutex
	series map[string]*series
}

type series struct {
	values  []string
	value   float64 // the sum of a histogram
	count   uint64
	buckets []uint64 // how many were within each bound and not within the one before
}

// NewVector counts nothing yet.
func NewVector(f Family) *Vector { return newVector(f, nil) }

// NewHistogram has no observation yet. Bounds ascend.
func NewHistogram(f Family, bounds []float64) *Vector { return newVector(f, bounds) }

func newVector(f Family, buckets []float64) *Vector {
	v := &Vector{Family: f, buckets: buckets, series: make(map[string]*series)}
	if len(f.Labels) == 0 {
		v.at(nil) // known to be zero
	}
	return v
}

// at is the series of label values. The lock is held, but at the beginning.
func (v *Vector) at(values []string) *series {
	key := strings.Join(values, "\xff")
	s := v.series[key]
	if s == nil {
		s = &series{values: slices.Clone(values), buckets: make([]uint64, len(v.buckets))}
		v.series[key] = s
	}
	return s
}

// Add adds to a counter; 0 makes it known.
func (v *Vector) Add(n float64, values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.at(values).value += n
}

// Set sets a gauge.
func (v *Vector) Set(n float64, values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.at(values).value = n
}

// Observe adds an observation to a histogram.
func (v *Vector) Observe(n float64, values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.at(values)
	s.value += n
	s.count++
	if i, _ := slices.BinarySearch(v.buckets, n); i < len(s.buckets) {
		s.buckets[i]++
	}
}

// Show adds what was counted to a page.
func (v *Vector) Show(p *Page) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.series {
		if v.Kind != Histogram {
			p.Add(&v.Family, s.value, s.values...)
			continue
		}
		within, lines := uint64(0), []sample(nil)
		for i, bound := range v.buckets {
			within += s.buckets[i]
			lines = append(lines, sample{"_bucket", s.values, "le", number(bound), float64(within)})
		}
		lines = append(lines,
			sample{"_bucket", s.values, "le", "+Inf", float64(s.count)},
			sample{end: "_sum", values: s.values, value: s.value},
			sample{end: "_count", values: s.values, value: float64(s.count)})
		p.families[&v.Family] = append(p.families[&v.Family], lines...)
	}
}
