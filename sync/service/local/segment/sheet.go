package segment

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Sheet says where the texts of a multilingual workbook are. Columns are letters.
type Sheet struct {
	StartingRow int               // the first row with texts, from 1
	Columns     map[string]string // language code -> column
	Context     string            // what tells texts apart; optional
	Comments    []string          // what is said about texts; optional
}

// Limits that a workbook is unpacked within: what is small when packed may be anything. A few bytes name a cell far to the right, and the library makes
// all cells before it; a few more repeat a text that stands in the file once.
const (
	maxSheetBytes   = 256 << 20
	maxSheetCells   = 1_000_000 // of all sheets, with the blank ones to the left of others
	maxSheetColumns = 1000
	maxSheetText    = 64 << 20 // bytes
)

// parseSheet takes a workbook apart. With Options.Sheet the cells of the source column are the segments, from the starting row on, and translations go
// to the column of their language; without, every cell that holds text is a segment, and translations take its place.
func parseSheet(src []byte, o Options) (d *Document, err error) {
	defer func() {
		if p := recover(); p != nil { // the library is not sure of itself on files that were made to break it
			d, err = nil, fmt.Errorf("it is a damaged workbook: %v", p)
		}
	}()
	f, err := openWorkbook(src)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d = &Document{src: src}
	var cells []cell
	sheets := make(map[string][][]string)
	var seen sheetSize
	for _, name := range f.GetSheetList() { // all of them, before the library is asked for more than one row at a time
		if sheets[name], err = seen.rows(f, name); err != nil {
			return nil, fmt.Errorf("sheet %q: %w", name, err)
		}
	}
	for _, name := range f.GetSheetList() {
		found, err := sheetCells(f, name, sheets[name], o)
		if err != nil {
			return nil, err
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

func openWorkbook(src []byte) (*excelize.File, error) {
	f, err := excelize.OpenReader(bytes.NewReader(src), excelize.Options{UnzipSizeLimit: maxSheetBytes, UnzipXMLSizeLimit: maxSheetBytes})
	if err != nil {
		return nil, fmt.Errorf("it is not a workbook that can be read: %w", err)
	}
	return f, nil
}

// cell is one text of a workbook.
type cell struct {
	sheet   string
	row     int
	at      string // the cell's name
	segment Segment
}

// sheetSize is how much of a workbook was read.
type sheetSize struct{ cells, text int }

// rows reads a sheet, row by row, as long as the limits hold.
func (s *sheetSize) rows(f *excelize.File, sheet string) ([][]string, error) {
	rows, err := f.Rows(sheet)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]string
	for rows.Next() {
		row, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, err
		}
		if len(row) > maxSheetColumns {
			return nil, fmt.Errorf("row %d has more than %d columns", len(out)+1, maxSheetColumns)
		}
		for _, value := range row {
			s.text += len(value)
		}
		if s.cells += 1 + len(row); s.cells > maxSheetCells || s.text > maxSheetText {
			return nil, fmt.Errorf("row %d: there are more than %d cells or %d bytes of text; cut it into smaller documents", len(out)+1, maxSheetCells, maxSheetText)
		}
		out = append(out, row)
	}
	return out, rows.Error()
}

func sheetCells(f *excelize.File, sheet string, rows [][]string, o Options) (out []cell, err error) {
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
	for y, row := range rows {
		for x, value := range row {
			if o.Sheet != nil && (x != column || y+1 < o.Sheet.StartingRow) || !translatable(value, Plain) {
				continue
			}
			at, err := excelize.CoordinatesToCellName(x+1, y+1)
			if err != nil {
				return nil, err
			}
			if kind, err := f.GetCellType(sheet, at); err != nil || o.Sheet == nil && kind != excelize.CellTypeSharedString && kind != excelize.CellTypeInlineString {
				continue // numbers, dates and formulas
			}
			c := cell{sheet, y + 1, at, Segment{Key: sheet + "!" + at, Text: value}}
			if o.Sheet != nil {
				c.segment.Key = sheet + "!" + strconv.Itoa(y+1)
				if context >= 0 && context < len(row) && row[context] != "" {
					c.segment.Key = sheet + "!" + row[context]
				}
				c.segment.Note = sheetNotes(row, o.Sheet.Comments)
			}
			out = append(out, c)
		}
	}
	return out, nil
}

func sheetNotes(row []string, columns []string) string {
	var notes []string
	for _, c := range columns {
		if x, err := sheetColumn(c); err == nil && x < len(row) && row[x] != "" {
			notes = append(notes, row[x])
		}
	}
	return strings.Join(notes, "\n")
}

// sheetColumn is the number of a column, from 0.
func sheetColumn(letters string) (int, error) {
	n, err := excelize.ColumnNameToNumber(letters)
	if err != nil {
		return 0, fmt.Errorf("%q is not the letters of a column", letters)
	}
	return n - 1, nil
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
		return fmt.Errorf("columns names no column for the source language %s", source)
	}
	return nil
}

func rewriteSheet(src []byte, o Options, cells []cell, language string, text func(int) (string, bool)) ([]byte, error) {
	type change struct{ sheet, at, text string }
	var changes []change
	for i, c := range cells {
		t, ok := text(i)
		if !ok {
			continue
		}
		at := c.at
		if o.Sheet != nil {
			column := o.Sheet.Columns[language]
			if column == "" {
				column = o.Sheet.Columns[o.Source]
			}
			at = strings.ToUpper(column) + strconv.Itoa(c.row)
		}
		changes = append(changes, change{c.sheet, at, t})
	}
	if len(changes) == 0 {
		return src, nil
	}
	f, err := openWorkbook(src)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, c := range changes {
		if err := f.SetCellStr(c.sheet, c.at, c.text); err != nil {
			return nil, fmt.Errorf("cell %s of %q: %w", c.at, c.sheet, err)
		}
	}
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
