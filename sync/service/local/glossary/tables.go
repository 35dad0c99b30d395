package glossary

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/workbook"
	"github.com/locsync/locsync/sync/service/wire"
)

// Bounds of a glossary's file, beside its size: a workbook is an archive, whose contents can be a thousand times as
// large.
const (
	maxGlossaryText    = 64 << 20 // bytes of all terms
	maxGlossaryRows    = 500_000
	maxGlossaryColumns = 500
	maxTerm            = 32_767    // UTF-16 units: what a cell of a workbook can hold
	maxUnpackedBook    = 256 << 20 // bytes of all parts
)

const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// noteColumns are the columns of a glossary's file that do not name a language.
var noteColumns = []string{"comment", "definition", "example"}

// glossaryTable is what a file says.
type glossaryTable struct {
	Languages []string             `json:"languages"`
	Notes     []string             `json:"notes,omitempty"`
	Units     []store.GlossaryUnit `json:"units"`
}

// readGlossaryFile reads a workbook or a CSV file: language codes, and perhaps a comment, definition and example, in
// the first row, a concept with its terms in each row that follows. Every error is a 400 that says where.
func readGlossaryFile(ctx context.Context, name string, body []byte) (*glossaryTable, error) {
	shown := api.Clip([]byte(name))
	extension := strings.ToLower(path.Ext(name))
	switch {
	case bytes.HasPrefix(body, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return nil, api.Invalid(wire.PartFile,
			"%s is a workbook in the old .xls form, or one with a password; save it as .xlsx or .csv without a password", shown)
	case bytes.HasPrefix(body, []byte("PK\x03\x04")):
		return readWorkbook(ctx, shown, body)
	case slices.Contains([]string{".xlsx", ".xls"}, extension):
		return nil, api.Invalid(wire.PartFile, "%s is not a workbook; save it anew as .xlsx, or as .csv", shown)
	case !slices.Contains([]string{".csv", ".tsv", ".txt", ""}, extension):
		return nil, api.Invalid(wire.PartFile, "%s: a glossary comes as .xlsx or .csv", shown)
	}
	return readCSV(ctx, shown, body)
}

// readCSV reads comma, semicolon or tab separated values in UTF-8.
func readCSV(ctx context.Context, name string, body []byte) (*glossaryTable, error) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(body) {
		return nil, api.Invalid(wire.PartFile, "%s is not UTF-8; save it as \"CSV UTF-8\", or as .xlsx", name)
	}
	r := csv.NewReader(bytes.NewReader(body))
	r.Comma = separatorOf(body)
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	t := &tableReader{name: name}
	for {
		cells, err := r.Read()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == io.EOF {
			return t.end()
		}
		if err != nil {
			return nil, api.Invalid(wire.PartFile, "%s: %v", name, err)
		}
		line, _ := r.FieldPos(0)
		if err := t.row(line, cells); err != nil {
			return nil, err
		}
	}
}

// separatorOf is the sign that divides the first line into the most cells.
func separatorOf(body []byte) rune {
	line, _, _ := bytes.Cut(body, []byte("\n"))
	best, most := ',', 0
	for _, sign := range ",;\t" {
		if n := bytes.Count(line, []byte(string(sign))); n > most {
			best, most = sign, n
		}
	}
	return best
}

// readWorkbook reads the first sheet of a workbook.
func readWorkbook(ctx context.Context, name string, body []byte) (*glossaryTable, error) {
	damaged := func(err error) (*glossaryTable, error) {
		return nil, api.Invalid(wire.PartFile, "%s cannot be read as a workbook: %v", name, err)
	}
	book, err := workbook.Open(ctx, body, maxUnpackedBook)
	if err != nil {
		return damaged(err)
	}
	sheets := book.Sheets()
	if len(sheets) == 0 {
		return nil, api.Invalid(wire.PartFile, "%s has no sheet", name)
	}
	t := &tableReader{name: name}
	var own error
	err = book.Rows(sheets[0], maxGlossaryColumns, func(line int, cells []workbook.Cell) error {
		values := make([]string, len(cells))
		for i := range cells {
			values[i] = cells[i].Value
		}
		own = t.row(line, values)
		return own
	})
	switch {
	case own != nil:
		return nil, own
	case err != nil:
		return damaged(err)
	}
	return t.end()
}

// tableReader makes a table from rows.
type tableReader struct {
	name    string
	columns []column // of the first row
	table   glossaryTable
	text    int // bytes of all terms
}

// column is what one column of a file holds: terms of a language, or notes of a kind; neither where its head is blank.
type column struct{ language, note string }

// row takes a row: the first one that is not blank says what the columns are.
func (t *tableReader) row(line int, cells []string) error {
	bad := func(format string, args ...any) error {
		return api.Invalid(wire.PartFile, "%s, line %d: %s", t.name, line, fmt.Sprintf(format, args...))
	}
	switch {
	case len(cells) > maxGlossaryColumns:
		return bad("there are more than %d columns", maxGlossaryColumns)
	case line > maxGlossaryRows:
		return bad("there are more than %d rows; divide the file", maxGlossaryRows)
	case !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" }):
		return nil
	case t.columns == nil:
		return t.head(line, cells, bad)
	}
	u := store.GlossaryUnit{Terms: map[string]string{}}
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if i >= len(t.columns) || t.columns[i] == (column{}) {
			return bad("%q is in a column without a language; write its code into the first row", api.Clip([]byte(cell)))
		}
		if why := badTerm(cell); why != "" {
			return bad("%q %s", api.Clip([]byte(cell)), why)
		}
		if t.text += len(cell); t.text > maxGlossaryText {
			return bad("the terms have more than %d bytes; divide the file", maxGlossaryText)
		}
		if t.columns[i].note != "" {
			if u.Notes == nil {
				u.Notes = map[string]string{}
			}
			u.Notes[t.columns[i].note] = cell
			continue
		}
		u.Terms[t.columns[i].language] = cell
	}
	if len(u.Terms) == 0 {
		return bad("there is no term, but a note on one")
	}
	t.table.Units = append(t.table.Units, u)
	return nil
}

// head takes the first row.
func (t *tableReader) head(line int, cells []string, bad func(string, ...any) error) error {
	for _, cell := range cells {
		word := strings.TrimSpace(cell)
		at := slices.IndexFunc(noteColumns, func(known string) bool { return strings.EqualFold(known, word) })
		switch {
		case word == "":
			t.columns = append(t.columns, column{})
			continue
		case at >= 0:
			if slices.Contains(t.table.Notes, noteColumns[at]) {
				return bad("two columns are called %s", noteColumns[at])
			}
			t.columns = append(t.columns, column{note: noteColumns[at]})
			t.table.Notes = append(t.table.Notes, noteColumns[at])
			continue
		}
		l, known := api.FindLanguage(word)
		if !known {
			return bad("the first row has language codes (and %s), and %q is none that this service knows; %s",
				strings.Join(noteColumns, ", "), word, api.LanguageHint(word))
		}
		code := l.Code
		if slices.Contains(t.table.Languages, code) {
			return bad("two columns are for the language %s", code)
		}
		t.columns = append(t.columns, column{language: code})
		t.table.Languages = append(t.table.Languages, code)
	}
	if len(t.table.Languages) == 0 {
		return bad("the first row has no language code")
	}
	return nil
}

func (t *tableReader) end() (*glossaryTable, error) {
	if t.columns == nil {
		return nil, api.Invalid(wire.PartFile, "%s is empty; its first row has language codes", t.name)
	}
	return &t.table, nil
}

// badTerm says why a workbook cannot hold a term, which would then not come out of an export as it went in; empty
// when it can.
func badTerm(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "is not UTF-8"
	case strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r == '\uFFFE' ||
			r == '\uFFFF'
	}):
		return "has a control character"
	case len(s) > maxTerm && len(utf16.Encode([]rune(s))) > maxTerm:
		return fmt.Sprintf("has more than %d characters", maxTerm)
	}
	return ""
}

// writeWorkbook writes a glossary as a workbook of one sheet, in the form that readGlossaryFile reads.
func writeWorkbook(to io.Writer, g *store.Glossary, each func(do func(u *store.GlossaryUnit) error) error) error {
	return workbook.Write(to, func(line func(cells []string) error) error {
		write := func(cell func(language, note string) string) error {
			row := make([]string, 0, len(g.Languages)+len(g.Notes))
			for _, code := range g.Languages {
				row = append(row, cell(code, ""))
			}
			for _, note := range g.Notes {
				row = append(row, cell("", note))
			}
			return line(row)
		}
		if err := write(func(language, note string) string { return language + note }); err != nil {
			return err
		}
		return each(func(u *store.GlossaryUnit) error {
			return write(func(language, note string) string {
				if note != "" {
					return u.Notes[note]
				}
				return u.Terms[language]
			})
		})
	})
}
