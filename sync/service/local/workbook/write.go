package workbook

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	openXML   = "http://schemas.openxmlformats.org/"
	mainSpace = openXML + "spreadsheetml/2006/main"
	officeRel = openXML + "officeDocument/2006/relationships"
)

// frame are the parts of a workbook of one sheet, but that.
var frame = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="` + openXML + `package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + documentType + `.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + documentType + `.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="` + openXML + `package/2006/relationships">` +
		`<Relationship Id="rId1" Type="` + officeRel + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="` + mainSpace + `" xmlns:r="` + officeRel + `">` +
		`<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + openXML + `package/2006/relationships">` +
		`<Relationship Id="rId1" Type="` + officeRel + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
}

const documentType = "application/vnd.openxmlformats-officedocument.spreadsheetml"

// Write writes a workbook of one sheet, whose rows are texts.
func Write(to io.Writer, rows func(write func(cells []string) error) error) error {
	archive := zip.NewWriter(to)
	for _, part := range frame {
		w, err := archive.Create(part.name)
		if err == nil {
			_, err = io.WriteString(w, xmlHead+part.text)
		}
		if err != nil {
			return err
		}
	}
	w, err := archive.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	_, _ = out.WriteString(xmlHead + `<worksheet xmlns="` + mainSpace + `"><sheetData>`) // Flush has the error
	line := 0
	err = rows(func(cells []string) error {
		line++
		fmt.Fprintf(out, `<row r="%d">`, line)
		for x, text := range cells {
			if text != "" {
				_, _ = out.WriteString(textCell("", Name(x, line), "", text))
			}
		}
		_, err := out.WriteString("</row>")
		return err
	})
	if err != nil {
		return err
	}
	_, _ = out.WriteString("</sheetData></worksheet>")
	if err := out.Flush(); err != nil {
		return err
	}
	return archive.Close()
}

// textCell is a cell that holds its text; prefix is that of its sheet's elements.
func textCell(prefix, at, style, text string) string {
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(escape(text))) // a buffer takes everything
	if style != "" {
		style = ` s="` + style + `"`
	}
	return strings.NewReplacer("</", "</"+prefix, "<", "<"+prefix, "$", escaped.String()).Replace(
		`<c r="` + at + `"` + style + ` t="inlineStr"><is><t xml:space="preserve">$</t></is></c>`)
}

// Change is a text that replaces what a cell has. The column counts from 0, the row from 1.
type Change struct {
	Sheet       string
	Column, Row int
	Text        string
}

// With is the workbook with changes.
func (b *Book) With(changes []Change) ([]byte, error) {
	changed := make(map[string][]byte) // by part
	bySheet := make(map[string]map[int]map[int]string)
	for _, c := range changes {
		part := b.part(c.Sheet)
		if bySheet[part] == nil {
			bySheet[part] = make(map[int]map[int]string)
		}
		if bySheet[part][c.Row] == nil {
			bySheet[part][c.Row] = make(map[int]string)
		}
		bySheet[part][c.Row][c.Column] = c.Text
	}
	formulas := false
	for part, rows := range bySheet {
		src, err := b.bytes(part)
		if err != nil {
			return nil, err
		}
		e := &edited{src: src, rows: rows, order: slices.Sorted(maps.Keys(rows))}
		if changed[part], err = e.all(); err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		formulas = formulas || e.formulas
	}
	var without []string
	if formulas { // the order in which they are computed would name cells that have none
		without = append(without, "xl/calcChain.xml")
		for _, part := range []string{"[Content_Types].xml", b.links} {
			src, err := b.bytes(part)
			if err != nil {
				return nil, err
			}
			if changed[part], err = withoutCalculation(src); err != nil {
				return nil, fmt.Errorf("%s: %w", part, err)
			}
		}
	}
	return b.packed(changed, without)
}

func (b *Book) bytes(part string) ([]byte, error) {
	r, done, err := b.open(part)
	if err != nil {
		return nil, err
	}
	defer func() { _ = done() }() // it was read
	return bound.Read(r, b.most)
}

// packed is the archive with other bytes for some parts; all others are copied as they are packed.
func (b *Book) packed(changed map[string][]byte, without []string) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range b.files {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		src, other := changed[name]
		switch {
		case slices.Contains(without, name):
		case !other || b.parts[name] != f:
			if err := archive.Copy(f); err != nil {
				return nil, err
			}
		default:
			w, err := archive.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate})
			if err == nil {
				_, err = w.Write(src)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

// withoutCalculation takes the elements out that name the order of formulas.
func withoutCalculation(src []byte) ([]byte, error) {
	var out []byte
	done := 0
	for d := xml.NewDecoder(bytes.NewReader(src)); ; {
		start := int(d.InputOffset())
		t, err := d.Token()
		if err == io.EOF {
			return append(out, src[done:]...), nil
		}
		if err != nil {
			return nil, err
		}
		e, begins := t.(xml.StartElement)
		if !begins || !strings.HasSuffix(attribute(e, "PartName")+attribute(e, "Target"), "calcChain.xml") {
			continue
		}
		if err := d.Skip(); err != nil {
			return nil, err
		}
		out = append(out, src[done:start]...)
		done = int(d.InputOffset())
	}
}

// edited is a sheet whose cells are changed where they are in its bytes.
type edited struct {
	src      []byte
	rows     map[int]map[int]string // what is still to be written
	order    []int                  // of rows
	out      []byte
	done     int // so much of src is in out
	prefix   string
	formulas bool // one was written over
}

func (e *edited) copyTo(at int) { e.out, e.done = append(e.out, e.src[e.done:at]...), at }

// all goes through the sheet.
func (e *edited) all() ([]byte, error) {
	d := xml.NewDecoder(bytes.NewReader(e.src))
	row, column := 0, 0
	for {
		start := int(d.InputOffset())
		t, err := d.Token()
		if err == io.EOF {
			if e.rest() {
				return nil, errors.New("the sheet cannot have cells: sheetData is missing")
			}
			e.copyTo(len(e.src))
			return e.out, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "sheetData":
				name, _, _ := bytes.Cut(e.src[start+1:], []byte("sheetData"))
				e.prefix = string(name)
			case "row":
				if row, err = rowOf(t, row); err != nil {
					return nil, err
				}
				e.copyTo(start)
				e.rowsBefore(row)
				column = 0
			case "c":
				if column, err = columnOf(t, row, column); err == nil {
					err = e.cell(d, t, start, row, column)
				}
				if column++; err != nil {
					return nil, err
				}
			}
		case xml.EndElement:
			alone := int(d.InputOffset()) == start // its beginning is its end: <row/>
			switch t.Name.Local {
			case "row":
				e.end(start, alone, "row", func() { e.cellsBefore(row, mostColumns) })
			case "sheetData":
				e.end(start, alone, "sheetData", func() { e.rowsBefore(mostRows + 1) })
			}
		}
	}
}

// rest reports whether a text was not written.
func (e *edited) rest() bool {
	for _, cells := range e.rows {
		for _, text := range cells {
			if text != "" {
				return true
			}
		}
	}
	return false
}

// cell writes a cell anew where it is changed, and those before it that are not there.
func (e *edited) cell(d *xml.Decoder, t xml.StartElement, start, row, column int) error {
	e.copyTo(start)
	e.cellsBefore(row, column)
	formula, err := passCell(d)
	text, changed := e.rows[row][column]
	if err != nil || !changed {
		return err
	}
	e.formulas = e.formulas || formula
	style := attribute(t, "s")
	if _, err := strconv.ParseUint(style, 10, 32); err != nil {
		style = ""
	}
	e.out = append(e.out, textCell(e.prefix, Name(column, row), style, text)...)
	e.done = int(d.InputOffset())
	delete(e.rows[row], column)
	return nil
}

// passCell reads a cell to its end and says whether it has a formula.
func passCell(d *xml.Decoder) (formula bool, err error) {
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return false, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			formula = formula || t.Name.Local == "f"
		case xml.EndElement:
			depth--
		}
	}
	return formula, nil
}

// end adds something before the end of an element.
func (e *edited) end(start int, alone bool, name string, add func()) {
	e.copyTo(start)
	at := len(e.out)
	add()
	if alone && len(e.out) > at {
		added := slices.Clone(e.out[at:])
		e.out = append(append(append(e.out[:at-len("/>")], '>'), added...), "</"+e.prefix+name+">"...)
	}
}

func (e *edited) rowsBefore(row int) {
	for ; len(e.order) > 0 && e.order[0] < row; e.order = e.order[1:] {
		if r := e.order[0]; len(e.rows[r]) > 0 {
			e.out = fmt.Appendf(e.out, `<%srow r="%d">`, e.prefix, r)
			e.cellsBefore(r, mostColumns)
			e.out = fmt.Appendf(e.out, `</%srow>`, e.prefix)
		}
	}
}

func (e *edited) cellsBefore(row, column int) {
	for _, x := range slices.Sorted(maps.Keys(e.rows[row])) {
		if x < column {
			e.out = append(e.out, textCell(e.prefix, Name(x, row), "", e.rows[row][x])...)
			delete(e.rows[row], x)
		}
	}
}
