package glossary

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/xuri/excelize/v2"
)

// No bytes make the reader panic or answer anything but a table or a 400 that names the file.
func FuzzGlossaryFile(f *testing.F) {
	f.Add("a.csv", []byte("en,de\ncat,Katze\n"))
	f.Add("a.tsv", []byte("en\tcomment\n\"a\"\"\"\t\n"))
	f.Add("a.xlsx", []byte(workbookOf(f, []any{"en", "de"}, []any{"cat", "Katze"})))
	f.Add("a.xls", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		table, err := readGlossaryFile(t.Context(), name, body)
		if err != nil {
			if p, ok := err.(*api.Problem); !ok || p.Status != 400 || p.Field != "file" {
				t.Fatal(err)
			}
			return
		}
		if len(table.Languages) == 0 {
			t.Fatal("a table without a language")
		}
		for _, u := range table.Units {
			if len(u.Terms) == 0 {
				t.Fatal("a unit without a term")
			}
		}
	})
}

// A workbook whose pieces are not what they should be is read as far as it means something, or refused.
func FuzzWorkbook(f *testing.F) {
	const shared = `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>en</t></si><si><r><t xml:space="preserve"> a</t></r><r><t>b</t></r></si></sst>`
	f.Add(sheetWith(`<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c></row>`),
		shared)
	f.Add(
		sheetWith(`<row r="1"><c r="A1" t="inlineStr"><is><t>en</t></is></c></row><row r="7"><c r="A7"><v>1.5</v></c><c r="ZZZZ7"><f>1/0</f></c></row>`), shared)
	f.Add(sheetWith(`<row r="-1"><c r="A1" t="s"><v>99</v></c></row><row><c/><c r="" t="b"><v>x</v></c></row>`), "")
	f.Add(sheetWith(`<row r="4294967296"><c r="A1" t="d" s="77"><v>2026</v></c></row>`), "<sst>")
	f.Fuzz(func(t *testing.T, sheet, strings string) {
		table, err := readGlossaryFile(t.Context(), "a.xlsx", []byte(exchanged(t,
			map[string]string{"xl/worksheets/sheet1.xml": sheet, "xl/sharedStrings.xml": strings})))
		if err != nil {
			if p, ok := err.(*api.Problem); !ok || p.Status != 400 || p.Field != "file" {
				t.Fatal(err)
			}
			return
		}
		var out bytes.Buffer // what was taken can be written, and says the same when it is read again
		g := &store.Glossary{Languages: table.Languages, Notes: table.Notes}
		err = writeWorkbook(&out, g, func(do func(u *store.GlossaryUnit) error) error {
			for i := range table.Units {
				if err := do(&table.Units[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		again, err := readGlossaryFile(t.Context(), "b.xlsx", out.Bytes())
		if err != nil || !reflect.DeepEqual(again, table) {
			t.Fatalf("%v\n%+v\n%+v", err, again, table)
		}
	})
}

func workbookOf(t testing.TB, rows ...[]any) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, row := range rows {
		if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sheetWith(rows string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + rows + `</sheetData></worksheet>`
}

// exchanged is a good workbook with some of its pieces exchanged.
func exchanged(t testing.TB, pieces map[string]string) string {
	t.Helper()
	book := workbookOf(t, []any{"en", "de"}, []any{"cat", "Katze"})
	src, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range src.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := pieces[f.Name]; ok {
			body = []byte(other)
		}
		to, err := z.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		to.Write(body)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
