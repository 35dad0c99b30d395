package local

import (
	"bytes"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
	"github.com/xuri/excelize/v2"
)

// A workbook is text wherever there is text; with the settings of MultilingualExcel_v2, and only with its name, it is
// the source column from the starting row on, and translations go to the column of their language.
func TestMultilingualWorkbook(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	for at, v := range map[string]any{"A1": "English", "B1": "Deutsch", "A2": "One two", "A3": "Three", "C3": "a note",
		"A4": 17} {
		if err := f.SetCellValue("Sheet1", at, v); err != nil {
			t.Fatal(err)
		}
	}
	var book bytes.Buffer
	if err := f.Write(&book); err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{})
	p := s.documentsProject("de")
	const settings = `"disassembleSettings":{"startingRow":2,"columns":{"language":{"en":"a","de":"B"},"comments":["C"]}}`
	for name, c := range map[string]struct {
		query, model string
		words        float64
	}{
		"plain.xlsx":     {"", `{}`, 7},
		"unnamed.xlsx":   {"", `{` + settings + `}`, 7},
		"named.xlsx":     {"", `{"disassembleAlgorithmName":"MultilingualExcel_v2",` + settings + `}`, 4},
		"in query.xlsx":  {"&disassembleAlgorithmName=MultilingualExcel_v2", `{` + settings + `}`, 4},
		"other one.xlsx": {"", `{"disassembleAlgorithmName":"Other",` + settings + `}`, 7},
	} {
		var docs []wire.Document
		s.sendParts("POST", "/v1/project/document?projectId="+p+c.query, wire.PartDocumentModel, "["+c.model+"]",
			file{name, book.String()}).want(t, 200, &docs)
		if docs[0].WordsCount != c.words {
			t.Errorf("%s: %v words, want %v", name, docs[0].WordsCount, c.words)
		}
		if got := s.exportDocuments("", docs[0].ID); !bytes.Equal(got.body, book.Bytes()) {
			t.Errorf("%s: other bytes", name)
		}
		if c.words != 4 {
			continue
		}
		xliff := string(s.exportDocuments("&type=xliff", docs[0].ID).body)
		xliff = strings.Replace(xliff, "One two</source>", "One two</source><target>Eins zwei</target>", 1)
		s.sendParts("PUT", "/v1/document/translateWithXliff?documentId="+docs[0].ID, "", "",
			file{"a.xliff", xliff}).want(t,
			202, nil)
		s.translationEnds(docs[0].ID, "completed")
		out, err := excelize.OpenReader(bytes.NewReader(s.exportDocuments("", docs[0].ID).body))
		if err != nil {
			t.Fatal(err)
		}
		for at, want := range map[string]string{"A2": "One two", "B2": "Eins zwei", "B3": "", "A3": "Three"} {
			if got, _ := out.GetCellValue("Sheet1", at); got != want {
				t.Errorf("%s: %s is %q, want %q", name, at, got, want)
			}
		}
		out.Close()
	}
	for name, c := range map[string]struct{ settings, field string }{
		"no columns":        {`{"startingRow":2}`, "disassembleSettings"},
		"no source column":  {`{"startingRow":2,"columns":{"language":{"de":"B"}}}`, "disassembleSettings"},
		"no letters":        {`{"startingRow":2,"columns":{"language":{"en":"7"}}}`, "disassembleSettings"},
		"unknown language":  {`{"startingRow":2,"columns":{"language":{"xx":"A"}}}`, "columns.language"},
		"a row in words":    {`{"startingRow":"two","columns":{"language":{"en":"A"}}}`, "startingRow"},
		"a row before one":  {`{"startingRow":-1,"columns":{"language":{"en":"A"}}}`, "startingRow"},
		"comments not list": {`{"startingRow":2,"columns":{"language":{"en":"A"},"comments":"C"}}`, "comments"},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, s.sendDocuments(p,
				`[{"disassembleAlgorithmName":"MultilingualExcel_v2","disassembleSettings":`+c.settings+
					`}]`, file{"x.xlsx", book.String()}), 400, c.field)
		})
	}
}
