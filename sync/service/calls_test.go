package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// What an import sends, seen at the other end: path, query, one part per file.
func TestImportOnTheWire(t *testing.T) {
	for _, c := range []struct {
		name  string
		r     ImportRequest
		query string
	}{
		{"everything", ImportRequest{
			Project: "p", Collection: "c d", Language: "en", TargetLanguages: []string{"de", "pt-BR"},
			Format:        wire.FormatStructuredJSON,
			PathSeparator: ".", CompletionState: Final, Conflicts: Skip, Labels: []string{"a:b", "c"},
			Files: []Upload{{"a.json", []byte("1")}, {`dir/ü "b".json`, []byte("2\r\n")}},
		},
			"collection=c d&language=en&target-languages=de,pt-BR&format=structured-json&path-separator=.&completion-state=final&skip-conflicting-values=true&labels=a:b,c"},
		{"least", ImportRequest{Project: "p", Language: "en", Format: wire.FormatJSON,
			Files: []Upload{{"a.json", []byte("1")}}},
			"collection=main&language=en&format=json&completion-state=draft&overwrite-conflicting-values=true"},
		{"no separator for flat formats", ImportRequest{Project: "p", Language: "en", Format: wire.FormatYAML,
			PathSeparator: "/", Conflicts: Report, Files: []Upload{{"a.yaml", nil}}},
			"collection=main&language=en&format=yaml&completion-state=draft"},
		{"locjson by its name", ImportRequest{Project: "p", Language: "en", Format: wire.FormatLocJSON,
			CompletionState: Intermediate, Conflicts: Report, Files: []Upload{{"a.locjson", []byte("{}")}}},
			"collection=main&language=en&completion-state=intermediate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, say(200, `"id1"`))
			id, err := s.Client(t).Strings().StartImport(t.Context(), c.r)
			if err != nil || id != "id1" {
				t.Fatal(id, err)
			}
			got := s.Seen()[0]
			if want := values(c.query); got.Method != "POST" || got.Path != "/api/integration/v2/project/p/import" ||
				!reflect.DeepEqual(got.Query, want) {
				t.Errorf("got %s %s %v, want %v", got.Method, got.Path, got.Query, want)
			}
			_, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
			if err != nil {
				t.Fatal(err)
			}
			parts := multipart.NewReader(strings.NewReader(got.Body), params["boundary"])
			for _, f := range c.r.Files {
				p, err := parts.NextRawPart()
				if err != nil {
					t.Fatal(err)
				}
				_, disposition, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
				body, _ := io.ReadAll(p)
				if err != nil || disposition["name"] != "file" || disposition["filename"] != f.Name ||
					p.Header.Get("Content-Type") != "text/plain" || string(body) != string(f.Body) {
					t.Errorf("part %v %v %q, %v", p.Header, disposition, body, err)
				}
			}
			if _, err := parts.NextPart(); err != io.EOF {
				t.Errorf("after the files: %v", err)
			}
		})
	}
}

func TestExportOnTheWire(t *testing.T) {
	no := false
	for _, c := range []struct {
		name        string
		r           ExportRequest
		query, body string
	}{
		{"everything", ExportRequest{
			Project: "p", Languages: []string{"de", "fr"}, Collection: "c", Format: wire.FormatStructuredYAML,
			PathSeparator:   ".",
			CompletionState: Draft, Incomplete: Blank, IncludeDefaultLanguage: &no, OutputTemplate: "x/{LANGUAGE}.yaml",
			Zip:           true,
			ModifiedSince: time.Date(2026, 1, 2, 3, 4, 5, 6e8, time.FixedZone("", 3600)), Labels: []string{"a"},
			Keys: []string{"k", "l"},
		},
			"languages=de,fr&collections=c&format=structured-yaml&path-separator=.&completion-state=draft&export-incomplete-as-blank=true" +
				"&include-default-language=false&output-file-path-template=x/{LANGUAGE}.yaml&zip=true&modified-since=2026-01-02T02:04:05Z&labels=a",
			`{"keys":["k","l"]}`},
		{"least", ExportRequest{Project: "p", Languages: []string{"de"}},
			"languages=de&collections=main&format=json&completion-state=final&skip-incomplete-keys=true", ""},
		{"android with fallback", ExportRequest{Project: "p", Languages: []string{"de"}, Format: wire.FormatAndroidXML,
			PathSeparator: "/", Incomplete: Fallback},
			"languages=de&collections=main&format=android-xml&completion-state=final&fallback-to-default-language=true",
			""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, say(200, `"id1"`))
			id, err := s.Client(t).Strings().StartExport(t.Context(), c.r)
			if err != nil || id != "id1" {
				t.Fatal(id, err)
			}
			got := s.Seen()[0]
			if want := values(c.query); got.Method != "POST" || got.Path != "/api/integration/v2/project/p/export" ||
				!reflect.DeepEqual(got.Query, want) || got.Body != c.body {
				t.Errorf("got %s %s %v %q, want %v", got.Method, got.Path, got.Query, got.Body, want)
			}
		})
	}
}

func values(text string) url.Values {
	v := url.Values{}
	for pair := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(pair, "=")
		v.Add(name, value)
	}
	return v
}

// What the service would refuse, or misread, is refused before it costs a request.
func TestRefusedHere(t *testing.T) {
	s := serve(t, say(200, `"id1"`))
	c := s.Client(t)
	for name, change := range map[string]func(*ImportRequest){
		"no project":         func(r *ImportRequest) { r.Project = "" },
		"project with steps": func(r *ImportRequest) { r.Project = "../account" },
		"no language":        func(r *ImportRequest) { r.Language = "" },
		"no files":           func(r *ImportRequest) { r.Files = nil },
		"no format":          func(r *ImportRequest) { r.Format = "" },
		"empty target":       func(r *ImportRequest) { r.TargetLanguages = []string{""} },
		"comma in label":     func(r *ImportRequest) { r.Labels = []string{"a,b"} },
		"same name twice":    func(r *ImportRequest) { r.Files = append(r.Files, r.Files[0]) },
		"line break in name": func(r *ImportRequest) { r.Files[0].Name = "a\r\nX: y" },
		"conflicts":          func(r *ImportRequest) { r.Conflicts = "both" },
		"locjson by format":  func(r *ImportRequest) { r.Format = wire.FormatLocJSON },
	} {
		r := oneFile()
		change(&r)
		if _, err := c.Strings().StartImport(t.Context(), r); err == nil {
			t.Errorf("import, %s: taken", name)
		}
	}
	for name, r := range map[string]ExportRequest{
		"no project":      {Languages: []string{"de"}},
		"no languages":    {Project: "p"},
		"empty language":  {Project: "p", Languages: []string{""}},
		"two collections": {Project: "p", Languages: []string{"de"}, Collection: "a,b"},
		"empty label":     {Project: "p", Languages: []string{"de"}, Labels: []string{" "}},
		"incomplete":      {Project: "p", Languages: []string{"de"}, Incomplete: "false"},
		"locjson":         {Project: "p", Languages: []string{"de"}, Format: wire.FormatLocJSON},
	} {
		if _, err := c.Strings().StartExport(t.Context(), r); err == nil {
			t.Errorf("export, %s: taken", name)
		}
	}
	for _, id := range []JobID{"", ".", "..", "a/b", "a?b", "a b", `"a"`, JobID(strings.Repeat("a", 300))} {
		if _, err := c.Strings().ImportResult(t.Context(), id); err == nil {
			t.Errorf("import id %q: taken", id)
		}
		if _, err := c.Strings().TryDownload(t.Context(), id, ""); err == nil {
			t.Errorf("export id %q: taken", id)
		}
	}
	if n := len(s.Seen()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// The identifier of a job, in all the spellings; an answer without one leaves the outcome open.
func TestIdentifierSpellings(t *testing.T) {
	for _, body := range []string{`"id1"`, "id1", "  \"id1\"\n", `{"id":"id1","documentIds":["a"]}`, `{"taskId":"id1"}`,
		"\xef\xbb\xbf\"id1\""} {
		s := serve(t, say(200, body))
		if id, err := s.Client(t).Strings().StartImport(t.Context(), oneFile()); id != "id1" || err != nil {
			t.Errorf("%q: %q, %v", body, id, err)
		}
	}
	for _, body := range []string{"", `""`, "{}", "null", "<html><title>Login</title></html>", `"../../account"`} {
		s := serve(t, say(200, body))
		_, err := s.Client(t).Strings().StartImport(t.Context(), oneFile())
		if !errors.Is(err, ErrUnusable) && body != "null" || body == "null" && err != nil &&
			!errors.Is(err, ErrUnusable) {
			t.Errorf("%q: %v", body, err)
		}
		if err != nil && (!errors.Is(err, ErrUnknownOutcome) || len(s.Seen()) != 1) {
			t.Errorf("%q: %d requests, %v", body, len(s.Seen()), err)
		}
	}
}

// The import result is looked for in its three spellings, until one was found to work.
func TestImportResultPaths(t *testing.T) {
	const integration, bare = "/api/integration/v1/project/import-result/i", "/api/v1/project/import-result/i"
	const second = "/api/v2/project/import-result/i"
	for i, works := range []string{integration, bare, second} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != works {
				w.WriteHeader(404)
				return
			}
			_, _ = io.WriteString(w, `{"status":"inProgress"}`)
		})
		c := s.Client(t)
		for range 3 {
			if r, err := c.Strings().ImportResult(t.Context(), "i"); err != nil || r.Status != wire.InProgress ||
				r.Ended() {
				t.Errorf("%+v, %v", r, err)
			}
		}
		if calls := s.Seen(); len(calls) != 3+i || calls[0].Path != integration {
			t.Errorf("%s works: %d requests, the first to %s", works, len(calls), calls[0].Path)
		}
	}
	s := serve(t, say(404, ""))
	if _, err := s.Client(t).Strings().ImportResult(t.Context(), "i"); !errors.Is(err, ErrNotFound) ||
		len(s.Seen()) != 3 {
		t.Errorf("%d requests, %v", len(s.Seen()), err)
	}
}

func TestImportResultUnion(t *testing.T) {
	s := serve(t,
		say(
			200, `{"status":"Completed","errors":[{"error":"line 3","fileName":"b.json"},{"error":"line 9","fileName":"b.json"},"lost"],
		"failedFileNames":["a.json","b.json"],"keysCreated":1,"keysUpdated":2,"keysDeleted":3,"keyValuesNotChanged":4,"keysWithoutSource":5,
		"conflictingKeyValues":{"k":["v"]},"new":[1]}`))
	got, err := s.Client(t).Strings().WaitImport(t.Context(), "i")
	want := ImportResult{
		Status:  wire.Completed,
		Failed:  []FileError{{"", "lost"}, {"a.json", ""}, {"b.json", "line 3; line 9"}},
		Created: 1, Updated: 2, Deleted: 3, NotChanged: 4, WithoutSource: 5, Conflicts: map[string][]string{"k": {"v"}},
		counted: true,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestImportFailed(t *testing.T) {
	s := serve(t, say(200, `{"status":"FAILED","errors":[{"error":"not JSON","fileName":"a.json"}]}`))
	_, err := s.Client(t).Strings().WaitImport(t.Context(), "i")
	var failed *ImportFailed
	if !errors.As(err, &failed) || failed.ID != "i" || !strings.Contains(err.Error(), "a.json: not JSON") {
		t.Errorf("error %v", err)
	}
}

func TestUnreadableRecords(t *testing.T) {
	for body, useful := range map[string]bool{
		`{"status":"completed","keysCreated":"many"}`: true, // an unexpected member must not hide the others
		`[]`:                    false,
		`"completed"`:           false,
		`{"status":"completed"`: false,
		`<html>`:                false,
		``:                      false,
	} {
		s := serve(t, say(200, body))
		r, err := s.Client(t).Strings().ImportResult(t.Context(), "i")
		if useful != (err == nil && r.Ended()) || !useful && !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %+v, %v", body, r, err)
		}
	}
}

func TestNoProjectRecord(t *testing.T) {
	s := serve(t, say(200, `{"error":"session expired"}`))
	if p, err := s.Client(t).Projects().Read(t.Context(), "p"); !errors.Is(err, ErrUnusable) {
		t.Errorf("%+v, %v", p, err)
	}
}

// The languages of a project decide what is asked for: a list of another shape is no list without languages.
func TestTargetLanguagesAreReadStrictly(t *testing.T) {
	for _, list := range []string{`[{"code":"de"}]`, `"de"`, `[7]`, `{"de":true}`, `[""]`} {
		for _, before := range []string{"", `"name":7,`} {
			s := serve(t, say(200, `{`+before+`"id":"p","targetLanguages":`+list+`}`))
			p, err := s.Client(t).Projects().Read(t.Context(), "p")
			if !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), "targetLanguages") {
				t.Errorf("%s: %+v, %v", list, p, err)
			}
		}
	}
	for _, list := range []string{`["de"]`, `[]`, `null`} {
		s := serve(t, say(200, `{"id":"p","targetLanguages":`+list+`,"managers":7,"name":7}`))
		if p, err := s.Client(t).Projects().Read(t.Context(), "p"); err != nil ||
			list == `["de"]` && len(p.TargetLanguages) != 1 {
			t.Errorf("%s: %+v, %v", list, p, err)
		}
	}
}

func TestProjectSettings(t *testing.T) {
	t.Run("update sends what is to stay", func(t *testing.T) {
		record := `{"id":"p","name":"old","deadline":"2026-12-01T00:00:00.1234567Z","number":{"x":1},"managers":["m"]}`
		text := func(s string) *string { return &s }
		for _, c := range []struct {
			change ProjectChange
			want   string
		}{
			{ProjectChange{Name: text("new")}, `{"name":"new","deadline":"2026-12-01T00:00:00.1234567Z"}`},
			{ProjectChange{Deadline: text("2027-01-01T00:00:00Z")}, `{"name":"old","deadline":"2027-01-01T00:00:00Z"}`},
			{ProjectChange{Deadline: text(""), Description: text("d")}, `{"name":"old","description":"d"}`},
		} {
			s := serve(t, say(200, record), say(204, ""))
			if err := s.Client(t).Projects().Update(t.Context(), "p", c.change); err != nil {
				t.Error(err)
			}
			if calls := s.Seen(); len(calls) != 2 || calls[1].Method != "PUT" || calls[1].Body != c.want {
				t.Errorf("calls %+v, want %s", calls, c.want)
			}
		}
	})
	t.Run("create", func(t *testing.T) {
		s := serve(t, say(200, `{"id":"p","name":"n"}`))
		p, err := s.Client(t).Projects().Create(t.Context(), NewProject{Name: "n", SourceLanguage: "en",
			TargetLanguages: []string{"de"}})
		if err != nil || p.ID != "p" {
			t.Fatal(p, err)
		}
		call := s.Seen()[0]
		_, params, _ := mime.ParseMediaType(call.Header.Get("Content-Type"))
		part, err := multipart.NewReader(strings.NewReader(call.Body), params["boundary"]).NextPart()
		if err != nil || part.FileName() != "" || part.FormName() != "model" {
			t.Fatalf("part %v, %v", part, err)
		}
		var m map[string]any
		err = json.NewDecoder(part).Decode(&m)
		want := map[string]any{"name": "n", "sourceLanguage": "en", "targetLanguages": []any{"de"},
			"assignToVendor": false,
			"type":           "softwareLocalization"}
		if err != nil || !reflect.DeepEqual(m, want) {
			t.Errorf("model %v, %v", m, err)
		}
	})
	t.Run("list in pages", func(t *testing.T) {
		page := func(from, n int) string {
			var records []string
			for i := range n {
				records = append(records, fmt.Sprintf(`{"id":"p%d"}`, from+i))
			}
			return "[" + strings.Join(records, ",") + "]"
		}
		s := serve(t, say(200, page(0, 100)), say(200, page(100, 100)), say(200, `{"items":`+page(200, 3)+`}`))
		all, err := s.Client(t).Projects().List(t.Context(), ProjectFilter{Name: "x"})
		calls := s.Seen()
		if err != nil || len(all) != 203 || len(calls) != 3 || calls[2].Query.Get("offset") != "200" ||
			calls[2].Query.Get("projectName") != "x" {
			t.Errorf("%d projects, %d requests, %v", len(all), len(calls), err)
		}
		s = serve(t, say(200, page(0, 100))) // knows no pages
		if all, err := s.Client(t).Projects().List(t.Context(), ProjectFilter{}); err != nil || len(all) != 100 ||
			len(s.Seen()) != 2 {
			t.Errorf("%d projects, %d requests, %v", len(all), len(s.Seen()), err)
		}
	})
	t.Run("targets one by one where there is no other way", func(t *testing.T) {
		for _, code := range []int{404, 405} {
			s := serve(t, say(code, ""), say(200, `{"id":"p","targetLanguages":["de"]}`), say(204, ""))
			if err := s.Client(t).Projects().AddTargets(t.Context(), "p", []string{"DE", "fr", "pt-BR"}); err != nil {
				t.Error(err)
			}
			calls := s.Seen()
			if len(calls) != 4 || calls[2].Query.Get("targetLanguage") != "fr" ||
				calls[3].Query.Get("targetLanguage") != "pt-BR" || calls[3].Query.Get("projectId") != "p" {
				t.Errorf("calls %+v", calls)
			}
		}
		s := serve(t, say(404, ""))
		if err := s.Client(t).Projects().AddTargets(t.Context(), "p", []string{"fr"}); !errors.Is(err, ErrNotFound) {
			t.Errorf("error %v for a project that does not exist", err)
		}
	})
	t.Run("ping", func(t *testing.T) {
		s := serve(t, say(200, `{"id":"a","name":"n","isPersonal":false}`))
		if a, err := s.Client(t).Ping(t.Context()); err != nil || a.ID != "a" {
			t.Error(a, err)
		}
		s = serve(t, say(404, ""), say(200, `[]`))
		if _, err := s.Client(t).Ping(t.Context()); err != nil ||
			s.Seen()[1].Path != "/api/integration/v2/project/list" {
			t.Error(err)
		}
		s = serve(t, say(401, ""))
		if _, err := s.Client(t).Ping(t.Context()); !errors.Is(err, ErrAuth) ||
			!strings.Contains(err.Error(), "API key") {
			t.Error(err)
		}
	})
	t.Run("languages", func(t *testing.T) {
		s := serve(t, say(404, ""), say(200, `{"type":"language","items":[{"id":"de","name":"German"}]}`))
		if l, err := s.Client(t).Languages(t.Context()); err != nil || len(l) != 1 || l[0].ID != "de" {
			t.Error(l, err)
		}
		s = serve(t, say(404, ""))
		if _, err := s.Client(t).Languages(t.Context()); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
	})
}

func TestNew(t *testing.T) {
	for address, want := range map[string]string{
		"https://h":                          "https://h/api/integration/v1/project/p",
		"https://h:8443/a%20b/":              "https://h:8443/a%20b/api/integration/v1/project/p",
		"http://127.0.0.1:1/api/integration": "http://127.0.0.1:1/api/integration/v1/project/p",
	} {
		c, err := New(Options{BaseURL: address})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if got := c.url(&call{Call: Call{Path: PathOf(wire.PathProject, "p")}}).String(); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
	for name, o := range map[string]Options{
		"no address":     {},
		"no scheme":      {BaseURL: "host.example"},
		"another scheme": {BaseURL: "ftp://h"},
		"credentials":    {BaseURL: "https://user:" + canary + "@h"},
		"query":          {BaseURL: "https://h/?a=b"},
		"key alone":      {BaseURL: "https://h", APIKey: canary},
		"account alone":  {BaseURL: "https://h", AccountID: "a"},
		"colon":          {BaseURL: "https://h", AccountID: "a:b", APIKey: canary},
		"negative rate":  {BaseURL: "https://h", RequestsPerSecond: -1},
	} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHookAndHeaders(t *testing.T) {
	s := serve(t, lose, say(200, `{"id":"p"}`))
	var told []string
	c := s.Client(t, func(o *Options) {
		o.UserAgent = "locsync/1"
		o.OnRequest = func(r Request) { told = append(told, fmt.Sprint(r.Operation, " ", r.Status)) }
	})
	if _, err := c.Projects().Read(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"read project 0", "read project 200"}; !reflect.DeepEqual(told, want) {
		t.Errorf("hook was told %q", told)
	}
	r := http.Request{Header: s.Seen()[1].Header}
	if user, password, ok := r.BasicAuth(); !ok || user != t.Name() || password != canary ||
		r.Header.Get("User-Agent") != "locsync/1" {
		t.Errorf("headers %v", r.Header)
	}
}

// Answers that a proxy packed unasked.
func TestPackedAnswers(t *testing.T) {
	gz := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
	s := serve(t, say(200, gz, "Content-Encoding", "gzip"))
	if _, err := s.Client(t).Projects().Read(t.Context(), "p"); !errors.Is(err, ErrTemporary) {
		t.Errorf("a cut gzip: %v", err)
	}
	s = serve(t, say(200, "xx", "Content-Encoding", "br"))
	if _, err := s.Client(t).Projects().Read(t.Context(), "p"); !errors.Is(err, ErrUnusable) || len(s.Seen()) != 1 {
		t.Errorf("an unknown packing: %v", err)
	}
	s = serve(t, say(200, string(gzipped(`{"id":"p"}`)), "Content-Encoding", "gzip"))
	if p, err := s.Client(t).Projects().Read(t.Context(), "p"); err != nil || p.ID != "p" {
		t.Errorf("%+v, %v", p, err)
	}
	s = serve(t, say(200, string(gzipped(strings.Repeat(" ", 2<<20))), "Content-Encoding", "gzip"))
	c := s.Client(t)
	c.limits.json = 1 << 20
	if _, err := c.Projects().Read(t.Context(), "p"); !errors.Is(err, ErrUnusable) || errors.Is(err, ErrTemporary) {
		t.Errorf("an answer that grows: %v", err)
	}
}

func TestSlotDirUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{BaseURL: "http://h", RequestsPerSecond: 4, SlotDir: file}); err == nil {
		t.Error("a file is taken for a folder")
	}
}
