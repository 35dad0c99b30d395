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

// Limits that a workbook is unpacked within: what is small when packed may be anything.
const (
	maxSheetBytes = 256 << 20
	maxSheetCells = 1_000_000
)

// parseSheet takes a workbook apart. With Options.Sheet the cells of the source column are the segments, from the starting row on, and translations go
// to the column of their language; without, every cell that holds text is a segment, and translations take its place.
func parseSheet(src []byte, o Options) (*Document, error) {
	f, err := openWorkbook(src)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &Document{src: src}
	var cells []cell
	for _, name := range f.GetSheetList() {
		found, err := sheetCells(f, name, o)
		if err != nil {
			return nil, err
		}
		if cells = append(cells, found...); len(cells) > maxSheetCells {
			return nil, fmt.Errorf("it has more than %d texts; cut it into smaller documents", maxSheetCells)
		}
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

func sheetCells(f *excelize.File, sheet string, o Options) ([]cell, error) {
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, fmt.Errorf("sheet %q: %w", sheet, err)
	}
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
	var out []cell
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
