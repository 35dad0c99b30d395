package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// cell is a text in a table, and how it looks.
type cell struct {
	text string
	st   style
}

// Table is rows of cells whose columns are as wide as their widest cell. right says which columns hold numbers.
type Table struct {
	rows  [][]cell
	right map[int]bool
	flex  int // the column that is cut where the screen ends; -1: none
	times int // the column that holds times; -1: none
}

// NewTable begins a table with its headings.
func NewTable(headings ...string) *Table {
	t := &Table{flex: -1, times: -1}
	var cells []cell
	for _, h := range headings {
		cells = append(cells, cell{text: h, st: faint})
	}
	t.row(cells...)
	return t
}

// Numbers puts the texts of columns at their right ends.
func (t *Table) Numbers(columns ...int) {
	t.right = make(map[int]bool)
	for _, c := range columns {
		t.right[c] = true
	}
}

// Times says which column has times, as a service writes them: people at a terminal see them by their own clock.
func (t *Table) Times(column int) { t.times = column }

// Title adds a row of one text, marked as a title.
func (t *Table) Title(text string) { t.row(cell{text, strong}) }

// Empty reports whether there is nothing below the headings.
func (t *Table) Empty() bool { return len(t.rows) == 1 }

func (t *Table) row(cells ...cell) { t.rows = append(t.rows, cells) }

// Row adds a row of texts.
func (t *Table) Row(texts ...string) {
	var cells []cell
	for _, text := range texts {
		cells = append(cells, cell{text: text})
	}
	t.row(cells...)
}

// breakAt puts what rows have from a column on below their second cell.
func (t *Table) breakAt(column int) {
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

// Fit prints the table, on a screen that is narrower each row as a few lines that name what they tell: an identifier
// cannot be shortened, since people copy it.
func (t *Table) Fit(s *Screen) {
	for _, row := range t.rows[1:] {
		if t.times < 0 || t.times >= len(row) {
			continue
		}
		if at, err := time.Parse(time.RFC3339, row[t.times].text); err == nil {
			row[t.times].text = s.at(at)
		}
	}
	if s.width == 0 || t.width() <= s.width {
		t.say(s, s.to, "")
		return
	}
	for _, row := range t.rows[1:] {
		line, used := []string{}, 0
		for i, c := range row {
			name, text := t.rows[0][i].text, report.Printable(c.text)
			size := Columns(name) + 1 + Columns(text)
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

// leastFlex is how narrow the column that is cut becomes.
const leastFlex = 6

// width is how wide the table is, and least how wide with its column cut.
func (t *Table) width() int { return t.widthOn(&Screen{}) }
func (t *Table) least() int { return t.widthOn(&Screen{width: 1}) }

func (t *Table) widthOn(s *Screen) int {
	var b strings.Builder
	t.say(s, &b, "")
	widest := 0
	for line := range strings.Lines(b.String()) {
		widest = max(widest, Columns(strings.TrimSuffix(line, "\n")))
	}
	return widest
}

// say writes the table, each line with something before it.
func (t *Table) say(s *Screen, w io.Writer, indent string) {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || t.right[i] || i == t.flex { // nothing is behind the last one
				widths[i] = max(widths[i], Columns(report.Printable(c.text)))
			}
		}
	}
	if t.flex >= 0 && t.flex < len(widths) && s.width > 0 {
		whole := Columns(indent) + 2*(len(widths)-1)
		for _, w := range widths {
			whole += w
		}
		widths[t.flex] = max(min(widths[t.flex], leastFlex), widths[t.flex]-max(0, whole-s.width))
	}
	for _, row := range t.rows {
		line := indent
		for i, c := range row {
			text := report.Printable(c.text)
			if s.width > 0 && i == t.flex {
				text = Shortened(text, widths[i])
			}
			space := strings.Repeat(" ", max(0, widths[i]-Columns(text)))
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
