package local

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

func (s *server) glossaries(path string) (out []wire.Glossary) {
	s.t.Helper()
	s.get(path).want(s.t, 200, &out)
	return out
}

// defaultGlossary is the one that an account has from the beginning.
func (s *server) defaultGlossary() wire.Glossary {
	s.t.Helper()
	var g wire.Glossary
	s.get(wire.PathGlossariesDefault).want(s.t, 200, &g)
	return g
}

func (s *server) startGlossaryImport(q string, files ...file) reply {
	s.t.Helper()
	contentType, body := multipartOf(s.t, files...)
	return s.call("POST", wire.Prefix+wire.PathGlossaryImport+q, contentType, bytes.NewReader(body))
}

// importGlossary runs an import to its end and returns its last state.
func (s *server) importGlossary(id string, clear bool, f file) wire.TaskState {
	s.t.Helper()
	var task string
	s.startGlossaryImport(query("glossaryId", id, "clearBeforeImport", fmt.Sprint(clear)), f).want(s.t, 200, &task)
	for late := time.Now().Add(20 * time.Second); time.Now().Before(late); time.Sleep(2 * time.Millisecond) {
		var state wire.TaskState
		s.get("/v1/glossary/importTaskState/"+task).want(s.t, 200, &state)
		if state.Ended() {
			return state
		}
	}
	s.t.Fatal("the import did not end")
	return ""
}

// exportGlossary runs an export to its end and returns the workbook's answer.
func (s *server) exportGlossary(id string) reply {
	s.t.Helper()
	var task string
	s.post(wire.PathGlossaryExport+query("glossaryId", id), "").want(s.t, 200, &task)
	for late := time.Now().Add(20 * time.Second); time.Now().Before(late); time.Sleep(2 * time.Millisecond) {
		if a := s.get("/v1/glossary/export/" + task); a.status != http.StatusBadRequest {
			return a
		}
	}
	s.t.Fatal("the export did not end")
	return reply{}
}

// cells reads a workbook with nothing of ours.
func cells(t testing.TB, book []byte) [][]string {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(book))
	if err != nil {
		t.Fatalf("%v in %.100q", err, book)
	}
	defer f.Close()
	rows, err := f.GetRows(f.GetSheetName(0))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func newWorkbook(t testing.TB, rows ...[]any) string {
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

func TestGlossaries(t *testing.T) {
	s := serve(t, Options{})
	all := s.glossaries(wire.PathGlossaries)
	if len(all) != 1 || !all[0].IsDefault || len(all[0].ID) != 36 || all[0].Name == "" || all[0].Languages == nil ||
		all[0].Units != 0 {
		t.Fatalf("%+v", all)
	}
	first := s.defaultGlossary().ID
	if first != all[0].ID {
		t.Errorf("%s is not %s", first, all[0].ID)
	}
	var second string
	s.post(wire.PathGlossaries, `{"name":"Products","description":"What we sell","languages":["EN","pt-br"]}`).want(t,
		200,
		&second)
	all = s.glossaries(wire.PathGlossaries)
	if len(all) != 2 || all[1].ID != second || all[1].IsDefault || all[1].Name != "Products" ||
		all[1].Description != "What we sell" || !slices.Equal(all[1].Languages, []string{"en", "pt-BR"}) {
		t.Errorf("%+v", all)
	}
	for body, field := range map[string]string{`{}`: "name", `{"name":" "}`: "name", `{"name":1}`: "name",
		`{"name":"a","languages":["zz"]}`: "languages", `[]`: "body"} {
		check(t, s.post(wire.PathGlossaries, body), 400, field)
	}

	p := s.create("en", "de")
	of := "/v1/project/" + p + "/glossaries"
	attach := func(body string) reply {
		return s.call("PUT", wire.Prefix+of, "application/json", strings.NewReader(body))
	}
	ids := func() (out []string) {
		for _, g := range s.glossaries(of) {
			out = append(out, g.ID)
		}
		return out
	}
	if ids() != nil {
		t.Error("a new project has a glossary")
	}
	check(t, s.get(of+"/default"), 404, "")
	var fallback wire.Glossary
	s.get(of+"/default?fallbackToAccount=true").want(t, 200, &fallback)
	if fallback.ID != first {
		t.Errorf("%+v", fallback)
	}
	attach(`["`+first+`","`+second+`","`+strings.ToUpper(first)+`"]`).want(t, 204, nil)
	if got := ids(); !slices.Equal(got, []string{first, second}) {
		t.Errorf("%v", got)
	}
	s.get(of+"/default").want(t, 200, nil)
	attach(`["`+second+`"]`).want(t, 204, nil) // takes the place of all
	const nobody = "11111111-2222-3333-4444-555555555555"
	check(t, attach(`["`+first+`","`+nobody+`"]`), 404, "glossaries")
	check(t, attach(`["`+first+`","x"]`), 400, "glossaries")
	check(t, attach(`{"glossaries":[]}`), 400, "glossaries")
	check(t, attach(`null`), 400, "glossaries")
	check(t, attach(``), 400, "glossaries")
	if got := ids(); !slices.Equal(got, []string{second}) {
		t.Errorf("refused calls left %v", got)
	}
	attach(`[]`).want(t, 204, nil)
	if ids() != nil {
		t.Error("an empty list did not detach")
	}
	check(t, s.get("/v1/project/"+nobody+"/glossaries"), 404, "")
	check(t, s.call("PUT", wire.Prefix+"/v1/project/"+nobody+"/glossaries", "", strings.NewReader("[]")), 404, "")
}

func TestGlossaryImportAndExport(t *testing.T) {
	s := serve(t, Options{})
	id := s.defaultGlossary().ID
	book := newWorkbook(t, []any{"en", "DE", nil, "Comment"}, []any{"cat", "Katze", nil, "the animal"}, []any{},
		[]any{"007", "=1+1"}, []any{nil, "Hund"})
	if state := s.importGlossary(id, false, file{"terms.xlsx", book}); state != wire.TaskStateCompleted {
		t.Fatal(state)
	}
	g := s.defaultGlossary()
	if g.Units != 3 || !slices.Equal(g.Languages, []string{"en", "de"}) {
		t.Errorf("%+v", g)
	}
	// A second file adds a language and one unit; the one that is there already is no second one.
	s.importGlossary(id, false, file{"more.csv", "\xef\xbb\xbfen;fr;comment\r\n\"a; \"\"quoted\"\"\nterm\";terme;\r\n"})
	s.importGlossary(id, false, file{"more.csv", "fr,en\nterme,\"a; \"\"quoted\"\"\nterm\"\n"})
	a := s.exportGlossary(id)
	if a.status != 200 ||
		a.header.Get("Content-Type") != "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" ||
		!strings.Contains(a.header.Get("Content-Disposition"), `filename="Default glossary.xlsx";`) {
		t.Errorf("%d %v", a.status, a.header)
	}
	want := [][]string{{"en", "de", "fr", "comment"}, {"cat", "Katze", "", "the animal"}, {"007", "=1+1"}, {"", "Hund"},
		{"a; \"quoted\"\nterm", "", "terme"}}
	if got := cells(t, a.body); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if g := s.defaultGlossary(); g.Units != 4 || len(g.Languages) != 3 {
		t.Errorf("%+v", g)
	}
	// What came out goes in again, and changes nothing.
	s.importGlossary(id, false, file{"again.xlsx", string(a.body)})
	if got := cells(t, s.exportGlossary(id).body); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
	s.importGlossary(id, true, file{"new.tsv", "en\tit\nhouse\tcasa\n"})
	if got := cells(t, s.exportGlossary(id).body); fmt.Sprint(got) != "[[en it] [house casa]]" {
		t.Errorf("%q", got)
	}
	s.importGlossary(id, true, file{"empty.csv", "en,de\n"})
	if g := s.defaultGlossary(); g.Units != 0 || !slices.Equal(g.Languages, []string{"en", "de"}) {
		t.Errorf("%+v", g)
	}
}

// Tasks pass through their states, are listed while they do, and go on after a restart.
func TestGlossaryTasks(t *testing.T) {
	dir := t.TempDir()
	slow, err := Open(dir, Options{AccountID: testAccount, JobDelay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	q := &quick{slow, ""}
	var id wire.Glossary
	q.send(t, "GET", wire.PathGlossariesDefault, "", "").want(t, 200, &id)
	contentType, body := multipartOf(t, file{"a.csv", "en,de\ncat,Katze\n"})
	var task, export, state string
	q.send(t, "POST", wire.PathGlossaryImport+"?glossaryId="+id.ID, contentType, string(body)).want(t, 200, &task)
	q.send(t, "POST", wire.PathGlossaryExport+"?glossaryId="+id.ID, "", "").want(t, 200, &export)
	q.send(t, "GET", "/v1/glossary/importTaskState/"+task, "", "").want(t, 200, &state)
	check(t, q.send(t, "GET", "/v1/glossary/export/"+export, "", ""), 400, "")
	var pending []wire.GlossaryExport
	q.send(t, "GET", wire.PathGlossaryExportPending, "", "").want(t, 200, &pending)
	if state != "pending" || len(pending) != 1 || pending[0] != (wire.GlossaryExport{ID: export, GlossaryID: id.ID}) {
		t.Errorf("%s %+v", state, pending)
	}
	if err := slow.Close(); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, dir, Options{})
	for late := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		s.get("/v1/glossary/importTaskState/"+task).want(t, 200, &state)
		s.get(wire.PathGlossaryExportPending).want(t, 200, &pending)
		if state == "completed" && pending[0].Completed {
			break
		}
		if time.Now().After(late) {
			t.Fatal(state, pending)
		}
	}
	s.get("/v1/glossary/export/"+export).want(t, 200, nil)
	s.get("/v1/glossary/export/"+export).want(t, 200, nil) // as often as it is asked for
	if got := cells(t, s.exportGlossary(id.ID).body); fmt.Sprint(got) != "[[en de] [cat Katze]]" {
		t.Errorf("%q", got)
	}
	const nobody = "11111111-2222-3333-4444-555555555555"
	check(t, s.get("/v1/glossary/export/"+nobody), 404, "")
	check(t, s.get("/v1/glossary/importTaskState/"+nobody), 404, "")
	check(t, s.get("/v1/glossary/export/"+task), 404, "") // an import is no export
	check(t, s.get("/v1/glossary/importTaskState/"+export), 404, "")
	check(t, s.get("/v1/document/export/"+export), 404, "")
}

func TestGlossaryOfAnotherAccount(t *testing.T) {
	dir := t.TempDir()
	mine := serveIn(t, dir, Options{})
	id := mine.defaultGlossary().ID
	var export string
	mine.post(wire.PathGlossaryExport+query("glossaryId", id), "").want(t, 200, &export)
	mine.exportGlossary(id)
	if err := mine.s.Close(); err != nil {
		t.Fatal(err)
	}
	yours, err := Open(dir, Options{AccountID: "yours"})
	if err != nil {
		t.Fatal(err)
	}
	if err := yours.EnsureProject(callbackProject, "app", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	q := &quick{yours, ""}
	contentType, body := multipartOf(t, file{"a.csv", "en,de\ncat,Katze\n"})
	check(t, q.send(t, "POST", wire.PathGlossaryImport+"?glossaryId="+id, contentType, string(body)), 403, "glossaryId")
	check(t, q.send(t, "POST", wire.PathGlossaryExport+"?glossaryId="+id, "", ""), 403, "glossaryId")
	check(t, q.send(t, "GET", "/v1/glossary/export/"+export, "", ""), 403, "")
	check(t, q.send(t, "PUT", "/v1/project/"+callbackProject+"/glossaries", "", `["`+id+`"]`), 403, "glossaries")
	var all []wire.Glossary
	q.send(t, "GET", wire.PathGlossaries, "", "").want(t, 200, &all)
	if len(all) != 1 || all[0].ID == id {
		t.Errorf("%+v", all)
	}
	if err := yours.Close(); err != nil {
		t.Fatal(err)
	}
	if mine.s, err = Open(dir, Options{AccountID: testAccount}); err != nil { // for the clean-up to close
		t.Fatal(err)
	}
}

// Whatever is wrong with a file is said at once, with its line, and the glossary stays as it was.
func TestGlossaryRefusals(t *testing.T) {
	s := serve(t, Options{})
	id := s.defaultGlossary().ID
	s.importGlossary(id, false, file{"a.csv", "en,de\ncat,Katze\n"})
	wide := "en" + strings.Repeat(",", boundColumns)
	for name, c := range map[string]struct {
		f    file
		says string
	}{
		"empty":                   {file{"a.csv", ""}, "is empty"},
		"blank":                   {file{"a.csv", "\n , \n"}, "is empty"},
		"no language":             {file{"a.csv", "comment\nx\n"}, "no language code"},
		"an unknown language":     {file{"a.csv", "en,xx\ncat,x\n"}, `"xx"`},
		"another style":           {file{"a.csv", "en,zh_CN\ncat,x\n"}, "zh-Hans-CN"},
		"a language twice":        {file{"a.csv", "en,EN\na,b\n"}, "two columns are for the language en"},
		"a note twice":            {file{"a.csv", "en,comment,Comment\na,b,c\n"}, "two columns are called comment"},
		"a term without language": {file{"a.csv", "en,de\na,b\nc,d,e\n"}, "line 3"},
		"a blank head":            {file{"a.csv", "en,,de\na,b,c\n"}, "line 2"},
		"a note on nothing":       {file{"a.csv", "en,comment\n,c\n"}, "line 2"},
		"an open quote":           {file{"a.csv", "en,de\n\"a,b\n"}, "line"},
		"a quote inside":          {file{"a.csv", "en,de\na\"b,c\n"}, "line 2"},
		"not UTF-8":               {file{"a.csv", "en,de\ncaf\xe9,x\n"}, "UTF-8"},
		"UTF-16":                  {file{"a.csv", "\xff\xfee\x00n\x00"}, "UTF-8"},
		"a control character":     {file{"a.csv", "en,de\nring\x07,x\n"}, "control character"},
		"a term for a novel":      {file{"a.csv", "en\n" + strings.Repeat("ü", boundTerm+1) + "\n"}, "characters"},
		"many columns":            {file{"a.csv", wide + "\n"}, "columns"},
		"another kind":            {file{"a.docx", "en,de\n"}, ".xlsx or .csv"},
		"an old workbook":         {file{"a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more"}, "old .xls"},
		"no workbook":             {file{"a.xlsx", "en,de\na,b\n"}, "not a workbook"},
		"a damaged workbook":      {file{"a.xlsx", "PK\x03\x04 and no more"}, "cannot be read"},
		"a zip":                   {file{"a.xlsx", packed(t, file{"a.txt", "x"})}, "workbook"},
		"a workbook of no words":  {file{"a.xlsx", newWorkbook(t)}, "is empty"},
		"a workbook's bad cell": {file{"a.xlsx", newWorkbook(t, []any{"en", "de"},
			[]any{"a", "b"}, []any{"a", "b", "c"})},
			"line 3"},
		"a wide workbook":      {file{"a.xlsx", wideWorkbook(t)}, "columns"},
		"a bomb of one string": {file{"a.xlsx", sharedBomb(t)}, "divide the file"},
		"a bomb of zeros":      {file{"a.xlsx", liar(t, boundBook+1, "boom")}, "cannot be read"},
	} {
		a := s.startGlossaryImport(query("glossaryId", id, "clearBeforeImport", "true"), c.f)
		if a.status != 400 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
			continue
		}
		if p := a.problem(t); len(p.Errors["file"]) != 1 || !strings.Contains(p.Detail, c.says) ||
			!strings.Contains(p.Detail, c.f.name) {
			t.Errorf("%s: %s", name, p.Detail)
		}
	}
	good := file{"a.csv", "en\na\n"}
	const nobody = "11111111-2222-3333-4444-555555555555"
	check(t, s.startGlossaryImport("", good), 400, "glossaryId")
	check(t, s.startGlossaryImport("?glossaryId=", good), 400, "glossaryId")
	check(t, s.startGlossaryImport("?glossaryId=12", good), 400, "glossaryId")
	check(t, s.startGlossaryImport("?glossaryId="+nobody, good), 404, "glossaryId")
	check(t, s.startGlossaryImport("?clearBeforeImport=perhaps&glossaryId="+id, good), 400, "clearBeforeImport")
	check(t, s.startGlossaryImport("?glossaryId="+id), 400, "file")
	check(t, s.startGlossaryImport("?glossaryId="+id, good, good), 400, "file")
	check(t, s.call("POST", wire.Prefix+wire.PathGlossaryImport+"?glossaryId="+id, "text/csv",
		strings.NewReader("en\na\n")), 400, "file")
	check(t, s.post(wire.PathGlossaryExport, ""), 400, "glossaryId")
	check(t, s.post(wire.PathGlossaryExport+"?glossaryId="+nobody, ""), 404, "glossaryId")
	if got := cells(t, s.exportGlossary(id).body); fmt.Sprint(got) != "[[en de] [cat Katze]]" {
		t.Errorf("refused calls left %q", got)
	}
}

// Ten megabytes are taken, one byte more is not.
func TestGlossarySize(t *testing.T) {
	s := serve(t, Options{})
	id := s.defaultGlossary().ID
	row := strings.Repeat("x", 999) + "\n"
	exact := "en\n" + strings.Repeat(row, (wire.MaxGlossaryImport-3)/len(row))
	exact += strings.Repeat("y", wire.MaxGlossaryImport-len(exact))
	s.startGlossaryImport("?glossaryId="+id, file{"a.csv", exact}).want(t, 200, nil)
	check(t, s.startGlossaryImport("?glossaryId="+id, file{"a.csv", exact + "z"}), 413, "")
	check(t, s.startGlossaryImport("?glossaryId="+id, file{"a.csv", exact + exact}), 413, "")
}

// unwritable is what no cell of a workbook can hold.
func unwritable(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == '\uFFFE' || r == '\uFFFF'
}

// Every term that is taken comes out of the export as it went in.
func TestGlossaryRoundTrip(t *testing.T) {
	s := serve(t, Options{})
	s.s.store.SetDurable(false)
	id := s.defaultGlossary().ID
	rapid.Check(t, func(t *rapid.T) {
		term := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"_x000D_", "_x0041_b",
			"&amp;", "<b>", "'=1", "1e5",
			"TRUE", " a  b ", "\"", "a,b;c\td", "line\nline", "\u00a0", "😀", "#N/A", "2026-01-02"}))
		var want []string
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Write([]string{"en", "de"})
		for _, word := range rapid.SliceOfN(term, 1, 5).Draw(t, "terms") {
			word = strings.TrimSpace(strings.ReplaceAll(word, "\r", " ")) // line ends are the CSV's
			if word == "" || strings.ContainsFunc(word, unwritable) || slices.Contains(want, word) {
				continue
			}
			want = append(want, word)
			w.Write([]string{"", word})
		}
		w.Flush()
		s.importGlossary(id, true, file{"a.csv", b.String()})
		rows := cells(s.t, s.exportGlossary(id).body)
		var got []string
		for _, row := range rows[1:] {
			got = append(got, row[1])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}

// wideWorkbook has a cell in the last column that there can be.
func wideWorkbook(t *testing.T) string {
	f := excelize.NewFile()
	defer f.Close()
	for cell, text := range map[string]string{"A1": "en", "A2": "a", "XFD2": "b"} {
		if err := f.SetCellStr("Sheet1", cell, text); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sharedBomb is a small workbook whose many cells all refer to one long text.
func sharedBomb(t *testing.T) string {
	t.Helper()
	var rows strings.Builder
	for i := 2; i < 5000; i++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d" t="s"><v>1</v></c></row>`, i, i)
	}
	return repacked(t, map[string]string{
		"xl/worksheets/sheet1.xml": sheetOf(`<row r="1"><c r="A1" t="s"><v>0</v></c></row>` + rows.String()),
		"xl/sharedStrings.xml": `<?xml version="1.0" encoding="UTF-8"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
			`<si><t>en</t></si><si><t>` + strings.Repeat("b", boundTerm) + `</t></si></sst>`,
	})
}

func sheetOf(rows string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + rows + `</sheetData></worksheet>`
}

// repacked is a good workbook with some of its pieces exchanged.
func repacked(t testing.TB, pieces map[string]string) string {
	t.Helper()
	book := newWorkbook(t, []any{"en", "de"}, []any{"cat", "Katze"})
	src, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var out []file
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
		out = append(out, file{f.Name, string(body)})
	}
	return packed(t, out...)
}
