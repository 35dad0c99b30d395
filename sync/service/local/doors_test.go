package local

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

const unknownID = "11111111-2222-3333-4444-555555555555"

var holders = regexp.MustCompile(`\{\w+\}`)

// eachOperation calls do with every method and path that is served, placeholders filled in with id.
func eachOperation(s *Service, id string, do func(method, path string)) {
	for pattern, m := range s.table() {
		for method := range m {
			do(method, holders.ReplaceAllLiteralString(wire.Prefix+pattern, id))
		}
	}
	do("GET", wire.ResultPrefix+holders.ReplaceAllLiteralString(wire.PathImportResult, id))
}

// Whatever is asked for: without credentials it is 401, with a personal account 403, beyond the limit 429; and a method that a path does not take is
// a 405 that says which ones it takes.
func TestEveryOperationIsGuarded(t *testing.T) {
	open := func(o Options) *Service {
		o.AccountID, o.Keys = "a", []string{"k"}
		s, err := Open(t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	send := func(s *Service, method, path, key string) reply {
		r := httptest.NewRequest(method, path, nil)
		if key != "" {
			r.SetBasicAuth("a", key)
		}
		a, err := ask(s, r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	company, personal := open(Options{}), open(Options{AccountType: "personal"})
	busy := open(Options{RateLimit: 1, Now: func() time.Time { return noon }})
	send(busy, "GET", wire.Prefix+wire.PathAccount, "k").want(t, 200, nil)
	operations := 0
	eachOperation(company, unknownID, func(method, path string) {
		operations++
		check(t, send(company, method, path, ""), 401, "")
		check(t, send(company, method, path, "wrong"), 401, "")
		check(t, send(personal, method, path, "k"), 403, "")
		a := send(busy, method, path, "k")
		check(t, a, 429, "")
		if a.header.Get("Retry-After") != "1" {
			t.Errorf("%s %s: Retry-After %q", method, path, a.header.Get("Retry-After"))
		}
		a = send(company, "TRACE", path, "k")
		check(t, a, 405, "")
		if !strings.Contains(strings.Join(a.header["Allow"], " "), method) {
			t.Errorf("%s: Allow %v does not name %s", path, a.header["Allow"], method)
		}
	})
	if operations < 35 {
		t.Errorf("%d operations were called; the walk misses some", operations)
	}
}

// Every operation on a project says 403 of one that belongs to another account, 400 of what is no identifier, and 404, or for keys 403, of one that there
// is not; whatever else is wrong with the call. None of it changes anything.
func TestProjectsOfOthers(t *testing.T) {
	dir := t.TempDir()
	theirs, err := Open(dir, Options{AccountID: "they"})
	if err != nil {
		t.Fatal(err)
	}
	const id = "0a0a0a0a-0000-4000-8000-00000000d001"
	if err := theirs.EnsureProject(id, "theirs", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	before := &wire.Project{}
	(&quick{theirs, ""}).send(t, "GET", "/v1/project/"+id, "", "").want(t, 200, before)
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	mine, err := Open(dir, Options{AccountID: "i"})
	if err != nil {
		t.Fatal(err)
	}
	call := func(method, path string) reply {
		path, q, _ := strings.Cut(path, "?")
		r := httptest.NewRequest(method, path+"?"+q, strings.NewReader(`{"name":"n"}`))
		r.Header.Set("Content-Type", "application/json")
		a, err := ask(mine, r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	keys := []string{wire.PathImport, wire.PathExport, wire.PathExportV1}
	inQuery := map[string]bool{wire.PathProjectComplete: true, wire.PathProjectCancel: true, wire.PathProjectRestore: true, wire.PathProjectLanguage: true, wire.PathProjectDocument: true}
	for pattern, m := range mine.table() {
		if !strings.Contains(pattern, "{"+wire.ProjectID+"}") && !inQuery[pattern] {
			continue
		}
		for method := range m {
			if pattern == wire.PathProjectLanguage && method == http.MethodDelete {
				continue // refused for every project
			}
			at := func(project string) string {
				p := wire.Prefix + strings.Replace(pattern, "{"+wire.ProjectID+"}", project, 1)
				if inQuery[pattern] {
					p += "?projectId=" + project
				}
				return holders.ReplaceAllLiteralString(p, unknownID)
			}
			t.Run(method+" "+pattern, func(t *testing.T) {
				check(t, call(method, at(id)), 403, "")
				check(t, call(method, at("12")), 400, "projectId")
				check(t, call(method, at(unknownID+"0")), 400, "projectId") // 37 characters
				unknown := 404
				for _, p := range keys {
					if p == pattern {
						unknown = 403
					}
				}
				check(t, call(method, at(unknownID)), unknown, "")
			})
		}
	}
	if err := mine.Close(); err != nil {
		t.Fatal(err)
	}
	if theirs, err = Open(dir, Options{AccountID: "they"}); err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	after := &wire.Project{}
	(&quick{theirs, ""}).send(t, "GET", "/v1/project/"+id, "", "").want(t, 200, after)
	if after.Name != before.Name || after.ModificationDate != before.ModificationDate || len(after.TargetLanguages) != 1 {
		t.Errorf("%+v became %+v", before, after)
	}
}
