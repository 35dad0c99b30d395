package local

import (
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// The Errors tables of the service interface, row by row, in its words; TestErrorConditions has the variants of each. A
// refusal says which parameter it is about.
func TestErrorTablesOfTheInterface(t *testing.T) {
	s := serve(t, Options{})
	personal := serve(t, Options{AccountType: "personal"})
	slow := serve(t, Options{JobDelay: time.Hour})
	unhurried := serve(t, Options{JobDelay: 300 * time.Millisecond})
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	limited := serve(t, Options{RateLimit: 4, Now: func() time.Time { return noon }})
	p := s.create("en", "de", "fr")
	documents := s.createWith(map[string]any{"name": "docs", "sourceLanguage": "en", "targetLanguages": []string{"de"},
		"assignToVendor": true})
	document := s.added(documents, "", file{"a.txt", "One."})[0]
	contentType, update := multipartOf(t, file{"a.txt", "Two."})
	s.completed(p, "?language=en", file{"a.json", `{"k":"v","bell":"\u0007"}`})
	theirs := "0a0a0a0a-0000-4000-8000-00000000e001"
	s.foreignProject(theirs)
	one := file{"a.json", `{"x":"y"}`}
	exports, imports, targets := "/v2/project/"+p+"/export", "/v2/project/"+p+"/import",
		"/v1/project/"+p+"/software-localization/targets"
	started := func(s *server, project string) string {
		var id string
		s.post("/v2/project/"+project+"/export", "").want(t, 200, &id)
		return id
	}
	importing := func(q string, files ...file) func() reply {
		return func() reply { return s.startImport(p, q, files...) }
	}
	exporting := func(q string) func() reply { return func() reply { return s.post(exports+q, "") } }

	for _, row := range []struct {
		table, row string
		call       func() reply
		status     int
		field      string
	}{
		{"codes", "200 request accepted and result returned", func() reply { return s.get("/v1/project/" + p) }, 200,
			""},
		{"codes", "200 for PUT the body describes the result", func() reply {
			return s.call("PUT", wire.Prefix+wire.PathDocumentUpdate+"?documentId="+document.ID, contentType,
				strings.NewReader(string(update)))
		}, 200, ""},
		{"codes", "202 accepted for processing, not yet complete",
			func() reply { return s.get("/v2/project/" + documents + "/statistics") }, 202, ""},
		{"codes", "204 completed with no body", func() reply {
			return s.call("DELETE", wire.Prefix+"/v1/callback", "", nil)
		},
			204, ""},
		{"codes", "204 export not ready", func() reply {
			return slow.get(
				"/v1/document/export/" + started(slow, slow.create("en", "de")))
		}, 204, ""},
		{"codes", "400 some aspect of the request is invalid", exporting("?zip=maybe"), 400, "zip"},
		{"codes", "403 insufficient permission", func() reply { return personal.get(wire.PathProjectList) }, 403, ""},
		{"codes", "403 the resource belongs to another entity", func() reply { return s.get("/v1/project/" + theirs) },
			403,
			""},
		{"codes", "404 target resource does not exist: invalid address",
			func() reply { return s.get("/v1/no/such/address") },
			404, ""},
		{"codes", "404 target resource does not exist: deleted", func() reply {
			gone := s.create("en", "de")
			s.call("DELETE", wire.Prefix+"/v1/project/"+gone, "", nil).want(t, 204, nil)
			return s.get("/v1/project/" + gone)
		}, 404, ""},
		{"codes", "409 conflicting change while modifying a resource", func() reply {
			return s.call("PUT", wire.Prefix+"/v1/project/"+p, "application/json", strings.NewReader(`{"name":"docs"}`))
		}, 409, ""},
		{"codes", "422 the instructions cannot be processed", func() reply {
			gone := unhurried.create("en", "de")
			id := started(unhurried, gone)
			unhurried.call("DELETE", wire.Prefix+"/v1/project/"+gone, "", nil).want(t, 204, nil)
			return unhurried.downloaded(id)
		}, 422, ""},
		{"codes", "422 content type and syntax are valid", func() reply {
			return s.sendDocuments(documents, "", file{"b.json", "{"})
		}, 422, ""},
		{"codes", "429 the rate limit was exceeded", func() reply {
			for range 4 {
				limited.get(wire.PathAccount).want(t, 200, nil)
			}
			return limited.get(wire.PathAccount)
		}, 429, ""},

		{"import", "400 language missing", importing("", one), 400, "language"},
		{"import", "400 body has no files", importing("?language=en"), 400, "file"},
		{"import", "400 skip-conflicting-values and overwrite-conflicting-values both given",
			importing("?language=en&skip-conflicting-values=true&overwrite-conflicting-values=true", one), 400,
			"skip-conflicting-values"},
		{"import", "400 language unrecognizable", importing("?language=qq", one), 400, "language"},
		{"import", "400 language neither the source nor a target language", importing("?language=es", one), 400,
			"language"},
		{"import", "400 format not one of the list", importing("?language=en&format=docx", one), 400, "format"},
		{"import", "400 path-separator given for a format unsuited to it",
			importing("?language=en&format=json&path-separator=.", one), 400, "path-separator"},
		{"import", "400 empty target-languages list", importing("?language=en&target-languages=", one), 400,
			"target-languages"},
		{"import", "400 incorrect language code", importing("?language=en&target-languages=de,qq", one), 400,
			"target-languages"},
		{"import", "403 project does not belong to the authenticated account",
			func() reply { return s.startImport(theirs, "?language=en", one) }, 403, ""},
		{"import", "403 import into a non-developer project", func() reply {
			return s.startImport(documents, "?language=en", one)
		}, 403, ""},
		{"import", "403 import into a personal account",
			func() reply { return personal.startImport(p, "?language=en", one) },
			403, ""},
		{"import result", "404 import identifier does not exist", func() reply {
			return s.get("/v1/project/import-result/" + unknownID)
		}, 404, ""},
		{"import result", "404 at the address that the interface prints", func() reply {
			return s.call("GET", wire.ResultPrefix+"/v1/project/import-result/"+unknownID, "", nil)
		}, 404, ""},

		{"export", "400 language missing", exporting("?languages="), 400, "languages"},
		{"export", "400 path-separator given with an unsuited format", exporting("?format=yaml&path-separator=."), 400,
			"path-separator"},
		{"export", "400 language unrecognizable", exporting("?languages=qq"), 400, "languages"},
		{"export", "400 language neither source nor target", exporting("?languages=es"), 400, "languages"},
		{"export", "400 any label empty", exporting("?labels=a,"), 400, "labels"},
		{"export", "400 completion-state not final, intermediate or draft", exporting("?completion-state=done"), 400,
			"completion-state"},
		{"export", "400 format not in the allowed list", exporting("?format=locjson"), 400, "format"},
		{"export", "400 more than one of the three modes given: fallback and blank",
			exporting("?fallback-to-default-language=true&export-incomplete-as-blank=true"), 400,
			"export-incomplete-as-blank"},
		{"export", "400 more than one of the three modes given: fallback and skip",
			exporting("?fallback-to-default-language=true&skip-incomplete-keys=true"), 400, "skip-incomplete-keys"},
		{"export", "400 more than one of the three modes given: blank and skip",
			exporting("?export-incomplete-as-blank=true&skip-incomplete-keys=true"), 400, "skip-incomplete-keys"},
		{"export", "403 project does not exist in the authenticated account: another's",
			func() reply { return s.post("/v2/project/"+theirs+"/export", "") }, 403, ""},
		{"export", "403 project does not exist in the authenticated account: nobody's",
			func() reply { return s.post("/v2/project/"+unknownID+"/export", "") }, 403, ""},
		{"targets", "400 empty list", func() reply { return s.post(targets+"?target-languages=", "") }, 400,
			"target-languages"},
		{"targets", "400 incorrect code", func() reply { return s.post(targets+"?target-languages=es,qq", "") }, 400,
			"target-languages"},

		{"any", "429 more than 4 requests per second: an import",
			func() reply { return limited.call("POST", wire.Prefix+imports+"?language=en", "", nil) }, 429, ""},
	} {
		t.Run(row.table+"/"+row.row, func(t *testing.T) {
			a := row.call()
			switch {
			case row.status >= 400:
				check(t, a, row.status, row.field)
			case a.status != row.status || (row.status == 204) != (len(a.body) == 0):
				t.Errorf("%d %s", a.status, a.body)
			}
			if (a.status == 429) != (a.header.Get("Retry-After") != "") {
				t.Errorf("Retry-After %q with %d", a.header.Get("Retry-After"), a.status)
			}
		})
	}
}

// foreignProject stores a project of another account.
func (s *server) foreignProject(id string) {
	s.t.Helper()
	theirs := &store.Project{ID: id, Account: "somebody else", Type: wire.ProjectTypeLocalization, Name: "theirs",
		Source: "en", Targets: []string{"de"}}
	err := s.s.store.Update(func(tx *store.Tx) error { return store.PutProject(tx, theirs) })
	if err != nil {
		s.t.Fatal(err)
	}
}
