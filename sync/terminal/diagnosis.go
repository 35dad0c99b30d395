package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/locsync/locsync/sync/report"
)

// levelStyles is how a level looks.
var levelStyles = map[string]style{report.LevelOK: green, report.LevelWarning: yellow, report.LevelFault: red,
	report.LevelSkipped: faint}

// Diagnosis prints findings by area: level, what was looked at, what was found, and below it what to do.
func (s *Screen) Diagnosis(d report.Diagnosis) {
	fmt.Fprintf(s.to, "locsync doctor, %s\n", s.at(d.At))
	widest := 0
	for _, f := range d.Findings {
		widest = max(widest, Columns(f.Check))
	}
	area := ""
	counts := make(map[string]int)
	for _, f := range d.Findings {
		counts[f.Level]++
		title := f.Area
		if f.Project != "" {
			title += " " + f.Project
		}
		if title != area {
			area = title
			fmt.Fprintf(s.to, "\n%s\n", s.in(strong, title))
		}
		s.finding(s.to, f, widest)
	}
	parts := []string{}
	for _, l := range []string{report.LevelOK, report.LevelWarning, report.LevelFault, report.LevelSkipped} {
		words := map[string]string{report.LevelOK: fmt.Sprintf("%d ok", counts[l]), report.LevelWarning: Count(counts[l],
			"warning"), report.LevelFault: Count(counts[l], "fault"),
			report.LevelSkipped: fmt.Sprintf("%d skipped", counts[l])}
		if counts[l] > 0 || l == report.LevelFault {
			parts = append(parts, s.in(levelStyles[l], words[l]))
		}
	}
	fmt.Fprintf(s.to, "\n%s\n", strings.Join(parts, ", "))
}

// finding prints one.
func (s *Screen) finding(w io.Writer, f report.Finding, widest int) {
	const levels = len(report.LevelWarning)
	begin := 2 + levels + 2 + widest + 2
	columns := 0
	if s.width > 0 {
		columns = max(s.width-begin, 30)
	}
	space := strings.Repeat(" ", begin)
	for i, line := range Wrapped(report.Printable(f.Found), columns) {
		if i == 0 {
			line = "  " + s.in(levelStyles[f.Level], f.Level) + strings.Repeat(" ", levels-len(f.Level)+2) +
				Padded(f.Check, widest+2) + line
		} else {
			line = space + line
		}
		fmt.Fprintln(w, line)
	}
	if f.Do == "" {
		return
	}
	for i, line := range Wrapped(report.Printable(f.Do), max(0, columns-3)) {
		mark := "   "
		if i == 0 {
			mark = "-> "
		}
		fmt.Fprintln(w, space+s.in(strong, mark+line))
	}
}
