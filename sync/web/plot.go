package web

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// plot is how many keys went each way on each day: a bar up for what was pushed, a bar down for what was pulled. Each
// direction has a linear scale of its own, since a first push of everything would leave nothing to be seen of pulls.
type plot struct {
	Up, Down           string // the bars, as paths
	Lines              string // at half and at all of each scale, as a path
	Width              int
	MostUp, MostDown   int    // what the outermost lines mean
	Pushed, Pulled     int    // all together
	FirstDay, FinalDay string // as people write days
	Days               []report.Day
}

// The plot's own measures: its days are one unit wide, behind some space for the numbers; its bars are at most
// plotHeight high, and at least leastBar where there is anything.
const (
	plotMargin = 4
	plotHeight = 50
	leastBar   = 1
)

// plotOf draws days, of which there is at least one that brought something; else nil.
func plotOf(days []report.Day) *plot {
	p := &plot{Width: plotMargin + len(days)}
	for _, d := range days {
		p.MostUp, p.MostDown = max(p.MostUp, d.Pushed), max(p.MostDown, d.Pulled)
		p.Pushed += d.Pushed
		p.Pulled += d.Pulled
		if d.Pushed+d.Pulled > 0 {
			p.Days = append(p.Days, d)
		}
	}
	if len(p.Days) == 0 {
		return nil
	}
	p.MostUp, p.MostDown = roundUp(p.MostUp), roundUp(p.MostDown)
	height := func(n, most int) float64 { return max(leastBar, plotHeight*float64(n)/float64(most)) }
	var up, down, lines strings.Builder
	for i, d := range days {
		x := float64(plotMargin+i) + .5
		if d.Pushed > 0 {
			fmt.Fprintf(&up, "M%g %dv-%.1f", x, plotHeight, height(d.Pushed, p.MostUp))
		}
		if d.Pulled > 0 {
			fmt.Fprintf(&down, "M%g %dv%.1f", x, plotHeight, height(d.Pulled, p.MostDown))
		}
	}
	for _, part := range []int{plotHeight / 2, plotHeight} {
		fmt.Fprintf(&lines, "M0 %dh%dM0 %dh%d", plotHeight-part, p.Width, plotHeight+part, p.Width)
	}
	p.Up, p.Down, p.Lines = up.String(), down.String(), lines.String()
	p.FirstDay, p.FinalDay = dayInWords(days[0].Date), dayInWords(days[len(days)-1].Date)
	return p
}

// roundUp is the next number that a scale may end with: 10, 20, 50, 100, and so on.
func roundUp(n int) int {
	for most := 10; most < math.MaxInt/10; most *= 10 {
		for _, times := range []int{1, 2, 5} {
			if n <= times*most {
				return times * most
			}
		}
	}
	return n
}

func dayInWords(date string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return text(date)
	}
	return day.Format("2 Jan")
}
