package local

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

const unknownID = "11111111-2222-3333-4444-555555555555"

var holders = regexp.MustCompile(`\{\w+\}`)

// eachOperation calls do with every method and path that is served, placeholders filled in with id.
func eachOperation(s *Service, id string, do func(method, path string)) {
	for pattern, m := range s.table {
		for method := range m {
			do(method, holders.ReplaceAllLiteralString(wire.Prefix+pattern, id))
		}
	}
	do("GET", wire.ResultPrefix+holders.ReplaceAllLiteralString(wire.PathImportResult, id))
}

// Whatever is asked for: without credentials it is 401, with a personal account 403, beyond the limit 429; and a method
// that a path does not take is a 405 that says which ones it takes.
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

// Every operation on a project says 403 of one that belongs to another account, 400 of what is no identifier, and 404,
// or for keys 403, of one that there is not; whatever else is wrong with the call. None of it changes anything.
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
	keys := []string{wire.PathImport, wire.PathExport, wire.PathExportV1, wire.PathOwnQuestions, wire.PathOwnWriters,
		wire.PathOwnArchive}
	inQuery := map[string]bool{wire.PathProjectComplete: true, wire.PathProjectCancel: true,
		wire.PathProjectRestore:  true,
		wire.PathProjectLanguage: true, wire.PathProjectDocument: true}
	for pattern, m := range mine.table {
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
	if after.Name != before.Name || after.ModificationDate != before.ModificationDate ||
		len(after.TargetLanguages) != 1 {
		t.Errorf("%+v became %+v", before, after)
	}
}

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
		if a.status == 401 && (a.problem(t).Status != 401 ||
			!strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic")) {
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
	other := Wanted{ID: "00000000-0000-4000-8000-00000000000a", Name: "other", Source: "en", Targets: []string{"de"}}
	if err := s.s.EnsureProjects(other, Wanted{ID: id, Name: "yours", Source: "en",
		Targets: []string{"de"}}); err == nil ||
		s.s.EnsureProject(other.ID, "other", "fr", []string{"de"}) != nil {
		t.Errorf("one of two projects was made: %v", err)
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
		for i := range 50 {
			if i < 5 && send("wrong").status != 401 { // more of them would wait
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
