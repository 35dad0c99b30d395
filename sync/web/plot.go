package web

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// plot is how many keys went each way on each day: a bar up for what was pushed, a bar down for what was pulled. Lengths are logarithms: a first push of
// everything would else leave nothing to be seen of all that follows.
type plot struct {
	Up, Down       string // the bars, as paths
	Lines          string // one for each power of ten, as a path
	Width          int
	Most           int    // what the outermost line stands for
	Pushed, Pulled int    // all together
	First, Last    string // days
	Days           []report.Day
}

// The plot's own measures: its days are one unit wide, behind some room for the numbers; its bars are at most plotHeight high.
const (
	plotRoom   = 4
	plotHeight = 50
)

// plotOf draws days, of which there is at least one that brought something; else nil.
func plotOf(days []report.Day) *plot {
	p := &plot{Most: 10, Width: plotRoom + len(days)}
	for _, d := range days {
		for _, n := range []int{d.Pushed, d.Pulled} {
			for n > p.Most && p.Most < math.MaxInt/10 {
				p.Most *= 10
			}
		}
		p.Pushed += d.Pushed
		p.Pulled += d.Pulled
		if d.Pushed+d.Pulled > 0 {
			p.Days = append(p.Days, d)
		}
	}
	if len(p.Days) == 0 {
		return nil
	}
	height := func(n int) float64 { return plotHeight * math.Log10(1+float64(n)) / math.Log10(1+float64(p.Most)) }
	var up, down, lines strings.Builder
	for i, d := range days {
		x := float64(plotRoom+i) + .5
		if d.Pushed > 0 {
			fmt.Fprintf(&up, "M%g %dv-%.1f", x, plotHeight, height(d.Pushed))
		}
		if d.Pulled > 0 {
			fmt.Fprintf(&down, "M%g %dv%.1f", x, plotHeight, height(d.Pulled))
		}
	}
	for n := p.Most; n >= 10; n /= 10 {
		fmt.Fprintf(&lines, "M0 %.1fh%dM0 %.1fh%d", plotHeight-height(n), p.Width, plotHeight+height(n), p.Width)
	}
	p.Up, p.Down, p.Lines = up.String(), down.String(), lines.String()
	p.First, p.Last = dayInWords(days[0].Date), dayInWords(days[len(days)-1].Date)
	return p
}

func dayInWords(date string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return text(date)
	}
	return day.Format("2 Jan")
}
