// Package terminal prints what commands say to people: reports, tables, remarks, questions, and one line of progress
// below everything else. Its law: at a terminal lines break between words and have colours, in a pipe a line stays one
// line and has none, and no text of a file or service reaches a terminal unescaped. It does not decide what is said.
package terminal

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Columns is how many columns of a terminal a text takes: two for a character of east Asian width (Unicode, UAX #11),
// none for a mark on the one before.
func Columns(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 1
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// Padded fills a text up with spaces to so many columns.
func Padded(text string, to int) string {
	return text + strings.Repeat(" ", max(0, to-Columns(text)))
}

// Shortened cuts a text to so many columns. The end of a path says more than its begin, so what is cut out is in the
// middle.
func Shortened(text string, to int) string {
	if to < 4 || Columns(text) <= to {
		return text
	}
	runes := []rune(text)
	head, tail := 0, 0
	for left := (to - 1) / 3; head < len(runes) && columnsOf(runes[head]) <= left; head++ {
		left -= columnsOf(runes[head])
	}
	for left := to - 1 - Columns(string(runes[:head])); tail < len(runes)-head; tail++ {
		if columnsOf(runes[len(runes)-1-tail]) > left {
			break
		}
		left -= columnsOf(runes[len(runes)-1-tail])
	}
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}

// Wrapped breaks a text at its spaces into lines of at most so many columns; 0 is without an end. A word that is longer
// has a line of its own.
func Wrapped(text string, to int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case line == "":
				line = word
			case to > 0 && Columns(line)+1+Columns(word) > to:
				lines, line = append(lines, line), word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// begun is a text, or so many columns of its begin.
func begun(text string, to int) string {
	if Columns(text) <= to {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if to -= columnsOf(r); to < 1 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}
