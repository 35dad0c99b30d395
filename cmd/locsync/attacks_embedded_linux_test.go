package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// attackedService is the embedded service at an address of its own, in a process of its own.
type attackedService struct {
	*watched
	url, project, documents string
}

func newAttackedService(t *testing.T) *attackedService {
	t.Helper()
	v := newVictim(t)
	v.file("keys", "secret\n")
	s := &attackedService{watched: v.begin("service", "--listen", "127.0.0.1:0", "--data", filepath.Join(v.dir, "data"),
		"--account", "acc", "--api-key-file", filepath.Join(v.dir, "keys"), "--rate-limit", "0")}
	for s.url == "" {
		if time.Since(s.began) > guard {
			t.Fatal("it does not listen")
		}
		time.Sleep(10 * time.Millisecond)
		_, s.url, _ = strings.Cut(s.saidSoFar(), "listening on ")
		s.url, _, _ = strings.Cut(s.url, "\n")
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		s.ends()
	})
	s.project, s.documents = s.makes("softwareLocalization"), s.makes("default")
	return s
}

// makes is a new project.
func (s *attackedService) makes(kind string) string {
	s.Helper()
	_, body := s.call("POST", "/v1/project/create", "application/json", strings.NewReader(`{"name": "p", `+
		`"sourceLanguage": "en", "targetLanguages": ["de"], "assignToVendor": false, "type": "`+kind+`"}`))
	var made struct{ ID string }
	if err := json.Unmarshal(body, &made); err != nil || made.ID == "" {
		s.Fatalf("%v: %s", err, body)
	}
	return made.ID
}

// call sends one request; the status is 0 where the service ends the connection, as it may with what is too large.
func (s *attackedService) call(method, path, kind string, body io.Reader) (int, []byte) {
	r, err := http.NewRequest(method, s.url+"/api/integration"+path, body)
	if err != nil {
		s.Error(err)
		return 0, nil
	}
	r.SetBasicAuth("acc", "secret")
	r.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(resp.Body) // what can be had of it
	return resp.StatusCode, said
}

// sends uploads files, each written by a function, and returns the status and what was said.
func (s *attackedService) sends(path string, files map[string]func(io.Writer)) (int, string) {
	from, to := io.Pipe()
	defer from.Close()
	m := multipart.NewWriter(to)
	go func() {
		buffered := bufio.NewWriter(to)
		for name, write := range files {
			w, err := m.CreateFormFile("file", name)
			if err != nil {
				break
			}
			buffered.Reset(w)
			write(buffered)
			_ = buffered.Flush() // the other end may be gone
		}
		_ = to.CloseWithError(m.Close())
	}()
	method := http.MethodPost
	if strings.Contains(path, "file-management") {
		method = http.MethodPut
	}
	status, said := s.call(method, path, m.FormDataContentType(), from)
	return status, string(said)
}

// peaks is the most memory since it was asked last.
func (s *attackedService) peaks() int64 {
	peak := residentPeak(s.cmd.Process.Pid)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"),
		0) // a kernel without it counts on
	return peak
}

// large, keys and workbook write bombs.
func large(before, text string, n int, after string) func(io.Writer) {
	return func(w io.Writer) { repeated(w, before, text, n, after) }
}

func keys(n int) func(io.Writer) {
	return func(w io.Writer) { numbered(w, `{"":""`, `,"%d":""`, n, `}`) }
}

// workbook has one sheet of many rows.
func workbook(t *testing.T, rows int) func(io.Writer) {
	const namespace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	book := zipOf(t, map[string]func(io.Writer){
		"[Content_Types].xml": large(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
			"", 0, ""),
		"xl/workbook.xml": large(`<workbook xmlns:r="`+namespace+
			`"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`, "", 0, ""),
		"xl/_rels/workbook.xml.rels": large(`<Relationships><Relationship Id="r1" Type="`+namespace+`/worksheet" Target="worksheets/sheet1.xml"/>`+
			`</Relationships>`, "", 0, ""),
		"xl/worksheets/sheet1.xml": large(`<worksheet><sheetData>`,
			`<row><c t="inlineStr"><is><t>en</t></is></c><c t="inlineStr"><is><t>de</t></is></c></row>`,
			rows, `</sheetData></worksheet>`),
	})
	return func(w io.Writer) { _, _ = w.Write(book) }
}

// nestedWorkbook is a workbook, one part of which is two million elements within each other.
func nestedWorkbook(t *testing.T, part string) func(io.Writer) {
	t.Helper()
	parts := map[string]func(io.Writer){
		"_rels/.rels": large(`<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.xml"/>`, "", 0,
			"</Relationships>"),
		"xl/workbook.xml": large(`<workbook><sheets><sheet name="a" id="s"/>`, "", 0, "</sheets></workbook>"),
		"xl/_rels/workbook.xml.rels": large(`<Relationships><Relationship Id="s" Type="x/worksheet" `+
			`Target="worksheets/sheet1.xml"/><Relationship Id="t" Type="x/sharedStrings" Target="sharedStrings.xml"/>`, "", 0,
			"</Relationships>"),
		"xl/worksheets/sheet1.xml": large("<worksheet><sheetData>", "", 0, "</sheetData></worksheet>"),
		"xl/sharedStrings.xml":     large("<sst>", "", 0, "</sst>"),
	}
	parts[part] = large("<worksheet>", "<a>", 2_000_000, "")
	content := zipOf(t, parts)
	return func(w io.Writer) { _, _ = w.Write(content) } // the other end may be gone
}

// copies are files of the same content; the name has their number.
func copies(n int, name string, write func(io.Writer)) map[string]func(io.Writer) {
	files := make(map[string]func(io.Writer), n)
	for i := range n {
		files[fmt.Sprintf(name, i)] = write
	}
	return files
}

// Who has the key of the embedded service takes no more memory of it than what comes from elsewhere, and the service
// goes on for others.
func TestBoundOfTheEmbeddedService(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := newAttackedService(t)
	imports, documents := "/v2/project/"+s.project+"/import?language=en", "/v1/project/document?projectId="+s.documents
	for _, c := range []struct {
		name, path string
		files      map[string]func(io.Writer)
	}{
		{"keys", imports, copies(1, "a%d.json", keys(2_500_000))},
		{"files of keys", imports, copies(10, "a%d.json", keys(140_000))},
		{"texts", imports, copies(3, "a%d.json", large(`{"a":"`, "x", 30<<20, `"}`))},
		{"files", imports, copies(9_999, "a%d.json", large(`{"a":"b"}`, "", 0, ""))},
		{"too many files", imports, copies(10_001, "a%d.json", large(`{"a":"b"}`, "", 0, ""))},
		{"too large", imports, copies(1, "a%d.json", large("", " ", 1<<30, ""))},
		{"lines", documents, copies(1, "a%d.txt", large("", "a\n", 30<<20, ""))},
		{"files of lines", documents, copies(60, "b%d.txt", large("", "a\n", 100_000, ""))},
		{"sentences", documents, copies(1, "c%d.txt", large("", "A. ", 20<<20, ""))},
		{"elements", documents, copies(1, "a%d.html", large("<html><body>", "<p>a</p>", 7_500_000, "</body></html>"))},
		{"nested elements", documents, copies(1, "b%d.html", large("<html><body>", "<p><b>",
			10_000_000, "</body></html>"))},
		{"attributes", documents, copies(1, "c%d.html", large("<html><body><p ", "alt=a ",
			10_000_000, "></p></body></html>"))},
		{"emphasis", documents, copies(1, "a%d.md", large("", "*a* ", 15_000_000, ""))},
		{"units", documents, copies(1, "a%d.xliff",
			large(`<xliff version="1.2"><file source-language="en" target-language="de"><body>`,
				`<trans-unit id="1"><source>a</source></trans-unit>`, 1_200_000, "</body></file></xliff>"))},
		{"JSON", documents, copies(1, "a%d.json", keys(2_500_000))},
		{"workbook", documents, copies(1, "a%d.xlsx", workbook(t, 600_000))},
		{"storage", "/v1/file-management/files/x?unzip=true", copies(1, "a%d.zip", func(w io.Writer) {
			_, _ = w.Write(zipOf(t, map[string]func(io.Writer){"zeros": large("", "\x00", 256<<20, "")}))
		})},
		{"glossary", s.glossary(), copies(1, "a%d.xlsx", workbook(t, 600_000))},
		{"terms", s.glossary(), copies(1, "a%d.csv", large("en,de\n", "a,b\n", 2_500_000, ""))},
		{"nested TMX", s.memory(), copies(1, "a%d.tmx", large("<tmx><body>", "<a>", 25_000_000, ""))},
		{"nested workbook", s.glossary(), copies(1, "a%d.xlsx", nestedWorkbook(t, "xl/worksheets/sheet1.xml"))},
		{"nested shared texts", s.glossary(), copies(1, "a%d.xlsx", nestedWorkbook(t, "xl/sharedStrings.xml"))},
		{"nested workbooks", documents, copies(10, "n%d.xlsx", nestedWorkbook(t, "xl/worksheets/sheet1.xml"))},
		{"nested XLIFF", documents, copies(1, "n%d.xliff", large(`<xliff version="1.2">`, "<a>", 10_000_000, ""))},
		{"nested Qt", imports + "&format=qt-ts", copies(1, "n%d.ts", large("<TS>", "<a>", 10_000_000, ""))},
		{"one unit", s.memory(), copies(1, "a%d.tmx", large(`<tmx><body><tu>`, `<tuv lang="en"><seg>a</seg></tuv>`,
			3_500_000, `</tu></body></tmx>`))},
	} {
		if quick := []string{"texts", "files", "lines", "units", "JSON", "one unit", "nested TMX", "nested workbook",
			"nested shared texts", "nested workbooks", "nested XLIFF"}; !soaking &&
			!slices.Contains(quick, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			status, said := s.sends(c.path, c.files)
			if status == http.StatusOK && c.path == imports {
				said = s.imported(t, strings.Trim(strings.TrimSpace(said), `"`))
			}
			t.Logf("%d after %v, %d MB: %s", status, time.Since(began).Round(time.Millisecond),
				s.peaks()>>20, clipped(said))
			s.answers(t)
		})
	}
	t.Run("many at once", func(t *testing.T) {
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() { s.sends(imports, copies(4, "a%d.json", large(`{"a":"`, "x", 30<<20, `"}`))) })
		}
		all.Wait()
		t.Logf("%d MB", s.peaks()>>20)
		s.answers(t)
	})
}

// answers fails where the service does not go on.
func (s *attackedService) answers(t *testing.T) {
	t.Helper()
	if status, said := s.call("GET", "/v1/project/"+s.project, "", nil); status != http.StatusOK {
		t.Errorf("the service answers %d: %s", status, said)
	}
}

// glossary and memory are where a new one takes files.
func (s *attackedService) glossary() string {
	_, said := s.call("POST", "/v1/glossaries", "application/json",
		strings.NewReader(`{"name":"g","languages":["en","de"]}`))
	return "/v1/glossary/import?glossaryId=" + strings.Trim(strings.TrimSpace(string(said)), `"`)
}

func (s *attackedService) memory() string {
	_, said := s.call("POST", "/v1/translationmemory", "application/json",
		strings.NewReader(`{"name":"m","sourceLanguage":"en","targetLanguages":["de"]}`))
	return "/v1/translationmemory/" + strings.Trim(strings.TrimSpace(string(said)), `"`)
}

// imported waits for the end of an import, and returns what became of it.
func (s *attackedService) imported(t *testing.T, id string) string {
	t.Helper()
	for began := time.Now(); time.Since(began) < guard; time.Sleep(20 * time.Millisecond) {
		if _, said := s.call("GET", "/v1/project/import-result/"+id, "", nil); !bytes.Contains(said,
			[]byte(`"inprogress"`)) && !bytes.Contains(said, []byte(`"pending"`)) {
			return string(said)
		}
	}
	t.Error("the import does not end")
	return ""
}
