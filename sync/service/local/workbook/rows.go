package workbook

import (
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// Cell is what a cell shows. Text says that it was written as a text, and not as a number, date or formula.
type Cell struct {
	Value string
	Text  bool
}

// Rows hands on the rows of a sheet that are there, by their number from 1, each with its cells from the first column
// on, of which there are at most so many. The next row takes the memory of the one before.
func (b *Book) Rows(sheet string, columns int, each func(row int, cells []Cell) error) error {
	row, cells := 0, []Cell(nil)
	end := func() error {
		if row == 0 {
			return nil
		}
		return each(row, cells)
	}
	err := b.elements(b.part(sheet), func(d *decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "row":
			if err := end(); err != nil {
				return err
			}
			next, err := rowOf(e, row)
			row, cells = next, cells[:0]
			return err
		case "c":
			x, err := columnOf(e, row, len(cells))
			switch {
			case err != nil:
				return err
			case x >= columns:
				return fmt.Errorf("row %d: %w", row, &bound.Exceeded{What: "columns", Most: int64(columns)})
			}
			for len(cells) < x {
				cells = append(cells, Cell{})
			}
			c, err := b.cell(d, e)
			cells = append(cells, c)
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// rowOf is the number of a row behind another.
func rowOf(e xml.StartElement, before int) (int, error) {
	row := before + 1
	if said := attribute(e, "r"); said != "" {
		n, err := strconv.Atoi(said)
		if err != nil || n <= before {
			return before, fmt.Errorf("row %.20q behind row %d", said, before)
		}
		row = n
	}
	if row > mostRows {
		return before, &bound.Exceeded{What: "rows", Most: mostRows}
	}
	return row, nil
}

// columnOf is the column of a cell, from 0, of which those before next are taken.
func columnOf(e xml.StartElement, row, next int) (int, error) {
	at := attribute(e, "r")
	if at == "" {
		return next, nil
	}
	letters := strings.TrimRight(at, "0123456789")
	x, err := Column(letters)
	if n, wrong := strconv.Atoi(at[len(letters):]); err != nil || wrong != nil || n != row || x < next {
		return 0, fmt.Errorf("cell %.20q in row %d, behind column %d", at, row, next)
	}
	return x, nil
}

// cell reads a cell to its end.
func (b *Book) cell(d *decoder, e xml.StartElement) (Cell, error) {
	kind := attribute(e, "t")
	var value, inline string
	for {
		t, err := d.Token()
		if err != nil {
			return Cell{}, err
		}
		switch t := t.(type) {
		case xml.EndElement:
			return b.shown(kind, value, inline)
		case xml.StartElement:
			switch t.Name.Local {
			case "v":
				value, err = valueOf(d)
			case "is":
				inline, err = textOf(d)
			default:
				err = d.skip()
			}
			if err != nil {
				return Cell{}, err
			}
		}
	}
}

// valueOf reads an element to its end: the text in it that is in no other element.
func valueOf(d *decoder) (string, error) {
	var value strings.Builder
	for depth := 1; ; {
		t, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth--; depth == 0 {
				return value.String(), nil
			}
		case xml.CharData:
			if depth == 1 {
				value.Write(t)
			}
		}
		if value.Len() > mostWord {
			return "", &bound.Exceeded{What: "bytes", Most: mostWord}
		}
	}
}

func (b *Book) shown(kind, value, inline string) (Cell, error) {
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(b.shared) {
			return Cell{}, fmt.Errorf("there is no shared text %.20q", value)
		}
		return Cell{b.shared[i], true}, nil
	case "inlineStr":
		return Cell{inline, true}, nil
	case "str":
		return Cell{unescape(value), false}, nil
	case "b":
		return Cell{map[string]string{"0": "FALSE", "1": "TRUE"}[value], false}, nil
	}
	return Cell{value, false}, nil
}

// Column is the number of a column, from 0.
func Column(letters string) (int, error) {
	n := 0
	for _, c := range strings.ToUpper(letters) {
		if c < 'A' || c > 'Z' || n > mostColumns {
			n = mostColumns + 1
			break
		}
		n = 26*n + int(c-'A') + 1
	}
	if n == 0 || n > mostColumns {
		return 0, errors.New("no letters of a column")
	}
	return n - 1, nil
}

// Name is the name of a cell: the column counts from 0, the row from 1.
func Name(column, row int) string {
	var letters string
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		letters = string(rune('A'+(n-1)%26)) + letters
	}
	return letters + strconv.Itoa(row)
}

// unescape undoes what workbooks write for characters that XML cannot hold: _x000D_.
func unescape(text string) string {
	var b strings.Builder
	for {
		before, code, ok := cutEscape(text)
		if !ok {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		b.WriteRune(code)
		text = text[len(before)+len("_x0000_"):]
	}
}

// cutEscape finds the first _xHHHH_.
func cutEscape(text string) (before string, code rune, ok bool) {
	for at := 0; ; at++ {
		next := strings.Index(text[at:], "_x")
		if next < 0 {
			return text, 0, false
		}
		if at += next; len(text) < at+7 {
			return text, 0, false
		}
		if text[at+6] == '_' {
			if n, err := strconv.ParseUint(text[at+2:at+6], 16, 16); err == nil && (n < 0xd800 || n > 0xdfff) {
				return text[:at], rune(n), true
			}
		}
	}
}

// escapeBegins is the text that an escape begins with: what follows it may be one itself.
var escapeBegins = regexp.MustCompile(`_(x[0-9A-Fa-f]{4})`)

// escape is the way back: texts that look like an escape, and what XML cannot hold.
func escape(text string) string {
	var b strings.Builder
	for _, r := range escapeBegins.ReplaceAllString(text, "_x005F_$1") {
		if r < ' ' && r != '\t' && r != '\n' || r == '\ufffe' || r == '\uffff' {
			fmt.Fprintf(&b, "_x%04X_", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
