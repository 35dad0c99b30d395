package segment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/workbook"
)

// Options are what a document cannot tell about itself.
type Options struct {
	// Source is the code of the language that the document is in: a YAML file may have it as the root of its keys.
	Source string
	// Sheet, when set, is where the texts of a workbook are.
	Sheet *Sheet
}

// Sheet says where the texts of a multilingual workbook are. Columns are letters.
type Sheet struct {
	StartingRow int               // the first row with texts, from 1
	Columns     map[string]string // language code -> column
	Context     string            // what tells texts apart; optional
	Comments    []string          // what is said about texts; optional
}

// Limits that a workbook is unpacked within: what is small when packed may be anything. A few bytes name a cell far to
// the right; a few more repeat a text that is in the file once.
const (
	maxSheetBytes   = 64 << 20  // of all parts
	maxSheetCells   = 1_000_000 // of all sheets, with the blank ones to the left of others
	maxSheetColumns = 1000
	maxSheetText    = 64 << 20  // bytes of all texts, with their keys and notes
	sheetCost       = 160 << 20 // bytes of memory for a workbook
)

// parseSheet takes a workbook apart. With Options.Sheet the cells of the source column are the segments, from the
// starting row on, and translations go to the column of their language; without, every cell that holds text is a
// segment, and translations replace it.
func parseSheet(ctx context.Context, src []byte, o Options) (*Document, error) {
	book, err := openWorkbook(ctx, src)
	if err != nil {
		return nil, err
	}
	d := &Document{src: src}
	var cells []cell
	var seen sheetSize
	for _, name := range book.Sheets() {
		found, err := seen.texts(book, name, o)
		if err != nil {
			return nil, fmt.Errorf("sheet %q: %w", name, err)
		}
		cells = append(cells, found...)
	}
	for _, c := range cells {
		d.segments = append(d.segments, c.segment)
	}
	d.rewrite = func(language string, text func(int) (string, bool)) ([]byte, error) {
		return rewriteSheet(src, o, cells, language, text)
	}
	return d, nil
}

func openWorkbook(ctx context.Context, src []byte) (*workbook.Book, error) {
	book, err := workbook.Open(ctx, src, maxSheetBytes)
	if err != nil {
		return nil, fmt.Errorf("it is not a workbook that can be read: %w", err)
	}
	return book, nil
}

// cell is one text of a workbook.
type cell struct {
	sheet       string
	column, row int // from 0, from 1
	segment     Segment
}

// sheetSize is how much of a workbook was read.
type sheetSize struct{ cells, text, segments int }

func (s *sheetSize) tooMuch(row int) error {
	return fmt.Errorf("row %d: there are more than %d cells or %d bytes of text; cut it into smaller documents", row,
		maxSheetCells, maxSheetText)
}

// texts are the texts of a sheet that are to be translated, as long as the limits hold.
func (s *sheetSize) texts(book *workbook.Book, sheet string, o Options) (out []cell, err error) {
	column, context := -1, -1
	if o.Sheet != nil {
		if column, err = sheetColumn(o.Sheet.Columns[o.Source]); err != nil {
			return nil, err
		}
		if o.Sheet.Context != "" {
			if context, err = sheetColumn(o.Sheet.Context); err != nil {
				return nil, err
			}
		}
	}
	err = book.Rows(sheet, maxSheetColumns, func(y int, row []workbook.Cell) error {
		for _, c := range row {
			s.text += len(c.Value)
		}
		if s.cells += 1 + len(row); s.cells > maxSheetCells || s.text > maxSheetText {
			return s.tooMuch(y)
		}
		for x, found := range row {
			if o.Sheet != nil && (x != column || y < o.Sheet.StartingRow) || !translatable(found.Value, Plain) {
				continue
			}
			at := workbook.Name(x, y)
			if o.Sheet == nil && !found.Text {
				continue // numbers, dates and formulas
			}
			if s.segments++; s.segments > MaxSegments {
				return errSegments
			}
			c := cell{sheet, x, y, Segment{Key: sheet + "!" + at, Text: found.Value}}
			if o.Sheet != nil {
				c.segment.Key = sheet + "!" + strconv.Itoa(y)
				if context >= 0 && context < len(row) && row[context].Value != "" {
					c.segment.Key = sheet + "!" + row[context].Value
				}
				c.segment.Note = sheetNotes(row, o.Sheet.Comments)
			}
			if s.text += len(c.segment.Key) + len(c.segment.Note); s.text > maxSheetText {
				return s.tooMuch(y)
			}
			out = append(out, c)
		}
		return nil
	})
	return out, err
}

func sheetNotes(row []workbook.Cell, columns []string) string {
	var notes []string
	for _, c := range columns {
		if x, err := sheetColumn(c); err == nil && x < len(row) && row[x].Value != "" {
			notes = append(notes, row[x].Value)
		}
	}
	return strings.Join(notes, "\n")
}

// sheetColumn is the number of a column, from 0.
func sheetColumn(letters string) (int, error) {
	n, err := workbook.Column(letters)
	if err != nil {
		return 0, fmt.Errorf("%q is not the letters of a column", letters)
	}
	return n, nil
}

// Check says what is wrong with the settings of a workbook whose texts are in the language source.
func (s *Sheet) Check(source string) error {
	if s.StartingRow < 1 {
		return fmt.Errorf("startingRow is %d; rows count from 1", s.StartingRow)
	}
	columns := slices.Clone(s.Comments)
	for _, c := range s.Columns {
		columns = append(columns, c)
	}
	if s.Context != "" {
		columns = append(columns, s.Context)
	}
	for _, c := range columns {
		if _, err := sheetColumn(c); err != nil {
			return err
		}
	}
	if s.Columns[source] == "" {
		return fmt.Errorf("columns names no column for the source language %q", source)
	}
	return nil
}

func rewriteSheet(
	src []byte, o Options, cells []cell, language string, text func(int) (string, bool),
) ([]byte, error) {
	var changes []workbook.Change
	for i, c := range cells {
		t, ok := text(i)
		if !ok {
			continue
		}
		change := workbook.Change{Sheet: c.sheet, Column: c.column, Row: c.row, Text: t}
		if o.Sheet != nil {
			column, err := sheetColumn(cmp.Or(o.Sheet.Columns[language], o.Sheet.Columns[o.Source]))
			if err != nil {
				return nil, err
			}
			change.Column = column
		}
		changes = append(changes, change)
	}
	if len(changes) == 0 {
		return src, nil
	}
	book, err := openWorkbook(context.Background(), src)
	if err != nil {
		return nil, err
	}
	return book.With(changes)
}
