package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/locsync/locsync/sync/terminal"
)

// screen is what a person reads results on. At a terminal that has them it gives texts colours, and breaks lines where the terminal ends; in a pipe
// it gives nothing but text, as long as it is, because who reads there wants to find the same line again. All text that it is given is made printable first
// (see shown), so that only this program's own escapes reach a terminal.
type screen struct {
	to       io.Writer
	file     *os.File // that to ends in; nil where nobody looks at it
	terminal bool     // somebody looks at it
	dumb     bool     // it knows no escape sequences
	colours  bool
	width    int // in columns; 0 is without an end
	height   int // in lines; 0 is without an end
}

// screen is the one that standard output is.
func (a *app) screen() *screen {
	o := outputOf(a.out)
	switch out, ok := a.out.(printable); {
	case !ok:
		return &screen{to: a.out}
	case o == nil || a.asJSON || !term.IsTerminal(int(o.file.Fd())):
		return &screen{to: out.to}
	}
	s := attended(o.file)
	s.to = o
	return s
}

// errorScreen is the one that errors and warnings go to: standard error.
func (a *app) errorScreen() *screen {
	e, ok := a.err.(*terminal.StandardError)
	if !ok {
		return &screen{to: a.err}
	}
	f, ok := e.To.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &screen{to: e}
	}
	s := attended(f)
	s.to = e // above the line of progress
	return s
}

// attended is a terminal.
func attended(f *os.File) *screen {
	s := &screen{to: f, file: f, terminal: true, dumb: os.Getenv("TERM") == "dumb"}
	s.colours = !s.dumb && os.Getenv("NO_COLOR") == ""
	s.measure()
	return s
}

// measure asks a terminal how large it is. One that does not say is taken for the usual one.
func (s *screen) measure() {
	s.width, s.height = 80, 24
	if w, h, err := term.GetSize(int(s.file.Fd())); err == nil && w > 0 && h > 0 {
		s.width, s.height = w, h
	}
}

// style is how a text looks where there are colours: the number of an escape sequence (ECMA-48, SGR). The eight basic colours are the terminal's own, so that
// they can be read on a dark ground and on a light one.
type style string

const (
	plainly style = ""
	strong  style = "1"
	faint   style = "2"
	red     style = "31"
	green   style = "32"
	yellow  style = "33"
)

// in gives a text a style.
func (s *screen) in(st style, text string) string {
	text = shown(text)
	if !s.colours || st == plainly || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// cell is a text in a table, and how it looks.
type cell struct {
	text string
	st   style
}

// table is rows of cells whose columns are as wide as their widest cell. right says which columns hold numbers.
type table struct {
	rows  [][]cell
	right map[int]bool
	flex  int // the column that gives way where the screen ends; -1: none
}

func (t *table) row(cells ...cell) { t.rows = append(t.rows, cells) }

// plain adds a row of texts.
func (t *table) plain(texts ...string) {
	var cells []cell
	for _, text := range texts {
		cells = append(cells, cell{text: text})
	}
	t.row(cells...)
}

// breakAt puts what rows have from a column on below their second cell.
func (t *table) breakAt(column int) {
	var rows [][]cell
	for _, row := range t.rows {
		if len(row) <= column || row[column].text == "" {
			rows = append(rows, row)
			continue
		}
		rows = append(rows, row[:column], append([]cell{{}}, row[column:]...))
	}
	t.rows = rows
}

// fit prints the table, on a screen that is narrower each row as a few lines that name what they tell: an identifier cannot be shortened, since people copy it.
func (t *table) fit(s *screen) {
	if s.width == 0 || t.width() <= s.width {
		t.say(s, s.to, "")
		return
	}
	for _, row := range t.rows[1:] {
		line, used := []string{}, 0
		for i, c := range row {
			name, text := t.rows[0][i].text, shown(c.text)
			size := terminal.Columns(name) + 1 + terminal.Columns(text)
			if used > 0 && used+2+size > s.width {
				fmt.Fprintln(s.to, strings.Join(line, "  "))
				line, used = []string{""}, 0
			}
			if len(line) > 0 {
				used += 2
			}
			line, used = append(line, s.in(faint, name)+" "+text), used+size
		}
		fmt.Fprintln(s.to, strings.Join(line, "  "))
	}
}

// leastFlex is how narrow the column that gives way becomes.
const leastFlex = 6

// width is how wide the table is, and least how wide where its column has given way.
func (t *table) width() int { return t.widthOn(&screen{}) }
func (t *table) least() int { return t.widthOn(&screen{width: 1}) }

func (t *table) widthOn(s *screen) int {
	var b strings.Builder
	t.say(s, &b, "")
	widest := 0
	for line := range strings.Lines(b.String()) {
		widest = max(widest, terminal.Columns(strings.TrimSuffix(line, "\n")))
	}
	return widest
}

// say writes the table, each line with something before it.
func (t *table) say(s *screen, w io.Writer, indent string) {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || t.right[i] || i == t.flex { // nothing stands behind the last one
				widths[i] = max(widths[i], terminal.Columns(shown(c.text)))
			}
		}
	}
	if t.flex >= 0 && t.flex < len(widths) && s.width > 0 {
		whole := terminal.Columns(indent) + 2*(len(widths)-1)
		for _, w := range widths {
			whole += w
		}
		widths[t.flex] = max(min(widths[t.flex], leastFlex), widths[t.flex]-max(0, whole-s.width))
	}
	for _, row := range t.rows {
		line := indent
		for i, c := range row {
			text := shown(c.text)
			if s.width > 0 && i == t.flex {
				text = terminal.Shortened(text, widths[i])
			}
			space := strings.Repeat(" ", max(0, widths[i]-terminal.Columns(text)))
			switch {
			case t.right[i]:
				line += space + s.in(c.st, text)
			case i == len(row)-1:
				line += s.in(c.st, text)
			default:
				line += s.in(c.st, text) + space
			}
			if i < len(row)-1 {
				line += "  "
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// inUTC is a time as it is the same for everybody who reads it.
func inUTC(at time.Time) string { return at.UTC().Format(time.DateTime) + " UTC" }

// ago is how far a time is from now, roughly.
func ago(at, now time.Time) string {
	d := now.Sub(at)
	if d < 0 {
		return "in " + span(-d)
	}
	if d < 5*time.Second {
		return "just now"
	}
	return span(d) + " ago"
}

// span is a duration in its largest unit.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d/time.Hour))
	}
	return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
}

// when is a time for people at a terminal, and the same time for everybody elsewhere.
func (s *screen) when(at, now time.Time) string {
	if !s.terminal {
		return inUTC(at)
	}
	return ago(at, now) + " (" + inUTC(at) + ")"
}
