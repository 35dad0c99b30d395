package local

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

func TestCredentials(t *testing.T) {
	s := serve(t, Options{})
	good := base64.StdEncoding.EncodeToString([]byte(testAccount + ":" + testKey))
	for name, c := range map[string]struct {
		header string
		status int
	}{
		"none":             {"", 401},
		"first key":        {"Basic " + base64.StdEncoding.EncodeToString([]byte(testAccount+":other")), 200},
		"second key":       {"Basic " + good, 200},
		"lower case":       {"basic " + good, 200},
		"folded":           {"Basic " + good[:20] + "\t " + good[20:], 200},
		"without padding":  {"Basic " + strings.TrimRight(good, "="), 200},
		"wrong key":        {"Basic " + base64.StdEncoding.EncodeToString([]byte(testAccount+":no")), 401},
		"two keys at once": {"Basic " + base64.StdEncoding.EncodeToString([]byte(testAccount+":other"+testKey)), 401},
		"wrong account":    {"Basic " + base64.StdEncoding.EncodeToString([]byte("someone:"+testKey)), 401},
		"no colon":         {"Basic " + base64.StdEncoding.EncodeToString([]byte(testAccount)), 401},
		"no base64":        {"Basic ?", 401},
		"bearer":           {"Bearer " + good, 401},
	} {
		r, err := http.NewRequest("GET", s.url+wire.Prefix+wire.PathAccount, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.header != "" {
			r.Header.Set("Authorization", c.header)
		}
		a := s.do(r)
		if a.status != c.status {
			t.Errorf("%s: %d, want %d", name, a.status, c.status)
		}
		if a.status == 401 && (a.problem(t).Status != 401 || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic")) {
			t.Errorf("%s: %v %s", name, a.header, a.body)
		}
	}
	var account wire.Account
	s.get(wire.PathAccount).want(t, 200, &account)
	if account.ID != testAccount || account.IsPersonal || account.Type != "company" {
		t.Errorf("%+v", account)
	}
}

func TestPersonalAccount(t *testing.T) {
	s := serve(t, Options{AccountType: "personal"})
	for _, path := range []string{wire.PathAccount, wire.PathProjectList} {
		check(t, s.get(path), 403, "")
	}
	s.key = "wrong"
	check(t, s.get(wire.PathAccount), 401, "")
}

// Two accounts in one folder: the process of one neither sees nor changes what is the other's.
func TestAccountsShareAFolder(t *testing.T) {
	dir := t.TempDir()
	mine, err := Open(dir, Options{AccountID: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	const id = "0a0a0a0a-0000-4000-8000-000000000001"
	if err := mine.EnsureProject(id, "mine", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	if err := mine.Close(); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, dir, Options{AccountID: "yours"})
	check(t, s.get("/v1/project/"+id), 403, "")
	check(t, s.startImport(id, "?language=en", file{"a.json", "{}"}), 403, "")
	check(t, s.post("/v2/project/"+id+"/export", ""), 403, "")
	check(t, s.call("DELETE", wire.Prefix+"/v1/project/"+id, "", nil), 403, "")
	var all []wire.Project
	s.get("/v2/project/list").want(t, 200, &all)
	if len(all) != 0 {
		t.Errorf("%v", all)
	}
	if err := s.s.EnsureProject(id, "yours", "en", []string{"de"}); err == nil {
		t.Error("EnsureProject took another account's project")
	}
}

// One process at a time has a folder.
func TestFolderIsLocked(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir, Options{}); err == nil {
		s.Close()
		t.Fatal("two at once")
	} else if !strings.Contains(err.Error(), "in use") {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestPathsAreTolerated(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	for _, path := range []string{
		"/api/integration/v1/account", "/api/integration/v1/account/", "/api/integration//v1//account", "//api/integration/v1/account",
		"/api/integration/v1/project/" + p, "/api/integration/v1//project//" + p + "/", "/api/integration/v1/project/" + strings.ToUpper(p),
		"/api/integration/v1/directory/?type=language", "/api/integration/v2/directory?TYPE=Language",
	} {
		s.call("GET", path, "", nil).want(t, 200, nil)
	}
	for _, path := range []string{"/v2/project/" + p + "/import/", "/v2//project/" + p + "//import"} {
		contentType, body := multipartOf(t, file{"a.json", `{"k":"v"}`})
		s.call("POST", wire.Prefix+path+"?language=en", contentType, bytes.NewReader(body)).want(t, 200, nil)
	}
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.TempDir(), Options{RateLimit: 4, Keys: []string{"k"}, AccountID: "a"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		send := func(key string) reply {
			r := httptest.NewRequest("GET", wire.Prefix+wire.PathAccount, nil)
			r.SetBasicAuth("a", key)
			a, err := ask(s, r)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		// Calls 0.1 s apart for 5 s: whatever is let through, never more than four in any window of one second.
		var through []time.Time
		for range 50 {
			if send("wrong").status != 401 {
				t.Fatal("wrong key")
			}
			a := send("k")
			switch a.status {
			case 200:
				through = append(through, time.Now())
			case 429:
				if a.header.Get("Retry-After") != "1" {
					t.Fatalf("Retry-After %q", a.header.Get("Retry-After"))
				}
			default:
				t.Fatal(a.status)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if len(through) != 20 {
			t.Errorf("%d calls were let through in five seconds, want 20", len(through))
		}
		for i := range through {
			if i >= 4 && through[i].Sub(through[i-4]) < time.Second {
				t.Errorf("five calls within %v", through[i].Sub(through[i-4]))
			}
		}
		// A client that waits as long as it was told gets through.
		for range 8 {
			if a := send("k"); a.status == 429 {
				time.Sleep(time.Second)
				if send("k").status != 200 {
					t.Error("refused after waiting")
				}
			}
		}
	})
}

func TestRateBelowOne(t *testing.T) {
	w := newWindow(0.5)
	at := time.Unix(0, 0)
	if w.take(at) != 0 || w.take(at.Add(1500*time.Millisecond)) != 500*time.Millisecond || w.take(at.Add(2*time.Second)) != 0 {
		t.Error("one call in two seconds")
	}
	free := newWindow(0)
	for range 1000 {
		if free.take(at) != 0 {
			t.Fatal("0 is no limit")
		}
	}
}

func TestParameterSpellings(t *testing.T) {
	read := func(q string) params {
		u, err := url.Parse("/?" + q)
		if err != nil {
			t.Fatal(err)
		}
		p, err := readParams(&http.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for q, want := range map[string]string{
		"l=de,fr":            "de|fr",
		"l=de&l=fr":          "de|fr",
		"l[]=de&l[]=fr":      "de|fr",
		"L=de&l%5B%5D=fr":    "de|fr",
		"l=de%0Afr%0A":       "de|fr",
		"l=de%0D%0Afr":       "de|fr",
		"l=de,%0Afr":         "de|fr",
		"l=+de+,+fr+":        "de|fr",
		"l=de,,fr":           "de||fr",
		"l=":                 "",
		"l":                  "",
		"l=,":                "|",
		"other=1":            "absent",
		"l=de&l=fr%0Aes,it,": "de|fr|es|it",
	} {
		members, given := read(q).list("l")
		got := strings.Join(members, "|")
		if !given {
			got = "absent"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	for q, want := range map[string]string{
		"f": "true", "f=": "true", "f=true": "true", "f=True": "true", "f=1": "true", "F=TRUE": "true", "": "false", "f=false": "false", "f=0": "false",
		"f=False": "false", "f=yes": "error", "f=2": "error", "f=true&f=false": "error", "f=1&f=true": "true",
	} {
		on, err := read(q).flag("f")
		got := fmt.Sprint(on)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
	if w, _, err := read("w=+x+&w=x").word("w"); w != "x" || err != nil {
		t.Error(w, err)
	}
}

// A project can be made in every way that clients are known to send one.
func TestProjectBodies(t *testing.T) {
	s := serve(t, Options{})
	const model = `{"name":"n","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":true,"type":"softwareLocalization","unknown":{"x":[1]}}`
	part := func(disposition, contentType, body string) string {
		return "--B b\r\nContent-Disposition: form-data; " + disposition + "\r\nContent-Type: " + contentType + "\r\nContent-Length: 1\r\n\r\n" + body + "\r\n"
	}
	for name, c := range map[string]struct{ contentType, body string }{
		"plain":               {"application/json", model},
		"patch":               {"application/json-patch+json", model},
		"no type":             {"", "\xef\xbb\xbf" + model},
		"array of one":        {"text/json; charset=utf-8", "[" + model + "]"},
		"form field value":    {"application/x-www-form-urlencoded", "value=" + url.QueryEscape(model)},
		"part model":          {`multipart/form-data; boundary="B b"`, part(`name="model"`, "application/json", model) + "--B b--\r\n"},
		"part of any name":    {`multipart/form-data; boundary="B b"`, part(`name="whatever"`, "text/plain", model) + "--B b--\r\n"},
		"unquoted boundary":   {`multipart/form-data; boundary=B b`, part(`name=model`, "text/plain", model) + "--B b--\r\n"},
		"JSON file":           {`multipart/form-data; boundary="B b"`, part(`name="file"; filename="project.json"`, "application/json", "["+model+"]") + "--B b--\r\n"},
		"upper-case members":  {"application/json", strings.NewReplacer("name", "Name", "sourceL", "SourceL", "targetL", "TargetL", "assign", "Assign", "type", "Type").Replace(model)},
		"empty file field":    {`multipart/form-data; boundary="B b"`, part(`name="file"; filename=""`, "application/octet-stream", "") + part(`name="model"`, "text/plain", model) + "--B b--\r\n"},
		"nulls for not given": {"application/json", strings.Replace(model, `"unknown"`, `"deadline":null,"workflowStages":null,"unknown"`, 1)},
	} {
		var p wire.Project
		a := s.call("POST", wire.Prefix+wire.PathProjectCreate, c.contentType, strings.NewReader(c.body))
		if a.status != 200 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
			continue
		}
		a.want(t, 200, &p)
		if len(p.ID) != 36 || p.Name != "n" || p.Status != wire.ProjectCreated || p.SourceLanguageID != 9 {
			t.Errorf("%s: %s", name, a.body)
		}
		if bytes.Contains(a.body, []byte("null")) {
			t.Errorf("%s: a null in %s", name, a.body)
		}
	}
	two := part(`name="model"`, "text/plain", model) + part(`name="value"`, "text/plain", model) + "--B b--\r\n"
	check(t, s.call("POST", wire.Prefix+wire.PathProjectCreate, `multipart/form-data; boundary="B b"`, strings.NewReader(two)), 400, "model")
	two = part(`name="a"`, "text/plain", model) + part(`name="b"`, "text/plain", model) + "--B b--\r\n"
	check(t, s.call("POST", wire.Prefix+wire.PathProjectCreate, `multipart/form-data; boundary="B b"`, strings.NewReader(two)), 400, "model")
	files := part(`name="model"`, "text/plain", model) + part(`name="file"; filename="a.docx"`, "application/json", "x") + "--B b--\r\n"
	check(t, s.call("POST", wire.Prefix+wire.PathProjectCreate, `multipart/form-data; boundary="B b"`, strings.NewReader(files)), 400, "file")
}

// Files of an import may have any part name, any content type, any order, and parts that are no files between them.
func TestImportBodies(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	body := strings.ReplaceAll(`--x
Content-Disposition: form-data; name="note"

nothing
--x
Content-Type: application/json
Content-Length: 9
content-disposition: form-data; filename="über app.json"; name="files"

{"a":"1"}
--x
Content-Disposition: form-data; name=file_1; filename=b.json

{"b":"2"}
--x
Content-Disposition: form-data; name="uploadedFile"; filename*=UTF-8''%C3%BC%20c.json

{"c":3}
--x--
`, "\n", "\r\n")
	a := s.call("POST", wire.Prefix+"/v2/project/"+p+"/import?language=en", "multipart/form-data; charset=utf-8; boundary=x", strings.NewReader(body))
	var id string
	a.want(t, 200, &id)
	r := s.result(id)
	if r.KeysCreated != 2 || len(r.FailedFileNames) != 1 || r.FailedFileNames[0] != "ü c.json" {
		t.Errorf("%+v", r)
	}
	if !strings.HasPrefix(string(a.body), `"`) {
		t.Errorf("the identifier is no JSON string: %s", a.body)
	}
	s.call("GET", wire.ResultPrefix+"/v1/project/import-result/"+id, "", nil).want(t, 200, nil)
}

func FuzzMultipart(f *testing.F) {
	f.Add(`multipart/form-data; boundary="x"`, []byte("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.json\"\r\n\r\n{}\r\n--x--\r\n"))
	f.Add(`multipart/form-data; boundary=a=b`, []byte("--a=b\nContent-Disposition: form-data; filename=\"\"a\"\n\n\n--a=b--"))
	f.Add(`multipart/mixed; boundary=`, []byte("--\r\n\r\n----"))
	f.Add(`multipart/form-data; boundary=x`, []byte("--x\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Disposition: x; filename*=a'b'%zz\r\n\r\n=3\r\n--x--"))
	f.Add("multipArt/\x9fBoundArY=", []byte("0")) // lower case has another length
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		r, err := http.NewRequest("POST", "/", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", contentType)
		parts, err := readParts(r)
		if err != nil {
			if _, ok := err.(*problem); !ok {
				t.Fatalf("not a refusal: %v", err)
			}
			return
		}
		total := 0
		for _, p := range parts {
			total += len(p.body)
			if len(p.file) > maxFileName {
				t.Fatal("a file name beyond its bound")
			}
		}
		if total > len(body) || len(parts) > maxParts {
			t.Fatalf("%d parts of %d bytes from %d", len(parts), total, len(body))
		}
		if _, _, err := modelPart(parts); err == nil && len(parts) == 0 {
			t.Fatal("a model from nothing")
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"strings-{LANGUAGE}.json", "{LOCALE:IOS}.lproj/{LABEL:file}", "src/{LOCALE:ANDROID}/{LABEL:a}/{LABEL:b}", "../{LANGUAGE}", "{LANGUAGE}{", "a//b", "./x", "C:x", "{LABEL:{LANGUAGE}}"} {
		f.Add(seed, "pt-BR", "file:main.json", "a:../x")
	}
	f.Fuzz(func(t *testing.T, template, language, label, other string) {
		read, err := readTemplate(template)
		if err != nil {
			if p, ok := err.(*problem); !ok || p.field != wire.QueryOutputTemplate {
				t.Fatalf("not a refusal that names the parameter: %v", err)
			}
			return
		}
		for _, code := range []string{"de", "zh-Hans-CN"} {
			for _, p := range read.paths(code, []string{label, other}) {
				if len(read.prefixes()) == 0 && unsafePath(p) != "" {
					t.Fatalf("%q gives the unsafe path %q", template, p)
				}
			}
		}
		if read.hasLanguage() && read.fill("de", func(string) string { return "x" }) == read.fill("fr", func(string) string { return "x" }) {
			t.Fatalf("%q: two languages in one file", template)
		}
	})
}

// Whatever stands in a query, it is taken, or refused with a 400 that names a parameter.
func FuzzParameters(f *testing.F) {
	f.Add("language=de&format=json&labels=a,b&target-languages=de&completion-state=final")
	f.Add("languages=de,fr&format=structured-json&path-separator=.&modified-since=2026-01-01T00:00:00Z&indent=4&zip")
	f.Add("language=en&target-languages=de%2Cxx&delete-missing-keys&auto-file-labels=1&collection=%00")
	f.Add("language[]=en&Language=en&output-file-path-template={LABEL:a}{LOCALE:IOS}")
	p := &project{Source: "en", Targets: []string{"de", "pt-BR"}, Stages: newStages(stagesOfDocuments)}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := readParams(&http.Request{URL: &url.URL{RawQuery: raw}})
		if err != nil {
			return
		}
		refusals := make([]error, 4)
		var in *importJob
		var x *exportJob
		in, _, refusals[0] = importRequest(q, p)
		x, refusals[1] = exportRequest(q, p)
		_, refusals[2] = formatParameter(q, importFormats)
		_, refusals[3] = q.count("limit", 0)
		for _, err := range refusals {
			if refused, ok := err.(*problem); err != nil && (!ok || refused.status != 400 || refused.field == "") {
				t.Fatalf("%q: %v", raw, err)
			}
		}
		if refusals[0] == nil && (!p.speaks(in.Language) || in.Collection == "") {
			t.Fatalf("%q: %+v", raw, in)
		}
		if refusals[1] == nil && (x.Template == "" || x.Separator == "" || len(x.Collections) == 0) {
			t.Fatalf("%q: %+v", raw, x)
		}
	})
}
