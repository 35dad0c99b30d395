package workbook

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"github.com/locsync/locsync/sync/bound"
)

const most = 4 << 20

// read is every cell of a workbook by sheet and name.
func read(src []byte) (map[string]Cell, error) {
	b, err := Open(context.Background(), src, most)
	if err != nil {
		return nil, err
	}
	all := make(map[string]Cell)
	for _, sheet := range b.Sheets() {
		err := b.Rows(sheet, 100, func(row int, cells []Cell) error {
			for x, c := range cells {
				if c.Value != "" {
					all[sheet+"!"+Name(x, row)] = c
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// made is a workbook of another program.
func made(t testing.TB, change func(f *excelize.File) error) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	if err := change(f); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// filled is a workbook with texts, styles, formulas and a second sheet.
func filled(t testing.TB) []byte {
	return made(t, func(f *excelize.File) error {
		bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
		second, more := f.NewSheet("Zwei & drei")
		return errors.Join(err, more, f.SetCellStr("Sheet1", "A1", "Hello <b> & \"you\"\n"),
			f.SetCellStyle("Sheet1", "A1", "A1", bold),
			f.SetCellInt("Sheet1", "C1", 17), f.SetCellBool("Sheet1", "D1", true),
			f.SetCellStr("Sheet1", "B7", "down here"),
			f.SetCellFormula("Sheet1", "C7", "=C1+1"), f.SetCellStr("Sheet1", "E9", "a\u0001b _x0041_ c"),
			f.SetCellRichText("Sheet1", "F9", []excelize.RichTextRun{{Text: "one "}, {Text: "two"}}),
			f.SetCellStr("Zwei & drei", "A2", "second"), f.SetRowHeight("Sheet1", 3, 40),
			f.SetColWidth("Sheet1", "A", "A", float64(20+second)))
	})
}

func TestRead(t *testing.T) {
	got, err := read(filled(t))
	want := map[string]Cell{
		"Sheet1!A1": {"Hello <b> & \"you\"\n", true}, "Sheet1!C1": {"17", false}, "Sheet1!D1": {"TRUE", false},
		"Sheet1!B7": {"down here", true},
		"Sheet1!E9": {"a\u0001b _x0041_ c", true}, "Sheet1!F9": {"one two", true}, "Zwei & drei!A2": {"second", true},
	}
	if e := got["Sheet1!E9"]; err == nil && strings.HasSuffix(e.Value, " c") {
		want["Sheet1!E9"] = e // the other program does not write every escape
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v\n%v\n%v", err, got, want)
	}
}

// A change is where it belongs, whatever was there before, and nothing else changes: so says another program.
func TestChangeAWorkbook(t *testing.T) {
	src := filled(t)
	b, err := Open(context.Background(), src, most)
	if err != nil {
		t.Fatal(err)
	}
	changes := []Change{
		{"Sheet1", 0, 1, "Hallo"}, {"Sheet1", 1, 1, "between <&>"}, {"Sheet1", 5, 1, "behind"},
		{"Sheet1", 0, 3, "in a row without cells"},
		{"Sheet1", 2, 5, "in no row"}, {"Sheet1", 2, 7, "for a formula"}, {"Sheet1", 0, 12, " at the end _x0042_ "},
		{"Zwei & drei", 1, 2, "zweitens"},
	}
	out, err := b.With(changes)
	if err != nil {
		t.Fatal(err)
	}
	want, err := read(src)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		want[c.Sheet+"!"+Name(c.Column, c.Row)] = Cell{c.Text, true}
	}
	if got, err := read(out); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v\n%v\n%v", err, got, want)
	}
	f, err := excelize.OpenReader(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range changes {
		got, err := f.GetCellValue(c.Sheet, Name(c.Column, c.Row))
		if err != nil || got != c.Text {
			t.Errorf("%s %s is %q, want %q (%v)", c.Sheet, Name(c.Column, c.Row), got, c.Text, err)
		}
	}
	if style, err := f.GetCellStyle("Sheet1", "A1"); err != nil || style == 0 {
		t.Errorf("the style is gone: %d, %v", style, err)
	}
	if height, err := f.GetRowHeight("Sheet1", 3); err != nil || height != 40 {
		t.Errorf("the height is gone: %v, %v", height, err)
	}
	if formula, err := f.GetCellFormula("Sheet1", "C7"); err != nil || formula != "" {
		t.Errorf("there is a formula: %q, %v", formula, err)
	}
}

// with is a workbook with other parts.
func with(t testing.TB, src []byte, parts map[string]string) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(src), int64(len(src)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		if _, other := parts[f.Name]; !other {
			if err := w.Copy(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range parts {
		p, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(p, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const sheet1 = "xl/worksheets/sheet1.xml"

// Sheets may have a prefix, rows without cells, and no rows; the order of formulas goes with one that is written over.
func TestSpellings(t *testing.T) {
	for name, c := range map[string]struct{ sheet, want string }{
		"prefix": {`<x:worksheet xmlns:x="m"><x:sheetData><x:row r="2"/></x:sheetData></x:worksheet>`,
			`<x:worksheet xmlns:x="m"><x:sheetData><x:row r="2"><x:c r="A2" t="inlineStr"><x:is><x:t xml:space="preserve">n</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`},
		"no rows": {`<w><sheetData/></w>`,
			`<w><sheetData><row r="2"><c r="A2" t="inlineStr"><is><t xml:space="preserve">n</t></is></c></row></sheetData></w>`},
		"no number": {
			`<w><sheetData><row/><row><c s="7"><v>1</v></c><c/></row></sheetData></w>`, `<w><sheetData><row/><row><c r="A2" s="7" t="inlineStr"><is><t xml:space="preserve">n</t></is></c><c/></row></sheetData></w>`},
		"a formula": {`<w><sheetData><row r="2"><c r="A2"><f>B1</f></c></row></sheetData></w>`,
			`<w><sheetData><row r="2"><c r="A2" t="inlineStr"><is><t xml:space="preserve">n</t></is></c></row></sheetData></w>`},
	} {
		src := with(t, filled(t), map[string]string{sheet1: c.sheet, "xl/calcChain.xml": "<calcChain/>",
			"[Content_Types].xml": `<Types><Override PartName="/xl/calcChain.xml"/><Override PartName="/x"></Override></Types>`})
		b, err := Open(context.Background(), src, most)
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.With([]Change{{"Sheet1", 0, 2, "n"}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := Open(context.Background(), out, most)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.bytes(sheet1)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\n%s", name, err, got, c.want)
		}
		types, err := again.bytes("[Content_Types].xml")
		if gone := again.parts["xl/calcChain.xml"] == nil; err != nil || gone != (name == "a formula") ||
			gone == bytes.Contains(types, []byte("calcChain")) {
			t.Errorf("%s: the order of formulas: %v, %s, %v", name, gone, types, err)
		}
	}
}

// What is written is read by others as well.
func TestWrite(t *testing.T) {
	rows := [][]string{{"en", "de", "", "comment"}, {}, {"cat", "Katze & <Kater>", "", " \t\n_x0041_"}}
	var out bytes.Buffer
	err := Write(&out, func(write func([]string) error) error {
		for _, row := range rows {
			if err := write(row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.GetRows("Sheet1")
	if err != nil || len(got) != 3 || !slices.Equal(got[0], rows[0]) || !slices.Equal(got[2], rows[2]) {
		t.Errorf("%q, %v", got, err)
	}
	ours, err := read(out.Bytes())
	if err != nil || len(ours) != 6 || ours["Sheet1!D3"] != (Cell{rows[2][3], true}) {
		t.Errorf("%v, %v", ours, err)
	}
}

// What is small when packed is refused before memory is taken.
func TestBombs(t *testing.T) {
	sheet := func(rows string) map[string]string {
		return map[string]string{sheet1: `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`}
	}
	for name, parts := range map[string]map[string]string{
		"a long part":     sheet(strings.Repeat("<row/>", most)),
		"a long text":     sheet("<row><c><v>" + strings.Repeat("x", 2*mostWord) + "</v></c></row>"),
		"a long name":     sheet("<row " + strings.Repeat("x", 2*mostWord) + "=\"\"/>"),
		"far right":       sheet(`<row r="1"><c r="XFD1"><v>1</v></c></row>`),
		"beyond":          sheet(`<row r="1"><c r="ZZZZ1"><v>1</v></c></row>`),
		"far below":       sheet(`<row r="4294967295"/>`),
		"backwards":       sheet(`<row r="2"/><row r="1"/>`),
		"cells backwards": sheet(`<row r="1"><c r="B1"/><c r="A1"/></row>`),
		"in another row":  sheet(`<row r="1"><c r="A2"/></row>`),
		"no shared text":  sheet(`<row r="1"><c r="A1" t="s"><v>999</v></c></row>`),
		"an entity": {
			sheet1: `<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData><row><c><v>&a;</v></c></row></sheetData></worksheet>`},
		"cut off": {sheet1: `<worksheet><sheetData><row>`},
	} {
		if got, err := read(with(t, filled(t), parts)); err == nil {
			t.Errorf("%s: %.100q", name, fmt.Sprint(got))
		}
	}
	if _, err := read(with(t, filled(t), sheet("<row><c><v>"+strings.Repeat("x", 2*mostWord)+
		"</v></c></row>"))); !bound.Is(err) {
		t.Errorf("a long text: %v", err)
	}
	if _, err := Open(t.Context(), []byte("PK\x03\x04"), most); err == nil {
		t.Error("no archive")
	}
}

// A sheet that can be read can be changed, and is then what it was but for the change.
func FuzzSheet(f *testing.F) {
	f.Add(`<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>en</t></is></c></row><row r="7"><c r="B7"><f>1/0</f><v>1.5</v></c></row></sheetData></worksheet>`, "a", 0, 7)
	f.Add(`<x:worksheet><x:sheetData><x:row/><x:row><x:c/><x:c t="b"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>`, "_x000D_\r<", 1, 2)
	f.Add(`<worksheet><sheetData/></worksheet>`, "\ufffe", 3, 3)
	f.Add(`<worksheet><sheetData/></worksheet>`, "_x000D\r<_xd800_x005F", 3, 3)
	f.Add(`<chartsheet/>`, "a", 84, 36)
	f.Add(`orksheet>+/x:x:sheetData`, "a", 25, 2)
	base := filled(f)
	f.Fuzz(func(t *testing.T, text, value string, column, row int) {
		src := with(t, base, map[string]string{sheet1: text})
		before, err := read(src)
		if err != nil || column < 0 || column > 90 || row < 1 || row > 1000 {
			return
		}
		b, err := Open(context.Background(), src, most)
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.With([]Change{{"Sheet1", column, row, value}})
		if err != nil && !hasCells(text) {
			return // a sheet with a chart has no cells
		}
		if err != nil {
			t.Fatal(err)
		}
		after, err := read(out)
		if err != nil {
			t.Fatalf("%v after %q", err, text)
		}
		name := "Sheet1!" + Name(column, row)
		if utf8.ValidString(value) && value != "" && after[name] != (Cell{value, true}) {
			t.Fatalf("%v, want %q", after[name], value)
		}
		delete(before, name)
		delete(after, name)
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%v\n%v", before, after)
		}
	})
}

// hasCells reports whether a sheet has the element that its cells are in.
func hasCells(sheet string) bool {
	d := xml.NewDecoder(strings.NewReader(sheet))
	for {
		t, err := d.RawToken()
		if err != nil {
			return false
		}
		if start, ok := t.(xml.StartElement); ok && start.Name.Local == "sheetData" {
			return true
		}
	}
}

// sheets is a workbook whose sheets have these parts.
func sheets(t testing.TB, contents string, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	write := func(name, text string) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var book, links strings.Builder
	written := make(map[string]bool)
	for i, part := range parts {
		fmt.Fprintf(&book, `<sheet name="S%d" id="r%d"/>`, i, i)
		fmt.Fprintf(&links, `<Relationship Id="r%d" Type="x/worksheet" Target="%s"/>`, i, part)
		if !written[part] {
			write("xl/"+part, "<worksheet><sheetData>"+contents+"</sheetData></worksheet>")
		}
		written[part] = true
	}
	write("xl/workbook.xml", "<workbook><sheets>"+book.String()+"</sheets></workbook>")
	write("xl/_rels/workbook.xml.rels", "<Relationships>"+links.String()+"</Relationships>")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A part is read once, however many sheets name it.
func TestSheetsOfOnePart(t *testing.T) {
	for _, other := range []string{"a.xml", "./a.xml", "/xl/a.xml"} {
		_, err := Open(t.Context(), sheets(t, "<a/>", "a.xml", "b.xml", other), most)
		if err == nil || !strings.Contains(err.Error(), `sheet "S2" has the name of another sheet, or its contents`) {
			t.Errorf("%s: %v", other, err)
		}
	}
	if _, err := Open(t.Context(), sheets(t, "<a/>", "a.xml", "b.xml"), most); err != nil {
		t.Error(err)
	}
}

// The bytes of all sheets together are bounded.
func TestBytesOfAllSheets(t *testing.T) {
	src := sheets(t, strings.Repeat("<a/>", most/3/4), "a.xml", "b.xml", "c.xml")
	b, err := Open(t.Context(), src, most)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range b.Sheets() {
		err := b.Rows(name, 10, func(int, []Cell) error { return nil })
		if refused := i == 2; refused != bound.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A sheet is not read on when its reader is gone.
func TestContextEndsSheet(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	b, err := Open(ctx, sheets(t, strings.Repeat("<row/>", 100_000), "a.xml"), most)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	err = b.Rows("S0", 10, func(int, []Cell) error {
		rows++
		end()
		return nil
	})
	if !errors.Is(err, context.Canceled) || rows > 20_000 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// A value in pieces, between which there is something else, is bounded as one in a piece.
func TestValueInPieces(t *testing.T) {
	for _, kind := range []string{"<c><v>$</v></c>", `<c t="inlineStr"><is><t>$</t></is></c>`} {
		pieces := strings.Repeat(strings.Repeat("x", mostWord/2)+"<a/>", 3)
		b, err := Open(t.Context(), sheets(t, "<row>"+strings.Replace(kind, "$", pieces, 1)+"</row>", "a.xml"), most)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Rows("S0", 10, func(int, []Cell) error { return nil }); !bound.Is(err) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
