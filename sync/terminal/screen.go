package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"
	"golang.org/x/term"

	"github.com/locsync/locsync/sync/report"
)

// Screen is what a person reads results on. At a terminal that has them it gives texts colours, and breaks lines where
// the terminal ends; in a pipe it gives nothing but text, as long as it is, since scripts look for
// whole lines. All text that it is given is made printable first (see report.Printable), so that only this
// program's own escapes reach a terminal.
type Screen struct {
	to       io.Writer
	file     *os.File // that to ends in; nil where it is not a terminal
	terminal bool
	dumb     bool // it knows no escape sequences
	colours  bool
	width    int // in columns; 0 is without an end
	height   int // in lines; 0 is without an end

	All bool // a dry run shows all values
}

// NewScreen is the screen behind what is written to to. File is what to ends in: where that is not a terminal, or nil,
// only text is written.
func NewScreen(to io.Writer, file *os.File) *Screen {
	if file == nil || !term.IsTerminal(int(file.Fd())) {
		return &Screen{to: to}
	}
	s := &Screen{to: to, file: file, terminal: true, dumb: os.Getenv("TERM") == "dumb"}
	s.colours = !s.dumb && os.Getenv("NO_COLOR") == ""
	s.measure()
	return s
}

// Appearance is how large the screen is, and whether it shows colours.
func (s *Screen) Appearance() (columns, lines int, colours bool) { return s.width, s.height, s.colours }

// measure asks a terminal how large it is. One that does not say is taken for the usual one.
func (s *Screen) measure() {
	s.width, s.height = 80, 24
	if w, h, err := term.GetSize(int(s.file.Fd())); err == nil && w > 0 && h > 0 {
		s.width, s.height = w, h
	}
}

// style is how a text looks where there are colours: the number of an escape sequence (ECMA-48, SGR). The eight basic
// colours are the terminal's own, so that they can be read on a dark ground and on a light one.
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
func (s *Screen) in(st style, text string) string {
	text = report.Printable(text)
	if !s.colours || st == plainly || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// when is a time for people at a terminal, by their own clock, and in UTC elsewhere.
func (s *Screen) when(at, now time.Time) string {
	if !s.terminal {
		return report.InUTC(at)
	}
	return Ago(at, now) + " (" + local(at, now) + ")"
}

// at is when without how long ago that is.
func (s *Screen) at(at time.Time) string {
	if !s.terminal {
		return report.InUTC(at)
	}
	return local(at, at.Local())
}

// Text writes a text, at a terminal broken between words.
func (s *Screen) Text(indent, text string) { s.line(indent, plainly, text) }

// line writes a text behind what leads to it. At a terminal it is broken between words, and its further lines stand a
// bit further in. In a pipe, and where blanks beside each other may be what the text is about, it stays as it is.
func (s *Screen) line(lead string, leads style, text string) {
	begin := strings.TrimLeft(lead, " ")
	indent := lead[:len(lead)-len(begin)]
	lead, text = report.Printable(begin), report.Printable(text)
	if s.width == 0 || strings.Contains(text, "  ") {
		fmt.Fprintf(s.to, "%s%s%s\n", indent, s.in(leads, lead), text)
		return
	}
	further := indent + "    "
	for i, part := range Wrapped(lead+text, max(20, s.width-Columns(further))) {
		rest, led := strings.CutPrefix(part, lead)
		switch {
		case i > 0:
			fmt.Fprintf(s.to, "%s%s\n", further, part)
		case led:
			fmt.Fprintf(s.to, "%s%s%s\n", indent, s.in(leads, lead), rest)
		default:
			fmt.Fprintf(s.to, "%s%s\n", indent, part)
		}
	}
}

// Remark prints what the program says at a terminal: the lead in the colour of its weight, and each line broken by
// itself. Elsewhere it prints nothing, and reports false.
func (s *Screen) Remark(level zapcore.Level, text string) (printed bool) {
	if !s.terminal {
		return false
	}
	colour := red
	if level < zapcore.ErrorLevel {
		colour = yellow
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		lead := ""
		for _, begin := range []string{"locsync: warning: ", "locsync: "} {
			if strings.HasPrefix(line, begin) {
				lead = begin
				break
			}
		}
		s.line(lead, colour, line[len(lead):])
	}
	return true
}
