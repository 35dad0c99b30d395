package local

import (
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/config/languages"
	"github.com/locsync/locsync/sync/service/wire"
)

// translated makes a project whose key "both" is translated into both languages, "de" into German only, "none" into
// none.
func translated(s *server) string {
	s.t.Helper()
	p := s.create("en", "de", "pt-BR")
	s.completed(p, "?language=en", file{"a.json", `{"both":"Both","de":"German","none":"None"}`})
	s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"both":"Beide","de":"Deutsch"}`})
	s.completed(p, "?language=PT-BR&completion-state=final", file{"a.json", `{"both":"Ambos"}`})
	return p
}

func TestIncompleteModes(t *testing.T) {
	s := serve(t, Options{})
	p := translated(s)
	for q, want := range map[string]string{
		"":                                    `{"both":"Ambos","de":"German","none":"None"}`,
		"&fallback-to-default-language=true":  `{"both":"Ambos","de":"German","none":"None"}`,
		"&fallback-to-default-language":       `{"both":"Ambos","de":"German","none":"None"}`,
		"&fallback-to-default-language=false": `{"both":"Ambos","de":"German","none":"None"}`,
		"&export-incomplete-as-blank=true":    `{"both":"Ambos","de":"","none":""}`,
		"&skip-incomplete-keys=1":             `{"both":"Ambos"}`,
		"&skip-incomplete-keys=false":         `{"both":"Ambos","de":"German","none":"None"}`,
		"&skip-incomplete-keys&zip=false":     `{"both":"Ambos"}`,
	} {
		sameJSON(t, s.one(p, "?languages=pt-br"+q), want)
	}
	for q, n := range map[string]int{"": 1, "&fallback-to-default-language": 3, "&export-incomplete-as-blank": 3,
		"&skip-incomplete-keys": 1} {
		if xml := s.one(p, "?languages=pt-BR&format=android-xml"+q); strings.Count(xml, "<string") != n {
			t.Errorf("android-xml%s: %s", q, xml)
		}
	}
	sameJSON(t, s.one(p, "?languages=en&skip-incomplete-keys"), `{"both":"Both","de":"German","none":"None"}`)
}

func TestArchives(t *testing.T) {
	s := serve(t, Options{})
	p := translated(s)
	names := func(q string) string {
		return strings.Join(slices.Sorted(maps.Keys(s.many(p, q))), " ")
	}
	for q, want := range map[string]string{
		"":                                       "strings-de.json strings-pt-BR.json",
		"?include-default-language=true":         "strings-de.json strings-en.json strings-pt-BR.json",
		"?languages=de&include-default-language": "strings-de.json strings-en.json",
		"?languages=en,de&include-default-language":     "strings-de.json strings-en.json",
		"?languages=de&zip=true":                        "strings-de.json",
		"?languages=de&languages=pt-BR&zip=false":       "strings-de.json strings-pt-BR.json",
		"?language=de,de,pt-BR":                         "strings-de.json strings-pt-BR.json",
		"?format=yaml":                                  "strings-de.yaml strings-pt-BR.yaml",
		"?format=structured-yaml":                       "strings-de.yaml strings-pt-BR.yaml",
		"?format=ios-strings":                           "de.lproj/values.strings pt-BR.lproj/values.strings",
		"?format=android-xml":                           "src/main/res/values-de/strings.xml src/main/res/values-pt-rBR/strings.xml",
		"?output-file-path-template=x/%7BLANGUAGE%7D":   "x/de x/pt-BR",
		"?zip=1&languages=de&modified-since=2999-01-01": "strings-de.json",
	} {
		if got := names(q); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
	for q, want := range map[string][3]string{
		"?languages=de":                    {"strings-de.json", "application/json", `{`},
		"?languages=de&format=ios-strings": {"values.strings", "text/plain; charset=utf-8", `"`},
		"?languages=de&format=android-xml": {"strings.xml", "application/xml", `<?xml`},
		"?languages=de&format=yaml":        {"strings-de.yaml", "application/yaml", ``},
		"?languages=de&output-file-path-template=a/%C3%BC+%7BLANGUAGE%7D.json": {"ü de.json", "application/json", "{"},
		"?languages=de&zip=true": {"export-", "application/zip", "PK"},
	} {
		a := s.exported(p, q)
		kind, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
		if err != nil || kind != "attachment" || !strings.HasPrefix(params["filename"], want[0]) ||
			a.header.Get("Content-Type") != want[1] || !strings.HasPrefix(string(a.body), want[2]) {
			t.Errorf("%s: %v %v %.40q", q, err, a.header, a.body)
		}
		if raw := a.header.Get("Content-Disposition"); !strings.Contains(raw, `filename="`) ||
			!strings.Contains(raw, "; filename*=UTF-8''") {
			t.Errorf("%s: %s", q, raw)
		}
	}
}

// The export's result can be fetched again, and after a restart.
func TestDownloadTwice(t *testing.T) {
	dir := t.TempDir()
	s := serveIn(t, dir, Options{})
	p := translated(s)
	var id string
	s.post("/v2/project/"+p+"/export?languages=de", "").want(t, 200, &id)
	first := s.downloaded(id)
	if second := s.get("/v1/document/export/" + id); string(second.body) != string(first.body) || second.status != 200 {
		t.Errorf("%d", second.status)
	}
	if head := s.call("HEAD", wire.Prefix+"/v1/document/export/"+id, "", nil); head.status != 200 ||
		len(head.body) != 0 {
		t.Errorf("%d", head.status)
	}
}

// Only what changed after a time: source texts, labels, and translations for their own language.
func TestModifiedSince(t *testing.T) {
	now := clockAt(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s := serve(t, Options{Now: func() time.Time { return now.add(0) }})
	p := s.create("en", "de", "fr")
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B","c":"C"}`})
	now.add(time.Hour)
	s.completed(p, "?language=de", file{"a.json", `{"a":"A!"}`})
	s.completed(p, "?language=en&overwrite-conflicting-values", file{"a.json", `{"b":"B2"}`})
	for q, want := range map[string]string{
		"de 2026-01-02T03:00:00Z":         "abc",
		"de 2026-01-02T03:04:05Z":         "ab",
		"de 2026-01-02T05:04:05.5+02:00":  "ab",
		"fr 2026-01-02T03:04:05Z":         "b",
		"en 2026-01-02T03:04:05":          "b",
		"de 2026-01-02T04:04:05Z":         "",
		"de 2026-01-02":                   "abc",
		"de 2026-01-03":                   "",
		"fr 2026-01-02T04:04:04.9999999Z": "b",
	} {
		language, since, _ := strings.Cut(q, " ")
		got := slices.Sorted(maps.Keys(flat(t, s.one(p, query("languages", language, "modified-since", since)))))
		if strings.Join(got, "") != want {
			t.Errorf("%s: %v, want %s", q, got, want)
		}
	}
	// A query turns the plus sign of a time zone into a space.
	if got := flat(t, s.one(p, "?languages=fr&modified-since=2026-01-02T05:04:05+02:00")); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// Keys stand in the order of their first import, new ones behind.
func TestOrder(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"z":"1","a":"2","m":"3"}`})
	s.completed(p, "?language=en", file{"b.json", `{"b":"4","m":"3","z":"1"}`})
	body := s.one(p, "?languages=en")
	d := json.NewDecoder(strings.NewReader(body))
	var order string
	for i := 0; ; i++ {
		token, err := d.Token()
		if err != nil {
			break
		}
		if word, ok := token.(string); ok && i%2 == 1 {
			order += word
		}
	}
	if order != "zamb" {
		t.Errorf("order %s in %s", order, body)
	}
}

func TestCollections(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de", "fr")
	s.completed(p, "?language=en&collection=one&target-languages=de", file{"a.json", `{"a":"A1","b":"B1"}`})
	s.completed(p, "?language=en&collection=two&target-languages=fr", file{"a.json", `{"b":"B2","c":"C2"}`})
	sameJSON(t, s.one(p, "?languages=en&collections=one"), `{"a":"A1","b":"B1"}`)
	sameJSON(t, s.one(p, "?languages=en&collections=one,two"), `{"a":"A1","b":"B1","c":"C2"}`)
	sameJSON(t, s.one(p, "?languages=en&collections=two&collections=one"), `{"a":"A1","b":"B2","c":"C2"}`)
	sameJSON(t, s.one(p, "?languages=en"), `{}`)
	if got := s.many(p, "?collections=one,two"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if got := s.one(p, "?collections=two"); got == "" {
		t.Error("the one language of the collection")
	}
	sameJSON(t, s.one(p, "?languages=fr&collections=one"), `{"a":"A1","b":"B1"}`) // any project language may be named
}

func TestOnlyTheseKeys(t *testing.T) {
	s := serve(t, Options{})
	p := translated(s)
	for body, want := range map[string]string{
		`{"keys":["de","none","other"]}`: `{"de":"Deutsch","none":"None"}`,
		`{"keys":[]}`:                    `{}`,
		`{"keys":null}`:                  `{"both":"Beide","de":"Deutsch","none":"None"}`,
		`{}`:                             `{"both":"Beide","de":"Deutsch","none":"None"}`,
		`null`:                           `{"both":"Beide","de":"Deutsch","none":"None"}`,
	} {
		var id string
		s.post("/v2/project/"+p+"/export?languages=de", body).want(t, 200, &id)
		sameJSON(t, string(s.downloaded(id).body), want)
	}
}

// The older form has its parameters in the body.
func TestExportV1(t *testing.T) {
	s := serve(t, Options{})
	p := translated(s)
	run := func(q, body string) reply {
		t.Helper()
		var id string
		s.post("/v1/project/"+p+"/export"+q, body).want(t, 200, &id)
		return s.downloaded(id)
	}
	sameJSON(t, string(run("", `{"languages":["de"]}`).body), `{"both":"Beide","de":"Deutsch","none":"None"}`)
	if got := unpack(t, run("", `{"languages":["de","pt-BR"]}`).body); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if got := unpack(t, run("", ``).body); len(got) != 2 {
		t.Errorf("%v", got)
	}
	sameJSON(t, string(run("", `{"Languages":["pt-BR"],"exportIncompleteTranslationsMode":"skip","branch":"x"}`).body),
		`{"both":"Ambos"}`)
	sameJSON(t, string(run("?skip-incomplete-keys=true", `{"languages":["pt-BR"]}`).body), `{"both":"Ambos"}`)
	if got := unpack(t,
		run("",
			`{"languages":["de"],"includeSourceLanguage":true,"format":"yaml"}`).body); got["strings-en.yaml"] == "" {
		t.Errorf("%v", got)
	}
}

// A key that is also the beginning of another cannot be nested: the export fails and names it.
func TestLeafAndBranch(t *testing.T) {
	s := serve(t, Options{})
	for name, source := range map[string]string{"leaf first": `{"a":"1","a/b":"2"}`,
		"branch first": `{"a/b":"2","a":"1"}`} {
		p := s.create("en", "de")
		s.completed(p, "?language=en", file{"a.json", source})
		for _, format := range []string{"structured-json", "structured-yaml"} {
			a := s.exported(p, "?languages=en&format="+format)
			check(t, a, 422, "")
			if !strings.Contains(string(a.body), `\"a\"`) || !strings.Contains(string(a.body), `\"a/b\"`) {
				t.Errorf("%s: %s", name, a.body)
			}
		}
		sameJSON(t, s.one(p, "?languages=en"), source)
		sameJSON(t, s.one(p, "?languages=en&format=structured-json&path-separator=."), source)
	}
}

func TestIndent(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en&format=structured-json", file{"a.json", `{"a":{"b":"x\n  y\n","list":["1","2"]}}`})
	for q, want := range map[string]string{"": "\n    \"b\"", "&indent=2": "\n    \"b\"",
		"&indent=4":   "\n        \"b\"",
		"&indent=%09": "\n\t\t\"b\"", "&indent=0": "\n\"b\""} {
		if got := s.one(p, "?languages=en&format=structured-json"+q); !strings.Contains(got, want) {
			t.Errorf("%s: %s", q, got)
		}
	}
	for _, q := range []string{"", "&indent=4", "&indent=3", "&indent=%09", "&indent=0"} {
		yaml := s.one(p, "?languages=en&format=structured-yaml"+q)
		format, _ := formats.Named(string(wire.FormatStructuredYAML))
		read, err := format.Parse(resource.Keys{Separator: "/"}, []byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		if entries := slices.Collect(read.Entries()); len(entries) != 3 || entries[0].Text != "x\n  y\n" {
			t.Errorf("%s: %v in\n%s", q, entries, yaml)
		}
		if q == "&indent=4" && !strings.Contains(yaml, "\n    b:") {
			t.Errorf("%s:\n%s", q, yaml)
		}
	}
}

func TestProjects(t *testing.T) {
	now := clockAt(time.Date(2026, 1, 2, 3, 4, 5, 6e8, time.UTC))
	s := serve(t, Options{Now: func() time.Time { return now.add(time.Millisecond) }})
	var ids []string
	for _, name := range []string{"Web app", "Phone app", "Docs"} {
		kind := "softwareLocalization"
		if name == "Docs" {
			kind = "Default"
		}
		ids = append(ids, s.createWith(map[string]any{"name": name, "sourceLanguage": "EN",
			"targetLanguages": []string{"de", "DE", "pt-br"}, "assignToVendor": false,
			"type": kind, "externalTag": "tag " + name, "deadline": "2026-12-01T00:00:00Z", "description": "about"}))
	}
	list := func(q string) string {
		var all []wire.Project
		s.get("/v2/project/list"+q).want(t, 200, &all)
		var names []string
		for _, p := range all {
			names = append(names, p.Name)
		}
		return strings.Join(names, ", ")
	}
	for q, want := range map[string]string{
		"":                         "Web app, Phone app, Docs",
		"?projectName=APP":         "Web app, Phone app",
		"?externalTag=docs":        "Docs",
		"?limit=2":                 "Web app, Phone app",
		"?limit=2&offset=2":        "Docs",
		"?offset=9":                "",
		"?clientIds=a,b":           "",
		"?assignedToUserId=nobody": "",
	} {
		if got := list(q); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
	var v1 []wire.Project
	s.get("/v1/project/list").want(t, 200, &v1)
	if len(v1) != 3 {
		t.Errorf("%d", len(v1))
	}
	var p wire.Project
	path := "/v1/project/" + ids[0]
	s.get(path).want(t, 200, &p)
	if strings.Join(p.TargetLanguages, ",") != "de,pt-BR" || p.SourceLanguage != "en" || p.AccountID != testAccount ||
		p.Description != "about" || len(p.WorkflowStages) != 2 {
		t.Errorf("%+v", p)
	}
	if at, err := time.Parse(time.RFC3339Nano, p.CreationDate); err != nil || at.Year() != 2026 ||
		!strings.HasSuffix(p.CreationDate, "Z") {
		t.Errorf("%s", p.CreationDate)
	}

	put := func(body string, status int) {
		t.Helper()
		a := s.call("PUT", wire.Prefix+path, "application/json", strings.NewReader(body))
		if a.status != status {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
		p = wire.Project{}
		s.get(path).want(t, 200, &p)
	}
	put(`{"name":"Website","deadline":"2027-01-01T00:00:00Z"}`, 204)
	if p.Name != "Website" || p.Deadline != "2027-01-01T00:00:00Z" || p.Description != "about" ||
		p.ExternalTag != "tag Web app" {
		t.Errorf("%+v", p)
	}
	put(`{"Name":"Website","externalTag":""}`, 204)
	if p.Deadline != "" || p.ExternalTag != "" || p.Description != "about" {
		t.Errorf("%+v", p)
	}

	post := func(what string, status int, want wire.ProjectStatus) {
		t.Helper()
		a := s.post("/v1/project/"+what+"?projectId="+ids[0], "")
		if a.status != status {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
		s.get(path).want(t, 200, &p)
		if p.Status != want {
			t.Errorf("after %s: %s, want %s", what, p.Status, want)
		}
	}
	post("complete", 204, wire.ProjectCompleted)
	post("complete", 204, wire.ProjectCompleted)
	post("cancel", 204, wire.ProjectCanceled)
	post("complete", 409, wire.ProjectCanceled)
	post("cancel", 204, wire.ProjectCanceled)
	post("restore", 204, wire.ProjectCompleted)
	post("restore", 204, wire.ProjectCompleted)

	s.completed(ids[1], "?language=en", file{"a.json", `{"a":"A"}`})
	if a := s.call("DELETE", wire.Prefix+"/v1/project/"+ids[1], "", nil); a.status != http.StatusNoContent {
		t.Errorf("%d", a.status)
	}
	check(t, s.get("/v1/project/"+ids[1]), 404, "")
	check(t, s.startImport(ids[1], "?language=en", file{"a.json", `{"a":"A"}`}), 403, "")
	check(t, s.post("/v2/project/"+ids[1]+"/export", ""), 403, "")
	if got := list(""); got != "Website, Docs" {
		t.Errorf("%s", got)
	}
}

// Progress is the share of confirmed translations, per stage.
func TestProgress(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de", "fr")
	progress := func(want ...float64) {
		t.Helper()
		var project wire.Project
		s.get("/v1/project/"+p).want(t, 200, &project)
		var got []float64
		for _, stage := range project.WorkflowStages {
			got = append(got, stage.Progress)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	progress(0, 0)
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B"}`})
	s.completed(p, "?language=de", file{"a.json", `{"a":"A","b":"B"}`})
	progress(0, 0)
	s.completed(p, "?language=de&completion-state=intermediate", file{"a.json", `{"a":"A","b":"B"}`})
	progress(50, 0)
	s.completed(p, "?language=fr&completion-state=final", file{"a.json", `{"a":"A"}`})
	progress(75, 25)
	s.completed(p, "?language=en&overwrite-conflicting-values", file{"a.json", `{"a":"A2"}`})
	progress(25, 0)
	s.completed(p, "?language=en&delete-missing-keys", file{"a.json", `{"b":"B"}`})
	progress(50, 0)
	s.completed(p, "?language=en&delete-missing-keys", file{"a.json", `{}`})
	progress(0, 0)
}

func TestDirectory(t *testing.T) {
	s := serve(t, Options{})
	var d wire.Directory
	s.get("/v2/directory?type=language").want(t, 200, &d)
	names := map[string]string{}
	for _, i := range d.Items {
		if names[i.ID] != "" || i.Name == "" {
			t.Errorf("%+v", i)
		}
		names[i.ID] = i.Name
	}
	if d.Type != "language" || len(names) < 340 || names["pt-BR"] != "Brazilian Portuguese" || names["zh-Hans"] == "" ||
		names["zh-CN"] != "" {
		t.Errorf("%d languages, %q", len(names), names["pt-BR"])
	}
	ids := map[int]string{}
	for _, l := range languages.All() {
		if ids[l.ID] != "" || l.ID <= 0 {
			t.Errorf("%s and %s have the number %d", l.Code, ids[l.ID], l.ID)
		}
		ids[l.ID] = l.Code
	}
}
