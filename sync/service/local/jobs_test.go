package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// Jobs that were accepted and not done go on after a restart; results of exports stay, and what belongs to no job is
// swept.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	slow, err := Open(dir, Options{AccountID: testAccount, JobDelay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	const p = "0a0a0a0a-0000-4000-8000-00000000000d"
	if err := slow.EnsureProject(p, "app", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	waiting := &quick{slow, p}
	contentType, body := multipartOf(t, file{"a.json", `{"a":"1"}`})
	var id, export string
	waiting.send(t, "POST", "/v2/project/"+p+"/import?language=en", contentType, string(body)).want(t, 200, &id)
	waiting.send(t, "POST", "/v2/project/"+p+"/export", "", "").want(t, 200, &export)
	if a := waiting.send(t, "GET", "/v1/document/export/"+export, "", ""); a.status != 204 {
		t.Errorf("%d", a.status)
	}
	if err := slow.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stranger", "0000.part"} {
		if err := os.WriteFile(filepath.Join(dir, "results", name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	s, err := Open(dir, Options{AccountID: testAccount})
	if err != nil {
		t.Fatal(err)
	}
	q := &quick{s, p}
	if j := q.ended(t, id, "import"); j.Status != wire.Completed || j.Import.Result.KeysCreated != 1 {
		t.Errorf("%+v", j)
	}
	q.ended(t, export, "export")
	first := q.send(t, "GET", "/v1/document/export/"+export, "", "")
	if first.status != 200 {
		t.Errorf("%d %s", first.status, first.body)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "results")); len(left) != 1 {
		t.Errorf("%v", left)
	}
	if s, err = Open(dir, Options{AccountID: testAccount}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	again := (&quick{s, p}).send(t, "GET", "/v1/document/export/"+export, "", "")
	if again.status != 200 || string(again.body) != string(first.body) {
		t.Errorf("%d %s", again.status, again.body)
	}
}

// Results can be asked for for a day, imports for a week; then they are forgotten, and their files with them.
func TestJobsExpire(t *testing.T) {
	now := clockAt(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	s := serve(t, Options{Now: func() time.Time { return now.add(0) }})
	p := s.create("en", "de")
	var importID, exportID string
	s.startImport(p, "?language=en", file{"a.json", `{"a":"1"}`}).want(t, 200, &importID)
	s.result(importID)
	s.post("/v2/project/"+p+"/export?languages=en", "").want(t, 200, &exportID)
	s.downloaded(exportID).want(t, 200, nil)
	now.add(23 * time.Hour)
	s.one(p, "?languages=en")
	s.get("/v1/document/export/"+exportID).want(t, 200, nil)
	now.add(2 * time.Hour)
	s.one(p, "?languages=en")
	check(t, s.get("/v1/document/export/"+exportID), 404, "")
	if _, err := os.Stat(filepath.Join(s.dir, "results", exportID)); !os.IsNotExist(err) {
		t.Error(err)
	}
	s.get("/v1/project/import-result/"+importID).want(t, 200, nil)
	now.add(7 * 24 * time.Hour)
	s.one(p, "?languages=en")
	check(t, s.get("/v1/project/import-result/"+importID), 404, "")
}

// A job whose project goes away ends as failed, in words.
func TestProjectDeletedUnderJobs(t *testing.T) {
	s := serve(t, Options{JobDelay: 100 * time.Millisecond})
	p := s.create("en", "de")
	var importID, exportID string
	s.startImport(p, "?language=en", file{"a.json", `{"a":"1"}`}).want(t, 200, &importID)
	s.post("/v2/project/"+p+"/export?languages=en", "").want(t, 200, &exportID)
	s.call("DELETE", wire.Prefix+"/v1/project/"+p, "", nil).want(t, 204, nil)
	r := s.result(importID)
	if r.Status != wire.Failed || len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Error, "deleted") {
		t.Errorf("%+v", r)
	}
	a := s.downloaded(exportID)
	check(t, a, 422, "")
	if !strings.Contains(string(a.body), "deleted") {
		t.Errorf("%s", a.body)
	}
}

// A text that a format cannot hold is left out of the export; all others are in it, and other formats have it.
func TestTextThatAFormatCannotHold(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"fine":"Fine","bell":"ring \u0007"}`})
	a := s.exported(p, "?languages=en&format=android-xml")
	a.want(t, 200, nil)
	if body := string(a.body); strings.Contains(body, "bell") || !strings.Contains(body, "Fine") {
		t.Errorf("%s", body)
	}
	sameJSON(t, s.one(p, "?languages=en"), `{"fine":"Fine","bell":"ring \u0007"}`)
}
