package local

import (
	"bytes"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

// Every error condition of the interface's table, and those decided where it is silent: the status, and the parameter
// or member that the answer names. No refused call may leave anything behind.
func TestErrorConditions(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de", "fr")
	documents := s.createWith(map[string]any{"name": "docs", "sourceLanguage": "en", "targetLanguages": []string{"de"},
		"assignToVendor": true})
	s.completed(p, query("language", "en"), file{"a.json", `{"k":"v"}`})
	one := file{"a.json", `{"x":"y"}`}
	const nobody = "11111111-2222-3333-4444-555555555555"

	imports := []struct {
		name, project, query string
		files                []file
		status               int
		field                string
	}{
		{"language missing", p, "", []file{one}, 400, "language"},
		{"language empty", p, "?language=", []file{one}, 400, "language"},
		{"language unrecognizable", p, "?language=xx", []file{one}, 400, "language"},
		{"language of another style", p, "?language=de_DE", []file{one}, 400, "language"},
		{"language neither source nor target", p, "?language=es", []file{one}, 400, "language"},
		{"language twice", p, "?language=en&language=de", []file{one}, 400, "language"},
		{"no files", p, "?language=en", nil, 400, "file"},
		{"both conflict switches", p, "?language=en&skip-conflicting-values=true&overwrite-conflicting-values=true",
			[]file{one}, 400, "skip-conflicting-values"},
		{"both conflict switches, bare", p, "?language=en&skip-conflicting-values&overwrite-conflicting-values",
			[]file{one},
			400, "skip-conflicting-values"},
		{"conflict switch is no boolean", p, "?language=en&skip-conflicting-values=maybe", []file{one}, 400,
			"skip-conflicting-values"},
		{"format unknown", p, "?language=en&format=xliff", []file{one}, 400, "format"},
		{"format empty", p, "?language=en&format=", []file{one}, 400, "format"},
		{"format not told by the name", p, "?language=en", []file{{"strings", `{}`}}, 400, "format"},
		{"separator with a flat format", p, "?language=en&format=json&path-separator=/",
			[]file{one}, 400, "path-separator"},
		{"separator with a guessed format", p, "?language=en&path-separator=/", []file{one}, 400, "path-separator"},
		{"separator with android-xml", p, "?language=en&format=android-xml&path-separator=.", []file{one}, 400,
			"path-separator"},
		{"separator empty", p, "?language=en&format=structured-json&path-separator=",
			[]file{one}, 400, "path-separator"},
		{"targets empty", p, "?language=en&target-languages=", []file{one}, 400, "target-languages"},
		{"targets incorrect", p, "?language=en&target-languages=de,xx", []file{one}, 400, "target-languages"},
		{"targets with an empty code", p, "?language=en&target-languages=de,,fr", []file{one}, 400, "target-languages"},
		{"targets hold the source", p, "?language=en&target-languages=de,en", []file{one}, 400, "target-languages"},
		{"targets of a translation", p, "?language=de&target-languages=fr", []file{one}, 400, "target-languages"},
		{"state unknown", p, "?language=de&completion-state=done", []file{one}, 400, "completion-state"},
		{"state empty", p, "?language=de&completion-state=", []file{one}, 400, "completion-state"},
		{"collection empty", p, "?language=en&collection=", []file{one}, 400, "collection"},
		{"collection with a control character", p, "?language=en&collection=a%0Ab", []file{one}, 400, "collection"},
		{"label empty", p, "?language=en&labels=a,,b", []file{one}, 400, "labels"},
		{"labels empty", p, "?language=en&labels=", []file{one}, 400, "labels"},
		{"deleting by a translation", p, "?language=de&delete-missing-keys=true",
			[]file{one}, 400, "delete-missing-keys"},
		{"project malformed", "12", "?language=en", []file{one}, 400, "projectId"},
		{"project unknown", nobody, "?language=en", []file{one}, 403, ""},
		{"project of documents", documents, "?language=en", []file{one}, 403, ""},
	}
	for _, c := range imports {
		t.Run("import/"+c.name, func(t *testing.T) {
			s.t = t
			check(t, s.startImport(c.project, c.query, c.files...), c.status, c.field)
		})
	}
	for name, body := range map[string]string{"no multipart": "x",
		"cut":               "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.json\"\r\n\r\n{",
		"empty":             "--b--\r\n",
		"no boundary in it": "abc"} {
		t.Run("import/body "+name, func(t *testing.T) {
			s.t = t
			contentType := "multipart/form-data; boundary=b"
			if name == "no multipart" {
				contentType = "application/json"
			}
			a := s.call("POST", wire.Prefix+"/v2/project/"+p+"/import?language=en",
				contentType, strings.NewReader(body))
			if a.status != 400 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			a.problem(t)
		})
	}

	exports := []struct {
		name, project, query, body string
		status                     int
		field                      string
	}{
		{"languages empty", p, "?languages=", "", 400, "languages"},
		{"language, the other name, empty", p, "?language=", "", 400, "language"},
		{"language unrecognizable", p, "?languages=de,xx", "", 400, "languages"},
		{"language neither source nor target", p, "?languages=es", "", 400, "languages"},
		{"separator with a flat format", p, "?format=yaml&path-separator=/", "", 400, "path-separator"},
		{"separator with the default format", p, "?path-separator=/", "", 400, "path-separator"},
		{"label empty", p, "?labels=a,", "", 400, "labels"},
		{"state unknown", p, "?completion-state=best", "", 400, "completion-state"},
		{"state empty", p, "?completion-state=", "", 400, "completion-state"},
		{"format unknown", p, "?format=po", "", 400, "format"},
		{"format of imports only", p, "?format=locjson", "", 400, "format"},
		{"format empty", p, "?format=", "", 400, "format"},
		{"two modes", p, "?skip-incomplete-keys=true&export-incomplete-as-blank=true", "", 400, "skip-incomplete-keys"},
		{"two modes, bare", p, "?fallback-to-default-language&skip-incomplete-keys", "", 400, "skip-incomplete-keys"},
		{"mode is no boolean", p, "?skip-incomplete-keys=2", "", 400, "skip-incomplete-keys"},
		{"zip is no boolean", p, "?zip=yes", "", 400, "zip"},
		{"collection unknown", p, "?collections=other", "", 400, "collections"},
		{"collection empty", p, "?collections=", "", 400, "collections"},
		{"time malformed", p, "?modified-since=yesterday", "", 400, "modified-since"},
		{"placeholder unknown", p, "?output-file-path-template={LANG}.json", "", 400, "output-file-path-template"},
		{"placeholder open", p, "?output-file-path-template=a{LANGUAGE.json", "", 400, "output-file-path-template"},
		{"brace alone", p, "?output-file-path-template={LANGUAGE}}.json", "", 400, "output-file-path-template"},
		{"label without prefix", p, "?output-file-path-template={LABEL:}-{LANGUAGE}", "", 400,
			"output-file-path-template"},
		{"path leaves the archive", p, "?output-file-path-template=../{LANGUAGE}.json", "", 400,
			"output-file-path-template"},
		{"path absolute", p, "?output-file-path-template=/{LANGUAGE}.json", "", 400, "output-file-path-template"},
		{"path of a drive", p, "?output-file-path-template=C:{LANGUAGE}.json", "", 400, "output-file-path-template"},
		{"path with backslashes", p, `?output-file-path-template=a\{LANGUAGE}.json`, "", 400,
			"output-file-path-template"},
		{"path is a folder", p, "?output-file-path-template={LANGUAGE}/", "", 400, "output-file-path-template"},
		{"template empty", p, "?output-file-path-template=", "", 400, "output-file-path-template"},
		{"two languages, one file", p, "?output-file-path-template=all.json", "", 400, "output-file-path-template"},
		{"two languages, one file by label", p, "?output-file-path-template={LABEL:file}", "", 400,
			"output-file-path-template"},
		{"source and target, one file", p,
			"?languages=de&include-default-language=true&output-file-path-template=all.json",
			"", 400, "output-file-path-template"},
		{"indent", p, "?indent=wide", "", 400, "indent"},
		{"body is no object", p, "", "[1]", 400, "body"},
		{"body is no JSON", p, "", "{", 400, "body"},
		{"keys are no list", p, "", `{"keys":"a"}`, 400, "keys"},
		{"project malformed", "12", "", "", 400, "projectId"},
		{"project unknown", nobody, "", "", 403, ""},
		{"project of documents", documents, "", "", 403, ""},
	}
	for _, c := range exports {
		t.Run("export/"+c.name, func(t *testing.T) {
			s.t = t
			q := strings.NewReplacer("{", "%7B", "}", "%7D", `\`, "%5C").Replace(c.query)
			check(t, s.post("/v2/project/"+c.project+"/export"+q, c.body), c.status, c.field)
		})
	}

	create := func(change string) string {
		base := map[string]string{"name": `"n"`, "sourceLanguage": `"en"`, "targetLanguages": `["de"]`,
			"assignToVendor": "false", "type": `"softwareLocalization"`}
		name, value, _ := strings.Cut(change, "=")
		if value == "" {
			delete(base, name)
		} else {
			base[name] = value
		}
		var members []string
		for k, v := range base {
			members = append(members, `"`+k+`":`+v)
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	others := []struct {
		name, method, path, body string
		status                   int
		field                    string
	}{
		{"create without name", "POST", "/v1/project/create", create("name"), 400, "name"},
		{"create with a blank name", "POST", "/v1/project/create", create(`name=" "`), 400, "name"},
		{"create with a number for a name", "POST", "/v1/project/create", create("name=1"), 400, "name"},
		{"create without source", "POST", "/v1/project/create", create("sourceLanguage"), 400, "sourceLanguage"},
		{"create with an unknown source", "POST", "/v1/project/create", create(`sourceLanguage="zz"`), 400,
			"sourceLanguage"},
		{"create without targets", "POST", "/v1/project/create", create("targetLanguages"), 400, "targetLanguages"},
		{"create with no targets", "POST", "/v1/project/create", create("targetLanguages=[]"), 400, "targetLanguages"},
		{"create with one target as text", "POST", "/v1/project/create", create(`targetLanguages="de"`), 400,
			"targetLanguages"},
		{"create with an unknown target", "POST", "/v1/project/create", create(`targetLanguages=["zz"]`), 400,
			"targetLanguages"},
		{"create with the source as target", "POST", "/v1/project/create", create(`targetLanguages=["EN"]`), 400,
			"targetLanguages"},
		{"create without assignToVendor", "POST", "/v1/project/create", create("assignToVendor"), 400,
			"assignToVendor"},
		{"create with assignToVendor as text", "POST", "/v1/project/create", create(`assignToVendor="no"`), 400,
			"assignToVendor"},
		{"create with an unknown type", "POST", "/v1/project/create", create(`type="game"`), 400, "type"},
		{"create with a bad deadline", "POST", "/v1/project/create", create(`deadline="soon"`), 400, "deadline"},
		{"create with an unknown stage", "POST", "/v1/project/create", create(`workflowStages=["magic"]`), 400,
			"workflowStages"},
		{"create two", "POST", "/v1/project/create", "[" + create("x") + "," + create("x") + "]", 400, "model"},
		{"create nothing", "POST", "/v1/project/create", "", 400, "model"},
		{"create deep JSON", "POST", "/v1/project/create", strings.Repeat("[", 100000), 400, "model"},
		{"get malformed", "GET", "/v1/project/abc", "", 400, "projectId"},
		{"get unknown", "GET", "/v1/project/" + nobody, "", 404, ""},
		{"put unknown", "PUT", "/v1/project/" + nobody, `{"name":"n"}`, 404, ""},
		{"put without name", "PUT", "/v1/project/" + p, `{"deadline":"2026-12-01T00:00:00Z"}`, 400, "name"},
		{"put nothing", "PUT", "/v1/project/" + p, `{}`, 400, "name"},
		{"put bad deadline", "PUT", "/v1/project/" + p, `{"name":"n","deadline":"1"}`, 400, "deadline"},
		{"put no JSON", "PUT", "/v1/project/" + p, `name`, 400, "body"},
		{"put another's name", "PUT", "/v1/project/" + p, `{"name":"docs"}`, 409, ""},
		{"delete unknown", "DELETE", "/v1/project/" + nobody, "", 404, ""},
		{"complete nothing", "POST", "/v1/project/complete", "", 400, "projectId"},
		{"complete unknown", "POST", "/v1/project/complete?projectId=" + nobody, "", 404, ""},
		{"complete with GET", "GET", "/v1/project/complete?projectId=" + p, "", 405, ""},
		{"add no language", "POST", "/v1/project/language?projectId=" + p, "", 400, "targetLanguage"},
		{"add the source language", "POST", "/v1/project/language?targetLanguage=en&projectId=" + p, "", 400,
			"targetLanguage"},
		{"add an unknown language", "POST", "/v1/project/language?targetLanguage=zz&projectId=" + p, "", 400,
			"targetLanguage"},
		{"remove a language", "DELETE", "/v1/project/language?targetLanguage=de&projectId=" +
			p, "", 400, "targetLanguage"},
		{"targets missing", "POST", "/v1/project/" + p + "/software-localization/targets", "", 400, "target-languages"},
		{"targets empty", "POST", "/v1/project/" + p + "/software-localization/targets?target-languages=", "", 400,
			"target-languages"},
		{"targets incorrect", "POST", "/v1/project/" + p + "/software-localization/targets?target-languages=es,zz", "",
			400,
			"target-languages"},
		{"targets with a gap", "POST", "/v1/project/" + p + "/software-localization/targets?target-languages=es,,it",
			"", 400,
			"target-languages"},
		{"targets of documents", "POST", "/v1/project/" + documents +
			"/software-localization/targets?target-languages=es",
			"", 403, ""},
		{"import result unknown", "GET", "/v1/project/import-result/" + nobody, "", 404, ""},
		{"export unknown", "GET", "/v1/document/export/" + nobody, "", 404, ""},
		{"list with a bad limit", "GET", "/v2/project/list?limit=101", "", 400, "limit"},
		{"list with a bad offset", "GET", "/v2/project/list?offset=-1", "", 400, "offset"},
		{"directory of what is not there", "GET", "/v2/directory?type=planets", "", 400, "type"},
		{"directory of nothing", "GET", "/v2/directory", "", 400, "type"},
		{"v1 export with no languages", "POST", "/v1/project/" + p + "/export", `{"languages":[]}`, 400, "languages"},
		{"v1 export with a text", "POST", "/v1/project/" + p + "/export", `{"languages":"de"}`, 400, "languages"},
		{"documents for keys", "POST", "/v1/project/document?projectId=" + p, "", 403, ""},
		{"statistics", "GET", "/v1/project/" + p + "/statistics", "", 403, ""},
		{"nothing there", "GET", "/v3/project", "", 404, ""},
		{"bad query", "GET", "/v2/project/list?a=%zz", "", 400, ""},
	}
	for _, c := range others {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			check(t, s.call(c.method, wire.Prefix+c.path, "application/json", strings.NewReader(c.body)), c.status,
				c.field)
		})
	}

	s.t = t
	var project wire.Project
	s.get("/v1/project/"+p).want(t, 200, &project)
	if got := strings.Join(project.TargetLanguages, ","); got != "de,fr" || project.Name != "app" {
		t.Errorf("refused calls changed the project: %s, %s", project.Name, got)
	}
	sameJSON(t, s.one(p, "?languages=en"), `{"k":"v"}`)
	var all []wire.Project
	s.get("/v2/project/list").want(t, 200, &all)
	if len(all) != 2 {
		t.Errorf("%d projects, want 2", len(all))
	}
}

func check(t *testing.T, a reply, status int, field string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("Content-Type %q", kind)
	}
	p := a.problem(t)
	if p.Status != status || p.Title == "" || p.Type == "" || p.Detail == "" {
		t.Errorf("incomplete problem: %s", a.body)
	}
	if field != "" && (len(p.Errors[field]) != 1 || !strings.Contains(p.Detail, field)) {
		t.Errorf("the problem does not name %q: %s", field, a.body)
	}
}

// Bodies beyond their bounds are refused, and the service goes on.
func TestBodiesAreBounded(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	a := s.call("POST", wire.Prefix+"/v1/project/create", "application/json",
		bytes.NewReader(bytes.Repeat([]byte(" "), boundModel+1)))
	if a.status != 413 {
		t.Errorf("a model of %d bytes: %d", boundModel+1, a.status)
	}
	var parts bytes.Buffer
	for range boundParts + 1 {
		parts.WriteString("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n")
	}
	parts.WriteString("--b--\r\n")
	a = s.call("POST", wire.Prefix+"/v2/project/"+p+"/import?language=en", "multipart/form-data; boundary=b", &parts)
	if a.status != 400 {
		t.Errorf("%d parts: %d", boundParts+1, a.status)
	}
	deep := strings.Repeat(`{"a":`, 5000) + `"x"` + strings.Repeat("}", 5000)
	r := s.imported(p, query("language", "en", "format", "structured-json"), file{"deep.json", deep},
		file{"ok.json", `{"k":"v"}`})
	if r.Status != wire.Completed || len(r.Errors) != 1 || r.Errors[0].FileName != "deep.json" || r.KeysCreated != 1 {
		t.Errorf("deep JSON: %+v", r)
	}
}
