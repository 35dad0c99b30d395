package local

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/wire"
)

// operation is a call that takes a body.
type operation struct {
	name, method, path string
	optional           bool // the body may be empty
}

// badInput is a service with one of each thing that calls are about.
type badInput struct {
	*server
	localization, documents, document, memory, task string
}

func serveBadInput(t *testing.T) *badInput {
	s := serve(t, Options{})
	b := &badInput{server: s, localization: s.create("en", "de"), documents: s.documentsProject("de")}
	s.completed(b.localization, "?language=en", file{"a.json", `{"k":"v"}`})
	b.document = s.added(b.documents, "", file{"a.txt", "One."})[0].ID
	s.post(wire.PathMemories, `{"name":"m","sourceLanguage":"en","targetLanguages":["de"]}`).want(t, 201, &b.memory)
	var tasks []wire.Task
	s.get("/v1/projectTask/"+b.documents+"/list?currency=USD").want(t, 200, &tasks)
	b.task = tasks[0].ID
	return b
}

// multipartOperations are the calls that take files.
func (b *badInput) multipartOperations() []operation {
	return []operation{
		{"create", "POST", wire.PathProjectCreate, false},
		{"import", "POST", "/v2/project/" + b.localization + "/import?language=en", false},
		{"glossary import", "POST", wire.PathGlossaryImport + "?glossaryId=" + b.defaultGlossary().ID, false},
		{"storage, several", "PUT", wire.PathStorageFiles + "x", false},
		{"storage, one", "PUT", wire.PathStorageFile + "x/y", false},
		{"documents", "POST", wire.PathProjectDocument + "?projectId=" + b.documents, false},
		{"update", "PUT", wire.PathDocumentUpdate + "?documentId=" + b.document, false},
		{"update, second version", "PUT", wire.PathDocumentUpdateV2 + "?documentId=" +
			strings.Split(b.document, "_")[0], false},
		{"translate", "PUT", wire.PathDocumentTranslate + "?documentId=" + b.document, false},
		{"translate with XLIFF", "PUT", wire.PathDocumentTranslateXLIFF + "?documentId=" + b.document, false},
		{"memory", "POST", wire.PathMemories + "/" + b.memory, false},
	}
}

// jsonOperations are the calls that take JSON.
func (b *badInput) jsonOperations() []operation {
	return []operation{
		{"create", "POST", wire.PathProjectCreate, false},
		{"update", "PUT", "/v1/project/" + b.localization, false},
		{"export", "POST", "/v2/project/" + b.localization + "/export", true},
		{"export, first version", "POST", "/v1/project/" + b.localization + "/export", true},
		{"callback", "POST", wire.PathCallback, false},
		{"team", "POST", wire.PathTeam, false},
		{"real-time translation", "POST", wire.PathSmartTranslation, false},
		{"glossary", "POST", wire.PathGlossaries, false},
		{"glossaries of a project", "PUT", "/v1/project/" + b.localization + "/glossaries", false},
		{"engines", "POST", "/v1/project/" + b.documents + "/mt", false},
		{"memory", "POST", wire.PathMemories, false},
		{"memories of a project", "POST", "/v1/project/" + b.documents + "/translationmemories", false},
		{"memories by language", "POST", "/v1/project/" + b.documents + "/translationmemories/bylanguages", false},
		{"pretranslation rules", "PUT", "/v1/project/" + b.documents + "/pretranslation-rules", false},
		{"assignment", "PUT", "/v1/projectTask/" + b.documents + "/" + b.task + "/individual-assignment", false},
	}
}

// livesOn fails the test unless the service answers as ever and nothing was stored by what was refused.
func (b *badInput) livesOn(what string) {
	b.t.Helper()
	var all []wire.Project
	b.get(wire.PathProjectList).want(b.t, 200, &all)
	var documents wire.Project
	b.get("/v1/project/"+b.documents).want(b.t, 200, &documents)
	if len(all) != 2 || all[0].Name != "app" || len(documents.Documents) != 1 || len(b.listed("")) != 0 ||
		b.blobs() != 0 || b.defaultGlossary().Units != 0 {
		b.t.Errorf("%s: something of it was stored: %+v", what, all)
	}
	sameJSON(b.t, b.one(b.localization, "?languages=en"), `{"k":"v"}`)
	if got := b.exportDocuments("&type=source", b.document); string(got.body) != "One." {
		b.t.Errorf("%s: the document is %q", what, got.body)
	}
	if held := b.s.server.Bodies.Held(); held != 0 {
		b.t.Errorf("%s: %d bytes are held", what, held)
	}
}

// A multipart body that is damaged, wherever, is a 400 in words.
func TestDamagedMultipart(t *testing.T) {
	s := serveBadInput(t)
	whole := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"en.csv\"\r\n\r\nen,de\r\nx,y\r\n--b--\r\n"
	const good = "multipart/form-data; boundary=b"
	for name, c := range map[string]struct{ contentType, body string }{
		"cut at the end":          {good, whole[:len(whole)-8]},
		"cut in the contents":     {good, whole[:len(whole)-16]},
		"cut in the header":       {good, whole[:40]},
		"cut behind the boundary": {good, "--b\r\n"},
		"empty":                   {good, ""},
		"another boundary":        {"multipart/form-data; boundary=c", whole},
		"no boundary":             {"multipart/form-data", whole},
		"an empty boundary":       {`multipart/form-data; boundary=""`, whole},
		"a boundary of spaces":    {`multipart/form-data; boundary="   "`, whole},
		"no multipart at all":     {good, strings.Repeat("\x00\xff", 1000)},
		"an endless header":       {good, "--b\r\nContent-Disposition: form-data; name=\"" + strings.Repeat("n", 8<<20)},
		"many headers":            {good, "--b\r\n" + strings.Repeat("A: b\r\n", 100_000) + "\r\n\r\n--b--"},
		"a header without colon":  {good, "--b\r\nContent-Disposition\r\n\r\nx\r\n--b--\r\n"},
		"a long file name":        {good, strings.Replace(whole, "en.csv", strings.Repeat("n", boundFileName)+".csv", 1)},
	} {
		for _, o := range s.multipartOperations() {
			a := s.call(o.method, wire.Prefix+o.path, c.contentType, strings.NewReader(c.body))
			if a.status != 400 {
				t.Errorf("%s, %s: %d %s", o.name, name, a.status, a.body)
				continue
			}
			check(t, a, 400, "")
		}
		s.livesOn(name)
	}
}

// A connection that ends in the middle of a body leaves nothing.
func TestCutConnections(t *testing.T) {
	s := serveBadInput(t)
	whole := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"en.csv\"\r\n\r\nen,de\r\nx,y\r\n"
	for _, o := range s.multipartOperations() {
		r, err := http.NewRequest(o.method, s.url+wire.Prefix+o.path, strings.NewReader(whole))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		r.SetBasicAuth(s.account, s.key)
		var sent bytes.Buffer
		if err := r.Write(&sent); err != nil {
			t.Fatal(err)
		}
		for _, length := range []string{fmt.Sprint(len(whole) + 100),
			fmt.Sprint(len(whole))} { // cut short; whole, but without its end
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(conn, strings.Replace(sent.String(), fmt.Sprintf("Content-Length: %d", len(whole)),
				"Content-Length: "+length, 1))
			conn.(*net.TCPConn).CloseWrite()
			answer, err := io.ReadAll(conn)
			conn.Close()
			if err != nil || len(answer) > 0 && !bytes.HasPrefix(answer, []byte("HTTP/1.1 400 ")) {
				t.Errorf("%s: %v %s", o.name, err, answer)
			}
		}
	}
	s.livesOn("a cut connection")
}

// counted is a stream that counts what was read of it, and never repeats.
type counted struct {
	io.Reader
	n atomic.Int64 // the transport goes on reading for a while after the answer
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// gigabyte is a multipart body with a file of that size.
func gigabyte() (body *counted, length int64) {
	const head, tail, size = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.json\"\r\n\r\n", "\r\n--b--\r\n", 1<<30 + 1
	return &counted{Reader: io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, size),
		strings.NewReader(tail))}, int64(len(head) + size + len(tail))
}

// A gigabyte is refused: where its size is said, before it is sent; where it is not, when the bound is reached. Neither
// takes the memory.
func TestGigabyte(t *testing.T) {
	gittest.Long(t)
	if testing.Short() {
		t.Skip("one caller after the other sends much")
	}
	s := serveBadInput(t)
	all := append(s.multipartOperations(), s.jsonOperations()...)
	send := func(o operation, length int64, body io.Reader) (status int) {
		r, err := http.NewRequest(o.method, s.url+wire.Prefix+o.path, io.NopCloser(body))
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = length
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		r.SetBasicAuth(s.account, s.key)
		a, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Errorf("%s: %v", o.name, err)
			return 0
		}
		defer a.Body.Close()
		var answer bytes.Buffer
		answer.ReadFrom(a.Body)
		if a.StatusCode != 413 || !strings.Contains(answer.String(), "send less at once") {
			t.Errorf("%s: %d %s", o.name, a.StatusCode, answer.Bytes())
		}
		return a.StatusCode
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, o := range all {
		body, length := gigabyte()
		send(o, length, body)
		if sent := body.n.Load(); sent > 16<<20 {
			t.Errorf("%s: %d bytes were sent before the answer", o.name, sent)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
		t.Errorf("%d bytes were allocated for refusing %d bodies", took, len(all))
	}
	before = after
	for _, o := range append(s.jsonOperations(),
		all[1:3]...) { // imports: other files are read by the same code, or go to the disk
		body, _ := gigabyte()
		send(o, -1, body)
		if sent := body.n.Load(); sent > boundImport+16<<20 {
			t.Errorf("%s: %d bytes were sent before the answer", o.name, sent)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4*boundImport {
		t.Errorf("%d bytes were allocated for bodies of unknown length", took)
	}
	s.livesOn("a gigabyte")
}

// A client that reads no answer before it has sent everything gets it all the same, and its connection stays of use:
// for a body that is too large, for wrong credentials, for a path that does not exist.
func TestRefusedBodiesAreTakenIn(t *testing.T) {
	t.Parallel()
	s := serve(t, Options{})
	good := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(s.account+":"+s.key)) + "\r\n"
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	answers := bufio.NewReader(conn)
	body := bytes.Repeat([]byte("x"), 12<<20)
	for _, c := range []struct {
		path, head string
		want       int
	}{
		{"/v1/glossary/import?glossaryId=" + s.defaultGlossary().ID + "&clearBeforeImport=false", good, 413},
		{"/v2/project/00000000-0000-0000-0000-000000000000/import?language=en", "", 401},
		{"/v1/nowhere", good, 404},
	} {
		fmt.Fprintf(conn,
			"POST %s%s HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n%s\r\n",
			wire.Prefix, c.path, len(body), c.head)
		if _, err := conn.Write(body); err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		a, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		if _, err := io.Copy(io.Discard, a.Body); err != nil || a.StatusCode != c.want || a.Close {
			t.Errorf("%s: %s, %v, %v", c.path, a.Status, a.Close, err)
		}
	}
}

// A large file goes to the storage without passing through the memory.
func TestStorageStreams(t *testing.T) {
	s := serve(t, Options{})
	const size = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.call("PUT", wire.Prefix+wire.PathStorageFile+"large", "", io.LimitReader(zeros{}, size)).want(t, 201, nil)
	r, err := http.NewRequest("GET", s.url+wire.Prefix+wire.PathStorageFile+"large", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(s.account, s.key)
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if n, err := io.Copy(io.Discard, a.Body); n != size || err != nil {
		t.Errorf("%d bytes came back: %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > size/4 {
		t.Errorf("%d bytes were allocated for a file of %d", took, size)
	}
}

// JSON that is too deep, cut, of the wrong kind or not UTF-8 is a 400 that names what it is about.
func TestBadJSON(t *testing.T) {
	s := serveBadInput(t)
	for name, body := range map[string]string{
		"deep lists":       strings.Repeat("[", 200_000),
		"deep objects":     strings.Repeat(`{"name":`, 200_000),
		"deep inside":      `{"name":` + strings.Repeat("[", 200_000),
		"deep and closed":  strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
		"cut":              `{"name":"a`,
		"two values":       `{} {}`,
		"a number":         `7`,
		"a word":           `name`,
		"a text":           `"text"`,
		"not UTF-8":        "{\"name\":\"caf\xe9\",\"url\":\"http://h/\xff\"}",
		"UTF-16":           "\xff\xfe{\x00}\x00",
		"NUL":              "\x00",
		"a list of a list": `[[["a"]]]`,
		"empty":            "",
	} {
		for _, o := range s.jsonOperations() {
			if name == "empty" && o.optional {
				continue
			}
			a := s.call(o.method, wire.Prefix+o.path, "application/json", strings.NewReader(body))
			if a.status != 400 {
				t.Errorf("%s, %s: %d %s", o.name, name, a.status, a.body)
				continue
			}
			check(t, a, 400, "")
			if p := a.problem(t); len(p.Errors) != 1 || len(p.Detail) > 1000 {
				t.Errorf("%s, %s: %s", o.name, name, short(a.body))
			}
		}
	}
	s.livesOn("bad JSON")
}

// Queries that are not text are refused, whatever they ask for.
func TestQueryThatIsNotUTF8(t *testing.T) {
	s := serveBadInput(t)
	one := file{"a.json", `{"x":"y"}`}
	check(t, s.startImport(s.localization, "?language=en&labels=%ff", one), 400, "labels")
	check(t, s.startImport(s.localization, "?language=en&collection=%c3", one), 400, "collection")
	check(t, s.get(wire.PathProjectList+"?projectName=%e9"), 400, "projectname")
	if a := s.get(wire.PathProjectList + "?%ff=1"); a.status != 400 {
		t.Errorf("%d", a.status)
	}
	s.livesOn("bad queries")
}

// Names of imported files are names, nothing else: they lead nowhere on the disk, and out of no archive.
func TestFileNamesOfImports(t *testing.T) {
	s := serveBadInput(t)
	for i, name := range []string{"../../etc/passwd.json", `..\..\evil.json`, "/abs.json", "C:/x.json",
		"a/./b.json", "..json", "\xff.json"} {
		body := fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\n\r\n{\"key%d\":\"v\"}\r\n--b--\r\n", name, i)
		var id string
		s.call("POST", wire.Prefix+"/v2/project/"+s.localization+"/import?language=en&auto-file-labels=true",
			"multipart/form-data; boundary=b", strings.NewReader(body)).want(t, 200, &id)
		if r := s.result(id); r.Status != wire.Completed || r.KeysCreated != 1 {
			t.Errorf("%q: %+v", name, r)
		}
	}
	nul := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\x00.json\"\r\n\r\n{}\r\n--b--\r\n"
	check(t, s.call("POST", wire.Prefix+"/v2/project/"+s.localization+"/import?language=en",
		"multipart/form-data; boundary=b", strings.NewReader(nul)), 400, "")
	a := s.exported(s.localization, query("languages", "en", "zip", "true",
		"output-file-path-template", "out/{LABEL:file}"))
	if a.status == 422 {
		if !strings.Contains(string(a.body), "label") {
			t.Errorf("%s", a.body)
		}
		return
	}
	for name := range unpack(t, a.body) {
		if !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00\n") {
			t.Errorf("the archive has %q", name)
		}
	}
}

// What all calls together hold in memory is bounded: beyond that a body is refused for now, and what was held is given
// back.
func TestBodiesTogetherAreBounded(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.s.server.Bodies.Add(boundHeld)
	a := s.startImport(p, "?language=en", file{"a.json", `{"k":"v"}`})
	check(t, a, 503, "")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	check(t, s.post(wire.PathTeam, `{"skip":0,"limit":1}`), 503, "")
	s.s.server.Bodies.Add(-boundHeld)
	s.completed(p, "?language=en", file{"a.json", `{"k":"v"}`})
	if held := s.s.server.Bodies.Held(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// A fault inside a call is a 500 that does not tell the inside, and the next call is answered.
func TestPanicIsAnswered(t *testing.T) {
	s := serve(t, Options{})
	s.s.server.Handle(wire.Prefix,
		map[string]api.Methods{"/v1/panics": {"GET": func(*api.Call) error { panic(errors.New("secret")) }}})
	a := s.get("/v1/panics")
	check(t, a, 500, "")
	if strings.Contains(string(a.body), "secret") {
		t.Errorf("%s", a.body)
	}
	s.get(wire.PathAccount).want(t, 200, nil)
}

// A workbook that is small and says much is refused as a document, too, before the library makes everything of it.
func TestWorkbookBombsAsDocuments(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	var wide strings.Builder
	for i := 1; i < 3000; i++ {
		fmt.Fprintf(&wide, `<row r="%d"><c r="XFD%d" t="inlineStr"><is><t>x</t></is></c></row>`, i, i)
	}
	const cell = `<c r="A4294967295" t="inlineStr"><is><t>x</t></is></c>`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, book := range map[string]string{
		"cells far to the right": repacked(t, map[string]string{"xl/worksheets/sheet1.xml": sheetOf(wide.String())}),
		"a row far below": repacked(t,
			map[string]string{"xl/worksheets/sheet1.xml": sheetOf(`<row r="4294967295">` + cell + `</row>`)}),
		"one text many times":          sharedBomb(t),
		"an archive with a wrong size": liar(t, 1<<40, "boom"),
		"no workbook":                  packed(t, file{"a.txt", "x"}),
	} {
		a := s.sendDocuments(p, "", file{"a.xlsx", book})
		if a.status != 422 && a.status != 400 || len(a.problem(t).Detail) < 20 || len(a.body) > 1000 {
			t.Errorf("%s: %d %s", name, a.status, short(a.body))
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 512<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
	var record wire.Project
	s.get("/v1/project/"+p).want(t, 200, &record)
	if len(record.Documents) != 0 {
		t.Errorf("%+v", record.Documents)
	}
}

// Documents that would keep a reader busy for minutes, or fill the memory, are refused with the place where it becomes
// too much.
func TestHostileDocuments(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	again := strings.Repeat
	var nested strings.Builder
	for i := range 1000 {
		nested.WriteString(again("  ", i) + "- a\n")
	}
	for name, c := range map[string]struct {
		f    file
		says string
	}{
		"lists in lists":    {file{"a.md", nested.String()}, "line 201"},
		"lists on one line": {file{"a.md", again("- ", 100_000) + "a\n"}, "line 1"},
		"quotes in quotes":  {file{"a.md", again("> ", 100_000) + "a\n"}, "line 1"},
		"a wide table": {file{"a.md", again("|a", 3000) + "\n" + again("|-", 3000) + "\n" + again("|x\n", 3000)},
			"line 334"},
		"many definitions": {file{"a.md", again("[a]: b\n", 50_000)}, "line 10001"},
		"deep JSON":        {file{"a.json", again(`{"a":`, 100_000)}, "1000"},
		"deep YAML":        {file{"a.yaml", "a:\n " + again("- ", 100_000) + "x"}, "1000"},
		"deep XML":         {file{"a.xml", "<resources><string name=\"a\">" + again("<b>", 100_000)}, "1000"},
		"an unclosed XLIFF": {file{"a.xlf", "<xliff version=\"1.2\"><file source-language=\"en\"><body>" +
			again("<group>", 100_000)}, "1000 elements"},
		"an entity of XLIFF": {file{"a.xlf",
			"<!DOCTYPE x [<!ENTITY c \"&b;&b;\">]><xliff version=\"1.2\"><file source-language=\"en\"><body><trans-unit id=\"1\"><source>&c;</source></trans-unit></body></file></xliff>"}, "entity"},
		"UTF-16":        {file{"a.txt", "\xff\xfea\x00"}, "UTF-8"},
		"half a letter": {file{"a.txt", "caf\xc3"}, "UTF-8"},
	} {
		a := s.sendDocuments(p, "", c.f)
		if a.status != 422 || !strings.Contains(a.problem(t).Detail, c.says) || !strings.Contains(a.problem(t).Detail,
			c.f.name) || len(a.body) > 1000 {
			t.Errorf("%s: %d %.300s", name, a.status, a.body)
		}
	}
	var record wire.Project
	s.get("/v1/project/"+p).want(t, 200, &record)
	if len(record.Documents) != 0 {
		t.Errorf("%+v", record.Documents)
	}
}
