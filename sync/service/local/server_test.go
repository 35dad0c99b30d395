package local

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

const (
	testAccount = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	testKey     = "1_secret"
)

// server is a service behind a real listener, and a client that fails the test on what it did not expect.
type server struct {
	t       testing.TB
	s       *Service
	url     string
	dir     string
	account string
	key     string
	pid     int // of a process of its own
}

func serve(t testing.TB, o Options) *server {
	t.Helper()
	return serveIn(t, t.TempDir(), o)
}

func serveIn(t testing.TB, dir string, o Options) *server {
	t.Helper()
	if o.AccountID == "" {
		o.AccountID = testAccount
	}
	if o.Keys == nil {
		o.Keys = []string{"other", testKey}
	}
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &server{t, s, h.URL, dir, o.AccountID, testKey, 0}
}

// The bounds of the service, as those meet them who call it.
const (
	boundColumns  = 500
	boundTerm     = 32_767
	boundBook     = 256 << 20
	boundFileName = 1024
	boundImport   = 128 << 20
	boundModel    = 4 << 20
	boundParts    = 10_000
	boundPath     = 1000
	boundContents = 16 << 20
	boundBatch    = 100
	timesAgain    = 8
	firstAgain    = 30 * time.Second
	attemptTime   = 10 * time.Second
	keysAtOnce    = 5000
	boundHeld     = 160 << 20
)

// refusal is what an answer other than 2xx says.
type refusal struct {
	wire.Problem
	Errors map[string][]string
}

// short is the beginning of an answer.
func short(body []byte) string { return string(body[:min(len(body), 60)]) }

// clock is a time that tests move on while the service reads it.
type clock struct{ nanos atomic.Int64 }

func clockAt(t time.Time) *clock {
	c := &clock{}
	c.nanos.Store(t.UnixNano())
	return c
}

func (c *clock) add(d time.Duration) time.Time { return time.Unix(0, c.nanos.Add(int64(d))) }

// reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (a reply) problem(t testing.TB) refusal {
	t.Helper()
	var p refusal
	type plain struct {
		Type, Title, Detail, Instance string
		Status                        int
		Errors                        map[string][]string
	}
	var raw plain
	if err := json.Unmarshal(a.body, &raw); err != nil {
		t.Fatalf("no problem object: %v in %q", err, a.body)
	}
	p.Type, p.Title, p.Detail, p.Instance, p.Status, p.Errors = raw.Type, raw.Title, raw.Detail, raw.Instance, raw.Status,
		raw.Errors
	return p
}

// call makes a request and returns whatever came back.
func (s *server) call(method, path, contentType string, body io.Reader) reply {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	r.SetBasicAuth(s.account, s.key)
	return s.do(r)
}

func (s *server) do(r *http.Request) reply {
	s.t.Helper()
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{answer.StatusCode, answer.Header, b}
}

func (s *server) get(path string) reply { return s.call("GET", wire.Prefix+path, "", nil) }

func (s *server) post(path, body string) reply {
	return s.call("POST", wire.Prefix+path, "application/json", strings.NewReader(body))
}

// want fails the test unless the status is as given, and decodes the body into out unless that is nil.
func (a reply) want(t testing.TB, status int, out any) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if out != nil {
		if err := json.Unmarshal(a.body, out); err != nil {
			t.Fatalf("%v in %q", err, a.body)
		}
	}
}

var errCut = errors.New("the connection was cut before there was an answer")

// ask makes a call without a network.
func ask(s *Service, r *http.Request) (a reply, err error) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			err = errCut
		} else if p != nil {
			panic(p)
		}
	}()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return reply{w.Code, w.Result().Header, w.Body.Bytes()}, nil
}

// create makes a localization project and returns its identifier.
func (s *server) create(source string, targets ...string) string {
	s.t.Helper()
	return s.createWith(map[string]any{"name": "app", "sourceLanguage": source, "targetLanguages": targets,
		"assignToVendor": false, "type": wire.ProjectTypeLocalization})
}

func (s *server) createWith(model map[string]any) string {
	s.t.Helper()
	b, err := json.Marshal(model)
	if err != nil {
		s.t.Fatal(err)
	}
	var p wire.Project
	s.post("/v1/project/create", string(b)).want(s.t, 200, &p)
	return p.ID
}

// file is one file of an import.
type file struct{ name, body string }

func multipartOf(t testing.TB, files ...file) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range files {
		p, err := w.CreatePart(map[string][]string{
			"Content-Disposition": {mime.FormatMediaType("form-data",
				map[string]string{"name": "file", "filename": f.name})},
			"Content-Type": {"text/plain"},
		})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(p, f.body)
	}
	w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// query builds a query from pairs.
func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Add(pairs[i], pairs[i+1])
	}
	return "?" + q.Encode()
}

func (s *server) startImport(project, q string, files ...file) reply {
	s.t.Helper()
	contentType, body := multipartOf(s.t, files...)
	return s.call("POST", wire.Prefix+"/v2/project/"+project+"/import"+q, contentType, bytes.NewReader(body))
}

// imported runs an import to its end.
func (s *server) imported(project, q string, files ...file) wire.ImportResult {
	s.t.Helper()
	var id string
	s.startImport(project, q, files...).want(s.t, 200, &id)
	return s.result(id)
}

func (s *server) result(id string) wire.ImportResult {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		var r wire.ImportResult
		s.get("/v1/project/import-result/"+id).want(s.t, 200, &r)
		if r.Status.Ended() {
			return r
		}
	}
	s.t.Fatal("the import did not end")
	return wire.ImportResult{}
}

// completed runs an import that must go well.
func (s *server) completed(project, q string, files ...file) wire.ImportResult {
	s.t.Helper()
	r := s.imported(project, q, files...)
	if r.Status != wire.Completed || len(r.Errors) > 0 || len(r.FailedFileNames) > 0 {
		s.t.Fatalf("import: %+v", r)
	}
	return r
}

// exported runs an export to its end and returns the answer to the download.
func (s *server) exported(project, q string) reply {
	s.t.Helper()
	var id string
	s.call("POST", wire.Prefix+"/v2/project/"+project+"/export"+q, "", nil).want(s.t, 200, &id)
	return s.downloaded(id)
}

func (s *server) downloaded(id string) reply {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if a := s.get("/v1/document/export/" + id); a.status != http.StatusNoContent {
			return a
		}
	}
	s.t.Fatal("the export did not end")
	return reply{}
}

// one returns the single file that an export gives.
func (s *server) one(project, q string) string {
	s.t.Helper()
	a := s.exported(project, q)
	if a.status != 200 {
		s.t.Fatalf("export: %d %s", a.status, a.body)
	}
	if bytes.HasPrefix(a.body, []byte("PK")) {
		s.t.Fatal("an archive, not a file")
	}
	return string(a.body)
}

// many returns the files of the archive that an export gives.
func (s *server) many(project, q string) map[string]string {
	s.t.Helper()
	a := s.exported(project, q)
	if a.status != 200 {
		s.t.Fatalf("export: %d %s", a.status, a.body)
	}
	return unpack(s.t, a.body)
}

func unpack(t testing.TB, b []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatalf("not an archive: %v: %.200q", err, b)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := out[f.Name]; twice {
			t.Fatalf("two entries are called %s", f.Name)
		}
		out[f.Name] = string(body)
	}
	return out
}

// flat reads a flat JSON file.
func flat(t testing.TB, body string) map[string]string {
	t.Helper()
	m := map[string]string{}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	return m
}

// sameJSON compares two JSON texts by what they say.
func sameJSON(t testing.TB, got, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%v in %q", err, got)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%v in %q", err, want)
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}
