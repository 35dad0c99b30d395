package local

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

func TestPathsAreTolerated(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	for _, path := range []string{
		"/api/integration/v1/account", "/api/integration/v1/account/", "/api/integration//v1//account",
		"//api/integration/v1/account",
		"/api/integration/v1/project/" + p, "/api/integration/v1//project//" + p + "/",
		"/api/integration/v1/project/" + strings.ToUpper(p),
		"/api/integration/v1/directory/?type=language", "/api/integration/v2/directory?TYPE=Language",
	} {
		s.call("GET", path, "", nil).want(t, 200, nil)
	}
	for _, path := range []string{"/v2/project/" + p + "/import/", "/v2//project/" + p + "//import"} {
		contentType, body := multipartOf(t, file{"a.json", `{"k":"v"}`})
		s.call("POST", wire.Prefix+path+"?language=en", contentType, bytes.NewReader(body)).want(t, 200, nil)
	}
}

// A project can be made in every way that clients are known to send one.
func TestProjectBodies(t *testing.T) {
	s := serve(t, Options{})
	const model = `{"name":"n","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":true,"type":"softwareLocalization","unknown":{"x":[1]}}`
	part := func(disposition, contentType, body string) string {
		return "--B b\r\nContent-Disposition: form-data; " + disposition + "\r\nContent-Type: " + contentType +
			"\r\nContent-Length: 1\r\n\r\n" + body + "\r\n"
	}
	for name, c := range map[string]struct{ contentType, body string }{
		"plain":            {"application/json", model},
		"patch":            {"application/json-patch+json", model},
		"no type":          {"", "\xef\xbb\xbf" + model},
		"array of one":     {"text/json; charset=utf-8", "[" + model + "]"},
		"form field value": {"application/x-www-form-urlencoded", "value=" + url.QueryEscape(model)},
		"part model": {`multipart/form-data; boundary="B b"`,
			part(`name="model"`, "application/json", model) + "--B b--\r\n"},
		"part of any name": {`multipart/form-data; boundary="B b"`,
			part(`name="whatever"`, "text/plain", model) + "--B b--\r\n"},
		"unquoted boundary": {`multipart/form-data; boundary=B b`,
			part(`name=model`, "text/plain", model) + "--B b--\r\n"},
		"JSON file": {`multipart/form-data; boundary="B b"`,
			part(`name="file"; filename="project.json"`, "application/json", "["+model+"]") + "--B b--\r\n"},
		"upper-case members": {"application/json", strings.NewReplacer("name", "Name", "sourceL", "SourceL", "targetL",
			"TargetL", "assign", "Assign", "type", "Type").Replace(model)},
		"empty file field": {`multipart/form-data; boundary="B b"`,
			part(`name="file"; filename=""`, "application/octet-stream", "") +
				part(`name="model"`, "text/plain", model) +
				"--B b--\r\n"},
		"nulls for not given": {"application/json", strings.Replace(model, `"unknown"`,
			`"deadline":null,"workflowStages":null,"unknown"`, 1)},
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
	check(t, s.call("POST", wire.Prefix+wire.PathProjectCreate, `multipart/form-data; boundary="B b"`,
		strings.NewReader(two)), 400, "model")
	two = part(`name="a"`, "text/plain", model) + part(`name="b"`, "text/plain", model) + "--B b--\r\n"
	check(t, s.call("POST", wire.Prefix+wire.PathProjectCreate, `multipart/form-data; boundary="B b"`,
		strings.NewReader(two)), 400, "model")
	files := part(`name="model"`, "text/plain", model) + part(`name="file"; filename="a.docx"`, "application/json",
		"x") +
		"--B b--\r\n"
	check(t, s.call("POST", wire.Prefix+wire.PathProjectCreate, `multipart/form-data; boundary="B b"`,
		strings.NewReader(files)), 400, "file")
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
	a := s.call("POST", wire.Prefix+"/v2/project/"+p+"/import?language=en",
		"multipart/form-data; charset=utf-8; boundary=x", strings.NewReader(body))
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
	s.call("GET", wire.ResultPrefix+"/v2/project/import-result/"+id, "", nil).want(t, 200, nil)
}

// Some clients fold the encoded credentials into lines of 76 characters, and the header with them.
func TestFoldedAuthorization(t *testing.T) {
	key := strings.Repeat("long-key-", 20)
	s := serve(t, Options{Keys: []string{key}})
	encoded := base64.StdEncoding.EncodeToString([]byte(testAccount + ":" + key))
	for _, fold := range []string{"\r\n ", "\r\n\t", "\r\n    "} {
		var lines []string
		for rest := encoded; rest != ""; {
			n := min(76, len(rest))
			lines, rest = append(lines, rest[:n]), rest[n:]
		}
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Basic %s%s\r\nConnection: close\r\n\r\n",
			wire.Prefix+wire.PathAccount, strings.Join(lines, fold), fold)
		a, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.StatusCode != 200 || len(lines) < 3 {
			t.Errorf("folded with %q into %d lines: %s", fold, len(lines), a.Status)
		}
		a.Body.Close()
		conn.Close()
	}
}

// listSpellings are the ways to write a list of two into a query.
func listSpellings(name, one, two string) []string {
	array := url.QueryEscape(name + "[]")
	return []string{
		name + "=" + one + "," + two,
		name + "=" + one + "&" + name + "=" + two,
		array + "=" + one + "&" + array + "=" + two,
		name + "[]=" + one + "&" + strings.ToUpper(name) + "=" + two,
		name + "=" + one + "%0A" + two,
		name + "=" + one + "%0D%0A" + two + "%0D%0A",
		name + "=" + one + "%2C+" + two,
	}
}

// Every list may be written in every way that clients are known to write one.
func TestListsInQueries(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de", "fr", "it")
	s.completed(p, "?language=en&labels=a", file{"a.json", `{"a":"A"}`})
	s.completed(p, "?language=en&labels=b", file{"b.json", `{"b":"B"}`})
	s.completed(p, "?language=en&collection=other", file{"c.json", `{"c":"C"}`})
	for _, q := range listSpellings("languages", "de", "fr") {
		if got := slices.Sorted(maps.Keys(s.many(p, "?"+q))); !slices.Equal(got,
			[]string{"strings-de.json", "strings-fr.json"}) {
			t.Errorf("%s: %v", q, got)
		}
	}
	for _, q := range listSpellings("labels", "a", "b") {
		sameJSON(t, s.one(p, "?languages=en&"+q), `{"a":"A","b":"B"}`)
	}
	for _, q := range listSpellings("collections", "main", "other") {
		sameJSON(t, s.one(p, "?languages=en&"+q), `{"a":"A","b":"B","c":"C"}`)
	}
	for i, q := range listSpellings("labels", "l"+"1", "l2") {
		s.completed(p, fmt.Sprintf("?language=en&collection=labelled%d&%s", i, q), file{"d.json", `{"d":"D"}`})
		for _, l := range []string{"l1", "l2"} {
			sameJSON(t, s.one(p, fmt.Sprintf("?languages=en&labels=%s&collections=labelled%d", l, i)), `{"d":"D"}`)
		}
	}
	for i, q := range listSpellings("target-languages", "es", "pl") {
		s.completed(p, fmt.Sprintf("?language=en&collection=targets%d&%s", i, q), file{"d.json", `{"d":"D"}`})
		if got := s.many(p, fmt.Sprintf("?collections=targets%d", i)); len(got) != 2 {
			t.Errorf("%s: %v", q, got)
		}
		other := s.create("en", "de")
		s.call("POST", wire.Prefix+"/v1/project/"+other+"/software-localization/targets?"+q, "", nil).want(t, 200, nil)
		var record wire.Project
		s.get("/v1/project/"+other).want(t, 200, &record)
		if slices.Sort(record.TargetLanguages); !slices.Equal(record.TargetLanguages, []string{"de", "es", "pl"}) {
			t.Errorf("%s: %v", q, record.TargetLanguages)
		}
	}
}

// Documents are named in every way, too: what deletes them and what exports them.
func TestListsOfDocuments(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	for i, base := range listSpellings("documentIds", "ONE", "TWO") {
		q := func(ids []string) string { return strings.NewReplacer("ONE", ids[0], "TWO", ids[1]).Replace(base) }
		name := fmt.Sprint("f", i)
		added := s.added(p, "", file{name + "a.txt", "One."}, file{name + "b.txt", "Two."})
		ids := []string{added[0].ID, added[1].ID}
		var x wire.DocumentExport
		s.post(wire.PathDocumentExport+"?type=target&"+q(ids), "").want(t, 200, &x)
		if a := s.downloaded(x.ID); a.status != 200 || len(unpack(t, a.body)) != 2 {
			t.Errorf("%s: %d %.100q", base, a.status, a.body)
		}
		s.call("DELETE", wire.Prefix+wire.PathDocument+"?"+q(ids), "", nil).want(t, 204, nil)
		check(t, s.get(wire.PathDocument+"?documentId="+ids[0]), 404, "")
		check(t, s.get(wire.PathDocument+"?documentId="+ids[1]), 404, "")
	}
	var record wire.Project
	s.get("/v1/project/"+p).want(t, 200, &record)
	if len(record.Documents) != 0 {
		t.Errorf("%+v", record.Documents)
	}
}

// The words of documents' calls are taken in any case, and their paths with the slashes that clients put in.
func TestDocumentSpellings(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr")
	d := s.added(
		p, `[{"ExternalId":"x","TargetLanguages":["DE"],"bilingualFileImportSetings":{"ConfirmMode":"AtLastStage","targetSubstitutionMode":"All","lockMode":"None","unknown":{}}}]`, file{"a.txt", "One."})
	if len(d) != 1 || d[0].TargetLanguage != "de" || d[0].ExternalID != "x" {
		t.Fatalf("%+v", d)
	}
	s.added(p, `[{"bilingualFileImportSettings":"{\"confirmMode\":\"nonsense\"}"}]`, file{"b.txt", "One."})
	check(t, s.sendDocuments(p, `[{"bilingualFileImportSettings":{"confirmMode":"nonsense"}}]`, file{"c.txt", "One."}),
		400,
		"confirmMode")
	for _, q := range []string{"&type=Target&mode=Current", "&TYPE=SOURCE", "&type=target&mode=CONFIRMED&stageNumber=1",
		"&type=Xliff"} {
		a := s.exportDocuments(q, d[0].ID)
		if a.status != 200 || len(a.body) == 0 {
			t.Errorf("%s: %d %s", q, a.status, a.body)
		}
	}
	for _, path := range []string{"/v1/document/?documentId=", "/v1//document?DocumentId=",
		"/v1/document?documentid="} {
		s.get(path+d[0].ID).want(t, 200, nil)
	}
	for _, path := range []string{"/v1//projectTask/" + p + "/list?currency=USD",
		"/v1/projectTask/" + strings.ToUpper(p) + "/list/?currency=usd", "/v1//directory?type=language"} {
		s.get(path).want(t, 200, nil)
	}
	for _, spelled := range []string{"withFuzzyMatches", "withFuzzyMatches=True", "WithFuzzyMatches=1",
		"withfuzzymatches=false", "withFuzzyMatches=0"} {
		if a := s.call("PUT", wire.Prefix+"/v1/project/"+p+"/fuzzyRepetitions?"+spelled, "", nil); a.status/100 != 2 {
			t.Errorf("%s: %d %s", spelled, a.status, a.body)
		}
	}
	check(t, s.call("PUT", wire.Prefix+"/v1/project/"+p+"/fuzzyRepetitions?withFuzzyMatches=yes", "", nil), 400,
		"withFuzzyMatches")
}

// Every flag may be a bare name, an empty value, true or 1; false and 0 are false; the name in any case.
func TestFlagsInQueries(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"k":"v"}`})
	for spelled, on := range map[string]bool{"zip": true, "zip=": true, "zip=true": true,
		"zip=True": true, "zip=1": true,
		"Zip=TRUE": true, "": false, "zip=false": false, "zip=0": false, "zip=False": false} {
		a := s.exported(p, "?languages=en&"+spelled)
		if bytes.HasPrefix(a.body, []byte("PK")) != on {
			t.Errorf("%q: %q", spelled, short(a.body))
		}
	}
	sameJSON(t, s.one(p, "?languages=de&fallback-to-default-language"), `{"k":"v"}`)
	sameJSON(t,
		s.one(p, "?languages=de&skip-incomplete-keys&export-incomplete-as-blank=false&fallback-to-default-language=0"),
		`{}`)
	sameJSON(t, s.one(p, "?languages=de&export-incomplete-as-blank"), `{"k":""}`)
	if got := s.many(p, "?languages=de&include-default-language"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	s.completed(p, "?language=en&overwrite-conflicting-values&skip-conflicting-values=false",
		file{"a.json", `{"k":"w"}`})
	sameJSON(t, s.one(p, "?languages=en"), `{"k":"w"}`)
	s.completed(p, "?language=en&delete-missing-keys&auto-file-labels", file{"a.json", `{"n":"N"}`})
	sameJSON(t, s.one(p, "?languages=en"), `{"n":"N"}`)
	s.post("/v1/project/language?projectId="+p+"&targetLanguage=fr&addLanguageToDocuments=0", "").want(t, 204, nil)
	if got := s.many(p, "?zip"); len(got) != 1 {
		t.Errorf("a language that was not to join the collections did: %v", got)
	}
	for _, parameter := range []string{"zip", "fallback-to-default-language", "include-default-language",
		"skip-incomplete-keys", "export-incomplete-as-blank"} {
		check(t, s.post("/v2/project/"+p+"/export?"+parameter+"=yes", ""), 400, parameter)
	}
}

// Words are taken in any case, and given in the one of the published description.
func TestEnumerationCase(t *testing.T) {
	s := serve(t, Options{})
	var p wire.Project
	for _, kind := range []string{"softwareLocalization", "SoftwareLocalization", "SOFTWARELOCALIZATION"} {
		a := s.post(wire.PathProjectCreate,
			`{"name":"n","sourceLanguage":"EN","targetLanguages":["DE","pt-br"],"assignToVendor":false,"type":"`+kind+
				`","workflowStages":["Translation","lqareview"]}`)
		a.want(t, 200, &p)
		if p.Status != "created" || p.SourceLanguage != "en" ||
			!slices.Equal(p.TargetLanguages, []string{"de", "pt-BR"}) ||
			!bytes.Contains(a.body, []byte(`"stageType":"translation"`)) ||
			!bytes.Contains(a.body, []byte(`"stageType":"lQAReview"`)) {
			t.Errorf("%s: %s", kind, a.body)
		}
		s.startImport(p.ID, "?language=en", file{"a.json", `{"k":"v"}`}).want(t, 200, nil) // it is one for keys
	}
	for _, q := range []string{"?language=EN&format=JSON", "?Language=en&Format=Structured-JSON&completion-state=FINAL",
		"?LANGUAGE=DE&completion-state=Intermediate&format=YAML"} {
		body := `{"k":"v"}`
		if strings.Contains(q, "YAML") {
			body = "k: w\n"
		}
		s.completed(p.ID, q, file{"a.json", body})
	}
	sameJSON(t, s.one(p.ID, "?Languages=DE&Format=JSON&Completion-State=Intermediate"), `{"k":"w"}`)
	s.get(wire.PathDirectory+"?Type=LANGUAGE").want(t, 200, nil)
	s.post("/v1/project/cancel?PROJECTID="+strings.ToUpper(p.ID), "").want(t, 204, nil)
	if a := s.get("/v1/project/" + p.ID); !bytes.Contains(a.body, []byte(`"status":"canceled"`)) {
		t.Errorf("%s", a.body)
	}
}

// A call with JSON may call it what it likes, and whatever answer it says it accepts, it gets JSON.
func TestContentTypes(t *testing.T) {
	s := serve(t, Options{})
	p, documents := s.create("en", "de"), s.documentsProject("de")
	s.completed(p, "?language=en", file{"a.json", `{"k":"v"}`})
	bodies := map[string]string{
		"POST " +
			wire.PathProjectCreate: `{"name":"n","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false}`,
		"PUT /v1/project/" + p:              `{"name":"app"}`,
		"POST /v2/project/" + p + "/export": `{"keys":["k"]}`,
		"POST /v1/project/" + p + "/export": `{"languages":["de"]}`,
		"POST " + wire.PathCallback:         `{"url":"http://127.0.0.1:9/"}`,
		"POST " + wire.PathTeam:             `{"skip":0,"limit":1}`,
		"POST " +
			wire.PathSmartTranslation: `{"sourceLanguage":"en","targetLanguages":["de"],"texts":[{"text":"a"}]}`,
		"POST " + wire.PathGlossaries:                            `{"name":"g"}`,
		"PUT /v1/project/" + p + "/glossaries":                   `[]`,
		"POST /v1/project/" + documents + "/mt":                  `[]`,
		"POST /v1/project/" + documents + "/translationmemories": `[]`,
		"POST " +
			wire.PathMemories: `{"name":"m","sourceLanguage":"en","targetLanguages":["de"]}`,
	}
	for operation, body := range bodies {
		method, path, _ := strings.Cut(operation, " ")
		for _, contentType := range []string{"application/json", "application/json; charset=utf-8",
			"application/json-patch+json", "text/json", "application/vnd.x+json",
			"text/plain", "application/octet-stream",
			"no type at all", ""} {
			for _, accept := range []string{"", "*/*", "text/plain", "application/octet-stream", "application/json",
				"image/png;q=0.1"} {
				if accept != "" && contentType != "application/json" {
					continue
				}
				r, err := http.NewRequest(method, s.url+wire.Prefix+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.SetBasicAuth(s.account, s.key)
				r.Header["Content-Type"] = nil
				if contentType != "" {
					r.Header.Set("Content-Type", contentType)
				}
				if accept != "" {
					r.Header.Set("Accept", accept)
				}
				a := s.do(r)
				if a.status/100 != 2 || len(a.body) > 0 && (a.header.Get("Content-Type") != "application/json" ||
					!json.Valid(a.body)) {
					t.Errorf("%s as %q, accepting %q: %d %s %s", operation, contentType, accept, a.status,
						a.header.Get("Content-Type"), a.body)
				}
			}
		}
	}
}

// The names of parts are hints: what has a file name is a file, what has none is the model.
func TestMultipartNames(t *testing.T) {
	s := serve(t, Options{})
	const model = `{"name":"n","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false,"type":"softwareLocalization"}`
	part := func(disposition, contentType, body string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\nContent-Type: " + contentType +
			"\r\n\r\n" +
			body + "\r\n"
	}
	send := func(method, path, body string) reply {
		return s.call(method, wire.Prefix+path, "multipart/form-data; boundary=b", strings.NewReader(body+"--b--\r\n"))
	}
	for _, name := range []string{"model", "projectModel", "value", "documentModel", "Model", "anything", ""} {
		send("POST", wire.PathProjectCreate, part(`name="`+name+`"`, "text/plain", model)).want(t, 200, nil)
		send("POST", wire.PathProjectCreate, part(`name="`+name+`"; filename="m.json"`, "application/octet-stream",
			"["+model+"]")).want(t, 200, nil)
	}
	// A .json file beside the model is a document, whatever it is called and says it is.
	const ofDocuments = `{"name":"n","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false}`
	for _, name := range []string{"file", "files", ""} {
		var made, record wire.Project
		send("POST", wire.PathProjectCreate, part(`name="`+name+`"; filename="d.json"`, "application/json",
			`{"a":"b"}`)+part(`name="x"`, "text/plain", ofDocuments)).want(t, 200, &made)
		s.get("/v1/project/"+made.ID).want(t, 200, &record)
		if len(record.Documents) != 1 || record.Documents[0].Name != "d" {
			t.Errorf("%q: %+v", name, record.Documents)
		}
	}
	p, documents := s.create("en", "de"), s.documentsProject("de")
	glossary := s.defaultGlossary().ID
	for i, name := range []string{"file", "file0", "file_1", "files", "uploadedFile", "translationFile", "model", ""} {
		for _, contentType := range []string{"text/plain", "application/json", "application/octet-stream"} {
			send("POST", "/v2/project/"+p+"/import?language=en", part(`name="`+name+`"; filename="a.json"`, contentType,
				`{"k":"v"}`)).want(t, 200, nil)
		}
		send("PUT", wire.PathStorageFiles+"x", part(`name="note"`, "text/plain",
			"no file")+part(`filename="`+name+`.json"; name="`+name+`"`, "application/json", "{}")).want(t, 201, nil)
		send("POST", wire.PathGlossaryImport+"?glossaryId="+glossary,
			part(`name="`+name+`"; filename="g.csv"`, "application/json", "en,de\na,b\n")).want(t, 200, nil)
		if name == "model" {
			continue // there a file of this name is the model
		}
		// JSON is a document, whatever its part says it is
		for j, model := range []string{"model", "value", "documentModel", "anything"} {
			document := part(fmt.Sprintf(`name="%s"; filename="d%d-%d.json"`, name, i, j),
				"application/json", `{"a":"b"}`)
			var d []wire.Document
			send("POST", wire.PathProjectDocument+"?projectId="+documents,
				document+part(`name="`+model+`"`, "text/plain", `[{"externalId":"x"}]`)).want(t, 200, &d)
			if len(d) != 1 || d[0].ExternalID != "x" {
				t.Errorf("%s, %s: %+v", name, model, d)
			}
			again := part(fmt.Sprintf(`name="%s"; filename="d.json"`, name), "application/json", `{"a":"c"}`)
			send("PUT", wire.PathDocumentUpdate+"?documentId="+d[0].ID, again).want(t, 200, nil)
			send("PUT", wire.PathDocumentUpdateV2+"?documentId="+strings.Split(d[0].ID, "_")[0],
				part(`name="updateDocumentModel"`, "text/plain", `{"enablePlaceholders":true}`)+again).want(t, 200, nil)
		}
	}
}

// Records leave out what they do not have, rather than say null; times are UTC; what starts something answers with a
// JSON string.
func TestAnswers(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	var imported string
	s.startImport(p, "?language=en", file{"a.json", `{"k":"v"}`}).want(t, 200, &imported)
	s.result(imported)
	s.register("http://127.0.0.1:9/", "null")
	s.upload("", file{"a", "x"}).want(t, 201, nil)
	glossary := s.defaultGlossary().ID
	identifier := regexp.MustCompile(`^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$`)
	contentType, csv := multipartOf(t, file{"a.csv", "en\na\n"})
	for name, a := range map[string]reply{
		"import":    s.startImport(p, "?language=en", file{"a.json", `{"k":"v"}`}),
		"export":    s.post("/v2/project/"+p+"/export", ""),
		"export v1": s.post("/v1/project/"+p+"/export", ""),
		"glossary import": s.call("POST", wire.Prefix+wire.PathGlossaryImport+"?glossaryId="+glossary, contentType,
			bytes.NewReader(csv)),
		"glossary export": s.post(wire.PathGlossaryExport+"?glossaryId="+glossary, ""),
		"glossary":        s.post(wire.PathGlossaries, `{"name":"g"}`),
	} {
		if a.status != 200 || !identifier.Match(a.body) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	stamps := regexp.MustCompile(`"(\w*(?:Date|At|Time))":"([^"]*)"`)
	for _, path := range []string{"/v1/project/" + p, wire.PathProjectList, "/v1/project/import-result/" + imported,
		wire.PathCallback, wire.PathCallbackLastErrors, wire.PathGlossaries,
		"/v1/project/" + p + "/glossaries", wire.PathGlossaryExportPending, wire.PathStorageFileInfo + "a",
		wire.PathStorageFileList, wire.PathAccount, wire.PathDirectory + "?type=language"} {
		a := s.get(path)
		a.want(t, 200, nil)
		if bytes.Contains(a.body, []byte("null")) || !json.Valid(a.body) {
			t.Errorf("%s: %s", path, a.body)
		}
		for _, stamp := range stamps.FindAllSubmatch(a.body, -1) {
			if at, err := time.Parse(time.RFC3339Nano, string(stamp[2])); err != nil ||
				!bytes.HasSuffix(stamp[2], []byte("Z")) || time.Since(at).Abs() > time.Hour {
				t.Errorf("%s: %s is %q", path, stamp[1], stamp[2])
			}
		}
	}
}
